"""DATA, the source of rows that a command line names: options, opening and checks."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from rosenblatt.cli.display import terminal
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.inputs.bad_rows import BadRowFile, check_bad_row_file
from rosenblatt.cli.inputs.paths import check_output_path
from rosenblatt.cli.options.shared import SourceOptions
from rosenblatt.streams import DataError
from rosenblatt.streams.aligning import ColumnAligner
from rosenblatt.streams.compatibility import check_compatible
from rosenblatt.streams.core import options as stream_options
from rosenblatt.streams.core.access import StorageOptions
from rosenblatt.streams.core.batch import row_of
from rosenblatt.streams.core.options import ReadOptions, cache_of_environment, parse_bytes
from rosenblatt.streams.features.labels import NUMBER
from rosenblatt.streams.features.schema import describe_kinds, parse_schema
from rosenblatt.streams.io.listing import one_listing
from rosenblatt.streams.io.paths import address_of, is_single_pass
from rosenblatt.streams.opening import open_with
from rosenblatt.streams.reopening import NotesError, options_for
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.checks import LARGEST_VALUE
from rosenblatt.utils.words import option_words, schema_option

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.models import LoadedModel
    from rosenblatt.streams import Batch, Stream
    from rosenblatt.streams.core.bad_rows import OnBadRow
    from rosenblatt.streams.core.notes import Notes

_OUTPUT_PARAMS = ("path", "proof", "report", "lines", "out", "plot", "bad_rows")
"""Parameters of commands that name an output file."""
_MAX_CLASS = 2**53  # above, float64 does not have every whole number
_BAD_ROW_FILE = "bad-rows.jsonl"  # in the current folder: that of DATA may be read-only
_OPTION_OF = {"column_names": "names", "header": "no-header", "quotes": "no-quotes"}
_PIPE_BATCH_BYTES = 1 << 16  # small batches: rows of a slow pipe are processed as they arrive


def build_read_options(options: SourceOptions) -> ReadOptions:
    """Check the reading options of the command line, and convert them for the library.

    Until the command ends, it lists each folder at a URL once.

    Raises
    ------
    click.UsageError
        An option is malformed, or two outputs are the same file.
    """
    ctx = click.get_current_context()
    _check_outputs_differ(ctx)
    ctx.with_resource(one_listing())
    try:
        schema = None if options.schema is None else parse_schema(options.schema)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from error
    if options.sample_weight is not None:
        schema = _with_weight(schema or {}, options.sample_weight)
    return ReadOptions(
        options.format,
        options.target,
        None if options.index_base is None else int(options.index_base),
        options.bits,
        text=options.text,
        schema=schema,
        interactions=options.interactions,
        on_bad_row=_bad_row_policy(ctx, options),
        separator={"\\t": "\t", "tab": "\t"}.get(options.separator or "", options.separator),
        decimal=options.decimal,
        quotes=options.quotes,
        header=options.header,
        column_names=() if options.names is None else tuple(option_words(options.names)),
        missing=() if options.missing is None else tuple(option_words(options.missing)),
        impute=options.impute,
        keep=options.keep,
        ignore=options.ignore,
        storage_options=_storage_options(options.storage_option),
        cache_bytes=_cache_bytes(options.cache),
    )


def _cache_bytes(size: str | None) -> int:
    """Return the budget of the cache, of the option or the environment."""
    try:
        return cache_of_environment() if size is None else parse_bytes(size)
    except ValueError as error:
        raise click.UsageError(str(error) if size is None else f"--cache: {error}") from error


def _storage_options(words: Iterable[str]) -> StorageOptions | None:
    """Parse the words KEY=VALUE; a message has no value."""
    storage = StorageOptions()
    for word in words:
        key, mark, value = word.partition("=")
        if not (key and mark):
            raise click.UsageError("--storage-option must be KEY=VALUE.")
        try:
            storage[key] = json.loads(value)
        except (ValueError, RecursionError):
            storage[key] = value
    return storage or None


def _with_weight(schema: dict[str, str], column: str) -> dict[str, str]:
    """Return the schema with the column of ``--sample-weight``."""
    others = [name for name, kind in schema.items() if kind == "weight" and name != column]
    if others or schema.get(column, "weight") != "weight":
        other = f"{others[0]}:weight" if others else f"{column}:{schema[column]}"
        raise click.UsageError(
            f"--sample-weight {column} and --schema {other} contradict each other: give one of "
            "them."
        )
    return schema | {column: "weight"}


def _check_outputs_differ(ctx: click.Context) -> None:
    """Refuse two outputs of a command that are the same file."""
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
            raise click.UsageError(
                f"{option} and {other} name the same file: give two different files."
            )


def _bad_row_policy(ctx: click.Context, options: SourceOptions) -> OnBadRow:
    """Return "stop", or the file of skipped rows, which is closed when the command ends."""
    if options.on_bad_row == "stop":
        if options.bad_rows is not None:
            raise click.UsageError("--bad-rows goes with --on-bad-row skip.")
        return "stop"
    path = options.bad_rows or _BAD_ROW_FILE
    check_output_path(
        path, ctx.params["data"], "list of bad rows", "--bad-rows", check_bad_row_file
    )
    bad_rows = BadRowFile(path)
    ctx.call_on_close(bad_rows.close)
    return bad_rows


def file_size(data: str) -> int | None:
    """Return the bytes of a regular file; None for any other source."""
    path = Path(data)
    return path.stat().st_size if path.is_file() else None


def is_training_data(loaded: LoadedModel, data: str) -> bool:
    """Return whether DATA is the training's: a built-in set, or a file of its name and size."""
    size = file_size(data)
    sources = [loaded.notes, *loaded.notes.get("earlier", [])]  # of a model that went on
    if not any((one.get("data"), one.get("data_bytes")) == (data, size) for one in sources):
        return False
    return size is not None or data.startswith("sklearn:")


