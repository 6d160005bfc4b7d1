"""``rosenblatt convert``: write the rows of any source as an Arrow file."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import rich_click as click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.inputs.existence import check_data
from rosenblatt.cli.options import shared


@click.command(no_args_is_help=True)
@shared.order_panels
@shared.data_argument
@click.argument(
    "out", metavar="OUT.arrow", help="The Arrow file to write; its name ends in .arrow."
)
@shared.json_option("Print one JSON object: examples, bytes, seconds, file, bad_rows.")
@shared.quiet_option()
@shared.reading_options
def convert(data: str, out: str, as_json: bool, quiet: bool, **reading: Any) -> None:
    r"""Convert DATA to an Arrow file, which loads without parsing.

    [bold]Examples[/]
        rosenblatt convert mail.svm.gz mail.arrow
        rosenblatt convert flowers.csv flowers.arrow --target species
        zcat log.svm.gz | rosenblatt convert - log.arrow

    Text is parsed once; the Arrow file is mapped into memory. The rows are stored bit for bit,
    with a note of the columns for labels, weights and ids. Needs pyarrow: pip install
    'rosenblatt\[data]'.
    """
    check_data(data)
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows
    from rosenblatt.cli.inputs.data import build_read_options, open_data
    from rosenblatt.cli.inputs.paths import check_arrow_path
    from rosenblatt.streams import write_arrow

    started = time.perf_counter()
    if Path(out).suffix.lower() != ".arrow":
        raise click.UsageError(f"OUT is {out}: give it a name that ends in .arrow.")
    read_options = build_read_options(shared.SourceOptions(**reading))._replace(tags=True)
    check_arrow_path(out, data)
    rows = write_arrow(open_data(data, read_options), out)
    size, elapsed = os.path.getsize(out), time.perf_counter() - started
    if not quiet:
        details = f"{fmt.count(rows, 'row')}, {fmt.size(size)}, in {fmt.seconds(elapsed)}"
        terminal.print_line("written", f"{out} ({details}).", "green")
    if as_json:
        record = {"examples": rows, "bytes": size, "seconds": elapsed, "file": out}
        record |= {"bad_rows": count_bad_rows(read_options)}
        click.echo(json.dumps(record, ensure_ascii=False))
