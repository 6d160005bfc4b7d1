"""Folders of texts or of mail, mailboxes and archives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import Format

if TYPE_CHECKING:
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.io.asked import NamedFile


def open_file(file: NamedFile) -> Stream:
    """Return the files or mails as hashed n-grams."""
    from rosenblatt.streams.formats.folders import FolderStream

    return FolderStream(file.name, file.options)


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
