"""Checks of output paths before any work is done.

Each raises :class:`~rosenblatt.cli.display.errors.Failure` if the path cannot be written, or if it
names a file that is not an earlier output of the same kind. A check imports the reader of its kind
only: ``convert`` does not load the learners.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from rosenblatt.cli.display.errors import Failure
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.io.paths import expand_paths
from rosenblatt.streams.io.remote import is_url


def check_model_path(path: str, data: str) -> None:
    """Check that a model can be written to ``path``."""
    from rosenblatt.learning.models import files

    check_output_path(path, data, "model", "--model", files.describe)


def check_proof_path(path: str, data: str) -> None:
    """Check that a proof can be written to ``path``."""
    from rosenblatt.proofs import Certificate

    check_output_path(path, data, "proof", "--proof", Certificate.load)


def check_rows_path(path: str, data: str, format: str) -> None:
    """Check that rows can be written to ``path`` in a format."""
    from rosenblatt.streams.registry import WRITTEN_FORMATS

    read = partial(_read_first_rows, format=format)
    check_output_path(path, data, WRITTEN_FORMATS[format], "OUT", read)


def _read_first_rows(path: str, format: str) -> None:
    from rosenblatt.streams import open_stream

    next(iter(open_stream(path, format=format)))


def check_output_path(
    path: str, data: str, kind: str, option: str, read: Callable[[str], object]
) -> None:
    """Check that ``path`` is writable, and is new or an earlier output that ``read`` accepts."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise Failure(f"{path}: is a folder: give {option} a file in it.")
    if not target.parent.is_dir():
        raise Failure(f"{path}: there is no folder {target.parent}: make it first.")
    if target.exists():
        check_not_data(path, data, option)
        try:
            read(path)
        except (ValueError, OSError, RecursionError) as error:  # those of models are ValueErrors
            raise Failure(
                f"{path}: exists and is no {kind}, so it is not overwritten: give {option} another "
                "file, or delete it."
            ) from error
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise Failure(f"{path}: cannot be written: {reason}. Choose another folder.") from error


def check_not_data(path: str, data: str, option: str) -> None:
    """Check that ``path`` is no file of DATA."""
    parts: list[str] = []
    with suppress(DataError):  # which is said when DATA is opened
        parts = [] if is_url(data) else expand_paths(data)
    if any(os.path.exists(part) and os.path.samefile(path, part) for part in parts):
        raise Failure(f"{path}: is the input data: give {option} another file.")


def modification_date(path: str) -> str | None:
    """Return the date of a file as text; None if there is no file."""
    with suppress(OSError):
        return f"{datetime.fromtimestamp(os.path.getmtime(path)):%Y-%m-%d %H:%M}"
    return None
