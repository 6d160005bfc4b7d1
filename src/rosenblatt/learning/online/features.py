"""Conversion of dicts, texts, tables, arrays and labels to the forms that online learning takes.

:class:`FeatureEncoder` makes sparse rows of named features, numbered in the order of first use.

In a dict, a number is a feature's value, a bool is 0 or 1, the string ``v`` under the name ``n`` is
the feature ``"n=v"`` with value 1, and None is a missing value. A text is the set of its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, SupportsFloat, TypeGuard

import numpy as np

from rosenblatt.engine.serving.examples import Block
from rosenblatt.engine.text.named_rows import Encoder
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.labels import label_kind
from rosenblatt.utils.matrices import is_sparse

Features = Mapping[Hashable, Any] | str
Row = dict[Hashable, Any]

_WORD = re.compile(r"\b\w\w+\b")  # as scikit-learn's vectorisers find words


def has_names(x: object) -> TypeGuard[Features]:
    """Return whether a row has feature names: a mapping or a text.

    Examples
    --------
    >>> has_names({"size": 3}), has_names("a text"), has_names([3.0])
    (True, True, False)
    """
    return type(x) is dict or isinstance(x, (str, Mapping))


def as_dict(features: Features) -> dict[Hashable, Any]:
    """Convert a mapping or a text to a dict.

    Raises
    ------
    TypeError
        Neither a mapping nor a text.

    Examples
    --------
    >>> as_dict("Free prize!")
    {'free': 1.0, 'prize': 1.0}
    """
    if type(features) is dict:
        return features
    if isinstance(features, str):
        return words(features)
    if isinstance(features, Mapping):
        return dict(features)
    raise TypeError(
        f"a row must be a dict of names and values, or a text; got {features!r:.80}, of type "
        f"{type(features).__name__}."
    )


def words(text: str) -> dict[Hashable, float]:
    """Words of a text in lower case, of at least two letters or digits, each with value 1.

    Examples
    --------
    >>> words("Free prize! Claim your FREE prize")
    {'free': 1.0, 'prize': 1.0, 'claim': 1.0, 'your': 1.0}
    """
    return dict.fromkeys(_WORD.findall(text.lower()), 1.0)


def one_hot(features: Mapping[Hashable, Any]) -> dict[Hashable, float]:
    """Convert strings, bools and None, so that all values are numbers.

    Raises
    ------
    TypeError
        A value that is neither a number, a bool, a string nor None.
    ValueError
        An integer too large for a float64.

    Examples
    --------
    >>> one_hot({"size": 3, "new": True, "colour": "red", "weight": None})
    {'size': 3.0, 'new': 1.0, 'colour=red': 1.0}
    """
    row: dict[Hashable, float] = {}
    for name, value in features.items():
        if value is None:
            continue
        if isinstance(value, str):
            name, value = f"{name}={value}", 1.0
        elif type(value) is float:  # the check of a protocol takes longer than all else
            pass
        elif not isinstance(value, SupportsFloat) or _is_array(value):
            raise TypeError(
                f"feature {name!r} is {value!r:.80}, of type {type(value).__name__}: "
                f"{_remedy(name, value)}"
            )
        try:
            row[name] = row.get(name, 0.0) + float(value)
        except OverflowError:
            raise ValueError(f"feature {name!r} is too large for a float64.") from None
    return row


def _remedy(name: Hashable, value: object) -> str:
    """What to write in place of a value that is no feature's."""
    if isinstance(value, Mapping):
        item = next(iter(value), "name")
    elif isinstance(value, list | tuple) or _is_array(value):
        item = 0
    else:
        return "use a number, a bool, a string, or None for a missing value."
    return f"rows are flat, so give each item a name of its own, such as '{name}.{item}'."


def _is_array(value: object) -> bool:
    return int(getattr(value, "ndim", 0)) > 0


