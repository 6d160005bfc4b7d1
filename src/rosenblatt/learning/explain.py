"""Explanations of a score by training rows and by features, and the public dual attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.steps import steps_from
from rosenblatt.learning.base import reading
from rosenblatt.learning.classifier import BaseClassifier
from rosenblatt.learning.dual import DualState
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import check_number
from rosenblatt.utils.matrices import is_sparse
from rosenblatt.utils.shown import join, to_html
from rosenblatt.utils.tables import cells_of, format_cell, text_table

ROWS = np.dtype(
    [("row", np.int64), ("coefficient", "f8"), ("product", "f8"), ("contribution", "f8")]
)
FEATURES = np.dtype(
    [("feature", object), ("weight", "f8"), ("value", "f8"), ("contribution", "f8")]
)
MOVES = np.dtype([("row", np.int64), ("column", np.int64), ("tau", np.float64), ("t", np.int64)])


class Explanation(NamedTuple):
    """A score as a sum of contributions of features, and of rows.

    Attributes
    ----------
    label : object
        The label of the score.
    score : float
        The sum of the contributions of all rows, or features, plus the intercept.
    intercept : float
    rows : structured ndarray
        Support rows: ``row`` (number of the example), its ``coefficient`` in w, its ``product``
        with x (the kernel value), and ``contribution`` = coefficient · product; the largest first.
        None for a linear model without ``expansion=True``.
    features : structured ndarray or None
        Features of x: ``feature`` (name or number), ``weight``, ``value``, and ``contribution`` =
        weight · value; the largest first. None for a kernel that is not linear.
    """

    label: object
    score: float
    intercept: float
    rows: Array | None
    features: Array | None

    def __str__(self) -> str:
        """Return the score and the tables."""
        intercept = f", of it {format_cell(self.intercept)} the intercept" if self.intercept else ""
        tables = [table for table in (self.features, self.rows) if table is not None]
        score = f"Score {format_cell(self.score)} for {self.label}{intercept}."
        return join([score, *(text_table(*cells_of(table)) for table in tables)], "\n\n")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return to_html(str(self))


class DualClassifier(BaseClassifier):
    """Public attributes of w as a sum of examples (lecture row L2.6), and ``explain``.

    Subclasses implement the hooks below.
    """

    intercept_: Any

    def _require_dual(self, name: str) -> DualState:
        self._check_fitted(name)
        if self._dual is None:
            raise AttributeError(
                f"{type(self).__name__} has no {name}: its steps are recorded with "
                "expansion=True only."
            )
        return self._dual

    @property
    @reading
    def support_(self) -> Array:
        """Numbers of the support rows: rows of ``fit``, or counted over all ``partial_fit``."""
        dual = self._require_dual("support_")
        return dual.slots.rows[: dual.size].copy()

    @property
    @reading
    def support_vectors_(self) -> Matrix:
        """Support rows, shape (S, d)."""
        return self._require_dual("support_vectors_").support.matrix()

    @property
    @reading
    def dual_coef_(self) -> Array:
        """Coefficients of the support rows, shape (1, S) or (K, S)."""
        self._require_dual("dual_coef_")
        return self._dual_coefficients().T.copy()

    @property
    @reading
    def moves_(self) -> Array:
        """Log of all steps: w[``column``] += ``tau`` · x[``row``] after ``t`` examples."""
        dual = self._require_dual("moves_")
        if not dual.keep_steps:
            raise AttributeError(f"{type(self).__name__} keeps its steps with output='vote'.")
        steps = steps_from(dual.steps)
        table = np.empty(len(steps.tau), MOVES)
        table["row"] = dual.slots.rows[steps.slot]
        for name in ("column", "tau", "t"):
            table[name] = getattr(steps, name)
        return table

    @reading
    def explain(self, x: ArrayLike, label: object = None, top: int = 10) -> Explanation:
        """Explain the score of one row by features and by support rows.

        score = Σ_s c_s k(x_s, x) + b, and where the kernel is linear also Σ_j w_j x_j + b. A linear
        learner records its support rows with ``expansion=True``.

        Parameters
        ----------
        x : list, array, Series, dict, table or sparse matrix of shape (d,) or (1, d)
            A Series and a dict give the values by the names of the model's columns, in any order.
        label : object, optional
            The label whose score is explained, by default the predicted one. Of two classes, the
            score of the first is minus the score of the second.
        top : int ≥ 1, default=10
            Number of rows and of features to list, by the size of their contribution.

        Returns
        -------
        Explanation

        Raises
        ------
        ValueError
            The label is no class, there is more than one row, the names are not those of the
            model's columns, or the model votes (a vote is no sum of rows).

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> model = Perceptron(expansion=True).fit([[0.0, 1.0], [2.0, 1.0]], ["ham", "spam"])
        >>> explanation = model.explain([3.0, 0.0])
        >>> explanation.label, explanation.score, explanation.rows["contribution"].tolist()
        ('spam', 5.0, [6.0, 0.0])
        """
        check_number(top, "top", 1, integer=True)
        self._check_fitted("explain")
        row, is_table = _one_row(x, getattr(self, "feature_names_in_", None))
        unnamed = self._copy()
        vars(unnamed).pop("feature_names_in_", None)
        x = (self if is_table else unnamed)._validate_rows(row)
        k, sign, label = unnamed._vector_of_label(x, label)
        intercept = float(sign * self.intercept_[k])
        weights, rows = self._feature_weights(x, k), None
        features = None if weights is None else self._feature_table(x, sign * weights)
        if self._dual is not None:
            rows = self._row_table(self._dual, x, sign * self._dual_coefficients()[:, k])
        terms = features if rows is None else rows
        assert terms is not None  # a model has weights of its features, or of its rows
        score = float(terms["contribution"].sum()) + intercept
        tables = (None if table is None else _top(table, top) for table in (rows, features))
        return Explanation(label, score, intercept, *tables)

    def _vector_of_label(self, x: Matrix, label: object) -> tuple[int, float, object]:
        """Return the index of a label's weight vector, its sign, and the label."""
        if label is None:
            label = self.predict(x)[0]
        (positions,) = np.nonzero(self.classes_ == label)
        if len(positions) != 1:
            raise ValueError(f"label must be one of {self.classes_.tolist()}; got {label!r}.")
        position = int(positions[0])
        label = self.classes_[position : position + 1].tolist()[0]
        if len(self.classes_) == 2:
            return 0, 2.0 * position - 1.0, label
        return position, 1.0, label

    def _row_table(self, dual: DualState, x: Matrix, coefs: Array) -> Array:
        table = np.empty(dual.size, ROWS)
        table["row"], table["coefficient"] = dual.slots.rows[: dual.size], coefs
        table["product"] = self._kernel_products(x)
        table["contribution"] = coefs * table["product"] + 0.0  # no −0
        return table

    def _feature_table(self, x: Matrix, weights: Array) -> Array:
        names = getattr(self, "feature_names_in_", np.arange(len(weights)))
        values = x.toarray()[0] if hasattr(x, "indptr") else x[0]
        touched = np.flatnonzero(values)
        table = np.empty(len(touched), FEATURES)
        table["feature"], table["weight"] = names[touched].tolist(), weights[touched]
        table["value"] = values[touched]
        table["contribution"] = table["weight"] * table["value"]
        return table

    # --- hooks -----------------------------------------------------------------------------------

    def _validate_rows(self, X: Matrix) -> Matrix:
        """Return X validated, as dense or sparse like the support rows."""
        raise NotImplementedError

    def _dual_coefficients(self) -> Array:
        """Return the coefficients to predict with, shape (S, columns)."""
        raise NotImplementedError

    def _kernel_products(self, x: Matrix) -> Array:
        """Return k(x_s, x) for all slots s."""
        raise NotImplementedError

    def _feature_weights(self, x: Matrix, k: int) -> Array | None:
        """Return the weights of the features, or None for a kernel that is not linear."""
        raise NotImplementedError


