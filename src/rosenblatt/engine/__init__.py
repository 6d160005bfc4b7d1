"""Compiled code: rows, loops, state. The only package that imports the core."""

try:
    from rosenblatt._core import instruction_set
except ImportError as error:
    if "ROSENBLATT_CPU" in str(error):
        raise
    raise ImportError(
        "The compiled core of rosenblatt is missing: in a checkout, `make` builds it."
    ) from error

__all__ = ["instruction_set"]
