"""Folders of texts or of mail, mailboxes and archives."""

from __future__ import annotations

from rosenblatt.streams.core.format import Format, late

FORMATS = (
    Format(
        name="folder",
        title="a folder of texts",
        contents="mail or texts, one folder per label",
        page="folders",
        options=("bits", "text"),
        rank=70,
        suffixes=(".mbox", ".eml", ".tar", ".tgz"),
        open_file=late("formats.folders", "FolderStream"),
        has_folders=True,
    ),
)
