"""Recorded runs: the rows, every weight vector, and every step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from rosenblatt.theory.textbook.step import (
    STEP_HEADS,
    Step,
    dot,
    explain_step,
    rows_of_width,
    sgn,
    shown_rows,
)
from rosenblatt.theory.textbook.traces.text import (
    ARRAY_FIELDS,
    STEP_FIELDS,
    read_fields,
    write_fields,
)
from rosenblatt.utils.arrays import ArrayLike, NDArray
from rosenblatt.utils.checks import Floats, Ints
from rosenblatt.utils.shown import Text, join, to_html
from rosenblatt.utils.tables import MAX_ROWS, abridged, text_table
from rosenblatt.utils.words import count, listing

ROUNDING = 1e-9
"""A vector is moved along a row if it is so up to this share of the numbers added."""


@dataclass(frozen=True, eq=False)
class Trace:
    """A recorded run: its rows, every weight vector, and every step.

    Iteration and indexing give one `Step` at a time, ``run[2:5]`` a list of them. All arrays are
    read-only.

    Attributes
    ----------
    algorithm : str
        Name of the function that ran.
    X : array of shape (n, D)
        The rows as they are scored, ``X @ weights[j]``: with the constant 1, where there is one,
        and not negated.
    y : array of shape (n,)
        Their labels as signs, -1 or +1.
    eta : float
        Learning rate: a correction adds η y x to w (unless the algorithm's docstring differs).
    tie : int
        Prediction for a score of 0: -1, +1, or 0, which is wrong for both labels.
    weights : array of shape (k + 1, D)
        The start, and the vector after each of the k corrections, as the lecture stores it.
    order, score, prediction, label, mistake : array of shape (T,)
        The row of each step, and the other fields of its `Step`.
    used : array of shape (T,)
        Index into `weights` of the vector that scored the step. Where every mistake is corrected
        immediately, this is L1.4's m_t, the number of mistakes before the step.
    epochs : int
        Number of passes over all rows.
    converged : bool
        True if the run met its lecture's end condition: all rows right, or an epoch without an
        update.
    offset : int or None
        Index of b in a stored vector: 0, the first; -1, the last; None without b.
    rates : array of shape (k,) or None
        The learning rate of each update, if these differ; `eta` is the first. None if all are
        `eta`. A rule that moves w away from y x has a negative one.

    Examples
    --------
    >>> from rosenblatt.textbook import augmented_perceptron
    >>> run = augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    >>> run.weights
    array([[ 0.,  0.,  0.],
           [-1., -2., -1.],
           [ 0., -1.,  1.]])
    >>> run.w, run.b, run.mistakes, run.corrected, run.converged
    (array([-1.,  1.]), 0.0, 2, array([1, 0]), True)
    """

    algorithm: str
    X: Floats
    y: Ints
    eta: float
    tie: int
    weights: Floats
    order: Ints
    used: Ints
    score: Floats
    prediction: Ints
    label: Ints
    mistake: NDArray[np.bool_]
    epochs: int
    converged: bool
    offset: int | None
    rates: Floats | None = None

    @property
    def w(self) -> Floats:
        """The final normal vector, shape (d,): the last of `weights`, without b."""
        return self.line(-1)[0]

    @property
    def b(self) -> float:
        """The final offset, as in w·x + b; 0 if the algorithm has none."""
        return self.line(-1)[1]

    @property
    def points(self) -> Floats:
        """The rows without the constant 1, shape (n, d); for a kernel, the rows of k(x_l, x)."""
        return self.X if self.offset is None else np.delete(self.X, self.offset, axis=1)

    @property
    def mistakes(self) -> int:
        """The number of mistakes."""
        return int(self.mistake.sum())

    @property
    def corrected(self) -> Ints:
        """The rows of the mistakes, in order.

        Where each mistake is corrected immediately, w is the start plus one step for each.
        """
        return self.order[self.mistake]

    @property
    def updates(self) -> Ints:
        """The step of each update, shape (k,): the last that used the vector before it."""
        return np.searchsorted(self.used, np.arange(1, len(self.weights))) - 1

    @property
    def alpha(self) -> Floats:
        """The dual form: the final vector is the start plus Σ α_i x_i, of the rows `X`; (n,).

        α_i is y_i η times the number of updates with row i: the sum of its steps, with their
        sign, as in L2 (lecture rows L2.6, L2.10). With an offset, b grew by Σ α_i. A row that was
        never wrong has 0. With one η, α_i is its multiple, rounded once: for η = 1 it is exact.

        Raises
        ------
        ValueError
            An update is no step along its row: batch descent, another criterion, a rule with a
            matrix of confidences.

        Examples
        --------
        >>> from rosenblatt.textbook import perceptron
        >>> run = perceptron([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]], [-1, -1, 1], tie=1)
        >>> run.alpha, run.alpha @ run.X, run.weights[-1]
        (array([-1., -1.,  1.]), array([ 1., -2., -1.]), array([ 1., -2., -1.]))
        """
        if not self.along_rows:
            raise ValueError(
                f"alpha needs updates that are steps along a row, and those of {self.algorithm} "
                "are not"
            )
        rows, taus = self.order[self.updates], self._taus()
        if self.rates is None:  # η times a whole number is rounded once
            counts = np.bincount(rows, np.sign(taus), len(self.X))
            return np.asarray(self.eta * counts, np.float64)
        return np.asarray(np.bincount(rows, taus, len(self.X)), np.float64)

    @property
    def along_rows(self) -> bool:
        """True if every update is w + η y x of its step's row, but for rounding."""
        steps = self._taus()[:, np.newaxis] * self.X[self.order[self.updates]]
        before, after = self.weights[:-1], self.weights[1:]
        size = np.abs(before) + np.abs(steps) + np.abs(after)
        return bool((np.abs(after - before - steps) <= ROUNDING * size).all())

    def _taus(self) -> Floats:
        """Return η y of each update, shape (k,)."""
        rates = self.eta if self.rates is None else self.rates
        return np.asarray(rates * self.y[self.order[self.updates]], np.float64)

    @cached_property
    def errors(self) -> Ints:
        """The number of rows that each of `weights` misclassifies, shape (k + 1,)."""
        wrong = [(sgn(dot(self.X, w), self.tie) != self.y).sum() for w in self.weights]
        errors = np.array(wrong, np.int64)
        errors.setflags(write=False)
        return errors

    @property
    def pocket(self) -> int:
        """Index of the first of `weights` with the fewest `errors`, of all that the run visited.

        Lecture row L4.7. Gallant's pocket (1990) approximates it without counting the errors of
        every w. A w that the run did not visit may do better: `rosenblatt.theory.fewest_mistakes`.

        Examples
        --------
        >>> from rosenblatt.textbook import perceptron
        >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
        >>> run = perceptron(X, [-1, 1, -1, 1, 1], max_epochs=9)
        >>> run.errors[[0, -1, run.pocket]], run.line(run.pocket)
        (array([3, 2, 1]), (array([2.]), 0.0))
        """
        return int(self.errors.argmin())

    def line(self, j: int) -> tuple[Floats, float]:
        """The j-th of `weights` as (w, b): the line w·x + b = 0 of the `points`."""
        stored = self.weights[j]
        if self.offset is None:
            return stored, 0.0
        return np.delete(stored, self.offset), float(stored[self.offset])

    def predict(self, X: ArrayLike) -> Ints:
        """Predict the labels of rows of shape (n, d) with the final (w, b): shape (n,).

        They are -1 and +1, or 0 and 1 where the run has these. A score of 0 is predicted as in the
        run; with the tie 0 it is 0. For a kernel, the rows are (k(x_1, x), …, k(x_n, x)).

        Examples
        --------
        >>> from rosenblatt.textbook import augmented_perceptron
        >>> run = augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1])
        >>> run.predict([[0.0, 5.0], [5.0, 0.0]])
        array([ 1, -1])
        """
        signs = sgn(dot(rows_of_width(X, len(self.w)), self.w) + self.b, self.tie)
        return np.where(signs > 0, 1, 0) if (self.label == 0).any() else signs

    def broken(self, t: int) -> Ints:
        """Return the rows that step t makes wrong: right before its update, wrong after (L3.3).

        Examples
        --------
        >>> from rosenblatt.textbook import augmented_perceptron
        >>> run = augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1])
        >>> run.broken(0), run.broken(1)
        (array([0]), array([], dtype=int64))
        """
        step = self[t]
        before, after = (sgn(dot(self.X, w), self.tie) == self.y for w in (step.before, step.after))
        return np.flatnonzero(before & ~after)

    def table(self) -> str:
        """Return the steps as a text table: of many, the first and the last.

        Examples
        --------
        >>> from rosenblatt.textbook import augmented_perceptron
        >>> print(augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1]).table())
        step  row  score  prediction  label           w after the step
        0       1      0          +1     −1  mistake      (−1, −2, −1)
        1       0     −5          −1     +1  mistake        (0, −1, 1)
        """
        heads = ["step", *STEP_HEADS]
        rows = [[f"{t}", f"{self.order[t]}", *self[t].cells()] for t in shown_rows(len(self))]
        return text_table(heads, abridged(rows))

    def explain(self, t: int | None = None) -> str:
        """Explain step t in words and numbers: score, prediction, correction, new score.

        None explains all steps; of more than 12, the first ten and the last, as `table` shows them.
        The vectors w and x are the stored ones, with b and the constant 1
        where the algorithm has them. Lecture row L0.2: a correction adds η y ‖x‖² to w·x. An
        unknown step is an IndexError.

        Examples
        --------
        >>> from rosenblatt.textbook import origin_perceptron
        >>> print(origin_perceptron([[3.0, 4.0]], [1], eta=0.5).explain(0))
        Step 0, row 0: x = (3, 4), y = +1.
        w·x = 0·3 + 0·4 = 0, prediction −1: a mistake.
        w ← w + η y x = (0, 0) + 0.5·(+1)·(3, 4) = (1.5, 2).
        Now w·x = 0 + η y ‖x‖² = 0 + 0.5·(+1)·25 = 12.5, prediction +1: right.
        """
        if t is None:
            return Text("\n\n".join(self._explain_ends()))
        step, low = self[t], 0 if (self.label == 0).any() else -1
        x, y = self.X[step.row], int(self.y[step.row])
        eta, update = self.eta, int(self.used[t])
        if self.rates is not None and update < len(self.rates):
            eta = float(self.rates[update])
        return Text(explain_step(range(len(self))[t], step, x, y, eta, self.tie, low))

    def _explain_ends(self) -> Iterator[str]:
        """Yield the explanations of all steps; of a long run, those of the first and the last."""
        steps = len(self)
        first = steps if steps <= MAX_ROWS else MAX_ROWS - 2
        yield from map(self.explain, range(first))
        if first < steps:
            yield f"… {steps - 1 - first:,} steps: run.explain(t) explains step t …"
            yield self.explain(steps - 1)

    def worst_order(self) -> WorstOrder:
        """Return the order of the rows in which this algorithm makes the most mistakes.

        As `rosenblatt.textbook.worst_order`: the worst of all orders of up to 7 rows, of more that
        of 300 random ones.

        Examples
        --------
        >>> from rosenblatt.textbook import perceptron
        >>> run = perceptron([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]], [-1, -1, 1], tie=1)
        >>> run.mistakes, run.worst_order()
        (3, <WorstOrder 1, 0, 2: 5 mistakes, the most in all 6 orders>)
        """
        import rosenblatt

        return rosenblatt.textbook.worst_order(self)

    def show(self) -> object:
        """Open the run in the lecture page: in the notebook, or in the browser.

        The page steps through runs on points in the plane that correct every mistake at once, at
        one rate. The steps of any other run in the plane are drawn instead: of a kernel's, of a
        rule that moves w at right answers, too, of a batch, of rows that are too many or too large
        for the page. A notebook shows this picture; elsewhere it opens in the browser as an
        animation with buttons.

        Returns
        -------
        LessonPage, LessonWidget or StepsDisplay
            What `rosenblatt.teach.show` returns, or the `rosenblatt.plots.StepsDisplay`.

        Raises
        ------
        ValueError
            The run is not in the plane, or no step changes w.
        """
        import rosenblatt

        if rosenblatt.teach.steps_through(self):
            return rosenblatt.teach.show(self)
        return rosenblatt.plots.StepsDisplay(self).show()

    def to_json(self) -> str:
        """Return the run as JSON text: an object with the attributes by name, arrays as lists.

        Besides ``format`` ("rosenblatt trace") and ``version`` (1): text ``algorithm``; numbers
        ``eta``, ``tie``, ``epochs``; ``offset`` 0, -1 or null; true or false ``converged``; lists
        of lists ``X`` and ``weights``; lists ``y``, ``order``, ``used``, ``score``,
        ``prediction``, ``label``, ``mistake``. Step t scored ``X[order[t]]`` with
        ``weights[used[t]]``. A run with several learning rates has the version 2 and a list
        ``rates``. `from_json` restores every number exactly. A change of the format changes the
        version.
        """
        return write_fields(vars(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Trace:
        """Read the text that `to_json` wrote; any other text is a ValueError.

        Examples
        --------
        >>> from rosenblatt.textbook import origin_perceptron
        >>> run = Trace.from_json(origin_perceptron([[3.0, 4.0]], [1]).to_json())
        >>> run.algorithm, run.w
        ('origin_perceptron', array([3., 4.]))
        """
        return cls(**read_fields(text))

    def __post_init__(self) -> None:
        for name in (*ARRAY_FIELDS, *STEP_FIELDS):
            getattr(self, name).setflags(write=False)
        if self.rates is not None:
            self.rates.setflags(write=False)

    def __len__(self) -> int:
        return len(self.order)

    def __repr__(self) -> str:
        """Return a summary in one line."""
        counts = [count(len(self.X), "row"), count(len(self), "step")]
        counts += [count(self.mistakes, "mistake")]
        ended = "converged" if self.converged else "not converged"
        return f"<Trace of {self.algorithm}: {', '.join(counts)}, {ended}>"

    def _repr_html_(self) -> str:
        return to_html(join([repr(self).strip("<>"), self.table()]))

    @overload
    def __getitem__(self, t: int) -> Step: ...
    @overload
    def __getitem__(self, t: slice) -> list[Step]: ...
    def __getitem__(self, t: int | slice) -> Step | list[Step]:
        if isinstance(t, slice):
            return [self[k] for k in range(len(self))[t]]
        if not -len(self) <= t < len(self):
            raise IndexError(f"the run has {count(len(self), 'step')}, got step {t}")
        t %= len(self)
        before, after = [*self.used[t : t + 2], -1][:2]
        return Step(
            int(self.order[t]),
            float(self.score[t]),
            int(self.prediction[t]),
            int(self.label[t]),
            bool(self.mistake[t]),
            self.weights[before],
            self.weights[after],
        )

    def __iter__(self) -> Iterator[Step]:
        return (self[t] for t in range(len(self)))


class WorstOrder(NamedTuple):
    """The order of the rows with the most mistakes, of all or of some orders.

    Attributes
    ----------
    order : array of shape (n,)
        The rows of the given run, in the worst order.
    run : Trace
        The run on the rows in this order, which are its rows 0, 1, ….
    tried : int
        The number of orders.
    exact : bool
        True if these are all orders: then none has more mistakes.

    Examples
    --------
    >>> from rosenblatt import textbook, toys
    >>> toy = toys.separable(5, 2, margin=0.1, seed=4)
    >>> worst = textbook.perceptron(toy.X, toy.y).worst_order()
    >>> worst.tried, worst.exact, worst.run.mistakes
    (120, True, 22)
    """

    order: Ints
    run: Trace
    tried: int
    exact: bool

    def __repr__(self) -> str:
        """Return a summary in one line."""
        orders = f"all {self.tried:,}" if self.exact else f"{self.tried:,} of the"
        most = "in the only order" if self.tried == 1 else f"the most in {orders} orders"
        mistakes = count(self.run.mistakes, "mistake")
        return f"<WorstOrder {listing(self.order.tolist())}: {mistakes}, {most}>"
