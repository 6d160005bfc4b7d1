"""From columns to features: kinds, categories, hashes, n-grams, labels, weights."""
