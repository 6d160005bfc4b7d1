"""Decisions by probabilities: costs of errors, and sets of labels."""
