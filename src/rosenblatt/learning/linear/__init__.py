"""Learners that store w itself."""
