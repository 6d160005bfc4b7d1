"""Columns of rows in memory: those of a model in new rows, and fixed means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from rosenblatt.streams.core.batch import renumbered
from rosenblatt.streams.core.missing import Imputer
from rosenblatt.streams.features.products import ProductNames
from rosenblatt.streams.features.vocabulary import Vocabulary
from rosenblatt.utils.arrays import Matrix


def add_names(
    names: Sequence[str],
    vocabulary: Vocabulary,
    crossed: Vocabulary,
    interactions: tuple[str, ...],
) -> None:
    """Add columns after those so far: all to the crossed ones, and those that are no products.

    Parameters
    ----------
    names : sequence of str
    vocabulary : Vocabulary
        The columns without products.
    crossed : Vocabulary
        All columns; not used without interactions.
    interactions : tuple of str

    Examples
    --------
    >>> vocabulary, crossed = Vocabulary(), Vocabulary()
    >>> add_names(["a", "b=red", "a*b=red"], vocabulary, crossed, ("a*b",))
    >>> vocabulary.names, crossed.names
    (['a', 'b=red'], ['a', 'b=red', 'a*b=red'])
    """
    if interactions:
        for name in names:
            crossed.column_of(name)
        products = ProductNames(interactions, crossed.names)
        names = [name for name in names if name not in products]
    for name in names:
        vocabulary.column_of(name)


def fixed_imputer(imputer: Imputer | None) -> Imputer | None:
    """Return an imputer with the means so far, for rows that are not learned."""
    if imputer is None:
        return None
    noted = imputer.noted()
    return Imputer(noted["impute"], noted["missing"], noted.get("means"))


@contextmanager
def unchanged_on_error(
    vocabularies: Sequence[Vocabulary], imputer: Imputer | None
) -> Iterator[None]:
    """Leave vocabularies and means as they were, if the rows within cannot be read.

    Examples
    --------
    >>> from contextlib import suppress
    >>> vocabulary = Vocabulary(["a"])
    >>> with suppress(ValueError), unchanged_on_error([vocabulary], None):
    ...     _ = vocabulary.column_of("b")
    ...     raise ValueError
    >>> vocabulary.names
    ['a']
    """
    sizes = [len(vocabulary.names) for vocabulary in vocabularies]
    tallies = None if imputer is None else imputer.tallies()
    try:
        yield
    except BaseException:
        for vocabulary, size in zip(vocabularies, sizes, strict=True):
            vocabulary.shorten(size)
        if imputer is not None and tallies is not None:
            imputer.restore(tallies)
        raise


def with_names(X: Matrix, names: list[str], vocabulary: Vocabulary) -> Matrix:
    """Return sparse rows with the columns of a vocabulary that have the same names.

    Parameters
    ----------
    X : CSRArrays or csr_array
    names : list of str
        Its columns.
    vocabulary : FixedVocabulary

    Examples
    --------
    >>> from rosenblatt.streams.core.batch import csr
    >>> from rosenblatt.streams.features.vocabulary import FixedVocabulary
    >>> X = csr(np.ones(2), np.array([0, 1], np.int32), np.array([0, 2]), 2)
    >>> with_names(X, ["b", "c"], FixedVocabulary(Vocabulary(["a", "b"]))).toarray().tolist()
    [[0.0, 1.0]]
    """
    numbers = np.array([vocabulary.column_of(name) for name in names[: X.shape[1]]], np.int32)
    columns = numbers[X.indices] if len(numbers) else X.indices
    rows = renumbered(X, columns, len(vocabulary.names)).tocsr()
    rows.sort_indices()
    return rows
