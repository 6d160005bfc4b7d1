"""Predictions of a model: by its own rule or by a threshold, with scores or probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple

import click
import numpy as np

from rosenblatt.cli.display import fmt
from rosenblatt.cli.inputs.unknown_labels import nearest_class
from rosenblatt.cli.options.predictions import PredictionOptions
from rosenblatt.learning.interface import labels_of_scores
from rosenblatt.learning.probabilities import log_probabilities


class Predictions(NamedTuple):
    """Predictions of a batch.

    Attributes
    ----------
    labels : array of shape (n,)
    scores : array of shape (n,) for two classes, (n, K) for more; None unless requested
    probabilities : array of shape (n, K); None unless requested
    """

    labels: Any
    scores: Any = None
    probabilities: Any = None


class Predictor:
    """Function from rows to predictions.

    Parameters
    ----------
    model : classifier or regressor
    path : str
        The file of the model, for messages.
    options : PredictionOptions
    scores, probabilities : bool
        Whether the predictions have them.

    Attributes
    ----------
    positive : str or None
        The class of ``--positive``, as text.

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
        scores: bool = False,
        probabilities: bool = False,
    ) -> None:
        self.model, self.path = model, path
        self.threshold, self.proba = options.threshold, options.proba
        self.scores, self.probabilities = scores, probabilities
        classes = getattr(model, "classes_", np.empty(0))
        self.names = [fmt.label(label) for label in classes.tolist()]
        if self.proba or probabilities:
            self._check_probabilities()
        self.positive = self._check_positive(options.positive)
        if self.threshold is not None:
            self._check_threshold(self.threshold)

    def _check_probabilities(self) -> None:
        if not self.names:
            raise _usage(f"--proba goes with classifiers; {self.path} is a regressor.")
        if not hasattr(self.model, "predict_proba"):
            rule = fmt.label(self.model.rule) + {"vote": ", voted"}.get(self.model.output, "")
            raise _usage(
                f"--proba goes with models of --rule logistic; {self.path} has the rule {rule}, "
                "whose scores are no probabilities: train with --rule logistic and without --vote, "
                "or use --scores."
            )

    def _check_positive(self, label: str | None) -> str | None:
        if label is None or label in self.names:
            return label
        close = nearest_class(label, self.names)
        hint = "" if close is None else f" Did you mean {close!r}?"
        classes = f"its classes are {fmt.listing(self.names)}"
        raise _usage(f"--positive: {label!r} is no class of {self.path}; {classes}.{hint}")

    def _check_threshold(self, threshold: float) -> None:
        if len(self.names) != 2:
            classes = f"{self.path} has {fmt.count(len(self.names), 'class')}"
            raise _usage(f"--threshold goes with a model of two classes; {classes}.")
        if self.proba and not 0.0 <= threshold <= 1.0:
            raise _usage(f"--threshold with --proba must lie between 0 and 1; got {threshold:g}.")

    def __call__(self, X: Any) -> Predictions:
        """Return the predictions of these rows."""
        if not self.names:
            return Predictions(self.model.predict(X))
        scores = self.model.decision_function(X)
        probabilities = self._probabilities(scores) if self.probabilities else None
        return Predictions(self._labels(scores), scores if self.scores else None, probabilities)

    def _probabilities(self, scores: Any) -> Any:
        """Return the probabilities of the classes, as ``predict_proba`` does."""
        joint = self.model.multi_class == "joint"
        return np.exp(log_probabilities(scores, len(self.names), joint=joint))

    def _labels(self, scores: Any) -> Any:
        """Return the labels: the positive class from the threshold on, else as ``predict``."""
        if self.threshold is None:
            return labels_of_scores(self.model, scores)
        column = 1 if self.positive is None else self.names.index(self.positive)
        numbers = scores if column == 1 else -scores
        if self.proba:
            numbers = self._probabilities(scores)[:, column]
        return self.model.classes_[np.where(numbers >= self.threshold, column, 1 - column)]


def label_codes(labels: Any, names: list[str]) -> Any:
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


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context(silent=True))
