"""Opening what the command line names: DATA and MODEL."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import rich_click as click

from rosenblatt.cli.inputs import compatibility
from rosenblatt.cli.inputs.bad_rows import BadRowFile, check_bad_row_file
from rosenblatt.cli.inputs.models import LoadedModel
from rosenblatt.cli.inputs.paths import _check_path

if TYPE_CHECKING:
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.bad_rows import OnBadRow
    from rosenblatt.streams.core.options import ReadOptions


_TEXT_FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl")
_OUTPUT_PARAMS = ("path", "report", "lines", "out", "bad_rows")
"""Parameters of commands that name a file to be written."""
_BAD_ROW_FILE = "bad-rows.jsonl"  # in the current folder: that of DATA may be read-only
_PIPE_BATCH_BYTES = 1 << 16  # a pipe's rows are learned, and answered, before many more have come


def build_read_options(params: dict[str, Any]) -> ReadOptions:
    """The options of :func:`rosenblatt.cli.options.shared.reading_options`."""
    from rosenblatt.streams.core.options import ReadOptions
    from rosenblatt.streams.features.schema import parse_schema

    _check_outputs_differ(cast(click.Context, click.get_current_context()))
    base = params["index_base"]
    index_base = None if base is None else int(base)
    try:
        schema = None if params["schema"] is None else parse_schema(params["schema"])
    except ValueError as error:
        raise click.UsageError(f"--{error}", click.get_current_context()) from error
    return ReadOptions(
        params["format"],
        params["target"],
        index_base,
        params["bits"],
        text=params["text"],
        schema=schema,
        interactions=params["interactions"],
        on_bad_row=_bad_row_policy(params),
    )


def _check_outputs_differ(ctx: click.Context) -> None:
    """Refuse two outputs of a command that are one file."""
    options: dict[str, str] = {}
    for param in ctx.command.params:
        path = ctx.params.get(str(param.name))
        if param.name == "bad_rows" and ctx.params["on_bad_row"] == "skip":
            path = path or _BAD_ROW_FILE
        if param.name not in _OUTPUT_PARAMS or path in (None, "-"):
            continue
        option = max(param.opts, key=len)
        option = option if option.startswith("--") else option.upper()
        other = options.setdefault(os.path.realpath(path), option)
        if other != option:
            raise click.UsageError(f"{option} and {other} name the same file: give two.", ctx)


def _bad_row_policy(params: dict[str, Any]) -> OnBadRow:
    """What becomes of bad rows; what was left out is told when the command ends."""
    ctx = cast(click.Context, click.get_current_context())
    if params["on_bad_row"] == "stop":
        if params["bad_rows"] is not None:
            raise click.UsageError("--bad-rows goes with --on-bad-row skip.", ctx)
        return "stop"
    path = params["bad_rows"] or _BAD_ROW_FILE
    _check_path(path, ctx.params["data"], "list of bad rows", "--bad-rows", check_bad_row_file)
    bad_rows = BadRowFile(path)
    ctx.call_on_close(bad_rows.close)
    return bad_rows


def is_single_pass(data: str) -> bool:
    """Whether DATA can be read only once: standard input, or a pipe with a name."""
    try:
        mode = 0 if data == "-" else os.stat(data).st_mode
    except OSError:
        return False
    return data == "-" or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def count_lines(data: str) -> int:
    """The lines of DATA where they are soon counted, in a plain file; else 0."""
    from rosenblatt.streams.io.files import inner_suffix

    path = Path(data)
    if not path.is_file() or inner_suffix(data) != path.suffix.lower():
        return 0
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))


def open_data(data: str, read_options: ReadOptions, *, labelled: bool = True) -> Stream:
    """The rows of DATA.

    Raises
    ------
    click.UsageError
        The options do not go with the data, or a person types where a pipe was expected.
    DataError
        As :func:`rosenblatt.streams.open_stream`.
    """
    from rosenblatt.streams import DataError
    from rosenblatt.streams.core.options import BATCH_BYTES
    from rosenblatt.streams.opening import open_with

    batch_bytes = _PIPE_BATCH_BYTES if is_single_pass(data) else BATCH_BYTES
    if data == "-" and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError(
            "DATA is -, standard input, and that is a terminal: pipe rows in, or name a file.",
            click.get_current_context(silent=True),
        )
    try:
        return open_with(data, read_options._replace(labelled=labelled, batch_bytes=batch_bytes))
    except DataError:
        raise
    except ValueError as error:
        raise click.UsageError(_name_options(str(error)), click.get_current_context()) from error


def _name_options(message: str) -> str:
    from rosenblatt.streams.core.options import ReadOptions

    for name in ReadOptions._fields:
        for verb in ("does not go", "must be"):
            message = message.replace(f"{name} {verb}", f"--{name.replace('_', '-')} {verb}")
    return message


def print_schema(stream: Stream, quiet: bool) -> None:
    """Say what the columns of a table hold, where one is no plain number."""
    from rosenblatt.cli.display.terminal import print_line
    from rosenblatt.streams.features.schema import describe_kinds

    kinds = {n: kind for n, kind in (stream.schema or {}).items() if n not in stream.left_out}
    if not quiet and (summary := describe_kinds(kinds)) is not None:
        print_line("columns", summary, "bold")


def open_data_for(
    loaded: LoadedModel, data: str, read_options: ReadOptions, *, labelled: bool
) -> Stream:
    """The rows of DATA, read as the model's training data was where nothing else is said.

    Raises
    ------
    click.UsageError, DataError
        As :func:`open_data`, or options contradict the model.
    BadData
        As :func:`rosenblatt.cli.inputs.compatibility.check_compatible`.
    """
    format = read_options.format or _guess_format(loaded, data)
    read_options = compatibility.merge_options(loaded.notes, read_options, format)
    if is_single_pass(data) or format == "folder":
        read_options = read_options._replace(format=format)
    stream = open_data(data, read_options, labelled=labelled)
    compatibility.check_compatible(stream, loaded.notes)
    return stream


def _guess_format(loaded: LoadedModel, data: str) -> str | None:
    """The format of DATA, without spending a pipe's first lines."""
    from rosenblatt.streams import DataError
    from rosenblatt.streams.opening import format_of

    trained_format: str | None = loaded.notes.get("format")
    if is_single_pass(data):
        return trained_format if trained_format in (*_TEXT_FORMATS, "folder") else None
    try:
        return format_of(data)
    except DataError:
        if trained_format != "folder" or not os.path.isfile(data):
            raise
        return trained_format  # one text, or one mail
