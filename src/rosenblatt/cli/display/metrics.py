"""Metrics of an evaluation: facts and tables for the terminal, and the object of ``--json``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.cli.display import fmt, render
from rosenblatt.learning.evaluation.metrics import (
    ClassCounts,
    ScoreMetrics,
    average_classes,
    cohen_kappa,
    constant_classes,
    count_classes,
    kappa_over,
    label_entropy,
    label_variance,
    mean_area,
    missed_classes,
)

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cli.display.confusion import ConfusionMatrix
    from rosenblatt.learning.decisions.costs import Costs

_MAX_CONFUSIONS = 20  # of --json
_MIN_NAME_WIDTH = 10  # of a class in the table, in columns of the terminal

_AVERAGES = {
    "balanced_accuracy": "balanced accuracy",
    "macro_precision": "macro precision",
    "macro_recall": "macro recall",
    "macro_f1": "macro F1",
}

_INTERVALS = ("precision 95 %", "recall 95 %")  # columns of the table of classes

KAPPA, LOG_LOSS, BRIER = "Cohen's kappa", "log loss", "Brier score"
_ECE = "calibration error"


class AverageRow(NamedTuple):
    """One line of the table of averages.

    Parameters
    ----------
    title : str
    model, baseline : float
    format : callable
        Function from a number to its text.
    """

    title: str
    model: float
    baseline: float
    format: Callable[[float], str]

    @property
    def cells(self) -> tuple[str, str, str]:
        """The line as text."""
        return self.title, self.format(self.model), self.format(self.baseline)


class MetricsReport:
    """Metrics of a confusion matrix and, where the model has scores, of these.

    Parameters
    ----------
    confusion : ConfusionMatrix
        At least one row.
    scores : ScoreMetrics, optional
    positive : str, optional
        The class whose precision, recall and F1 stand among the facts.
    eta0 : float or None, default=1.0
        Step size of the model; advice names smaller ones. None: the rule has no rate and no scale.
    costs : Costs, optional
        Of two classes: those by which the predictions were made.
    """

    def __init__(
        self,
        confusion: ConfusionMatrix,
        scores: ScoreMetrics | None = None,
        positive: str | None = None,
        eta0: float | None = 1.0,
        costs: Costs | None = None,
    ) -> None:
        self.confusion, self.scores, self.positive = confusion, scores, positive
        self.eta0, self.costs = eta0, costs
        self.classes = count_classes(confusion.pairs, confusion.classes)
        areas = [] if scores is None else scores.areas()
        self.areas = dict(zip(confusion.classes, areas, strict=False))
        self.auc = mean_area(areas)
        areas = [] if scores is None else scores.precision_areas()
        self.precision_areas = dict(zip(confusion.classes, areas, strict=False))
        self.pr_auc = mean_area(areas)
        if len(areas) == 2:  # that of the class of interest
            self.pr_auc = self.precision_areas.get(positive or confusion.classes[1])
        probabilities = None if scores is None else scores.probabilities
        self.log_loss = None if probabilities is None else probabilities.log_loss
        self.brier = None if probabilities is None else probabilities.brier
        self.reliability = None if probabilities is None else probabilities.reliability()

    # --- on the screen ---------------------------------------------------------------------------

    def doubt_facts(self) -> list[tuple[str, str]]:
        """Return what the error hides, with what to do: missed classes, bad probabilities."""
        missed = missed_classes(self.classes)
        facts = [("missed class", _recall(one)) for one in missed[:3]]
        if len(missed) > 3:
            facts.append(("", f"and {fmt.count(len(missed) - 3, 'class')} more"))
        if missed:
            facts.append(("", "the error hides it: train with --class-weight balanced"))
        baseline = self._averages()[1]["log_loss"]
        if self.log_loss is None or baseline == 0.0 or self.log_loss < baseline:
            return facts
        losses = f"{_decimal(self.log_loss)}, no better than the baseline's {_decimal(baseline)}"
        return [*facts, (LOG_LOSS, f"{losses}: do not trust the probabilities"), ("", self._remedy)]

    @property
    def _remedy(self) -> str:
        """What may make bad probabilities better."""
        if self.eta0 is None:
            return "more rows, or no --class-weight, helps"
        smaller = [f"{step:g}" for step in (0.1, 0.01, 0.001) if step < self.eta0][:2]
        eta0 = f"--eta0 {' or '.join(smaller)}, " if smaller else ""
        return f"{eta0}--scale if columns dominate, or no --class-weight helps"

    def positive_facts(self) -> list[tuple[str, str]]:
        """Return precision, recall and F1 of the class of ``--positive``."""
        facts = []
        for one in self.classes:
            if one.label == self.positive:
                precision, recall, f1 = _shares(one)
                text = f"{one.label}: precision {precision}, recall {recall}, F1 {f1}"
                facts.append(("positive class", text))
        return facts

    def cost_facts(self) -> list[tuple[str, str]]:
        """Return the mean cost of a row beside that of the best constant; none without costs."""
        if (record := self._cost_record()) is None:
            return []
        constant = f"best constant, always {record['constant']}: {record['constant_cost']:.4g}"
        positive, share = self.confusion.classes[1], fmt.percent(record["threshold"])
        return [
            ("mean cost", f"{record['mean_cost']:.4g} a row ({constant})"),
            ("", f"{positive} is predicted from a probability of {share} on"),
        ]

    def _cost_record(self) -> dict[str, Any] | None:
        """Return the costs as the object of ``--json``, of the rows whose label is a class."""
        if self.costs is None:
            return None
        negative, positive = self.confusion.classes
        pairs, labels = self.confusion.pairs, self.confusion.labels
        rows = labels[negative] + labels[positive]
        false = pairs[negative, positive], pairs[positive, negative]
        constants = {  # the cost of always predicting each class
            positive: labels[negative] * self.costs.false_positive,
            negative: labels[positive] * self.costs.false_negative,
        }
        constant = min(constants, key=lambda name: constants[name])
        total = sum(number * cost for number, cost in zip(false, self.costs, strict=True))
        return self.costs._asdict() | {
            "positive": positive,
            "threshold": self.costs.threshold,
            "mean_cost": total / max(1, rows),
            "constant": constant,
            "constant_cost": constants[constant] / max(1, rows),
        }

    def show(self, console: Console) -> None:
        """Print the averages beside those of the baseline, the classes and the confusions."""
        console.print()
        rows = [row.cells for row in self.average_rows()]
        console.print(render.number_table(("", "model", "baseline"), rows))
        if facts := self.calibration_facts():
            console.print(render.facts(facts))
        if self.confusion.errors == 0:
            return
        shown, detail = self.shown_classes()
        fitting = _fit_table(*self.class_table(shown), console.width)
        render.section(console, "Classes", detail, fitting)
        render.show_confusion(console, self.confusion)

    @property
    def stated(self) -> str:
        """What the probabilities of the reliability are of."""
        classes = self.confusion.classes
        return classes[1] if len(classes) == 2 else "the most probable class"

    def calibration_facts(self) -> list[tuple[str, str]]:
        """Return the calibration error, and what a calibrated model would have by chance."""
        if self.reliability is None:
            return []
        by_chance = _decimal(self.reliability.by_chance)
        text = f"{_decimal(self.reliability.ece)} (a calibrated model: up to {by_chance})"
        return [(_ECE, text)]

    def average_rows(self) -> list[AverageRow]:
        """Return the averages that are defined, beside those of the baseline."""
        model, baseline = self._averages()
        rest = "" if len(self.areas) == 2 else ", one-vs-rest"
        decimals = {"kappa": KAPPA, "auc": f"AUC{rest}", "pr_auc": f"PR-AUC{rest}"}
        decimals |= {"log_loss": LOG_LOSS, "brier": BRIER}
        return [
            AverageRow(title, model[name], baseline[name], _decimal if name in decimals else _share)
            for name, title in {**_AVERAGES, **decimals}.items()
            if model[name] is not None
        ]

    def shown_classes(self) -> tuple[list[ClassCounts], str]:
        """Return the classes of a table, and a remark if it has not all of them."""
        shown = [one for one in self.classes if one.examples or one.predicted]
        if len(shown) <= render.MAX_CLASSES:
            return shown, ""
        detail = f"the {render.MAX_CLASSES} of {len(shown):,} with the lowest F1; --json has all"
        return sorted(shown, key=lambda one: one.f1 or 0.0)[: render.MAX_CLASSES], detail

    def class_table(self, classes: Sequence[ClassCounts]) -> tuple[list[str], list[list[str]]]:
        """Return the names of the columns, and a row for each class."""
        has_areas = len(self.areas) > 2 and self.auc is not None
        names = ["class", "rows", "predicted", "precision", "recall", "F1"]
        rows = []
        for one in classes:
            row = [one.label, f"{one.examples:,}", f"{one.predicted:,}", *_shares(one)]
            if has_areas:
                area = self.areas.get(one.label)
                row.append("–" if area is None else _decimal(area))
            ends = (one.precision_interval, one.recall_interval)
            rows.append([*row, *("–" if end is None else fmt.interval(*end) for end in ends)])
        return [*names, *(["AUC"] if has_areas else []), *_INTERVALS], rows

    def _labelled_costs(self, label: Callable[[str], Any]) -> dict[str, Any] | None:
        record = self._cost_record()
        if record is not None:
            record |= {name: label(record[name]) for name in ("positive", "constant")}
        return record

    # --- as JSON ---------------------------------------------------------------------------------

    def _averages(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the averages of the model and of the baseline by name."""
        constant = constant_classes(self.classes)
        model = average_classes(self.classes)._asdict()
        baseline = average_classes(constant)._asdict()
        kappa = cohen_kappa(self.confusion.pairs)
        classes = self.classes[: len(self.confusion.classes)]  # without labels that are no classes
        model |= {"kappa": kappa, "auc": self.auc, "pr_auc": self.pr_auc}
        model |= {"log_loss": self.log_loss, "brier": self.brier}
        constants: dict[str, Callable[[], float]] = {
            "kappa": lambda: 0.0,
            "auc": lambda: 0.5,
            "pr_auc": lambda: self._constant_precision(classes),
            "log_loss": lambda: label_entropy(classes),
            "brier": lambda: label_variance(classes),
        }
        baseline |= {
            name: None if model[name] is None else value() for name, value in constants.items()
        }
        return model, baseline

    def _constant_precision(self, classes: Sequence[ClassCounts]) -> float:
        """Return the average precision of equal scores: the share of the class, or their mean."""
        rows = sum(one.examples for one in classes)
        shares = {one.label: one.examples / rows for one in classes if one.examples}
        if len(classes) == 2:
            return shares[self.positive or classes[1].label]
        return 1.0 / len(shares)

    def record(self, labels: dict[str, Any]) -> dict[str, Any]:
        """Return the metrics as the object of ``--json``.

        Parameters
        ----------
        labels : dict
            Labels of the model's own type, by their text.
        """

        def label(name: str) -> Any:
            return labels.get(name, name)

        model, baseline = self._averages()
        rates = ("precision", "precision_interval", "recall", "recall_interval", "f1")
        classes = [
            {"label": label(one.label), "rows": one.examples, "predicted": one.predicted}
            | {rate: getattr(one, rate) for rate in rates}
            | {"auc": self.areas.get(one.label)}
            | {"pr_auc": self.precision_areas.get(one.label)}
            for one in self.classes
        ]
        names = [one.label for one in self.classes]
        positive = classes[names.index(self.positive)] if self.positive in names else None
        curve = self.reliability
        return {
            **model,
            "ece": None if curve is None else curve.ece,
            "ece_by_chance": None if curve is None else curve.by_chance,
            "reliability": [] if curve is None else [one._asdict() for one in curve.bins],
            "cost": self._labelled_costs(label),
            "auc_rows": 0 if self.scores is None else self.scores.sampled,
            "baseline": {"error": 1.0 - baseline["accuracy"], **baseline},
            "by_class": classes,
            "missed": [label(one.label) for one in missed_classes(self.classes)],
            "positive": positive,
            "confusions": [
                {"label": label(actual), "prediction": label(predicted), "rows": rows}
                for actual, predicted, rows in self.confusion.confused(_MAX_CONFUSIONS)
            ],
        }


