"""Names of the columns of a matrix, and their comparison with those of a model."""

from __future__ import annotations

from collections.abc import Sequence


def column_names(X: object) -> tuple[str, ...] | None:
    """Return the names that a matrix of a stream knows; None for any other object, a table too.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> column_names(open_stream("sklearn:iris").read()[0])[:2]
    ('sepal length (cm)', 'sepal width (cm)')
    >>> column_names([[1.0, 2.0]])
    """
    names = getattr(X, "columns", None)
    return names if isinstance(names, tuple) else None


def check_same_columns(names: Sequence[str], expected: Sequence[str], user: str) -> None:
    """Refuse a matrix whose columns are others than those of a model, or in another order.

    Parameters
    ----------
    names : sequence of str
        Columns of the matrix.
    expected : sequence of str
        Columns of the model.
    user : str
        Class of the model, for the message.

    Raises
    ------
    ValueError
        The message names the first column that differs, and what to do.

    Examples
    --------
    >>> check_same_columns(["a", "b"], ["a", "b"], "Perceptron")
    >>> check_same_columns(["b", "a"], ["a", "b"], "Perceptron")
    Traceback (most recent call last):
        ...
    ValueError: The columns of X are not those of this Perceptron in their order: column 0 is 'b', \
the model's is 'a'. Categories are numbered in each file as they appear: read the file \
with the model's columns, by model.read(FILE) of a model that rosenblatt.load returns.
    """
    if list(names) == list(expected):
        return
    pairs = zip(names, expected, strict=False)
    first = next((j for j, (name, own) in enumerate(pairs) if name != own), None)
    if first is None:
        fault = f"X has {len(names):,}, the model {len(expected):,}"
    else:
        fault = f"column {first:,} is {names[first]!r}, the model's is {expected[first]!r}"
    raise ValueError(
        f"The columns of X are not those of this {user} in their order: {fault}. Categories are "
        "numbered in each file as they appear: read the file with the model's columns, by "
        "model.read(FILE) of a model that rosenblatt.load returns."
    )
