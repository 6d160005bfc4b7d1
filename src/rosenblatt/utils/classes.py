"""Classes of this library and of others: which they are, and their names in the disk cache."""

from __future__ import annotations

import hashlib


def is_library_class(kind: type) -> bool:
    """Return True if a class is part of this library.

    Examples
    --------
    >>> is_library_class(dict)
    False
    """
    return kind.__module__.startswith("rosenblatt.")


def is_importable(kind: type) -> bool:
    """Return True if another process can import a class: those of ``__main__`` it cannot.

    Examples
    --------
    >>> is_importable(dict)
    True
    """
    return kind.__module__ != "__main__"


def short_name(kind: type) -> str:
    """Return the name of a class; for one of another package, with a digest of its module.

    Examples
    --------
    >>> short_name(dict)
    'dict_e513fb1f0504'
    """
    if is_library_class(kind):
        return kind.__qualname__
    home = hashlib.sha256(kind.__module__.encode()).hexdigest()[:12]
    return f"{kind.__qualname__}_{home}"
