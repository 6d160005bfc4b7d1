"""Section of a report with the metrics of a model: averages, and precision and recall by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.cli.display.metrics import BRIER, KAPPA, LOG_LOSS
from rosenblatt.cli.report import svg
from rosenblatt.cli.report.html import Html, element, facts, section, table

if TYPE_CHECKING:
    from rosenblatt.cli.display.metrics import MetricsReport


_NO_SHARES = (KAPPA, LOG_LOSS, BRIER)  # they may be below 0 or above 1: no bar


def metrics_section(metrics: MetricsReport, data: str, *, is_new: bool) -> Html:
    """Return the section of the metrics.

    Parameters
    ----------
    metrics : MetricsReport
    data : str
        The rows in words: "the training data".
    is_new : bool
        Whether the model has not learned these rows.
    """
    doubts, reliability = metrics.doubt_facts(), []
    if metrics.reliability is not None:
        reliability = [
            element("h3", f"Observed share of {metrics.stated} over its probability"),
            facts(metrics.calibration_facts()),
            svg.reliability(metrics.reliability.bins, metrics.stated),
        ]
    averages = [
        [*row.cells, "" if row.title in _NO_SHARES else _share_bar(row.model, row.baseline)]
        for row in metrics.average_rows()
    ]
    classes, detail = metrics.shown_classes()
    names, rows = metrics.class_table(classes)
    shares = [one.f1 or 0.0 for one in classes]
    by_class = [[*row, _share_bar(share)] for row, share in zip(rows, shares, strict=True)]
    note = f"Of the saved model on {data}. The baseline, red in the bars, always predicts "
    note += "the most frequent label. The bars of the classes are their F1."
    if not is_new:
        note += " The model has learned these rows: new rows give worse numbers."
    return section(
        "Metrics",
        *([facts(doubts)] if doubts else []),
        table(["", "model", "baseline", ""], averages, "shares"),
        *reliability,
        element("h3", "Classes" + (f": {detail}" if detail else "")),
        table([*names, ""], by_class, "shares"),
        note=note,
    )


def _share_bar(share: float, mark: float | None = None) -> Html:
    """Return the bar of a share, with a mark where the baseline is."""
    parts = [element("i", style=f"width:{100.0 * share:.1f}%")]
    if mark is not None:
        parts.append(element("b", style=f"left:{100.0 * mark:.1f}%"))
    return element("div", *parts, class_="share")