def table_rows(frame: Matrix) -> list[dict[Hashable, Any]]:
    """Rows of a pandas or polars table as dicts of its columns; None for a missing value.

    Examples
    --------
    >>> import pandas as pd
    >>> table_rows(pd.DataFrame({"size": [3, 4], "colour": ["red", "blue"]}))
    [{'size': 3, 'colour': 'red'}, {'size': 4, 'colour': 'blue'}]
    """
    names = list(frame.columns)
    if len(set(names)) < len(names):
        raise ValueError(f"The column names of a table must be unique; got {names!r:.200}.")
    if hasattr(frame, "notna"):  # pandas has no None of its own
        frame = frame.astype(object).where(frame.notna(), None)
    columns = (frame[name].to_list() for name in names)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def like_table(X: Matrix, values: Array, names: list[Any]) -> Matrix:
    """Return values as a table of the library of X, with its index; as an array if X is no table.

    Examples
    --------
    >>> import pandas as pd
    >>> like_table(pd.DataFrame({"a": [3]}, index=["first"]), np.eye(1, 2), ["a", "b"])
             a    b
    first  1.0  0.0
    """
    if not _is_table(X):
        return values
    if hasattr(X, "index"):
        return type(X)(values, index=X.index, columns=names)
    return type(X)(values, schema=[str(name) for name in names])  # polars: names are text


def _is_table(X: Matrix) -> bool:
    return hasattr(X, "columns") and hasattr(X, "to_numpy")