def _one_row(x: Matrix, names: Array | None) -> tuple[Matrix, bool]:
    """Return a row as a matrix, and whether it is a table, whose columns have names.

    The values of a Series and of a dict are put in the order of ``names``.
    """
    if isinstance(x, Mapping):
        if names is None:
            raise ValueError("The model's columns have no names: give the numbers in order.")
        return [_values_by_name(x, names)], False
    if getattr(x, "ndim", 1) == 2:
        if x.shape[0] != 1:
            raise ValueError(f"explain takes one row; got {x.shape[0]}.")
        return x, hasattr(x, "columns")
    if names is not None and hasattr(x, "to_dict") and isinstance(next(iter(x.index), None), str):
        return [_values_by_name(x.to_dict(), names)], False
    row = x.reshape(1, -1) if is_sparse(x) else np.atleast_2d(np.asarray(x))
    if row.shape[0] != 1:
        raise ValueError(f"explain takes one row; got {row.shape[0]}.")
    return row, False


def _values_by_name(x: Mapping[object, object], names: Array) -> list[object]:
    columns = dict.fromkeys(names.tolist())
    missing = [name for name in columns if name not in x]
    unknown = [name for name in x if name not in columns]
    if missing or unknown:
        what = f"has no {missing[0]!r}" if missing else f"has {unknown[0]!r}, which is none of them"
        raise ValueError(f"The row must have the names of the model's columns; it {what}.")
    return [x[name] for name in columns]


def _top(table: Array, top: int) -> Array:
    order = np.argsort(-np.abs(table["contribution"]), kind="stable")
    return table[order[:top]]
