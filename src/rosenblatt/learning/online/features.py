"""What a stream may give: rows of names, texts, tables or arrays, and labels of one kind.

In a row of names a number counts as it is, a bool as 0 or 1; the string ``v`` under the name ``n``
is the feature ``"n=v"`` with the value 1; None is absent. A text is the set of its words.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any, SupportsFloat, TypeGuard

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.learning.classifier import label_kind

Array = NDArray[Any]
Features = Mapping[Hashable, Any] | str

_WORD = re.compile(r"\b\w\w+\b")  # as scikit-learn's vectorisers find words


def has_names(x: Any) -> TypeGuard[Features]:
    """Whether a row has names: a dict or a text.

    Examples
    --------
    >>> has_names({"size": 3}), has_names("a text"), has_names([3.0])
    (True, True, False)
    """
    return type(x) is dict or isinstance(x, (str, Mapping))


def as_dict(features: Features) -> dict[Hashable, Any]:
    """A row of names as a plain dict.

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
        f"a row of names is a dict of name → value, or a text; got {features!r:.80}, of type "
        f"{type(features).__name__}."
    )


def words(text: str) -> dict[Hashable, float]:
    """The words of a text, in lower case, of two letters or digits at least, each with the value 1.

    Examples
    --------
    >>> words("Free prize! Claim your FREE prize")
    {'free': 1.0, 'prize': 1.0, 'claim': 1.0, 'your': 1.0}
    """
    return dict.fromkeys(_WORD.findall(text.lower()), 1.0)


def one_hot(features: Mapping[Hashable, Any]) -> dict[Hashable, float]:
    """Features whose values are all numbers.

    Raises
    ------
    TypeError
        A value that is neither a number, a bool, a string nor None.
    ValueError
        A whole number beyond all float64.

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
        elif not isinstance(value, SupportsFloat):
            raise TypeError(
                f"feature {name!r} is {value!r:.80}, of type {type(value).__name__}: use a number, "
                "a bool, a string, or None for what is absent."
            )
        try:
            row[name] = row.get(name, 0.0) + float(value)
        except OverflowError:
            raise ValueError(f"feature {name!r} is too large for a float64.") from None
    return row


def table_rows(frame: Any) -> list[dict[Hashable, Any]]:
    """The rows of a pandas or polars table, under the names of its columns; None where missing.

    Examples
    --------
    >>> import pandas as pd
    >>> table_rows(pd.DataFrame({"size": [3, 4], "colour": ["red", "blue"]}))
    [{'size': 3, 'colour': 'red'}, {'size': 4, 'colour': 'blue'}]
    """
    names = list(frame.columns)
    if len(set(names)) < len(names):
        raise ValueError(f"The columns of a table need different names; got {names!r:.200}.")
    if hasattr(frame, "notna"):  # pandas has no None of its own
        frame = frame.astype(object).where(frame.notna(), None)
    columns = (frame[name].to_list() for name in names)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def named_rows_or_array(X: Any) -> Any:
    """A list of rows of names, or an array.

    Raises
    ------
    TypeError
        One row only.

    Examples
    --------
    >>> named_rows_or_array(iter(["a text", "another"])), named_rows_or_array([[1, 2], [3,
    4]]).shape (['a text', 'another'], (2, 2))
    """
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        return table_rows(X)
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return X
    if has_names(X):
        raise TypeError("X is one row: give a list of rows, or use learn_one and predict_one.")
    rows = list(X)
    return rows if not rows or has_names(rows[0]) else np.asarray(rows)


def as_label_array(y: Any) -> Array:
    """Labels as an array, all of one kind.

    Raises
    ------
    TypeError
        A label that is neither a string nor a bool nor a whole number.
    ValueError
        Labels of several kinds: NumPy would make all of them strings.

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
                f"a label is a string, a bool or a whole number; got {label!r:.80}, of type "
                f"{type(label).__name__}."
            )
    if len({label_kind(label) for label in examples}) > 1:
        raise ValueError(
            f"y has labels of mixed types: {' and '.join(map(repr, examples))}. Use one type."
        )
    return np.asarray(labels)


def _is_label(label: Any) -> bool:
    if isinstance(label, float | np.floating):
        return float(label).is_integer()
    return isinstance(label, str | bool | int | np.bool_ | np.integer)
