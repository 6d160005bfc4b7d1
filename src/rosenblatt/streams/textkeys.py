"""Which keys of JSON objects have texts, where nobody says it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

_WORDS = 3  # of a text; a category has fewer


def text_keys(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The keys whose strings, in half of the objects or more, have three words or more.

    Parameters
    ----------
    rows : iterable of dict
        Keys of objects within are joined with dots, as the names of features are.

    Examples
    --------
    >>> text_keys([{"mail": {"body": "Win a prize!", "folder": "in box"}}, {"kind": "spam"}])
    ['mail.body']
    """
    found: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        for key, string in _strings("", row):
            found[key].append(len(string.split(None, _WORDS)) >= _WORDS)
    return [key for key, are_long in found.items() if 2 * sum(are_long) >= len(are_long)]


def _strings(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """The strings of a value, each with its key."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from _strings(path if isinstance(inner, str) else f"{path}.{k}", inner)
