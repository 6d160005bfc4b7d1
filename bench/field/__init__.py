"""The page docs/accuracy.md: our learners beside those of the field."""
