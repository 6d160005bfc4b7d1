"""Columns to features: kinds, categories, hashes, n-grams, labels, weights."""
