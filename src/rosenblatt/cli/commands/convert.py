"""``rosenblatt convert``: write the rows of any source in another format."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.inputs.existence import check_data
from rosenblatt.cli.options.declared import argument, command, option
from rosenblatt.cli.options.shared import SourceOptions, data_argument, json_option, quiet_option
from rosenblatt.streams.registry import FORMATS, WRITTEN_FORMATS
from rosenblatt.utils.words import option_words

if TYPE_CHECKING:
    from rosenblatt.streams import Stream

_TEXTS, _FILES = (
    " ".join(
        suffix
        for name in WRITTEN_FORMATS
        for suffix in FORMATS[name].suffixes
        if (FORMATS[name].written_as == "columns") is is_file
    )
    for is_file in (False, True)
)
_OUT_HELP = f"The file to write: {_TEXTS}, also .gz .bz2 .xz; {_FILES}."


class ConvertOptions(SourceOptions, panel="Output"):
    """All options and arguments of ``rosenblatt convert``."""

    data: str = data_argument()
    out: str = argument("OUT", _OUT_HELP)
    to: str | None = option(
        "--to NAME",
        f"Format of OUT: {', '.join(WRITTEN_FORMATS)}. By default its suffix decides.",
        tuple(WRITTEN_FORMATS),
    )
    labels: str | None = option(
        "--labels A,B,…",
        "Write labels as numbers, in this order: -1 and 1 for two labels, 1 to K for more. "
        "Svmlight and Vowpal Wabbit text need it if the labels are text.",
    )
    as_json: bool = json_option(
        "Print one JSON object: examples, bytes, seconds, file, bad_rows, format."
    )
    quiet: bool = quiet_option()


@command(ConvertOptions, "Models and data", 3)
def convert(options: ConvertOptions) -> None:
    """Convert DATA to a file of another format.

    Examples
    --------
        rosenblatt convert mail.svm mail.arrow  # parse once, then load fast
        rosenblatt convert mail.svm.gz mail.arrow
        rosenblatt convert flowers.csv flowers.svm --target species --labels setosa,virginica
        rosenblatt convert clicks.parquet clicks.vw.gz --target clicked
        zcat log.svm.gz | rosenblatt convert - log.parquet

    Numbers, labels and names of features read back as they were. A column of categories is written
    as features, one column for each category: a model of DATA reads the Parquet and Arrow file of
    it, but not CSV or TSV. An Arrow file loads without parsing. Blanks,
    tabs, ':', '|' and '%' in names become %20, … in Vowpal Wabbit text. What a format cannot hold
    is refused with the remedy. Needs pyarrow: pip install 'rosenblatt[data]'.
    """
    check_data(options.data)
    from rosenblatt.cli.inputs import bad_rows, data, paths
    from rosenblatt.streams.writers.output import write_stream

    started = time.perf_counter()
    format, words = _format_of(options.out, options.to), _parse_labels(options.labels)
    read_options = data.build_read_options(options)
    read_options = read_options._replace(tags=format != "svmlight")
    paths.check_rows_path(options.out, options.data, format)
    replaced = paths.modification_date(options.out)
    stream = data.open_data(options.data, read_options)
    _check_passes(stream, options.data, format)
    rows = write_stream(stream, options.out, format, words)
    size, elapsed = os.path.getsize(options.out), time.perf_counter() - started
    if not options.quiet:
        if replaced is not None:
            terminal.note(f"{options.out}: replaced the file of {replaced}.")
        for remark in stream.remarks if stream.left_out else ():
            terminal.note(f"{stream.name}: {remark}")
        _print_notes(stream, format)
        details = f"{fmt.count(rows, 'row')}, {fmt.size(size)}, in {fmt.seconds(elapsed)}"
        terminal.print_line("written", f"{options.out} ({details}).", "green")
    if options.as_json:
        record = {"examples": rows, "bytes": size, "seconds": elapsed, "file": options.out}
        record |= {"bad_rows": bad_rows.count_bad_rows(read_options), "format": format}
        terminal.print_json(record)


def _format_of(out: str, to: str | None) -> str:
    from rosenblatt.streams.writers.output import written_format

    if out == "-":
        raise click.UsageError("OUT must be a file, not '-'.")
    try:
        return written_format(out, to)
    except ValueError as error:
        raise click.UsageError(f"OUT: {error}") from error


def _parse_labels(text: str | None) -> list[str]:
    """Return the labels that ``--labels`` names; a label with a comma stands in quotes."""
    from rosenblatt.streams.writers.output import number_labels

    if text is None:
        return []
    labels = option_words(text)
    try:
        number_labels(labels)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from error
    return labels


def _check_passes(stream: Stream, data: str, format: str) -> None:
    """Refuse a pipe that would have to be read twice.

    Raises
    ------
    BadData
    """
    from rosenblatt.streams.io.paths import is_single_pass
    from rosenblatt.streams.writers.output import reads_twice

    if is_single_pass(data) and reads_twice(stream, format):
        raise BadData(
            f"{stream.name}: a {WRITTEN_FORMATS[format]} begins with the names of all columns "
            "and the means of missing cells, which are known after the last row, and a pipe can be "
            "read only once: save the rows in a file first."
        )


def _print_notes(stream: Stream, format: str) -> None:
    from rosenblatt.streams.features.schema import target_index

    if format == "vw" and stream.bits is not None:
        terminal.note(
            f"the names of the features are hashed to 2^{stream.bits} columns: the numbers of "
            "the columns stand in their place."
        )
    if format == "svmlight" and stream.id_column is not None:
        terminal.note(f"svmlight text has no ids: those in {stream.id_column!r} are left out.")
    if format in ("csv", "tsv") and stream.feature_names:
        columns = [*stream.feature_names, stream.target or "label"]
        index = target_index(stream.name, None, columns, None)
        if index != len(columns) - 1:
            terminal.note(
                f"a feature is named {columns[index]!r}: --target {columns[-1]!r} reads the labels."
            )
