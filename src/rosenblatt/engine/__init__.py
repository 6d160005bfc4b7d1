"""Compiled code: rows, loops, state. The only package that imports numba."""
