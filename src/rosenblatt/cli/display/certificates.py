"""Certificates of separability as text and tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display import fmt, render
from rosenblatt.proofs import Certificate, Certificates, report

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

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
        text = render.text(report.class_verdict(proof))
        text.highlight_words([f"{len(proof):,} classes"], "bold")
        for status, number in report.count_statuses(proof):
            text.highlight_regex(rf"(?<={number} ){status}(?=[,.])", _COLOURS[status])
        return text
    status, meaning = report.verdict(proof)
    return render.text((status, f"bold {_COLOURS[proof.status]}"), " ", meaning)


def summary(proof: Certificate | Certificates) -> str:
    """Return the status, and the mistake bound that follows, in a few words."""
    if isinstance(proof, Certificates):
        return f"each class against the rest: {report.format_statuses(proof)}"
    return report.summary(proof)


def row_table(proof: Certificate, y: Any, first_line: int | None = None) -> Table:
    """Return a table of the rows of the proof; of many rows, those with the largest weights.

    With the line of the first row, it has the lines of the rows.
    """
    index, has_lines = proof.notes.index, first_line is not None
    names = [*report.row_columns(index), *(["line"] if has_lines else [])]
    columns = [
        *(render.Column(name, is_right=True) for name in names),
        render.Column("class", max_width=24),
        render.Column("weight λ", is_right=True),
        render.Column(overflow="wrap"),
    ]
    longest, rows = max(proof.weights), []
    for q in report.heaviest_rows(proof):
        row = int(proof.rows[q])
        share = proof.weights[q] / longest
        bar = render.bar(share if y[row] == proof.positive else -share, _BAR_WIDTH)
        label = fmt.label(y[row : row + 1].tolist()[0])
        lines = [f"{row + (first_line or 0):,}"] if has_lines else []
        weight = report.format_weight(proof, q)
        rows.append([*report.row_cells(index, row), *lines, label, weight, render.text(bar)])
    return render.table(columns, rows)


def omitted_rows(proof: Certificate, saved: bool) -> str:
    """Return a note on rows or digits that the table of rows omits; "" if it is complete."""
    where = "in the proof" if saved else "in the proof that --proof FILE writes"
    return report.omitted_rows(proof, where)


def class_table(proofs: Certificates) -> Table:
    """Return a table with one line for each class."""
    columns = [
        render.Column("class", "bold", max_width=24),
        render.Column("status"),
        render.Column("proof", overflow="wrap"),
        render.Column("diverging", is_right=True, overflow="wrap"),
        render.Column("time", is_right=True),
    ]
    rows = [
        (name, render.text((status, _COLOURS[status])), *cells, fmt.seconds(proof.seconds))
        for (name, status, *cells), proof in zip(
            report.class_rows(proofs), proofs.values(), strict=True
        )
    ]
    return render.table(columns, rows)
