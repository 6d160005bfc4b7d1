"""Metrics by which models are ranked: one registry, which options, tables and messages read.

Nothing here imports NumPy at once: the help of the command has the names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rosenblatt.learning.evaluation.validation import Validation


class Metric(NamedTuple):
    """A number that says how good the predictions of a validation are.

    Attributes
    ----------
    name : str
        In options, JSON and Python.
    title : str
        In tables.
    of : callable
        ``of(validation, positive)`` is the number, None where it is not defined; ``positive`` is
        the class of interest, or None for the second of two.
    is_loss : bool
        Whether less is better.
    is_share : bool
        Whether tables show it as a percentage.
    needs_probabilities : bool
        Whether only models with probabilities have it.
    """

    name: str
    title: str
    of: Callable[[Validation, object], float | None]
    is_loss: bool = False
    is_share: bool = False
    needs_probabilities: bool = False

    def text(self, value: float | None) -> str:
        """Return a value as a cell of a table.

        Examples
        --------
        >>> METRICS["error"].text(0.0625), METRICS["auc"].text(0.5), METRICS["auc"].text(None)
        ('6.25 %', '0.5000', '–')
        """
        if value is None:
            return "–"
        return f"{100.0 * value:.2f} %" if self.is_share else f"{value:.4f}"


def log_loss(validation: Validation, positive: object = None) -> float | None:
    """Return the mean of −log p(label); None without probabilities."""
    return None if validation.scores is None else validation.scores.log_loss


def brier(validation: Validation, positive: object = None) -> float | None:
    """Return the Brier score; None without probabilities."""
    return None if validation.scores is None else validation.scores.brier


def ece(validation: Validation, positive: object = None) -> float | None:
    """Return the expected calibration error; None without probabilities."""
    if validation.scores is None:
        return None
    reliability = validation.scores.probabilities.reliability()
    return None if reliability is None else reliability.ece


def pr_auc(validation: Validation, positive: object = None) -> float | None:
    """Return the average precision of the class of interest, of three and more the mean."""
    from rosenblatt.learning.evaluation.metrics import mean_area

    if validation.scores is None:
        return None
    areas = validation.scores.precision_areas()
    labels = sorted({label for label, _ in validation.confusion})
    if len(areas) != 2 or len(labels) != 2:
        return mean_area(areas)
    return areas[labels.index(positive) if positive in labels else 1]


def auc(validation: Validation, positive: object = None) -> float | None:
    """Return the area under the ROC curve; of three classes and more the mean, one-vs-rest."""
    from rosenblatt.learning.evaluation.metrics import mean_area

    return None if validation.scores is None else mean_area(validation.scores.areas())


def f1(validation: Validation, positive: object = None) -> float | None:
    """Return F1 of the class of interest: by default the second of two; of more, the macro mean.

    A class that is neither a label nor a prediction has F1 0.

    Examples
    --------
    >>> from rosenblatt.validation import Validation
    >>> from collections import Counter
    >>> counts = {("ham", "ham"): 6, ("spam", "ham"): 3, ("spam", "spam"): 1}
    >>> validation = Validation(1000, 0, confusion=Counter(counts))
    >>> f1(validation), f1(validation, "ham")
    (0.4, 0.8)
    """
    from rosenblatt.learning.evaluation.metrics import average_classes, count_classes

    classes = count_classes(validation.confusion, ())
    labels = sorted(one.label for one in classes)
    if positive is None and len(labels) != 2:
        return average_classes(classes).macro_f1
    wanted = labels[1] if positive is None else positive
    return next((one.f1 for one in classes if one.label == wanted), None) or 0.0


def error(validation: Validation, positive: object = None) -> float | None:
    """Return the share of wrong predictions."""
    return validation.error


METRICS = {
    one.name: one
    for one in (
        Metric("log_loss", "log loss", log_loss, is_loss=True, needs_probabilities=True),
        Metric("brier", "Brier", brier, is_loss=True, needs_probabilities=True),
        Metric("ece", "ECE", ece, is_loss=True, needs_probabilities=True),
        Metric("auc", "AUC", auc),
        Metric("pr_auc", "PR-AUC", pr_auc),
        Metric("f1", "F1", f1, is_share=True),
        Metric("error", "error", error, is_loss=True, is_share=True),
    )
}
"""Metric by name."""


def ranked(values: Sequence[float | None], metric: str) -> list[int]:
    """Return the indices of values of a metric, the best first; None and NaN are last.

    Equal values keep their order.

    Parameters
    ----------
    values : sequence of float or None
    metric : str
        A name of :data:`METRICS`.

    Examples
    --------
    >>> ranked([0.5, None, 0.25, 0.5], "error"), ranked([0.5, None, 0.25, 0.5], "auc")
    ([2, 0, 3, 1], [0, 3, 2, 1])
    """
    sign = 1.0 if METRICS[metric].is_loss else -1.0

    def key(index: int) -> tuple[bool, float]:
        value = values[index]
        is_missing = value is None or value != value
        return is_missing, 0.0 if is_missing or value is None else sign * value

    return sorted(range(len(values)), key=key)
