"""Learners that store w as a sum over support rows."""
