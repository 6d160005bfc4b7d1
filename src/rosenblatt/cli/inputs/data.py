"""Opening what the command line names: DATA and MODEL."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import rich_click as click

from rosenblatt.cli.inputs import compatibility
from rosenblatt.cli.inputs.bad_rows import Aside, check_side_file
from rosenblatt.cli.inputs.models import Loaded
from rosenblatt.cli.inputs.paths import _check_path

if TYPE_CHECKING:
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.bad_rows import OnBadRow
    from rosenblatt.streams.core.options import Settings


_TEXTS = ("svmlight", "vw", "csv", "tsv", "jsonl")
_WRITTEN = ("path", "report", "lines", "out", "bad_rows")
"""Parameters of commands that name a file to be written."""
_SIDE_FILE = "bad-rows.jsonl"  # in the current folder: that of DATA may be read-only
_PIPE_BYTES = 1 << 16  # a pipe's rows are learned, and answered, before many more have come


def reading(given: dict[str, Any]) -> Settings:
    """The options of :func:`rosenblatt.cli.options.shared.reading_options`."""
    from rosenblatt.streams.core.options import Settings
    from rosenblatt.streams.features.schema import parse_schema

    _check_apart(cast(click.Context, click.get_current_context()))
    base = given["index_base"]
    index_base = None if base is None else int(base)
    try:
        schema = None if given["schema"] is None else parse_schema(given["schema"])
    except ValueError as error:
        raise click.UsageError(f"--{error}", click.get_current_context()) from error
    return Settings(
        given["format"],
        given["target"],
        index_base,
        given["bits"],
        text=given["text"],
        schema=schema,
        interactions=given["interactions"],
        on_bad_row=_on_bad_row(given),
    )


def _check_apart(ctx: click.Context) -> None:
    """Refuse two outputs of a command that are one file."""
    options: dict[str, str] = {}
    for param in ctx.command.params:
        path = ctx.params.get(str(param.name))
        if param.name == "bad_rows" and ctx.params["on_bad_row"] == "skip":
            path = path or _SIDE_FILE
        if param.name not in _WRITTEN or path in (None, "-"):
            continue
        option = max(param.opts, key=len)
        option = option if option.startswith("--") else option.upper()
        other = options.setdefault(os.path.realpath(path), option)
        if other != option:
            raise click.UsageError(f"{option} and {other} name the same file: give two.", ctx)


def _on_bad_row(given: dict[str, Any]) -> OnBadRow:
    """What becomes of bad rows; what was left out is told when the command ends."""
    ctx = cast(click.Context, click.get_current_context())
    if given["on_bad_row"] == "stop":
        if given["bad_rows"] is not None:
            raise click.UsageError("--bad-rows goes with --on-bad-row skip.", ctx)
        return "stop"
    path = given["bad_rows"] or _SIDE_FILE
    _check_path(path, ctx.params["data"], "list of bad rows", "--bad-rows", check_side_file)
    aside = Aside(path)
    ctx.call_on_close(aside.close)
    return aside


def passes_once(data: str) -> bool:
    """Whether DATA can be read only once: standard input, or a pipe with a name."""
    try:
        mode = 0 if data == "-" else os.stat(data).st_mode
    except OSError:
        return False
    return data == "-" or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def lines_of(data: str) -> int:
    """The lines of DATA where they are soon counted, in a plain file; else 0."""
    from rosenblatt.streams.io.files import inner_suffix

    path = Path(data)
    if not path.is_file() or inner_suffix(data) != path.suffix.lower():
        return 0
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))


def open_data(data: str, how: Settings, *, labelled: bool = True) -> Stream:
    """The rows of DATA.

    Raises
    ------
    click.UsageError
        The options do not go with the data, or a person types where a pipe was expected.
    DataError
        As :func:`rosenblatt.streams.open_stream`.
    """
    from rosenblatt.streams import DataError, open_stream
    from rosenblatt.streams.core.options import BATCH_BYTES

    batch_bytes = _PIPE_BYTES if passes_once(data) else BATCH_BYTES
    if data == "-" and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError(
            "DATA is -, standard input, and that is a terminal: pipe rows in, or name a file.",
            click.get_current_context(silent=True),
        )
    try:
        return open_stream(
            data, **how._replace(labelled=labelled, batch_bytes=batch_bytes)._asdict()
        )
    except DataError:
        raise
    except ValueError as error:
        raise click.UsageError(_as_options(str(error)), click.get_current_context()) from error


def _as_options(message: str) -> str:
    from rosenblatt.streams.core.options import Settings

    for name in Settings._fields:
        for verb in ("does not go", "must be"):
            message = message.replace(f"{name} {verb}", f"--{name.replace('_', '-')} {verb}")
    return message


def tell_kinds(stream: Stream, quiet: bool) -> None:
    """Say what the columns of a table hold, where one is no plain number."""
    from rosenblatt.cli.display.console import say
    from rosenblatt.streams.features.schema import described

    kinds = {n: kind for n, kind in (stream.schema or {}).items() if n not in stream.left_out}
    if not quiet and (told := described(kinds)) is not None:
        say("columns", told, "bold")


def open_data_for(loaded: Loaded, data: str, how: Settings, *, labelled: bool) -> Stream:
    """The rows of DATA, read as the model's training data was where nothing else is said.

    Raises
    ------
    click.UsageError, DataError
        As :func:`open_data`, or options contradict the model.
    BadData
        As :func:`rosenblatt.cli.inputs.compatibility.check`.
    """
    format = how.format or _format(loaded, data)
    how = compatibility.as_noted(loaded.notes, how, format)
    if passes_once(data) or format == "folder":
        how = how._replace(format=format)
    stream = open_data(data, how, labelled=labelled)
    compatibility.check(stream, loaded.notes)
    return stream


def _format(loaded: Loaded, data: str) -> str | None:
    """The format of DATA, without spending a pipe's first lines."""
    from rosenblatt.streams import DataError
    from rosenblatt.streams.opening import format_of

    noted: str | None = loaded.notes.get("format")
    if passes_once(data):
        return noted if noted in (*_TEXTS, "folder") else None
    try:
        return format_of(data)
    except DataError:
        if noted != "folder" or not os.path.isfile(data):
            raise
        return noted  # one text, or one mail
