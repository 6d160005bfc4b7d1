"""Predictions of a model: by its own rule or by a threshold; and labels that are no classes."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.options.names import LOG_ODDS, listing
from rosenblatt.cli.options.predictions import PredictionOptions
from rosenblatt.learning import interface
from rosenblatt.learning.decisions.costs import Costs
from rosenblatt.utils.arrays import Array

if TYPE_CHECKING:
    from rosenblatt.cli.display.confusion import ConfusionMatrix

_MAX_NAMES = 5  # labels in a message


class Predictions(NamedTuple):
    """Predictions of a batch.

    Attributes
    ----------
    labels : array of shape (n,)
    scores : array of shape (n,) for two classes, (n, K) for more; None of a regressor
    probabilities : array of shape (n, K); None unless requested
    sets : bool array of shape (n, K); None unless requested
    """

    labels: Array
    scores: Any = None
    probabilities: Array | None = None
    sets: Array | None = None


class Predictor:
    """Function from rows to predictions.

    Parameters
    ----------
    model : classifier or regressor
    path : str
        The file of the model, for messages.
    options : PredictionOptions
    probabilities : bool
        Whether the predictions have them.

    Attributes
    ----------
    positive : str or None
        The class of ``--positive``, as text.
    costs : Costs or None
        Those by which it decides.

    Raises
    ------
    click.UsageError
        An option does not go with the model.
    """

    def __init__(
        self,
        model: Any,
        path: str,
        options: PredictionOptions,
        *,
        probabilities: bool = False,
    ) -> None:
        self.model, self.path = model, path
        self.threshold, self.proba = options.threshold, options.proba
        self.costs: Costs | None = None
        self.probabilities = probabilities
        classes = getattr(model, "classes_", np.empty(0))
        self.names = [fmt.label(label) for label in classes.tolist()]
        if self.proba or probabilities:
            self._check_probabilities()
        self.coverage = options.sets
        if self.coverage is not None:
            self._check_sets()
        self.positive = self._check_positive(options.positive)
        if self.threshold is not None:
            self._check_threshold(self.threshold)
        else:
            self._set_costs(options.cost)

    def _check_probabilities(self) -> None:
        if not self.names:
            raise click.UsageError(f"--proba goes with classifiers; {self.path} is a regressor.")
        if not hasattr(self.model, "predict_proba"):
            rule = getattr(self.model, "rule", type(interface.rule(self.model)).__name__)
            voted = {"vote": ", voted"}.get(self.model.output, "")
            raise click.UsageError(
                f"--proba goes with models of {listing(LOG_ODDS)}; {self.path} has the rule "
                f"{fmt.label(rule)}{voted}, whose scores are no probabilities: train with "
                "--probabilities and without --vote, or use --scores."
            )

    def _check_positive(self, label: str | None) -> str | None:
        if label is None or label in self.names:
            return label
        close = nearest_class(label, self.names)
        hint = "" if close is None else f" Did you mean {close!r}?"
        classes = f"its classes are {fmt.listing(self.names)}"
        raise click.UsageError(
            f"--positive: {label!r} is no class of {self.path}; {classes}.{hint}"
        )

    def _check_threshold(self, threshold: float) -> None:
        if len(self.names) != 2:
            classes = f"{self.path} has {fmt.count(len(self.names), 'class')}"
            raise click.UsageError(f"--threshold goes with a model of two classes; {classes}.")
        if self.proba and not 0.0 <= threshold <= 1.0:
            raise click.UsageError(
                f"--threshold with --proba must lie between 0 and 1; got {threshold:g}."
            )

    def _check_sets(self) -> None:
        has_probabilities = hasattr(self.model, "predict_proba")
        if getattr(self.model, "set_scores_", None) is None or not has_probabilities:
            calibrated = "" if has_probabilities else "--probabilities "
            raise click.UsageError(
                f"--sets needs scores of held-out rows, and {self.path} has none: train with "
                f"{calibrated}--holdout 0.2 --sets."
            )

    def _set_costs(self, cost: tuple[float, float] | None) -> None:
        """Decide by costs: those of the option, else those of the model."""
        if cost is None:
            self.costs = getattr(self.model, "costs_", None) if len(self.names) == 2 else None
            return
        if not hasattr(self.model, "predict_proba"):
            raise click.UsageError(
                f"--cost needs probabilities, and {self.path} has none: train with "
                "--probabilities and without --vote."
            )
        if len(self.names) != 2:
            classes = f"{self.path} has {fmt.count(len(self.names), 'class')}"
            raise click.UsageError(f"--cost goes with a model of two classes; {classes}.")
        costs = Costs.of(*cost)
        is_second = self.positive in (None, self.names[1])
        self.costs = costs if is_second else costs.swapped()
        self.model = copy.copy(self.model).set_costs(*self.costs)

    def __call__(self, X: object) -> Predictions:
        """Return the predictions of these rows."""
        if not self.names:
            return Predictions(self.model.predict(X))
        scores = self.model.decision_function(X)
        probabilities = self._probabilities(scores) if self.probabilities else None
        sets = None
        if self.coverage is not None:
            sets = interface.sets_of_scores(self.model, scores, self.coverage)
        return Predictions(self._labels(scores), scores, probabilities, sets)

    def _probabilities(self, scores: Array) -> Array:
        """Return the probabilities of the classes, as ``predict_proba`` does."""
        return interface.probabilities_of_scores(self.model, scores)

    def _labels(self, scores: Array) -> Array:
        """Return the labels: the positive class from the threshold on, else as ``predict``."""
        if self.threshold is None:
            return interface.labels_of_scores(self.model, scores)
        column = 1 if self.positive is None else self.names.index(self.positive)
        numbers = scores if column == 1 else -scores
        if self.proba:
            numbers = self._probabilities(scores)[:, column]
        classes: Array = self.model.classes_
        return classes[np.where(numbers >= self.threshold, column, 1 - column)]


def check_scores(scores: Array | None, source: str, first_row: int) -> None:
    """Refuse rows whose numbers are so large that their scores leave the floating-point range.

    Parameters
    ----------
    scores : array of shape (n,) or (n, K), or None
        None of a regressor, which has no scores.
    source : str
        Name of DATA.
    first_row : int
        Number of rows before the first.

    Raises
    ------
    BadData
    """
    if scores is None or (finite := np.isfinite(scores)).all():
        return
    row = int(np.argmin(finite.reshape(len(scores), -1).all(axis=1)))
    raise BadData(
        f"{source}: example {first_row + row + 1:,} has numbers so large that its score is out of "
        "the floating-point range: correct or scale them."
    )


def label_codes(labels: Array, names: list[str]) -> Array:
    """Return the index of each label among the names of the classes; −1 where there is none.

    Parameters
    ----------
    labels : array of shape (n,)
    names : list of str
        Classes as :func:`rosenblatt.cli.display.fmt.label` writes them.

    Examples
    --------
    >>> label_codes(np.array([1.0, -1.0, 2.0]), ["-1", "1"]).tolist()
    [1, 0, -1]
    """
    distinct, inverse = np.unique(labels, return_inverse=True)
    index = {name: code for code, name in enumerate(names)}
    codes = np.array([index.get(fmt.label(label), -1) for label in distinct.tolist()], np.int64)
    return codes[inverse]


def check_known_labels(source: str, confusion: ConfusionMatrix, quiet: bool) -> None:
    """Refuse data whose labels are all unknown to the model; print a note if some are.

    Parameters
    ----------
    source : str
        Name of DATA.
    confusion : ConfusionMatrix
        Counts of all rows.
    quiet : bool
        Whether to print no note.

    Raises
    ------
    BadData
        No row has a label of the model. The message has the nearest classes.
    """
    unseen = confusion.unseen
    if not unseen:
        return
    names = sorted(unseen, key=lambda name: (-unseen[name], name))
    shown = ", ".join(
        _describe(name, unseen[name], confusion.classes) for name in names[:_MAX_NAMES]
    )
    shown += f", and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    rows, classes = sum(unseen.values()), fmt.listing(confusion.classes)
    if rows == confusion.examples:
        raise BadData(
            f"{source}: no row has a label that the model knows. Its classes are {classes}; "
            f"found {shown}. Name the column of labels with --target, or rename the labels."
        )
    if not quiet:
        terminal.note(
            f"{source}: {fmt.count(rows, 'row')} of {confusion.examples:,} have labels that the "
            f"model does not know, and count as errors: {shown}."
        )


def nearest_class(label: str, classes: list[str]) -> str | None:
    """Return the class that is spelled most like a label; None if none is near.

    Numbers have no near spelling: -1 and 1 are different classes.

    Examples
    --------
    >>> nearest_class("<=50K.", ["<=50K", ">50K"]), nearest_class("Spam ", ["ham", "spam"])
    ('<=50K', 'spam')
    >>> nearest_class("-1", ["0", "1"]) is None
    True
    """
    with suppress(ValueError):
        float(label)
        return None
    from difflib import get_close_matches

    by_spelling = {name.strip().lower(): name for name in reversed(classes)}
    close = get_close_matches(label.strip().lower(), by_spelling, 1)
    return by_spelling[close[0]] if close else None


def _describe(label: str, rows: int, classes: list[str]) -> str:
    nearest = nearest_class(label, classes)
    question = "" if nearest is None else f"; did you mean {nearest!r}?"
    return f"{label!r} ({fmt.count(rows, 'row')}{question})"
