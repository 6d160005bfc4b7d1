"""Whether a joint model makes fewer errors on held-out rows than one-vs-rest, at little cost.

Learning all rows again would take as long as the run. Both schemes learn the first rows instead, as
many as take a fraction of a second, in as many epochs, and predict the held-out rows.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.cli.training.holdout import columns_of
from rosenblatt.learning import interface
from rosenblatt.streams.core.batch import take_rows
from rosenblatt.streams.features.encoding import number_columns
from rosenblatt.theory.rules import DECLARATIONS
from rosenblatt.utils.words import count

if TYPE_CHECKING:
    from rosenblatt.cli.options.train import TrainOptions
    from rosenblatt.streams import Batch, Stream

_MOST_VALUES = 1 << 20  # numbers of the rows that are kept: 8 MB
_MOST_PRODUCTS = 10**8  # of a number and a weight, of one scheme: about a tenth of a second
_LEAST_ROWS = 500  # of many: what fewer teach says little
_SURE = 1.96  # standard deviations of the errors of one scheme alone, if both are as good


class FirstRows:
    """The first rows that a run learns, up to a million numbers.

    Examples
    --------
    >>> from rosenblatt.streams import Batch
    >>> rows = FirstRows()
    >>> rows.add(Batch(np.ones((3, 2)), np.array([1, 2, 3]), 0))
    >>> [len(batch.y) for batch in rows.batches], rows.are_all
    ([3], True)
    """

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.are_all, self._values = True, 0

    def add(self, batch: Batch) -> None:
        """Keep the next rows, or as many of them as there is room for."""
        if not self.are_all:
            return
        share = (_MOST_VALUES - self._values) / max(1, _values(batch))
        kept = _first(batch, math.floor(share * len(batch.y)))
        self.are_all = len(kept.y) == len(batch.y)
        if len(kept.y):
            self.batches.append(kept)
            self._values += _values(kept)

    def cheap(self, classes: int, epochs: int) -> tuple[list[Batch], bool]:
        """Return the first rows that are learned quickly, and whether they are all of the run."""
        room, chosen = _MOST_PRODUCTS / (max(1, classes) * max(1, epochs)), []
        for batch in self.batches:
            part = _first(batch, math.floor(room / max(1, _values(batch)) * len(batch.y)))
            if len(part.y):
                chosen.append(part)
            room -= _values(part)
            if len(part.y) < len(batch.y):
                return chosen, False
        return chosen, self.are_all


def _values(batch: Batch) -> int:
    rows = batch.rows
    return len(rows.data) if hasattr(rows, "indptr") else int(rows.size)


def _first(batch: Batch, rows: int) -> Batch:
    n = len(batch.y)
    return batch if rows >= n else take_rows(batch, slice(0, max(0, rows)), batch.first_row)


class Comparison(NamedTuple):
    """Errors of both schemes on the held-out rows.

    Parameters
    ----------
    learned, held_out : int
        Numbers of rows.
    are_all : bool
        Whether all rows of the run were learned.
    ovr, joint : int
        Errors.
    only_ovr, only_joint : int
        Errors of one scheme alone.

    Examples
    --------
    >>> Comparison(400, 100, True, 30, 4, 27, 1).sentence()
    'one-vs-rest is wrong in 30 of 100 held-out rows, a joint model in 4: --multi-class joint.'
    >>> Comparison(400, 100, True, 30, 27, 8, 5).sentence()
    """

    learned: int
    held_out: int
    are_all: bool
    ovr: int
    joint: int
    only_ovr: int
    only_joint: int

    def sentence(self) -> str | None:
        """Return the note, or None if the rows do not show that joint is better.

        It is better if errors of one scheme alone are those of one-vs-rest more often than by
        chance: McNemar's test, (b − c)² > 1.96² (b + c).
        """
        more = self.only_ovr - self.only_joint
        if more <= _SURE * math.sqrt(self.only_ovr + self.only_joint):
            return None
        rows = count(self.held_out, "held-out row")
        learned = "" if self.are_all else f", both after the first {count(self.learned, 'row')}"
        return (
            f"one-vs-rest is wrong in {self.ovr:,} of {rows}, a joint model in {self.joint:,}"
            f"{learned}: --multi-class joint."
        )


def compare_schemes(
    options: TrainOptions,
    model: Any,
    unfitted: Any,
    stream: Stream,
    rows: FirstRows,
    held_out: Sequence[Batch],
    epochs: int,
) -> Comparison | None:
    """Learn the first rows by both schemes, and count their errors on the held-out rows.

    Parameters
    ----------
    options : TrainOptions
    model : classifier
        That of the run.
    unfitted : classifier
        One with its parameters.
    stream : Stream
    rows : FirstRows
    held_out : sequence of Batch
    epochs : int
        Those of the run.

    Returns
    -------
    Comparison, or None
        None where no comparison is made: of two classes, a joint run, a kernel, a rule with a
        covariance matrix, one that chooses its rows or a blend, and where the first rows lack a
        class, or are fewer than 500 of more.
    """
    classes = model.classes_
    kind = DECLARATIONS[options.rule].kind
    if len(classes) < 3 or options.multi_class != "ovr" or kind in ("full", "choosing", "blended"):
        return None
    if options.kernel_name is not None or not held_out:
        return None
    batches, are_all = rows.cheap(len(classes), epochs)
    learned = sum(len(batch.y) for batch in batches)
    labels = {label for batch in batches for label in batch.y.tolist()}
    if not (are_all or learned >= _LEAST_ROWS) or labels != set(classes.tolist()):
        return None
    wrong = {}
    for scheme in ("ovr", "joint"):
        learner = copy.deepcopy(unfitted).set_params(
            multi_class=scheme, class_weight=model.class_weight
        )
        if options.scale:
            interface.centre_columns(learner, number_columns(stream))
        with np.errstate(all="ignore"):
            for _ in range(epochs):
                for batch in batches:
                    X, weight = columns_of(model, batch.rows), batch.weight
                    learner.partial_fit(X, batch.y, classes=classes, sample_weight=weight)
            predicted = [learner.predict(columns_of(model, batch.rows)) for batch in held_out]
        pairs = zip(predicted, held_out, strict=True)
        wrong[scheme] = np.concatenate([labels != batch.y for labels, batch in pairs])
    ovr, joint = wrong["ovr"], wrong["joint"]
    counts = (ovr, joint, ovr & ~joint, joint & ~ovr)
    return Comparison(learned, len(ovr), are_all, *(int(np.count_nonzero(one)) for one in counts))
