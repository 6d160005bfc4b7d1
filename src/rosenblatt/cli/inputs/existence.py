"""Checks of the files that a command line names, before anything heavy is imported.

A missing file, or MODEL and DATA in the wrong order, is reported as fast as ``--help``.
"""

from __future__ import annotations

import os
import stat
from glob import iglob

import click

from rosenblatt.cli.display.errors import BadData, unreadable

_LENGTH_BYTES = 8  # of a safetensors file: the length of the JSON text that follows


def check_file(path: str) -> None:
    """Refuse a file, such as a model or a proof, that does not exist.

    Raises
    ------
    BadData
        The message suggests a file of a similar name.
    """
    try:
        os.stat(path)
    except OSError as error:
        raise unreadable(path, error, _hint(path)) from error


def check_data(data: str) -> None:
    """Refuse DATA that names a missing file, a pattern without files, or a model.

    Raises
    ------
    BadData
    """
    if data == "-" or data.startswith("sklearn:") or "://" in data:
        return
    if any(mark in data for mark in "*?[") and not os.path.exists(data):
        if next(iglob(data, recursive=True), None) is None:
            raise BadData(f"{data}: no file matches this pattern.")
        return
    path = data
    if "#bytes=" in data:  # rare
        from rosenblatt.streams.io.paths import path_of

        path = path_of(data)
    check_file(path)
    if is_model_file(path):
        raise BadData(f"{data}: is a model, not rows of data: give a file of rows as DATA.")


def check_model_and_data(model: str, data: str) -> None:
    """Refuse missing files, and MODEL and DATA in the wrong order.

    Raises
    ------
    BadData
        A file is missing, or DATA is a model.
    click.UsageError
        The two are swapped.
    """
    check_file(model)
    if os.path.isfile(data) and is_model_file(data) and not is_model_file(model):
        raise click.UsageError(
            f"{data} looks like a model, {model} like data: did you swap MODEL and DATA?"
        )
    check_data(data)


def is_model_file(path: str) -> bool:
    """Return whether a regular file begins as a safetensors file does, as models are."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False  # reading a pipe would consume its rows
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            begin = file.read(_LENGTH_BYTES + 1)
    except OSError:
        return False
    length = int.from_bytes(begin[:_LENGTH_BYTES], "little")
    return begin[_LENGTH_BYTES:] == b"{" and length <= size - _LENGTH_BYTES


def _hint(path: str) -> str:
    """Return a question for the file of the most similar name in the same folder, if any."""
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return ""
    from difflib import get_close_matches

    close = get_close_matches(name, names, 1)
    return f" Did you mean {os.path.join(folder, close[0])!r}?" if close else ""