def no_change_facts(no_change_error: float, error: float) -> list[tuple[str, str]]:
    """Return the error of repeating the label before, for where that is the better baseline.

    Examples
    --------
    >>> no_change_facts(0.147, 0.2205)
    [('', '14.7 % (no change of label; kappa over it -0.5000)')]
    """
    if (kappa := kappa_over(error, no_change_error)) is None:
        return []
    share = fmt.percent(no_change_error)
    return [("", f"{share} (no change of label; kappa over it {_decimal(kappa)})")]


def _fit_table(names: list[str], rows: list[list[str]], width: int) -> Any:
    """Return a table that a terminal can show: without some columns, and with shorter names."""
    columns = list(zip(names, *rows, strict=True))
    for left_out in (_INTERVALS, ("AUC",), ("predicted",)):
        if _numbers_width(columns) > width - _MIN_NAME_WIDTH:
            columns = [column for column in columns if column[0] not in left_out]
    header, *lines = zip(*columns, strict=True)
    longest = max(_MIN_NAME_WIDTH, width - _numbers_width(columns))
    return render.number_table(header, lines, longest)


def _numbers_width(columns: Sequence[tuple[str, ...]]) -> int:
    """Return the width of all columns but the first, with the space around them."""
    return sum(3 + max(map(len, column)) for column in columns[1:]) + 3


def _recall(one: ClassCounts) -> str:
    rows = f"{one.correct:,} of {fmt.count(one.examples, 'row')}"
    return f"{one.label}: recall {_share(one.recall)} ({rows})"


def _shares(one: ClassCounts) -> list[str]:
    return [_share(share) for share in (one.precision, one.recall, one.f1)]


def _share(share: float | None) -> str:
    return "–" if share is None else fmt.percent(share)


def _decimal(number: float) -> str:
    return f"{number:.4f}"
