"""Registry of formats: each file of this folder declares one, or several that share a reader.

All lists of formats come from here: values and help of options, suffixes, the search for the format
of a text, the writers, and the parameters of tests. A new format is a new file.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from rosenblatt.streams.core.format import Format

_MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
_DECLARED: list[Format] = [one for module in _MODULES for one in module.FORMATS]

FORMATS = {one.name: one for one in sorted(_DECLARED, key=lambda one: (one.rank, one.name))}
"""Every format, by its name."""

FORMAT_NAMES = tuple(name for name, one in FORMATS.items() if not one.prefix)
"""The values of the option ``format``."""

WRITTEN_FORMATS = {name: one.written for name, one in FORMATS.items() if one.write is not None}
"""Every format that is written, and the name of such a file in messages."""

SUFFIXES = {suffix: name for name, one in FORMATS.items() for suffix in one.suffixes}
"""The format of each suffix, apart from that of a compression."""
