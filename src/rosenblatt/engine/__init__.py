"""Compiled code: rows, loops, state. The only package that imports the core, and numba."""

from rosenblatt._core import instruction_set

__all__ = ["instruction_set"]
