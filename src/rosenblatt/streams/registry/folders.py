"""Folders of texts or of mail, mailboxes and archives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import Format

if TYPE_CHECKING:
    from rosenblatt.streams.core.options import ReadOptions
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.features.encoding import Vocabulary


def open_file(name: str, options: ReadOptions, vocabulary: Vocabulary | None) -> Stream:
    """Return the files or mails as hashed n-grams."""
    from rosenblatt.streams.formats.folders import FolderStream

    return FolderStream(name, options)


FORMATS = (
    Format(
        name="folder",
        title="a folder of texts",
        contents="mail or texts, one folder per label",
        page="folders",
        options=("bits", "text"),
        rank=70,
        suffixes=(".mbox", ".eml", ".tar", ".tgz"),
        open_file=open_file,
        has_folders=True,
    ),
)
