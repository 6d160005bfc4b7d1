"""All candidates of a tuning by their metric."""

from __future__ import annotations

from typing import Self

import numpy as np

from rosenblatt.learning.evaluation.ranking import METRICS
from rosenblatt.learning.tuning.result import Result, Tuning
from rosenblatt.plots import base, checks, style

_ROOM = 1.25  # of a loss beside that of the baseline; what is beyond stands at the edge


class TuningDisplay(base.Display):
    """The metric of each candidate, one lane a rule, the best rule on top.

    A colour means scaling, a full mark averaged weights. A line is the baseline: for the error,
    always predicting the most frequent label; for log loss, the shares of the labels; for AUC, one
    half. Candidates far behind it stand at the edge, as triangles. Create it by `from_tuning`.

    Parameters
    ----------
    results : list of Result
        From the best to the worst.
    metric : str
        A name of the metrics of :func:`rosenblatt.tune`.
    baseline : float, optional
    evidence : str, default ""
        What stands under the title.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
    dots_ : list of matplotlib artists
        One for each candidate that has the metric.

    Examples
    --------
    >>> from rosenblatt import tune
    >>> tuning = tune("sklearn:breast_cancer", rules=["logistic", "kt"])
    >>> len(TuningDisplay.from_tuning(tuning).dots_)
    16
    """

    size = (9.2, 4.2)

    def __init__(
        self,
        results: list[Result],
        metric: str,
        *,
        baseline: float | None = None,
        evidence: str = "",
    ) -> None:
        self.results, self.metric = results, metric
        self.baseline, self.evidence = baseline, evidence

    @classmethod
    def from_tuning(cls, tuning: Tuning, *, ax: style.Axes | None = None) -> Self:
        """Draw the result of :func:`rosenblatt.tune`.

        Parameters
        ----------
        tuning : Tuning
        ax : matplotlib Axes, optional
        """
        checks.check_instance(tuning, Tuning, "tuning", "rosenblatt.tune")
        base = tuning.baselines
        baselines = {"error": base.constant_error, "log_loss": base.log_loss, "auc": 0.5}
        baseline = baselines.get(tuning.metric)
        display = cls(tuning.results, tuning.metric, baseline=baseline, evidence=tuning.evidence())
        return display.plot(ax)

    def _draw(self, ax: style.Axes) -> None:
        metric = METRICS[self.metric]
        values = {
            k: value
            for k, one in enumerate(self.results)
            if (value := one.metrics[self.metric]) is not None
        }
        times = 100.0 if metric.is_share else 1.0
        lanes = list(dict.fromkeys(self.results[k].candidate.rule for k in values))
        low, high = self._limits(list(values.values()))
        self.dots_: list[style.Artist] = []
        for k, value in values.items():
            one = self.results[k].candidate
            colour = style.PURPLE if one.scale else style.GREEN
            fill = colour if one.output == "average" else "white"
            marker = ">" if value > high else "<" if value < low else "o"
            at = times * min(max(value, low), high)
            height = lanes.index(one.rule) + (0.14 if one.scale else -0.14)
            look = {"marker": marker, "facecolors": fill, "edgecolors": colour, "zorder": 3}
            self.dots_.append(ax.scatter(at, height, s=42, linewidths=1.3, clip_on=False, **look))
        if self.baseline is not None and low <= self.baseline <= high:
            ax.axvline(times * self.baseline, color=style.GREY, linewidth=1.2, zorder=1)
        room = 0.02 * (high - low)
        ax.set_xlim(times * (low - room), times * (high + room))
        ax.set(yticks=range(len(lanes)), yticklabels=lanes)
        ax.set_ylim(len(lanes) - 0.5, -0.5)
        ax.grid(axis="y", color=style.PALE, zorder=0)
        ax.set_axisbelow(True)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel(f"{metric.title}, %" if metric.is_share else metric.title)
        style.open_frame(ax)
        ax.spines["left"].set_visible(False)
        best = self.results[0]
        number = metric.text(best.metrics[self.metric])
        outside = sum(not low <= value <= high for value in values.values())
        evidence = self.evidence + (f"; {outside} farther out, at the edge" if outside else "")
        style.title(ax, f"{best.candidate}: {metric.title} {number}", evidence)
        self._draw_legend(ax)

    def _limits(self, values: list[float]) -> tuple[float, float]:
        """Return the range of the axis: what is far behind the baseline is outside."""
        low, high = float(np.min(values)), float(np.max(values))
        if self.baseline is not None and METRICS[self.metric].is_loss:
            high = max(min(high, _ROOM * self.baseline), low)
        elif self.baseline is not None:
            low = min(max(low, self.baseline), high)
        if low == high:
            low, high = low - 0.01, high + 0.01
        return low, high

    def _draw_legend(self, ax: style.Axes) -> None:
        """Explain colours and marks, of what there is."""
        candidates = [one.candidate for one in self.results]
        look = {"marker": "o", "linestyle": "", "markersize": 6.5}
        marks: dict[str, style.Artist] = {}
        for is_scaled, colour, name in (
            (False, style.GREEN, "columns as they are"),
            (True, style.PURPLE, "scaled"),
        ):
            if any(one.scale is is_scaled for one in candidates):
                (marks[name],) = ax.plot([], [], color=colour, **look)
        for output, fill, name in (
            ("last", "white", "last weights"),
            ("average", style.INK, "averaged"),
        ):
            if any(one.output == output for one in candidates):
                (marks[name],) = ax.plot([], [], color=style.INK, markerfacecolor=fill, **look)
        if self.baseline is not None:
            (marks["baseline"],) = ax.plot([], [], color=style.GREY, linewidth=1.2)
        style.legend(ax, list(marks.values()), list(marks), columns=5)
