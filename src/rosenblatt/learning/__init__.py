"""Learners, and what is done with them: evaluation, model files, studies."""
