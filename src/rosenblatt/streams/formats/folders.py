"""Folders of texts or of mail, mailboxes and archives: a file, or a mail, a row."""

from __future__ import annotations

import hashlib
import os
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.errors import DataError, damaged
from rosenblatt.streams.core.options import BITS, Settings
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.ngrams import DEFAULT, Grams
from rosenblatt.streams.features.weights_ids import ids_of
from rosenblatt.streams.formats.mail import text_of
from rosenblatt.streams.io.files import inner_suffix, on_disk
from rosenblatt.streams.io.lines import BROKEN
from rosenblatt.streams.io.remote import is_url

MOST_BYTES = 1 << 20
"""What a file has beyond so many bytes does not count."""

_ARCHIVES = (".tar", ".tgz")


class Letter(NamedTuple):
    """A file or a mail: what it is called, its label where it has one, and how to read it."""

    name: str
    label: str
    read: Callable[[], bytes]


class FolderStream(Stream):
    """Rows of texts or of mail in files, as hashed n-grams.

    Each folder in the folder is a label, and each file in it, at any depth, a row. A mailbox,
    ``spam.mbox``, is a folder of mail: its stem is the label, each mail in it a row. Rows of all
    labels are mixed: they come in the order of the SHA-256 of their path below the folder, which is
    the same everywhere. Files beside the folders, and all whose names begin with a dot, are left
    out; links to folders are followed at the first level only. Not ``labelled``: each file is a
    row, also those beside the folders, in the order of their paths.

    A mailbox or a file alone is read in its own order. An archive, ``.tar``, ``.tgz``,
    ``.tar.gz``, ``.tar.xz`` or ``.tar.bz2``, is read without being unpacked, in its own order, in
    which labels mostly come in blocks: there the label is the folder that a file stands in, and
    those in none are left out.

    What of a mail is read is told by :func:`rosenblatt.streams.formats.mail.text_of`; the first
    2^20 bytes of a file count. An empty file is a row without features. Ids are the paths below
    the folder; of a mail in a mailbox the path and its place in it, from 1. For the n-grams see
    :class:`rosenblatt.streams.features.ngrams.Grams`.

    Parameters
    ----------
    path : str
    settings : Settings
        ``text`` are the n-grams, ``word:1-2`` by default; there are 2^bits columns, 18 bits by
        default. Not ``labelled``: the rows have no labels. ``names`` takes the n-grams as they
        are met.

    Raises
    ------
    DataError
        There is no such folder or file, or neither folders nor mailboxes are in it. Iterating
        raises it for a file that cannot be read, and where there is none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for label, text in [("ham", "see you at noon"), ("spam", "win a prize")]:
    ...         pathlib.Path(folder, label).mkdir()
    ...         _ = pathlib.Path(folder, label, "1.txt").write_text(text)
    ...     (batch,) = FolderStream(folder, Settings(bits=10))
    >>> batch.X.shape, sorted(batch.y.tolist())
    ((2, 1024), ['ham', 'spam'])
    """

    sparse = True

    def __init__(self, path: str, settings: Settings) -> None:
        super().__init__(path, "folder")
        self.labelled = settings.labelled
        self.bits: int = settings.bits or BITS
        self.text = settings.text or DEFAULT
        self.id_column = "file"
        self._batch_bytes, self._names = settings.batch_bytes, settings.names
        self._letters: Callable[[], Iterable[Letter]]
        if inner_suffix(path) in _ARCHIVES and not os.path.isdir(path):
            self._letters = partial(_archived, path, self.labelled)
        else:
            letters = _listed(path, self.labelled)  # once: every pass has the same rows
            self._letters = letters.copy

    def __iter__(self) -> Iterator[Batch]:
        grams = Grams(self.text, self.bits, self._names)
        first_row = 0
        for letters, texts in self._groups():
            y = np.array([letter.label for letter in letters]) if self.labelled else None
            ids = ids_of([_shown(letter.name) for letter in letters])
            yield Batch(grams.rows(texts), y, first_row, ids=ids)
            first_row += len(letters)
        if first_row == 0:
            raise DataError(self.name, None, None, "no rows: there is no file in it.")

    def _groups(self) -> Iterator[tuple[list[Letter], list[str]]]:
        """Files with their texts, as many as a batch takes; those before a bad one come first."""
        letters: list[Letter] = []
        texts: list[str] = []
        size = 0
        try:
            for letter in self._letters():
                raw = letter.read()
                letters.append(letter)
                texts.append(text_of(raw))
                size += len(raw)
                if size >= self._batch_bytes:
                    yield letters, texts
                    letters, texts, size = [], [], 0
        except DataError:
            if letters:
                yield letters, texts
            raise
        if letters:
            yield letters, texts


