"""Folders of texts or of mail, mailboxes and archives; each file or mail is a row."""

from __future__ import annotations

import hashlib
import os
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import DEFAULT_BITS
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.labels import ids_or_none
from rosenblatt.streams.features.ngrams import DEFAULT_NGRAMS, NgramHasher
from rosenblatt.streams.formats.mail import extract_text
from rosenblatt.streams.io.files import NamedFile, local_file, open_unpacked
from rosenblatt.streams.io.lines import READ_ERRORS
from rosenblatt.streams.io.paths import address_of

if TYPE_CHECKING:
    from typing import Self

MAX_BYTES = 1 << 20
"""Only so many bytes of a file are read."""

_ARCHIVES = (".tar", ".tgz")
_DRAINED_BYTES = 1 << 16
# of tarfile, on damaged headers
_MEMBER_ERRORS = (ValueError, TypeError, LookupError, OverflowError, RecursionError)


class Document(NamedTuple):
    """A file or a mail: its name, its label, empty if it has none, and a function that reads it."""

    name: str
    label: str
    read: Callable[[], bytes]


class FolderStream(Stream):
    """Rows of texts or of mail in files, as hashed n-grams.

    Each subfolder is a label, and each file in it, at any depth, is a row. A mailbox,
    ``spam.mbox``, is a folder of mail: its stem is the label, and each mail is a row. The rows of
    all labels are shuffled by the SHA-256 of their path below the folder, which gives the same
    order on every machine. Files outside the subfolders, and hidden files, are skipped; links to
    folders are followed at the first level only. Without ``labelled``, each file is a row,
    including those outside subfolders, in the order of the paths.

    A single mailbox or file is read in its own order. An archive, ``.tar``, ``.tgz``, ``.tar.gz``,
    ``.tar.xz`` or ``.tar.bz2``, is read without being unpacked, in its own order, in which the rows
    of a label usually follow each other. The label is the name of a file's folder; files outside
    folders are skipped.

    :func:`rosenblatt.streams.formats.mail.extract_text` decides which parts of a mail are read;
    only the first 2^20 bytes of a file are. An empty file is a row without features. Ids are the
    paths below the folder; for a mail in a mailbox the path and its number, from 1. For the n-grams
    see :class:`rosenblatt.streams.features.ngrams.NgramHasher`.

    Parameters
    ----------
    file : NamedFile
        Of its options, ``text`` are the specs of n-grams, default ``word:1-2``; there are 2^bits
        columns, default 2^18. Without ``labelled``, rows have no labels. ``names`` records the
        n-grams.

    Raises
    ------
    DataError
        The folder or file does not exist, or has neither folders nor mailboxes. Iterating raises
        it for a file that cannot be read, and if there is none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.streams.core.options import ReadOptions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for label, text in [("ham", "see you at noon"), ("spam", "win a prize")]:
    ...         pathlib.Path(folder, label).mkdir()
    ...         _ = pathlib.Path(folder, label, "1.txt").write_text(text)
    ...     (batch,) = FolderStream(NamedFile("folder", folder, ReadOptions(bits=10)))
    >>> batch.X.shape, sorted(batch.y.tolist())
    ((2, 1024), ['ham', 'spam'])
    """

    def __init__(self, file: NamedFile) -> None:
        options, path = file.options, file.name
        super().__init__(path, file.format)
        self.sparse, self.labelled, self.id_column = True, options.labelled, "file"
        self.text, self.bits = options.text or DEFAULT_NGRAMS, options.bits or DEFAULT_BITS
        self._hasher = NgramHasher(self.text, self.bits, options.names)
        self._batch_bytes = options.batch_bytes
        self._documents: Callable[[], Iterable[Document]]
        if address_of(path).suffix in _ARCHIVES and not os.path.isdir(path):
            self._documents = partial(_archived_documents, path, self.labelled)
        else:  # listed once, so that every pass has the same rows
            self._documents = _list_documents(path, self.labelled).copy

    def __iter__(self) -> Iterator[Batch]:
        first_row = 0
        for documents, texts in self._groups():
            labels = [_printable(document.label) for document in documents]
            y = np.array(labels) if self.labelled else None
            ids = ids_or_none([_printable(document.name) for document in documents])
            yield Batch(self._hasher.rows(texts), y, first_row, ids=ids)
            first_row += len(documents)
        if first_row == 0:
            raise DataError(self.name, "no rows: it holds no files.")

    def _groups(self) -> Iterator[tuple[list[Document], list[str]]]:
        """Yield batches of files with their texts; those before an error are yielded first."""
        documents: list[Document] = []
        texts: list[str] = []
        size = 0
        try:
            for document in self._documents():
                raw = document.read()
                documents.append(document)
                texts.append(extract_text(raw))
                size += len(raw)
                if size >= self._batch_bytes:
                    yield documents, texts
                    documents, texts, size = [], [], 0
        except DataError:
            if documents:
                yield documents, texts
            raise
        if documents:
            yield documents, texts


def _list_documents(path: str, labelled: bool) -> list[Document]:
    """Return the documents of a path, in the order of reading."""
    if path == "-":
        if labelled:
            raise DataError(
                "stdin", "a single text has no folder that names its label: give a folder."
            )
        return [Document("", "", lambda: sys.stdin.buffer.read(MAX_BYTES))]
    if not os.path.isdir(path):
        if address_of(path).is_url:
            raise DataError(path, "is not a table: download it, and give the file.")
        local_file(path, "a text or a mailbox")
        return list(_documents_in_file(path, os.path.basename(path), Path(path).stem))
    if labelled:
        return sorted(_labelled_documents(path), key=_shuffle_key)
    return sorted(_documents_below(path, path, ""), key=lambda document: document.name)


