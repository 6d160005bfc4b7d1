"""``rosenblatt convert``: rows of any source as one Arrow file, read at the disk's speed."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import rich_click as click

from rosenblatt.cli.display import console, text
from rosenblatt.cli.options import shared


@click.command(no_args_is_help=True)
@shared.in_order
@shared.data_argument
@click.argument("out", metavar="OUT.arrow", help="Where the rows go; the name ends in .arrow.")
@shared.json_option("One object: examples, bytes, seconds, file, bad_rows.")
@shared.quiet_option
@shared.reading_options
def convert(data: str, out: str, **given: Any) -> None:
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
    from rosenblatt.cli.inputs.bad_rows import left_out
    from rosenblatt.streams import write_arrow

    begin = time.perf_counter()
    if Path(out).suffix.lower() != ".arrow":
        raise click.UsageError(f"OUT is {out}: give it a name that ends in .arrow.")
    how = inputs_data.reading(given)._replace(tags=True)
    paths.check_arrow_path(out, data)
    stream = inputs_data.open_data(data, how)
    rows = write_arrow(stream, out)
    size, taken = os.path.getsize(out), time.perf_counter() - begin
    if not given["quiet"]:
        told = f"{text.count(rows, 'row')}, {text.size(size)}, in {text.seconds(taken)}"
        console.say("written", f"{out} ({told}).", "green")
    if given["as_json"]:
        record = {"examples": rows, "bytes": size, "seconds": taken, "file": out}
        record |= {"bad_rows": left_out(how)}
        click.echo(json.dumps(record, ensure_ascii=False))
