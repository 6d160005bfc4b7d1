"""``rosenblatt convert``: write the rows of any source in another format."""

from __future__ import annotations

import csv
import json
import os
import time
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.inputs.existence import check_data
from rosenblatt.cli.options import shared
from rosenblatt.streams.registry import FORMATS, WRITTEN_FORMATS

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


@click.command(
    cls=shared.Command,
    panel="Models and data",
    rank=3,
    example="rosenblatt convert mail.svm mail.arrow",
    caption="parse once, then load fast",
    no_args_is_help=True,
)
@shared.order_panels
@shared.data_argument
@click.argument("out", metavar="OUT", help=_OUT_HELP)
@click.option(
    "--to",
    type=click.Choice(tuple(WRITTEN_FORMATS)),
    metavar="NAME",
    help=f"Format of OUT: {', '.join(WRITTEN_FORMATS)}. By default its suffix decides.",
    panel="Output",
)
@click.option(
    "--labels",
    metavar="A,B,…",
    help="Write labels as numbers, in this order: -1 and 1 for two labels, 1 to K for more. "
    "Svmlight and Vowpal Wabbit text need it if the labels are text.",
    panel="Output",
)
@shared.json_option("Print one JSON object: examples, bytes, seconds, file, bad_rows, format.")
@shared.quiet_option()
@shared.reading_options
def convert(
    data: str,
    out: str,
    to: str | None,
    labels: str | None,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    r"""Convert DATA to a file of another format.

    [bold]Examples[/]
        rosenblatt convert mail.svm.gz mail.arrow
        rosenblatt convert flowers.csv flowers.svm --target species --labels setosa,virginica
        rosenblatt convert clicks.parquet clicks.vw.gz --target clicked
        zcat log.svm.gz | rosenblatt convert - log.parquet

    Numbers, labels and names of features read back as they were. A column of categories is written
    as features, one column for each category: a model of DATA reads the Parquet and Arrow file of
    it, but not CSV or TSV. An Arrow file loads without parsing. Blanks,
    tabs, ':', '|' and '%' in names become %20, … in Vowpal Wabbit text. What a format cannot hold
    is refused with the remedy. Needs pyarrow: pip install 'rosenblatt\[data]'.
    """
    check_data(data)
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows
    from rosenblatt.cli.inputs.data import build_read_options, open_data
    from rosenblatt.cli.inputs.paths import check_rows_path, modification_date
    from rosenblatt.streams.writers.output import write_stream

    started = time.perf_counter()
    format, words = _format_of(out, to), _parse_labels(labels)
    read_options = build_read_options(shared.SourceOptions(**reading))
    read_options = read_options._replace(tags=format != "svmlight")
    check_rows_path(out, data, format)
    replaced = modification_date(out)
    stream = open_data(data, read_options)
    _check_passes(stream, data, format)
    rows = write_stream(stream, out, format, words)
    size, elapsed = os.path.getsize(out), time.perf_counter() - started
    if not quiet:
        if replaced is not None:
            terminal.note(f"{out}: replaced the file of {replaced}.")
        _print_notes(stream, format)
        details = f"{fmt.count(rows, 'row')}, {fmt.size(size)}, in {fmt.seconds(elapsed)}"
        terminal.print_line("written", f"{out} ({details}).", "green")
    if as_json:
        record = {"examples": rows, "bytes": size, "seconds": elapsed, "file": out}
        record |= {"bad_rows": count_bad_rows(read_options), "format": format}
        click.echo(json.dumps(record, ensure_ascii=False))


def _format_of(out: str, to: str | None) -> str:
    from rosenblatt.streams.writers.output import written_format

    if out == "-":
        raise click.UsageError("OUT must be a file, not '-'.", click.get_current_context())
    try:
        return written_format(out, to)
    except ValueError as error:
        raise click.UsageError(f"OUT: {error}", click.get_current_context()) from error


def _parse_labels(text: str | None) -> list[str]:
    """Return the labels that ``--labels`` names; a label with a comma stands in quotes."""
    from rosenblatt.streams.writers.output import number_labels

    if text is None:
        return []
    labels = [word.strip() for word in next(csv.reader([text], skipinitialspace=True), [])]
    try:
        number_labels(labels)
    except ValueError as error:
        raise click.UsageError(f"--{error}", click.get_current_context()) from error
    return labels


def _check_passes(stream: Stream, data: str, format: str) -> None:
    """Refuse a pipe that would have to be read twice.

    Raises
    ------
    BadData
    """
    from rosenblatt.cli.inputs.data import is_single_pass
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