def named_rows_or_array(X: Matrix) -> Matrix:
    """Convert X to a list of rows with names, or to an array.

    Raises
    ------
    TypeError
        X is a single row.

    Examples
    --------
    >>> named_rows_or_array(iter(["a text", "another"]))
    ['a text', 'another']
    >>> named_rows_or_array([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if _is_table(X):
        return table_rows(X)
    if isinstance(X, np.ndarray) or is_sparse(X):
        return X
    if has_names(X):
        raise TypeError("X is a single row: pass a list of rows, or use learn_one and predict_one.")
    rows = list(X)
    return rows if not rows or has_names(rows[0]) else np.asarray(rows)


def as_label_array(y: Any) -> Array:
    """Convert labels to an array of one kind.

    Raises
    ------
    TypeError
        A label that is not a string, a bool or an integer.
    ValueError
        Labels of several kinds, which NumPy would turn into strings, or numbers beyond 64 bits,
        which it would round.

    Examples
    --------
    >>> as_label_array(["ham", "spam"])
    array(['ham', 'spam'], dtype='<U4')
    """
    labels = np.asarray(y) if hasattr(y, "__array__") else list(y)
    if isinstance(labels, np.ndarray):
        if labels.dtype.kind in "biuU":
            return labels
        labels = labels.tolist()
    examples = dict(zip(map(type, labels), labels, strict=True)).values()  # one of each type
    for label in labels if any(isinstance(label, float) for label in examples) else examples:
        if not _is_label(label):
            raise TypeError(
                f"a label must be a string, a bool or an integer; got {label!r:.80}, of type "
                f"{type(label).__name__}: map it to one of these, or leave the example out."
            )
    if len({label_kind(label) for label in examples}) > 1:
        raise ValueError(
            f"y has labels of mixed types: {' and '.join(map(repr, examples))}. Use one type."
        )
    array = np.asarray(labels)
    if labels and array.dtype.kind == "f" and all(isinstance(label, int) for label in examples):
        raise ValueError("y has numbers beyond 64 bits: write its labels as text.")
    return array


def as_weight_array(w: object, n: int) -> Array | None:
    """Convert one weight, or the weights of n examples, to an array; None if all are 1.

    Raises
    ------
    ValueError
        Weights that are not n finite numbers ≥ 0.

    Examples
    --------
    >>> as_weight_array(1.0, 2), as_weight_array(3, 2), as_weight_array([0.5, 2], 2)
    (None, array([3., 3.]), array([0.5, 2. ]))
    """
    if isinstance(w, float) and w == 1.0:
        return None
    weights = np.asarray(w)
    if weights.dtype.kind not in "iuf" or weights.shape not in ((), (n,)):
        raise ValueError(f"w must be a number, or one for each of the {n} examples; got {w!r:.80}.")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(f"w must be finite numbers ≥ 0; got {w!r:.80}.")
    return np.broadcast_to(weights, n).astype(np.float64)


def _is_label(label: object) -> bool:
    if isinstance(label, float | np.floating):
        return float(label).is_integer()
    return isinstance(label, str | bool | int | np.bool_ | np.integer)


class FeatureEncoder:
    """Vocabulary of feature names, and encoder of rows for the compiled loops.

    Parameters
    ----------
    limit : int or None
        Maximal number of names; further names are ignored.
    names : iterable, optional
        First names, in order.
    ignored : int, default=0
        Initial value of ``ignored``.

    Attributes
    ----------
    vocabulary : dict
        Index of each name.

    Examples
    --------
    >>> encoder = FeatureEncoder(limit=None)
    >>> row = encoder.row({"size": 3, "colour": "red"}, add_names=True)
    >>> [array.tolist() for array in row.arrays()]
    [[3.0, 1.0], [0, 1], [0, 2]]
    >>> encoder.vocabulary
    {'size': 0, 'colour=red': 1}
    """

    def __init__(self, limit: int | None, names: Iterable[Hashable] = (), ignored: int = 0) -> None:
        self.limit = limit
        self.vocabulary: dict[Hashable, int] = {name: j for j, name in enumerate(names)}
        self._rows = self._empty_row(ignored)
        self._text, self._words = "", as_dict("")  # the last text, as a dict

    def __reduce__(self) -> tuple[Any, ...]:  # without the row, which is written in place
        return FeatureEncoder, (self.limit, tuple(self.vocabulary), self.ignored)

    @property
    def ignored(self) -> int:
        """Number of values left out of learned rows."""
        return self._rows.ignored

    def go_back(self, names: int, ignored: int) -> None:
        """Forget names beyond the first ones, what was left out since, and the row's slots."""
        while len(self.vocabulary) > names:
            self.vocabulary.popitem()
        self._rows = self._empty_row(ignored)

    def _empty_row(self, ignored: int) -> Encoder:
        return Encoder(self.vocabulary, self.limit, _as_numbers, ignored)

    def row(self, features: Features, *, add_names: bool) -> Encoder:
        """Encode one row, which the next call overwrites.

        Parameters
        ----------
        features : mapping or str
        add_names : bool
            Whether to add new names to the vocabulary, up to the limit; otherwise they are ignored.

        Raises
        ------
        TypeError
            A value that is neither a number, a bool, a string nor None.
        ValueError
            A number that is not finite.
        """
        self._rows.encode(
            features if type(features) is dict else self._convert(features), add_names
        )
        return self._rows

    def row_of(self, block: Block, i: int, *, add_names: bool) -> Encoder:
        """Encode a row that the core has parsed, as :meth:`row` does."""
        self._rows.encode_row(block, i, add_names)
        return self._rows

    @property
    def latest(self) -> Encoder:
        """The row that was encoded last."""
        return self._rows

    def _convert(self, features: Features) -> Row:
        """Convert a mapping or a text; a text that is predicted and then learned is read once."""
        if type(features) is not str:
            return as_dict(features)
        if features is not self._text:
            self._words, self._text = as_dict(features), features
        return self._words

    def rows(self, batch: Iterable[Features], *, add_names: bool) -> tuple[Array, Array, Array]:
        """Encode many rows as data, indices and indptr of a CSR matrix.

        Parameters and errors as for :meth:`row`; an error names the row, counted from 0.

        Examples
        --------
        >>> rows = FeatureEncoder(limit=None).rows([{"a": 1, "b": 2}, {"c": 3}], add_names=True)
        >>> [array.tolist() for array in rows]
        [[1.0, 2.0, 3.0], [0, 1, 2], [0, 2, 3]]
        """
        return self._rows.encode_many(_map_rows(as_dict, batch), add_names)


def _as_numbers(row: Row, i: int | None) -> Row:
    """Convert strings, bools and None of row i of a list, or of a row alone."""
    return one_hot(row) if i is None else _map_rows(one_hot, [row], i)[0]


def _map_rows(convert: Callable[[Any], Row], rows: Iterable[Any], first: int = 0) -> list[Row]:
    """Convert every row; an error names the row, counted from ``first``."""
    results: list[Row] = []
    try:
        results.extend(map(convert, rows))
    except (TypeError, ValueError) as error:
        raise type(error)(f"row {first + len(results)}: {error}") from None
    return results
