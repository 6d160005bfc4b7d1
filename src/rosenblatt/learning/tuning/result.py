"""The result of a tuning: candidates from the best to the worst, and the best model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from rosenblatt.learning.evaluation.metrics import count_classes, label_entropy
from rosenblatt.learning.evaluation.progress import LabelOrder, most_frequent
from rosenblatt.learning.evaluation.ranking import METRICS, ranked
from rosenblatt.learning.evaluation.validation import Validation
from rosenblatt.learning.tuning.grid import Candidate
from rosenblatt.utils.shown import join, to_html
from rosenblatt.utils.tables import abridged, text_table
from rosenblatt.utils.words import count

MAX_ROWS = 20  # of the table


class NothingToRankError(ValueError):
    """There are no rows, or no candidate has the metric."""


class Result(NamedTuple):
    """What came out for one candidate.

    Attributes
    ----------
    candidate : Candidate
    metrics : dict of str to float or None
        Each of :data:`rosenblatt.learning.evaluation.ranking.METRICS`; None where it is not
        defined.
    examples, errors : int
        Predictions, and wrong ones among them.
    low, high : float
        :func:`rosenblatt.progressive.anytime_interval` of the error.
    failure : str or None
        Why it was not tried to the end.
    seconds : float
        Time of its predictions and of its learning.
    """

    candidate: Candidate
    metrics: dict[str, float | None]
    examples: int
    errors: int
    low: float
    high: float
    failure: str | None
    seconds: float

    @classmethod
    def of(
        cls,
        candidate: Candidate,
        validation: Validation,
        failure: str | None,
        seconds: float,
        positive: object = None,
    ) -> Self:
        """Return the result of a validation; a failure has no metrics."""
        metrics = {
            name: None if failure else one.of(validation, positive) for name, one in METRICS.items()
        }
        last = validation.last
        counts = last.examples, last.errors, last.low, last.high
        return cls(candidate, metrics, *counts, failure, seconds)

    def record(self) -> dict[str, object]:
        """Fields as a JSON object."""
        return {
            **self.candidate._asdict(),
            **self.metrics,
            "examples": self.examples,
            "errors": self.errors,
            "interval": [self.low, self.high],
            "failure": self.failure,
            "seconds": self.seconds,
        }


class Baselines(NamedTuple):
    """What predictions without a model reach on the same rows.

    Attributes
    ----------
    constant : label
        The most frequent label.
    constant_error : float
        Error of always predicting it.
    no_change_error : float or None
        Error of repeating the label before; None for rows that are shuffled or held out.
    log_loss : float
        Of the shares of the labels, as probabilities.
    is_sorted : bool
        Whether rows of equal label are consecutive, so that the errors mean nothing.
    """

    constant: Any
    constant_error: float
    no_change_error: float | None
    log_loss: float
    is_sorted: bool

    @classmethod
    def of(cls, validation: Validation, *, shuffled: bool, held_out: bool) -> Self:
        """Return the baselines on the rows of a validation without delay."""
        labels: Counter[Any] = Counter()
        for (label, _), rows in validation.confusion.items():
            labels[label] += rows
        order = LabelOrder(validation.no_change_errors - 1)
        return cls(
            *most_frequent(labels),
            None if shuffled or held_out else validation.no_change_error,
            label_entropy(count_classes(validation.confusion, ())),
            not shuffled and order.is_sorted(validation.examples, len(labels)),
        )


@dataclass(repr=False)
class Tuning:
    """Candidates of a tuning, ranked by a metric.

    Attributes
    ----------
    metric : str
    results : list of Result
        From the best to the worst; candidates that failed, or do not have the metric, are last.
    best : classifier
        The model of the first result, trained.
    epochs : int
    seconds : float
        Time of all, the reading, too.
    work : int
        Rows that candidates learned or predicted, all together.
    baselines : Baselines
    """

    metric: str
    results: list[Result]
    best: Any
    epochs: int
    seconds: float
    work: int
    baselines: Baselines

    @classmethod
    def of(
        cls,
        metric: str,
        results: Sequence[Result],
        models: Sequence[Any],
        epochs: int,
        seconds: float,
        work: int,
        baselines: Baselines,
    ) -> Self:
        """Return the results in the order of a metric, and the first one's model.

        Raises
        ------
        NothingToRankError
            No candidate has the metric.
        """
        order = ranked([one.metrics[metric] for one in results], metric)
        first = results[order[0]]
        if first.metrics[metric] is None:
            why = first.failure or f"{METRICS[metric].title} is not defined for these rows"
            raise NothingToRankError(f"no candidate can be ranked: {why}.")
        ordered = [results[k] for k in order]
        return cls(metric, ordered, models[order[0]], epochs, seconds, work, baselines)

    @property
    def rows(self) -> list[dict[str, object]]:
        """A dict for each candidate, in order: ``pandas.DataFrame(tuning.rows)``."""
        return [one.record() for one in self.results]

    def record(self) -> dict[str, object]:
        """All numbers as a JSON object."""
        return {
            "metric": self.metric,
            "epochs": self.epochs,
            "seconds": self.seconds,
            "candidates_times_rows_per_second": self.candidates_times_rows_per_second,
            "baselines": self.baselines._asdict(),
            "candidates": self.rows,
        }

    @property
    def candidates_times_rows_per_second(self) -> float:
        """Work in a second."""
        return self.work / max(self.seconds, 1e-9)

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the names of the columns of a table, and a row of text for each candidate.

        A setting is left out where all candidates are alike in it, but for the rule.
        """
        columns: dict[str, list[str]] = {}
        for name, of in _SETTINGS.items():
            values = [_shown(of(one.candidate)) for one in self.results]
            if name == "rule" or len(set(values)) > 1:
                columns[name] = values
        for name in dict.fromkeys([self.metric, "error", *METRICS]):
            if any(one.metrics[name] is not None for one in self.results):
                columns[METRICS[name].title] = [_number(one, name) for one in self.results]
        return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]

    def evidence(self) -> str:
        """Return how many candidates and rows there were, and how they were ranked."""
        rows = count(self.results[0].examples, "row")
        how = f"on {rows}, each predicted before it was learned"
        if self.epochs > 1:
            how = f"on {rows} that were held out, after {self.epochs} epochs of the others"
        return f"{count(len(self.results), 'candidate')} {how}"

    def remarks(self) -> list[str]:
        """Return what a reader of the table should know, a sentence each."""
        metric, best, base = METRICS[self.metric], self.results[0], self.baselines
        remarks = []
        if base.is_sorted:
            remarks.append(
                "The rows are sorted by label, so the numbers mean nothing: shuffle them."
            )
        value = best.metrics[self.metric]
        if value is not None and self.metric == "log_loss" and value >= base.log_loss:
            remarks.append(
                f"No candidate is better than the shares of the labels, {metric.title} "
                f"{base.log_loss:.4f}."
            )
        error = best.errors / best.examples
        for words, other in (
            (f"always predicting {base.constant}", base.constant_error),
            ("repeating the label before", base.no_change_error),
        ):
            if other is not None and other < error and not base.is_sorted:
                remarks.append(f"The error of {words} is less: {other:.1%}.")
        if failed := sum(one.failure is not None for one in self.results):
            remarks.append(f"{count(failed, 'candidate')} failed: see failure in rows.")
        return remarks

    def __str__(self) -> str:
        names, rows = self.cells()
        return join(
            [text_table(names, abridged(rows, MAX_ROWS)), f"{self.evidence()}.", *self.remarks()]
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return to_html(str(self))


_SETTINGS: dict[str, Callable[[Candidate], object]] = {
    "rule": lambda one: one.rule,
    "eta0": lambda one: one.eta0,
    "scale": lambda one: one.scale,
    "average": lambda one: one.output == "average",
    "products": lambda one: one.interactions,
}


def _shown(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "yes" if value else "–"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _number(one: Result, name: str) -> str:
    value = one.metrics[name]
    if value is None:
        return "failed" if one.failure else "–"
    return METRICS[name].text(value)
