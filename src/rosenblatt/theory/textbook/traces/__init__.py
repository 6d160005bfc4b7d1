"""Recorded runs: as JSON text, of kernels, and in the worst order of their rows."""
