"""Recorded runs: the rows, every weight vector, and every step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from rosenblatt.theory.textbook.step import Step, dot, explain_step, rows_of_width, sgn
from rosenblatt.utils.arrays import Array, ArrayLike, NDArray
from rosenblatt.utils.checks import Floats, Ints, check_choice, check_float, check_int
from rosenblatt.utils.shown import Text, join, to_html
from rosenblatt.utils.tables import MAX_ROWS, abridged, text_table
from rosenblatt.utils.words import count

FORMAT = "rosenblatt trace"
STEP_FIELDS = {
    "order": "i8",
    "used": "i8",
    "score": "f8",
    "prediction": "i8",
    "label": "i8",
    "mistake": "?",
}
ARRAY_FIELDS = {"X": "f8", "y": "i8", "weights": "f8"}
HEADER_FIELDS = {
    "algorithm": (str,),
    "eta": (int, float),
    "tie": (int,),
    "offset": (int, type(None)),
    "epochs": (int,),
    "converged": (bool,),
}
JSON_KINDS = {"f8": "fi", "i8": "i", "?": "b"}  # array type -> dtype kinds of JSON's numbers


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
        `eta`.

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
        heads = ["step", "row", "score", "prediction", "label", "", "w after the step"]
        rows = [[f"{t}", f"{step.row}", *step.cells()] for t, step in enumerate(self)]
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

    def show(self) -> object:
        """Open the run in the lecture page: in the notebook, or in the browser.

        The run must be of points in the plane, and correct every mistake at once; another is a
        ValueError. Returns what `rosenblatt.teach.show` returns.
        """
        import rosenblatt

        return rosenblatt.teach.show(self)

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
        text: dict[str, object] = {"format": FORMAT, "version": 1}
        if self.rates is not None:
            text |= {"version": 2, "rates": self.rates.tolist()}
        text |= {name: getattr(self, name) for name in HEADER_FIELDS}
        text |= {name: getattr(self, name).tolist() for name in (*ARRAY_FIELDS, *STEP_FIELDS)}
        return json.dumps(text, allow_nan=False)

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
        try:
            fields = json.loads(text)
            if fields["format"] != FORMAT or fields["version"] not in (1, 2):
                raise ValueError(f"format {fields['format']!r}, version {fields['version']!r}")
            run = cls._from_fields(fields)
        except KeyError as error:
            raise ValueError(f"not a trace that this version wrote: it has no {error}") from None
        except (ValueError, TypeError, IndexError, RecursionError) as error:
            raise ValueError(f"not a trace that this version wrote: {error}") from None
        return run

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Trace:
        header = {name: fields[name] for name in HEADER_FIELDS}
        for name, kinds in HEADER_FIELDS.items():
            if type(header[name]) not in kinds:
                raise ValueError(f"{name} {header[name]!r}")
        check_float(header["eta"], "eta", above=0.0)
        check_int(header["epochs"], "epochs", minimum=0)
        check_choice(header["offset"], "offset", (None, 0, -1))
        check_choice(header["tie"], "tie", (-1, 0, 1))
        arrays: dict[str, Any] = {
            name: _parse_array(fields[name], name) for name in ARRAY_FIELDS | STEP_FIELDS
        }
        if fields["version"] == 2:
            arrays["rates"] = _parse_array(fields["rates"], "rates")
        run = cls(**header, **arrays)
        if run.rates is not None and (
            run.rates.shape != (len(run.weights) - 1,) or (run.rates <= 0.0).any()
        ):
            raise ValueError("rates that are not one positive number an update")
        X, offset, used = run.X, run.offset, [*run.used, len(run.weights) - 1]
        if X.ndim != 2 or run.weights.shape[1:] != X.shape[1:] or 0 in run.points.shape:
            raise ValueError(f"rows of shape {X.shape}, weights of shape {run.weights.shape}")
        if run.y.shape != X.shape[:1] or not np.isin(run.y, (-1, 1)).all():
            raise ValueError("labels that are not one sign a row")
        if offset is not None and (X[:, offset] != 1.0).any():
            raise ValueError("rows without the constant 1")
        if any(getattr(run, name).shape != (len(run.order),) for name in STEP_FIELDS):
            raise ValueError("columns of different lengths")
        if not np.isin(run.order, range(len(X))).all():
            raise ValueError("a step with an unknown row")
        if used[0] != 0 or not np.isin(np.diff(used), (0, 1)).all():
            raise ValueError("steps that do not use the weights one after another")
        if not np.isin([run.prediction, run.label], (-1, 0, 1)).all():
            raise ValueError("a prediction or a label that is not -1, 0 or 1")
        return run

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


def _parse_array(raw: object, name: str) -> Array:
    """Return a JSON list as the array of the named field."""
    kind, values = {**ARRAY_FIELDS, **STEP_FIELDS, "rates": "f8"}[name], np.array(raw)
    if values.size and values.dtype.kind not in JSON_KINDS[kind]:
        raise ValueError(f"{name} of {values.dtype} instead of {np.dtype(kind)}")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} is not finite")
    return values.astype(kind)
