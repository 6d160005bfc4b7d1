"""Perceptron on rows of named features, one at a time or in batches."""
