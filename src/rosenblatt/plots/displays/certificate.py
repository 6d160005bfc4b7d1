"""Certificates in the plane: the band of the margin, or the rows that cancel."""

from __future__ import annotations

import math
from typing import Self

import numpy as np
from scipy.spatial import ConvexHull

from rosenblatt.plots import base, checks, style
from rosenblatt.proofs import Certificate
from rosenblatt.proofs.check.data import as_labels
from rosenblatt.theory import margin
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.directed import Enclosure

MAX_WEIGHTS = 6  # largest number of rows whose weights are written beside them
MAX_EXACT_WEIGHT = 1000  # largest sum of the weights that are not written as shares


class CertificateDisplay(base.Display):
    """A certificate of two classes in the plane, with the rows that prove it in rings.

    Separable: the line of maximal margin and its band; a ``learned`` line lies over it, dashed.
    Quasi-separable: the line that has no row on the wrong side, and the rows on it. Inseparable:
    the rows that cancel, with their weights, and the hull of those of each class: two segments that
    cross, or a triangle around a point. The hulls meet in the cross, the point
    Σ λ x / Σ λ of either class; through the origin there is no such point. Create it by
    `from_certificate`. Lecture rows L2.5, L3.8, L3.9.

    Parameters
    ----------
    proof : Certificate
    X : array of shape (n, 2)
    y : array of shape (n,)
        -1 or +1.
    learned : pair of array of shape (2,) and float, default None
        w and b of a line to compare with.
    names, classes : pair of str
        Names of the columns; of y = -1 and y = +1.

    Attributes
    ----------
    share : float or None
        The margin of ``learned`` divided by the largest; negative if it misclassifies a row; None
        without one, as of w = 0.
    ax_, figure_ : matplotlib Axes, Figure
    line_, band_, learned_, rings_, meeting_ : matplotlib artists, or None if not drawn
    hulls_ : list of matplotlib artists
        Of the cancelling rows of each class.

    Examples
    --------
    >>> from rosenblatt import certify, toys
    >>> square = toys.xor()
    >>> proof = certify(square.X, square.y)
    >>> display = CertificateDisplay.from_certificate(proof, square.X, square.y)
    >>> len(display.hulls_), display.meeting.tolist()
    (2, [0.0, 0.0])
    """

    size = (4.8, 5.0)

    def __init__(
        self,
        proof: Certificate,
        X: Array,
        y: Array,
        learned: tuple[Array, float] | None = None,
        *,
        names: tuple[str, ...] = ("x₁", "x₂"),
        classes: tuple[str, ...] = ("−1", "+1"),
    ) -> None:
        self.proof, self.X, self.y, self.learned = proof, X, y, learned
        self.names, self.classes = names, classes

    @classmethod
    def from_certificate(
        cls,
        proof: Certificate,
        X: Matrix,
        y: ArrayLike,
        *,
        learned: object = None,
        ax: style.Axes | None = None,
    ) -> Self:
        """Draw what `rosenblatt.certify` returned for two classes, or one class against the rest.

        Parameters
        ----------
        proof : Certificate
        X : array or table of shape (n, 2)
            The certified rows. A table's column names are the labels of the axes.
        y : array of shape (n,)
            Their labels.
        learned : fitted linear classifier or Trace, optional
            A line to compare with that of maximal margin.
        ax : matplotlib Axes, optional

        Raises
        ------
        ValueError
            X are not the certified rows, or not of the plane.
        """
        checks.check_instance(proof, Certificate, "proof", "rosenblatt.certify")
        rows = checks.plane_rows(X)
        if proof.shape != rows.shape:
            raise ValueError(f"X must be the certified rows, {proof.shape}, got {rows.shape}")
        positive = np.asarray([label == proof.positive for label in as_labels(y, len(rows))])
        negative = "the rest" if proof.negative is None else proof.negative
        signs = checks.signs_of(positive, (False, True), len(rows))
        look = {
            "names": checks.axis_names(X),
            "classes": checks.class_names((negative, proof.positive)),
        }
        return cls(proof, rows, signs, _line_of(learned), **look).plot(ax)

    @property
    def share(self) -> float | None:
        """The margin of ``learned``, as a share of the largest; None if w = 0."""
        if self.learned is None or self.proof.status != "separable" or not self.learned[0].any():
            return None
        return float(margin(self.X, self.y, *self.learned)) / self.proof.margin[1]

    @property
    def meeting(self) -> Array | None:
        """The point where the hulls of the rows that cancel meet; None if there is none."""
        if self.proof.margin[1] > 0.0 or not self.proof.fit_intercept:
            return None
        shares = np.array([weight / sum(self.proof.weights) for weight in self.proof.weights])
        second = self.y[self.proof.rows] > 0
        point: Array = shares[second] @ self.X[self.proof.rows[second]] / shares[second].sum()
        return point

    def _draw(self, ax: style.Axes) -> None:
        room = style.LABEL_ROOM if self._has_weights() else 0.0
        equal = style.fit_limits_by_units(ax, self.X, room)
        style.open_frame(ax)
        style.name_axes(ax, self.names)
        handles = style.points(ax, self.X, self.y)
        labels = list(self.classes)
        self.line_ = self.band_ = self.learned_ = self.meeting_ = None
        self.hulls_: list[style.Artist] = []
        if self.proof.status in ("separable", "quasi-separable"):
            self._draw_line(ax)
        if self.proof.status == "inseparable":
            self._draw_hulls(ax)
        if self.learned is not None and self.learned[0].any():
            look: style.Look = {"color": style.PURPLE, "linewidth": 1.8, "linestyle": "dashed"}
            self.learned_ = style.line(ax, *self.learned, **look)
            handles, labels = [*handles, self.learned_], [*labels, "learned"]
        if not self.proof.fit_intercept:
            style.origin(ax)
        ringed = self._ringed()
        self.rings_ = style.ring_points(ax, self.X, self.y, ringed) if len(ringed) else None
        finding, evidence = self._words()
        style.title(ax, finding, evidence if equal else f"{evidence}; two scales")
        style.legend(ax, handles, labels)

    def _ringed(self) -> Array:
        """Return the rows that prove the status: on the line, or with weights."""
        if self.proof.status == "quasi-separable":
            w, b = self._line()
            scores = np.abs(self.X @ w + b) / np.hypot(*w)
            return np.flatnonzero(scores <= 1e-9 * (1.0 + np.abs(self.X).max()))
        return self.proof.rows if self.proof.status != "undecided" else np.zeros(0, np.int64)

    def _line(self) -> tuple[Array, float]:
        assert self.proof.coef is not None
        return self.proof.coef, self.proof.intercept

    def _draw_line(self, ax: style.Axes) -> None:
        w, b = self._line()
        if not w.any():
            return  # only b separates: all rows are of one side
        self.line_ = style.line(ax, w, b, color=style.INK, linewidth=1.8)
        if self.proof.status == "separable":
            self.band_ = style.band(ax, w, b, self.proof.margin[0], color=style.PALE)

    def _draw_hulls(self, ax: style.Axes) -> None:
        """Draw the hull of the cancelling rows of each class, their weights, and the meeting."""
        rows, middle = self.proof.rows, np.zeros(2)
        if self.meeting is not None:
            for second, colour in enumerate(style.COLOURS):
                corners = _hull(self.X[rows[(self.y[rows] > 0) == second]])
                self.hulls_ += ax.plot(*corners.T, color=colour, linewidth=1.6, zorder=2)
            middle = self.meeting
            if not (self.X[rows] == middle).all(axis=1).any():
                look = {"color": style.INK, "marker": "x", "s": 50, "zorder": 5}
                self.meeting_ = ax.scatter(*middle, **look)
        if self._has_weights():
            for q, row in enumerate(rows):
                shift = self._weight_shift(ax, row, middle, len(self._weight(q)))
                colour = style.COLOURS[int(self.y[row] > 0)]
                style.annotate(ax, self._weight(q), self.X[row], shift, color=colour)

    def _weight_shift(self, ax: style.Axes, row: int, middle: Array, characters: int) -> Array:
        """Return the shift of a row's weight: away from the meeting, clear of hulls and rings."""
        away = (self.X[row] - middle) / np.ptp(self.X, axis=0).clip(1e-300)
        turns = [0, 45, -45]
        if np.hypot(*away) < 1e-6:  # the row is where the hulls meet: above, below, or beside it
            away = np.array([0.0, 1.0 if self.y[row] > 0 else -1.0])
            turns += [90, -90, 180]
        angles = np.arctan2(away[1], away[0]) + np.radians(turns)
        sides = np.column_stack([np.cos(angles), np.sin(angles)])
        edges = [style.points_along(np.asarray(line.get_xydata()), 50) for line in self.hulls_]
        others = np.vstack([self.X[(self.X[row] != self.X).any(axis=1)], *edges])
        length = 16.0
        side = style.clear_shift(ax, self.X[row], sides, others, length) / length
        return np.array([length + 2.5 * (characters - 1), length]) * side

    def _has_weights(self) -> bool:
        """Return whether the weights of the cancelling rows are written beside them."""
        return self.proof.status == "inseparable" and len(self.proof.rows) <= MAX_WEIGHTS

    def _weight(self, q: int) -> str:
        """Return the weight of the q-th row, a large one as a share of all."""
        weight, total = self.proof.weights[q], sum(self.proof.weights)
        return f"{weight}" if total <= MAX_EXACT_WEIGHT else f"{100 * (weight / total):.3g} %"

    def _words(self) -> tuple[str, str]:
        proof = self.proof
        plane = "line" if proof.fit_intercept else "line through 0"
        if proof.status == "separable":
            evidence = f"the largest margin, γ = {proof.margin[0]:.3g}"
            if self.share is not None and self.share < 0.0:
                evidence += "; learned: mistakes"
            elif self.share is not None:
                evidence += f"; learned: {100 * self.share:.3g} % of it"
            return "Separable", style.minus(evidence)
        if proof.status == "quasi-separable":
            evidence = f"no row on the wrong side, {len(self._ringed())} on the {plane}"
            return "Quasi-separable", evidence
        if proof.status == "inseparable":
            weights = ", with their weights" if self._has_weights() else ""
            return f"No separating {plane}", f"ringed: rows that cancel{weights}"
        high = proof.margin[1]
        bound = "unknown" if high == math.inf else f"at most {Enclosure.of(high).digits_up(3)}"
        return "Undecided", f"the margin is {bound}"


def _line_of(learned: object) -> tuple[Array, float] | None:
    """Return w and b of a fitted classifier or of a recorded run."""
    if learned is None:
        return None
    return learned.line(-1) if isinstance(learned, Trace) else checks.coef_and_intercept(learned, 2)


def _hull(points: Array) -> Array:
    """Return the corners of the convex hull in order, the first again at the end."""
    corners = np.unique(points, axis=0)
    if np.linalg.matrix_rank(corners - corners[0]) == 2:
        corners = corners[ConvexHull(corners).vertices]
    return np.vstack([corners, corners[:1]])
