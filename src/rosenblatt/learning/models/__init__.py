"""Model files: save, load, describe and compare learners."""