def count_lines(data: str) -> int:
    """Count the lines of a plain, uncompressed file, the last one without its end, too.

    0 for any other source.
    """
    path = Path(data)
    if not path.is_file() or address_of(data).suffix != path.suffix.lower():
        return 0
    lines, last = 0, b"\n"
    with path.open("rb") as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            lines, last = lines + chunk.count(b"\n"), chunk[-1:]
    return lines + (last != b"\n")


def open_data(
    data: str, read_options: ReadOptions, *, labelled: bool = True, at_once: bool = False
) -> Stream:
    """Open DATA as a stream; with ``at_once``, rows of a pipe come as they arrive.

    Raises
    ------
    click.UsageError
        The options do not go with the data, or standard input is a terminal.
    DataError
        As :func:`rosenblatt.streams.open_stream`.
    """
    if data == "-" and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError(
            "DATA is -, standard input, and that is a terminal: pipe rows in, or name a file."
        )
    batch_bytes = stream_options.BATCH_BYTES
    if is_single_pass(data):
        batch_bytes = 1 if at_once else _PIPE_BATCH_BYTES
    try:
        return open_with(data, read_options._replace(labelled=labelled, batch_bytes=batch_bytes))
    except DataError:
        raise
    except ValueError as error:
        raise click.UsageError(_name_options(str(error))) from error


def _name_options(message: str) -> str:
    """Replace the names of arguments in a message by the options of the command."""
    if click.get_current_context().params.get("sample_weight") is not None:
        message = message.replace("schema does not go", "--sample-weight does not go")
    for name in ReadOptions._fields:
        option = _OPTION_OF.get(name, name.replace("_", "-"))
        for verb in ("does not go", "must be"):
            message = message.replace(f"{name} {verb}", f"--{option} {verb}")
    return message


def options_of_model(
    notes: Notes, data: str, read_options: ReadOptions, *, grows: bool = False
) -> ReadOptions:
    """Return the options that read DATA as a model's training data; the command line goes first.

    Parameters are those of :func:`rosenblatt.streams.reopening.options_for`.

    Raises
    ------
    click.UsageError
        An option contradicts the model.
    DataError, NotesError
        As the function of the library.
    """
    try:
        return options_for(notes, data, read_options, grows=grows)
    except (DataError, NotesError):
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def open_data_for(
    loaded: LoadedModel, data: str, read_options: ReadOptions, *, labelled: bool
) -> Stream:
    """Open DATA with the options of the model's training data, unless the command line differs.

    Raises
    ------
    click.UsageError, DataError
        As :func:`open_data`, or the options or DATA contradict the model.
    """
    read_options = options_of_model(loaded.notes, data, read_options)
    # Predictions should not wait; without notes, the first rows decide how to read the others.
    at_once = not labelled and bool(loaded.notes)
    stream = open_data(data, read_options, labelled=labelled, at_once=at_once)
    check_compatible(stream, loaded.notes)
    return stream


def align_columns(loaded: LoadedModel, stream: Stream, quiet: bool) -> ColumnAligner:
    """Return the function that gives rows of DATA the columns of a model.

    Raises
    ------
    DataError
        As :class:`rosenblatt.streams.aligning.ColumnAligner`.
    """
    return ColumnAligner(
        stream,
        loaded.names,
        int(loaded.model.n_features_in_),
        any_names=loaded.saved is not loaded.model,
        report=None if quiet else terminal.note,
    )


