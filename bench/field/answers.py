"""What a learner says of the held-out rows, and how good that is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from made import Split

CLIP = 1e-7
"""Probabilities below are taken for this in the log loss: at most 16.1 a row."""


class Answer(NamedTuple):
    """The classes of the held-out rows, and the probabilities of all classes or None."""

    codes: Any
    probabilities: Any = None


class Rows(NamedTuple):
    """A split with labels 0 … K − 1, its seed, and a folder for files that learners share."""

    split: Split
    seed: int
    folder: Path

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(max(self.split.y.max(), self.split.y_test.max())) + 1

    @property
    def work(self) -> int:
        """The numbers that are not 0 times the classes: what a pass costs."""
        K = 1 if self.classes == 2 else self.classes
        return int(np.count_nonzero(getattr(self.split.X, "data", self.split.X))) * K


Learner = Callable[[Rows], Answer | None]
"""A learner: the answer for the held-out rows, or None where it takes too long or has none."""


def of_probabilities(found: Any, codes: Any, K: int) -> Answer:
    """Return the answer of probabilities of the classes ``codes``, out of K."""
    probabilities = np.zeros((len(found), K))
    probabilities[:, codes] = found
    return Answer(np.argmax(probabilities, axis=1), probabilities)


def log_loss(probabilities: Any, y: Any) -> float:
    """Return the mean of −log p of the rows' own classes, p at least CLIP."""
    p = probabilities[np.arange(len(y)), y]
    return float(-np.log(np.clip(p, CLIP, 1.0)).mean())


def figures(answer: Answer, y: Any) -> dict[str, float]:
    """Return the accuracy in percent, and the log loss where there are probabilities."""
    found = {"accuracy": 100 * float(np.mean(answer.codes == y))}
    if answer.probabilities is not None:
        found["loss"] = log_loss(answer.probabilities, y)
    return found
