"""Rows on their way into a model."""
