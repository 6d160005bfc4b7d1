"""``rosenblatt convert``: rows of any source as one Arrow file, read at the disk's speed."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import rich_click as click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.options import shared


@click.command(no_args_is_help=True)
@shared.order_panels
@shared.data_argument
@click.argument("out", metavar="OUT.arrow", help="Where the rows go; the name ends in .arrow.")
@shared.json_option("One object: examples, bytes, seconds, file, bad_rows.")
@shared.quiet_option
@shared.reading_options
def convert(data: str, out: str, **params: Any) -> None:
    r"""Write the rows of DATA as an Arrow file, which every other command reads at once.

    [bold]Examples[/]
        rosenblatt convert mail.svm.gz mail.arrow
        rosenblatt convert flowers.csv flowers.arrow --target species
        zcat log.svm.gz | rosenblatt convert - log.arrow

    Text is parsed once: an Arrow file is mapped into memory, and sparse rows are learned where they
    lie. The rows come back bit for bit, and the file notes which columns have the labels, the
    weights and the ids. It takes pyarrow: pip install 'rosenblatt\[data]'.
    """
    from rosenblatt.cli.inputs import data as inputs_data
    from rosenblatt.cli.inputs import paths
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows
    from rosenblatt.streams import write_arrow

    started = time.perf_counter()
    if Path(out).suffix.lower() != ".arrow":
        raise click.UsageError(f"OUT is {out}: give it a name that ends in .arrow.")
    read_options = inputs_data.build_read_options(params)._replace(tags=True)
    paths.check_arrow_path(out, data)
    stream = inputs_data.open_data(data, read_options)
    rows = write_arrow(stream, out)
    size, elapsed = os.path.getsize(out), time.perf_counter() - started
    if not params["quiet"]:
        details = f"{fmt.count(rows, 'row')}, {fmt.size(size)}, in {fmt.seconds(elapsed)}"
        terminal.print_line("written", f"{out} ({details}).", "green")
    if params["as_json"]:
        record = {"examples": rows, "bytes": size, "seconds": elapsed, "file": out}
        record |= {"bad_rows": count_bad_rows(read_options)}
        click.echo(json.dumps(record, ensure_ascii=False))
