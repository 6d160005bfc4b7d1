"""Classes of this library and of others."""

from __future__ import annotations


def is_library_class(kind: type) -> bool:
    """Return True if a class is part of this library.

    Examples
    --------
    >>> is_library_class(dict)
    False
    """
    return kind.__module__.startswith("rosenblatt.")
