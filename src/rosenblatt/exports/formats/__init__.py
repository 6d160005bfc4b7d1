"""Registry of the formats of exports: each file of this folder declares one, ``FORMAT``.

The command lists them on its help page, so a file imports NumPy and other packages late, in
``write``; :mod:`rosenblatt.exports.terms` does without them.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from rosenblatt.exports.format import Format

_DECLARED: list[Format] = [
    import_module(f"{__name__}.{module.name}").FORMAT for module in iter_modules(__path__)
]

FORMATS = {one.name: one for one in sorted(_DECLARED, key=lambda one: one.rank)}
"""Every format, by its name."""

SUFFIXES = {one.suffix: one.name for one in FORMATS.values()}
"""The format of each suffix."""
