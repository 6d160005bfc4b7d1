"""Certificates of separability as text and tables for the terminal."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from rosenblatt.cli.display import fmt, render
from rosenblatt.proofs import Certificate, Certificates, report

_COLOURS = {
    "separable": "green",
    "quasi-separable": "yellow",
    "inseparable": "red",
    "undecided": "magenta",
}
_BAR_WIDTH = 20


def list_certificates(proof: Certificate | Certificates) -> list[Certificate]:
    """Return the certificates: one, or one for each class."""
    return [proof] if isinstance(proof, Certificate) else list(proof.values())


def headline(proof: Certificate | Certificates) -> Text:
    """Return the status and its meaning as one sentence."""
    if isinstance(proof, Certificates):
        text = Text(report.class_verdict(proof))
        text.highlight_words([f"{len(proof):,} classes"], "bold")
        for status, number in report.count_statuses(proof):
            text.highlight_regex(rf"(?<={number} ){status}(?=[,.])", _COLOURS[status])
        return text
    status, meaning = report.verdict(proof)
    return Text.assemble((status, f"bold {_COLOURS[proof.status]}"), " ", meaning)


def summary(proof: Certificate | Certificates) -> str:
    """Return the status, and the mistake bound that follows, in a few words."""
    if isinstance(proof, Certificates):
        return f"each class against the rest: {report.format_statuses(proof)}"
    return report.summary(proof)


def row_heading(proof: Certificate) -> Text:
    """Return the heading of the table of rows."""
    return render.heading(*report.row_heading(proof))


def row_table(proof: Certificate, y: Any, first_line: int | None = None) -> Table:
    """Return a table of the rows of the proof; of many rows, those with the largest weights.

    With the line of the first row, it has the lines of the rows.
    """
    index = proof.notes.index
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    for name in [*report.row_columns(index), *([] if first_line is None else ["line"])]:
        table.add_column(Text(fmt.printable(name)), justify="right", no_wrap=True)
    table.add_column("class", overflow="ellipsis", no_wrap=True, max_width=24)
    table.add_column("weight λ", justify="right", no_wrap=True)
    table.add_column("")
    longest = max(proof.weights)
    for q in report.heaviest_rows(proof):
        row = int(proof.rows[q])
        bar = "▇" * max(1, round(_BAR_WIDTH * (proof.weights[q] / longest)))
        colour = "blue" if y[row] == proof.positive else "red"
        label = fmt.label(y[row : row + 1].tolist()[0])
        names = [Text(fmt.printable(cell)) for cell in report.row_cells(index, row)]
        names += [] if first_line is None else [Text(f"{row + first_line:,}")]
        table.add_row(*names, Text(label), report.format_weight(proof, q), Text(bar, colour))
    return table


def omitted_rows(proof: Certificate, saved: bool) -> str:
    """Return a note on rows or digits that the table of rows omits; "" if it is complete."""
    where = "in the proof" if saved else "in the proof that --proof FILE writes"
    return report.omitted_rows(proof, where)


def class_table(proofs: Certificates) -> Table:
    """Return a table with one line for each class."""
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("class", style="bold", overflow="ellipsis", no_wrap=True, max_width=24)
    table.add_column("status", no_wrap=True)
    table.add_column("proof")
    table.add_column("diverging", justify="right")
    table.add_column("time", justify="right", no_wrap=True)
    for (name, status, evidence, diverging), proof in zip(
        report.class_rows(proofs), proofs.values(), strict=True
    ):
        seconds = fmt.seconds(proof.seconds)
        table.add_row(Text(name), Text(status, _COLOURS[status]), evidence, diverging, seconds)
    return table
