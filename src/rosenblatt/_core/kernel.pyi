"""Expansions in support rows."""
