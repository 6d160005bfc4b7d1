"""Models as files that score without the library."""
