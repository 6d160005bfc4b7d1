"""The sections of the pages of accuracy."""
