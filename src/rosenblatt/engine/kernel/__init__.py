"""Compiled loops of the kernel expansion."""