def _listed(path: str, labelled: bool) -> list[Letter]:
    """All that is to be read, in order."""
    if path == "-":
        if labelled:
            raise DataError("stdin", None, None, "one text has no folder for its label: name it.")
        return [Letter("", "", lambda: sys.stdin.buffer.read(MOST_BYTES))]
    if not os.path.isdir(path):
        if is_url(path):
            raise DataError(path, None, None, "is no table: fetch it, and give the file.")
        on_disk(path, "a text or a mailbox")
        return list(_in_file(path, os.path.basename(path), Path(path).stem))
    if labelled:
        return sorted(_labelled(path), key=_mixed)
    return sorted(_walked(path, path, ""), key=lambda letter: letter.name)


def _shown(name: str) -> str:
    """A path as text, whatever bytes it has."""
    return os.fsencode(name).decode(errors="replace")


def _mixed(letter: Letter) -> bytes:
    """A place in an order that has nothing to do with labels, and that is the same everywhere."""
    return hashlib.sha256(os.fsencode(letter.name)).digest()


def _labelled(path: str) -> Iterator[Letter]:
    """The files of a folder of labels."""
    labels = 0
    for entry in _entries(path):
        is_box = inner_suffix(entry.name) == ".mbox"
        labels += is_box or entry.is_dir()
        if entry.is_dir():
            yield from _walked(path, entry.path, entry.name)
        elif is_box:
            yield from _in_file(entry.path, entry.name, Path(entry.name).stem)
    if labels == 0:
        problem = (
            "has no folders in it: give a folder with one folder, or one mailbox NAME.mbox, for "
            "each label."
        )
        raise DataError(path, None, None, problem)


def _entries(path: str) -> list[os.DirEntry[str]]:
    """What a folder holds, but for what is hidden."""
    try:
        with os.scandir(path) as entries:
            return [entry for entry in entries if not entry.name.startswith(".")]
    except OSError as error:
        raise _unreadable(path, error) from error


def _walked(root: str, path: str, label: str) -> Iterator[Letter]:
    """The files in a folder, at any depth; their names are their paths below the root."""
    folders = [path]
    while folders:
        for entry in _entries(folders.pop()):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file():
                name = Path(entry.path).relative_to(root).as_posix()
                yield from _in_file(entry.path, name, label)


def _in_file(path: str, name: str, label: str) -> Iterator[Letter]:
    """A file as it is, or the mails of a mailbox."""
    if inner_suffix(name) != ".mbox":
        yield Letter(name, label, partial(_read, path))
        return
    places = [*_mails(path), os.path.getsize(path)]
    for k, (start, stop) in enumerate(pairwise(places), 1):
        yield Letter(f"{name}/{k}", label, partial(_read, path, start, stop - start))


def _mails(path: str) -> Iterator[int]:
    """Where the mails of a mailbox begin: at lines ``From …``, the first and those after blanks."""
    place, is_free = 0, True
    try:
        with open(path, "rb") as file:
            for line in file:
                if is_free and line.startswith(b"From "):
                    yield place
                elif place == 0:
                    problem = "found no line 'From …', expected a mailbox, mail after mail."
                    raise DataError(path, 1, None, problem)
                place += len(line)
                is_free = not line.strip()
    except OSError as error:
        raise _unreadable(path, error) from error


def _read(path: str, start: int = 0, size: int = MOST_BYTES) -> bytes:
    try:
        with open(path, "rb") as file:
            file.seek(start)
            return _most(file, size)
    except OSError as error:
        raise _unreadable(path, error) from error


def _most(file: IO[bytes], size: int) -> bytes:
    """What counts of a file; where it is cut, whole lines if it has any."""
    raw = file.read(min(size, MOST_BYTES))
    return raw if len(raw) < MOST_BYTES else raw[: raw.rfind(b"\n") + 1] or raw


def _unreadable(path: str, error: OSError) -> DataError:
    return DataError(path, None, None, f"cannot be read: {error.strerror}.")


def _archived(path: str, labelled: bool) -> Iterator[Letter]:
    """The files of an archive, read as they pass; labelled, those in folders."""
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                place = Path(member.name)
                label = place.parent.name
                if not member.isfile() or place.name.startswith(".") or (labelled and not label):
                    continue
                file: Any = archive.extractfile(member)
                yield Letter(member.name, label, partial(bytes, _most(file, member.size)))
    except (tarfile.TarError, *BROKEN) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise _unreadable(path, error) from error
        raise damaged(path, "an archive", error) from error
