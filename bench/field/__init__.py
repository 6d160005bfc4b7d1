"""The pages docs/accuracy.md and bench/accuracy.md: our learners beside those of the field."""
