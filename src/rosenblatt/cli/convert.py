"""``rosenblatt convert``: rows of any source as one Arrow file, read at the disk's speed."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import rich_click as click

from rosenblatt.cli import options, screen, words


@click.command(no_args_is_help=True)
@options.in_order
@options.data_argument
@click.argument("out", metavar="OUT.arrow", help="Where the rows go; the name ends in .arrow.")
@options.json_option("One object: examples, bytes, seconds, file, bad_rows.")
@options.quiet_option
@options.reading_options
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
    from rosenblatt.cli import opening
    from rosenblatt.cli.aside import left_out
    from rosenblatt.streams import write_arrow

    begin = time.perf_counter()
    if Path(out).suffix.lower() != ".arrow":
        raise click.UsageError(f"OUT is {out}: give it a name that ends in .arrow.")
    how = opening.reading(given)._replace(tags=True)
    opening.check_arrow_path(out, data)
    stream = opening.open_data(data, how)
    rows = write_arrow(stream, out)
    size, taken = os.path.getsize(out), time.perf_counter() - begin
    if not given["quiet"]:
        told = f"{words.count(rows, 'row')}, {words.size(size)}, in {words.seconds(taken)}"
        screen.say("written", f"{out} ({told}).", "green")
    if given["as_json"]:
        record = {"examples": rows, "bytes": size, "seconds": taken, "file": out}
        record |= {"bad_rows": left_out(how)}
        click.echo(json.dumps(record, ensure_ascii=False))
