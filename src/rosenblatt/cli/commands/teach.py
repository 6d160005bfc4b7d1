"""``rosenblatt teach``: the lecture page, opened in the browser or written as one file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData, Failure
from rosenblatt.cli.inputs.existence import check_data
from rosenblatt.cli.options.declared import argument, command, option
from rosenblatt.cli.options.shared import SourceOptions
from rosenblatt.utils.atomic import atomic_write_bytes
from rosenblatt.utils.words import option_value

if TYPE_CHECKING:
    import numpy as np

    from rosenblatt.cli.inputs.proofs import LoadedData
    from rosenblatt.streams import Stream
    from rosenblatt.teach.lessons import Lesson
    from rosenblatt.utils.arrays import NDArray

UNNAMED = (["-1", "+1"], ["-1", "1"])  # labels that the page shows as signs


class TeachOptions(SourceOptions):
    """All options and arguments of ``rosenblatt teach``."""

    data: str | None = argument(
        "[DATA]",
        "A file of points of the plane: two columns of numbers, and one of labels with two "
        "classes. Formats and options are those of DATA in the other commands.",
    )
    export: str | None = option(
        "--export FILE", "Write the page to this file instead: one file, which needs no network."
    )
    force: bool = option("--force", "Replace the file of --export if it exists.")
    port: int = option(
        "--port N",
        "Port of the page on this machine; 0 is any free one.",
        click.IntRange(0, 65535),
        default=0,
    )
    no_browser: bool = option("--no-browser", "Print the address, and open no browser.")


@command(TeachOptions, "Start", 3)
def teach(options: TeachOptions) -> None:
    """Open the lecture page: every step of the perceptron, beside the proof, on your points.

    Examples
    --------
        rosenblatt teach  # the lecture page
        rosenblatt teach homework.csv
        rosenblatt teach --export lesson.html

    The page runs in the browser. Click to add points, drag them, and the whole run follows; lessons
    are made and shared in the page. The address is of this machine only; Ctrl-C ends the command.
    """
    if options.export is None and options.force:
        raise click.UsageError("--force needs --export FILE.")
    if options.export is not None and os.path.lexists(options.export) and not options.force:
        raise Failure(
            f"{options.export}: exists: give --export another file, or --force to replace it."
        )
    lesson = None if options.data is None else read_lesson(options.data, options)
    from rosenblatt.teach.document import html

    page = html(lesson)
    if options.export is None:
        _serve(page, options.port, not options.no_browser)
        return
    atomic_write_bytes(options.export, page.encode(), "page")
    terminal.stderr().print(
        f"written  {options.export} ({fmt.size(len(page.encode()))})", markup=False
    )


def read_lesson(data: str, options: SourceOptions) -> Lesson:
    """Read DATA, and return the lesson that opens with them.

    Raises
    ------
    BadData
        The rows are not of the plane, too many, or not of two classes.
    """
    check_data(data)
    if data.lower().endswith((".html", ".htm")):
        raise BadData(f"{data}: is a page, not a table of points: open it in the browser.")
    import numpy as np

    from rosenblatt.cli.inputs.data import build_read_options
    from rosenblatt.cli.inputs.proofs import read_data
    from rosenblatt.teach.lessons import lesson_of_points

    loaded = read_data(data, build_read_options(options))
    stream, X, y = loaded.stream, loaded.X, loaded.y
    classes = np.unique(y)
    if len(classes) != 2:
        raise BadData(f"{stream.name}: the page shows two classes, got {len(classes)} labels.")
    texts = describe_texts(stream)
    if X.shape[1] != 2 or texts:
        raise BadData(
            f"{stream.name}: the page shows points of the plane, two columns of numbers and one of "
            f"labels; {texts or describe_count(X.shape[1])}"
        )
    rows = floats_of(loaded)
    labels = [fmt.label(label) for label in classes.tolist()]
    try:
        return lesson_of_points(
            rows,
            np.where(y == classes[1], 1, -1),
            os.path.basename(data),
            axes=stream.feature_names,
            classes=None if labels in UNNAMED else labels,
        )
    except ValueError as error:
        raise BadData(f"{stream.name}: {error}.") from error


def floats_of(loaded: LoadedData) -> NDArray[np.float64]:
    """Return the points as floats whose shortest decimals are the numbers: the page takes these.

    Raises
    ------
    BadData
        A number has more digits.
    """
    from fractions import Fraction

    from rosenblatt.proofs.check.rows import ExactRows
    from rosenblatt.teach.lessons import MAX_POINTS

    X = loaded.X.floats if isinstance(loaded.X, ExactRows) else loaded.X
    rows: NDArray[np.float64] = X.toarray() if hasattr(X, "toarray") else X
    if isinstance(loaded.X, ExactRows) and len(rows) <= MAX_POINTS:
        for i, exact in enumerate(loaded.X.fractions()):
            if [Fraction(str(value)) for value in rows[i].tolist()] != exact:
                first = loaded.first_line
                where = f"example {i + 1:,}" if first is None else f"line {i + first:,}"
                raise BadData(
                    f"{loaded.stream.name}: {where} has a number of more digits than the page "
                    "computes with, about 16: round it. rosenblatt certify takes it exactly."
                )
    return rows


def describe_texts(stream: Stream) -> str:
    """Name the columns of text, and how to leave them out; "" if there are none."""
    from rosenblatt.streams.features.schema import columns_of_kind

    texts = columns_of_kind(stream.schema or {}, "category", "text")
    named = " and ".join(map(repr, texts))
    skip = f": --schema {option_value([f'{name}:skip' for name in texts])}."
    if len(texts) != 1:
        return f"columns {named} are text{skip}" if texts else ""
    prefix = f"{texts[0]}="
    values = sum(name.startswith(prefix) for name in stream.feature_names or ())
    return f"column {named} is text{f' with {values} values' if values else ''}{skip}"


def describe_count(columns: int) -> str:
    """Name the number of columns, and how to leave some out."""
    skip = " Leave some out: --schema COLUMN:skip." if columns > 2 else ""
    return f"got {columns} columns beside the labels.{skip}"


def _serve(page: str, port: int, open_browser: bool) -> None:
    """Serve the page until Ctrl-C."""
    import webbrowser

    from rosenblatt.teach.server import address, make_server

    try:
        server = make_server(page, port)
    except OSError as error:
        raise Failure(f"port {port} cannot be used: {error.strerror}.") from error
    with server:
        click.echo(address(server))
        terminal.stderr().print("Ctrl-C ends the command.", style="dim")
        if open_browser:
            webbrowser.open(address(server))
        server.serve_forever()
