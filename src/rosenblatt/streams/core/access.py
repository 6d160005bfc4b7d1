"""Access to files at URLs: storage options, cache and versions, without secrets in any text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

# The mark of the sentence after a query stays, and so does what follows a query already cut.
_QUERY = re.compile(
    r"([a-zA-Z][\w.+-]*://[^\s?#'\"]*)\?(?:…(?=$|[\s:;.,#)'\"])|[^\s#'\",)]*?(?=[:;.]?(?:$|[\s#'\",)])))"
)
_USER = re.compile(r"([a-zA-Z][\w.+-]*://)[^\s/@'\"]*@")
_SHORTEST = 4  # characters of a value that is taken out of texts; "s3" or "1" is no secret


class StorageOptions(dict[str, Any]):
    """Options of fsspec's file systems, such as ``{"key": …, "secret": …}``.

    No text has their values: a representation has the names alone.

    Examples
    --------
    >>> StorageOptions(key="AKIA", secret="wJalr")
    StorageOptions(key=…, secret=…)
    """

    def __repr__(self) -> str:
        return f"StorageOptions({', '.join(f'{name}=…' for name in self)})"


def shown(text: str) -> str:
    """Return a text whose URLs have no user, no password and no query, where signatures stand.

    Examples
    --------
    >>> shown("https://ann:secret@example.org/a.svm?X-Amz-Signature=ab#bytes=0-9: no rows.")
    'https://…@example.org/a.svm?…#bytes=0-9: no rows.'
    >>> shown(shown("s3://bucket/a.svm?signature=ab: no rows."))
    's3://bucket/a.svm?…: no rows.'
    """
    if "://" not in text:
        return text
    return _USER.sub(r"\1…@", _QUERY.sub(r"\1?…", text))


class SourceNames(tuple[str, ...]):
    """Names of sources; a representation shows their URLs without secrets.

    Examples
    --------
    >>> SourceNames(["s3://bucket/a.svm?versionId=3"])
    ('s3://bucket/a.svm?…',)
    """

    def __repr__(self) -> str:
        return repr(tuple(map(shown, self)))


class Version(NamedTuple):
    """What tells a file at a URL from the one that is there later.

    Attributes
    ----------
    size : int or None
        Bytes.
    tag : str
        Its ETag, or the time of its last change; empty if neither is known.

    Examples
    --------
    >>> Version(9, "a").is_other(Version(9, "b")), Version(9, "a").is_other(Version(None, "a"))
    (True, False)

    Some stores list an ETag without the quotes that it has where a file is asked for:

    >>> Version(9, "a").is_other(Version(9, '"a"'))
    False
    """

    size: int | None
    tag: str

    def is_other(self, other: Version) -> bool:
        """Return whether two versions differ, as far as both are known."""
        has_other_size = None not in (self.size, other.size) and self.size != other.size
        tags = self.tag.strip('"'), other.tag.strip('"')
        return has_other_size or (all(tags) and tags[0] != tags[1])


class Access(NamedTuple):
    """How files at URLs are read.

    Attributes
    ----------
    storage : StorageOptions
    cache_bytes : int
        The budget of the cache on the disk of this process; 0: no cache.
    cache_folder : str or None
        Where the folder of the cache is made; None: in the folder for temporary files.
    versions : mapping
        The versions of URLs that the files must have.
    """

    storage: StorageOptions = StorageOptions()
    cache_bytes: int = 0
    cache_folder: str | None = None
    versions: Mapping[str, Version] = {}

    def without_secrets(self, text: str) -> str:
        """Return a text, such as an error's, without secrets of URLs and values of options.

        Examples
        --------
        >>> Access(StorageOptions(secret="wJalr")).without_secrets("wJalr at s3://b/a?key=1")
        '… at s3://b/a?…'
        """
        text = shown(text)  # first: an address without its begin, an option, is no address
        for value in _values(self.storage):
            text = text.replace(value, "…").replace(shown(value), "…")
        return text


NO_ACCESS = Access()
"""Access without options, cache and known versions."""


def _values(options: object) -> list[str]:
    """Return the texts in nested options."""
    if isinstance(options, Mapping):
        return [text for value in options.values() for text in _values(value)]
    if isinstance(options, Sequence) and not isinstance(options, str | bytes):
        return [text for value in options for text in _values(value)]
    return [options] if isinstance(options, str) and len(options) >= _SHORTEST else []
