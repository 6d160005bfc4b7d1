"""TODO."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rosenblatt.cli.display.errors import Failure


def check_model_path(path: str, data: str) -> None:
    """Find out whether a model can be written to ``path`` before hours are spent on it.

    Raises
    ------
    Failure
        It cannot, or there is something that should not be lost.
    """
    from rosenblatt.learning.models import files

    _check_path(path, data, "model", "--model", files.describe)


def check_proof_path(path: str, data: str) -> None:
    """Find out whether a proof can be written to ``path`` before it is looked for.

    Raises
    ------
    Failure
        It cannot, or there is something that should not be lost.
    """
    from rosenblatt.proofs import Certificate

    _check_path(path, data, "proof", "--proof", Certificate.load)


def check_arrow_path(path: str, data: str) -> None:
    """Find out whether an Arrow file can be written to ``path`` before all rows are read.

    Raises
    ------
    Failure
        It cannot, or there is something that should not be lost.
    """
    from rosenblatt.streams import open_stream

    _check_path(path, data, "Arrow file", "OUT", partial(open_stream, format="arrow"))


def _check_path(
    path: str, data: str, kind: str, option: str, read: Callable[[str], object]
) -> None:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise Failure(f"{path}: is a folder: give {option} a file in it.")
    if not target.parent.is_dir():
        raise Failure(f"{path}: there is no folder {target.parent}: make it first.")
    if target.exists():
        _check_replaceable(path, data, kind, option, read)
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise Failure(f"{path}: cannot be written: {reason}. Choose another folder.") from error


def check_not_data(path: str, data: str, option: str) -> None:
    """Refuse to write to a file that exists, and is DATA, or one of its files.

    Raises
    ------
    Failure
    """
    from rosenblatt.streams.multiple import expand_paths

    if any(os.path.exists(part) and os.path.samefile(path, part) for part in expand_paths(data)):
        raise Failure(f"{path}: holds the data: give {option} another file.")


def _check_replaceable(
    path: str, data: str, kind: str, option: str, read: Callable[[str], object]
) -> None:
    check_not_data(path, data, option)
    try:
        read(path)
    except (ValueError, OSError) as error:  # the errors of models and of proofs are ValueErrors
        raise Failure(
            f"{path}: exists and is no {kind} that could be replaced: give {option} another file, "
            "or delete it."
        ) from error
