"""Argument checks, text tables and atomic writes: the standard library and NumPy only."""
