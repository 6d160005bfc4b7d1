"""Epochs of linear learners."""