def print_schema(stream: Stream, quiet: bool, *, of_all_rows: bool = False) -> None:
    """Print the kinds of a table's columns if any of them is not a number, and doubts on them.

    With ``of_all_rows`` missing numbers become the means of all rows, as on a cluster.
    """
    kinds = {n: kind for n, kind in (stream.schema or {}).items() if n not in stream.left_out}
    if not quiet and (summary := describe_kinds(kinds)) is not None:
        terminal.print_line("columns", summary, "bold")
    if not quiet and stream.imputer is not None:
        terminal.print_line("missing", stream.imputer.describe(of_all_rows=of_all_rows), "bold")
    for remark in () if quiet else stream.remarks:
        terminal.note(f"{stream.name}: {remark}")


def note_missing_cells(stream: Stream) -> None:
    """Print a note on the missing cells that were filled in, by column."""
    counted = None if stream.imputer is None else stream.imputer.describe_counts()
    if counted is not None:
        terminal.note(f"{stream.name}: {counted}.")


def missing_cells(stream: Stream) -> dict[str, int] | None:
    """Return the number of missing cells of each column; None where they are not filled in."""
    return None if stream.imputer is None else stream.imputer.counts


def checked_examples(stream: Stream) -> Iterator[Batch]:
    """Yield the batches of a stream.

    Raises
    ------
    BadData
        A label is refused by :func:`check_labels`, the rows have no features, or the squares of
        numbers overflow: norms and scores would be infinite.
    """
    for batch in stream:
        check_labels(batch.y, stream, batch.first_row, stream.location)
        if batch.rows.shape[1] == 0:
            raise BadData(f"{stream.name}: the rows have no features.")
        values = batch.rows.data if hasattr(batch.rows, "indptr") else batch.rows.ravel()
        with np.errstate(over="ignore"):
            squares = np.einsum("i,i->", values, values)  # one pass, without BLAS's threads
        if not np.isfinite(squares):
            _refuse_huge(batch, values, stream)
        yield batch


def _refuse_huge(batch: Batch, values: Array, stream: Stream) -> None:
    """Refuse numbers whose squares overflow; many smaller ones may do so together."""
    huge = np.abs(values) > LARGEST_VALUE
    if not huge.any():
        return
    entry = int(np.argmax(huge))
    row, column = divmod(entry, batch.rows.shape[1])
    if hasattr(batch.rows, "indptr"):
        row, column = row_of(batch.rows.indptr, entry), int(batch.rows.indices[entry])
    names = stream.feature_names
    name, hint = str(column + (stream.index_base or 0)), "scale it"
    if names is not None:
        name = repr(names[column])
        hint += "" if stream.schema is None else f", or {schema_option(names[column], 'skip')}"
    raise BadData(
        f"{stream.name}: example {batch.first_row + row + 1:,} has {values[entry]:g} in the column "
        f"{name}: numbers above {LARGEST_VALUE:g} overflow in norms and scores: {hint}."
    )


def note_case_variants(source: str, labels: Iterable[object]) -> None:
    """Print a note on labels that differ only in case, or in blanks around them."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            groups.setdefault(label.strip().casefold(), []).append(label)
    for variants in groups.values():
        if len(variants) > 1:
            terminal.note(
                f"{source}: labels differ only in case or blanks: {', '.join(sorted(variants))}: "
                "each is a class of its own."
            )


def check_labels(
    y: Array,
    stream: Stream,
    first_row: int = 0,
    location: Callable[[int], tuple[str, int | None]] | None = None,
) -> None:
    """Refuse labels with fractions, or beyond 2^53: such numbers are measurements, not classes.

    Parameters
    ----------
    y : array of shape (n,)
    stream : Stream
    first_row : int, default=0
        Number of rows before the first.
    location : callable, optional
        Function from the index of a row to its file and line.

    Raises
    ------
    BadData
    """
    if y.dtype.kind == "f":
        labels = y[(y != np.floor(y)) | (np.abs(y) > _MAX_CLASS)].tolist()
    elif y.dtype.kind == "U":  # text only if half of the labels are measurements
        words = list(dict.fromkeys(y.tolist()))
        labels = [word for word in words if NUMBER.fullmatch(word) and float(word) % 1.0 > 0.0]
        labels = labels if 2 * len(labels) >= len(words) else []
    else:
        return
    if not labels:
        return
    label = labels[0]
    where = "the labels" if stream.target is None else f"column {stream.target!r}, the labels,"
    row = int(np.argmax(y == label))
    source, line = (stream.name, None) if location is None else location(row)
    value = f"{float(label):g}, a measurement, not a class"
    value += f", in example {first_row + row + 1:,}" if line is None else ""
    hint = "" if stream.target is None else "--target names the column with the labels; "
    learner = "measurements are learned by rosenblatt.LMSRegressor, in Python"
    position = source if line is None else f"{source}:{line}"
    raise BadData(f"{position}: {where} hold {value}: {hint}{learner}.")