def _printable(name: str) -> str:
    """Return a path as valid text, whatever bytes it has."""
    return os.fsencode(name).decode(errors="replace")


def _shuffle_key(document: Document) -> bytes:
    """Return the sort key of a pseudo-random order that is the same on every machine."""
    return hashlib.sha256(os.fsencode(document.name)).digest()


def _labelled_documents(path: str) -> Iterator[Document]:
    """Yield the documents of a folder with one folder or mailbox per label."""
    labels = 0
    for entry in _visible_entries(path):
        is_box = address_of(entry.name).suffix == ".mbox"
        labels += is_box or entry.is_dir()
        if entry.is_dir():
            yield from _documents_below(path, entry.path, entry.name)
        elif is_box:
            yield from _documents_in_file(entry.path, entry.name, Path(entry.name).stem)
    if labels == 0:
        problem = (
            "has no folders in it: give a folder with one folder, or one mailbox NAME.mbox, for "
            "each label; or a folder of tables, by their suffixes, or with a format."
        )
        raise DataError(path, problem)


def _visible_entries(path: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder that are not hidden."""
    try:
        with os.scandir(path) as entries:
            return [entry for entry in entries if not entry.name.startswith(".")]
    except OSError as error:
        raise _unreadable(path, error) from error


def _documents_below(root: str, path: str, label: str) -> Iterator[Document]:
    """Yield the documents of a folder, at any depth; their names are paths below the root."""
    folders = [path]
    while folders:
        for entry in _visible_entries(folders.pop()):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file():
                name = Path(entry.path).relative_to(root).as_posix()
                yield from _documents_in_file(entry.path, name, label)


def _documents_in_file(path: str, name: str, label: str) -> Iterator[Document]:
    """Yield a file as one document, or the mails of a mailbox."""
    if address_of(name).suffix != ".mbox":
        yield Document(name, label, partial(_read, path))
        return
    offsets = [*_mail_offsets(path), os.path.getsize(path)]
    for k, (start, stop) in enumerate(pairwise(offsets), 1):
        yield Document(f"{name}/{k}", label, partial(_read, path, start, stop - start))


def _mail_offsets(path: str) -> Iterator[int]:
    """Yield the offsets of a mailbox's mails: lines ``From …``, the first or after a blank line."""
    offset, after_blank = 0, True
    try:
        with open(path, "rb") as file:
            for line in file:
                if after_blank and line.startswith(b"From "):
                    yield offset
                elif offset == 0:
                    problem = "found no line 'From …', expected a mailbox, mail after mail."
                    raise DataError(path, problem, 1)
                offset += len(line)
                after_blank = not line.strip()
    except OSError as error:
        raise _unreadable(path, error) from error


def _read(path: str, start: int = 0, size: int = MAX_BYTES) -> bytes:
    try:
        with open(path, "rb") as file:
            file.seek(start)
            return _read_prefix(file, size)
    except OSError as error:
        raise _unreadable(path, error) from error


def _read_prefix(file: IO[bytes], size: int) -> bytes:
    """Read at most 2^20 bytes; if more follow, cut after the last whole line, if there is one."""
    raw = file.read(min(size, MAX_BYTES))
    return raw if len(raw) < MAX_BYTES else raw[: raw.rfind(b"\n") + 1] or raw


def _unreadable(path: str, error: OSError) -> DataError:
    return DataError(path, f"cannot be read: {error.strerror}.")


def _archived_documents(path: str, labelled: bool) -> Iterator[Document]:
    """Yield the files of an archive in one pass; with labels, only those in folders."""
    last = None
    try:
        with (
            open_unpacked(path) as file,
            tarfile.open(fileobj=file, mode="r|", tarinfo=_CheckedMember) as archive,
        ):
            for member in archive:
                path_inside = Path(member.name)
                label = path_inside.parent.name
                if (
                    member.isfile()
                    and not path_inside.name.startswith(".")
                    and (label or not labelled)
                ):
                    raw = _read_prefix(_content(archive, member), member.size)
                    yield Document(member.name, label, partial(bytes, raw))
                last = member.name
                archive.members.clear()  # type: ignore[attr-defined]  # it would keep all of them
            while file.read(_DRAINED_BYTES):  # to the checksum at the end of a packed archive
                pass
    except DataError:
        raise
    except (tarfile.TarError, *READ_ERRORS, *_MEMBER_ERRORS) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise _unreadable(path, error) from error
        raise DataError(path, _archive_problem(last, error)) from error


class _CheckedMember(tarfile.TarInfo):
    """Header of a file in an archive; a damaged one is an error, not the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.HeaderError as error:  # its subclasses are not in the stubs of types
            kind = type(error).__name__
            if kind == "EOFHeaderError":  # an end mark
                raise
            reason = "it has no end mark" if kind == "EmptyHeaderError" else str(error)
            raise tarfile.ReadError(reason) from error


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = archive.extractfile(member)
    if content is None:
        raise tarfile.ReadError(f"{member.name} has no content")
    return content


def _archive_problem(last: str | None, error: Exception) -> str:
    """Return the problem of an archive whose file after ``last`` cannot be read."""
    position = "before its first file ends" if last is None else f"after the file {last!r}"
    reason = " ".join(str(error).split()).rstrip(".")
    return (
        f"cannot be read as an archive: it is truncated or damaged {position} ({reason}): download "
        "it again, or pack the folder again."
    )
