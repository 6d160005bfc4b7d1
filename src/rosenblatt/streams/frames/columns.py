"""Columns of rows in memory: those of a model in new rows, products, and fixed means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import permutations
from typing import Any

import numpy as np

from rosenblatt.engine.text.crossing import split_interaction
from rosenblatt.streams.core.batch import renumbered
from rosenblatt.streams.core.missing import Imputer
from rosenblatt.streams.features.schema import in_group
from rosenblatt.streams.features.vocabulary import Vocabulary


def is_product(name: str, interactions: tuple[str, ...]) -> bool:
    """Return whether a column is the product of columns of the groups of an interaction.

    Examples
    --------
    >>> is_product("a*b=red", ("a*b",)), is_product("a=2*3", ("a*b",))
    (True, False)
    >>> is_product("c*a*b=red", ("a*b*c",))
    True
    """
    pieces = name.split("*")
    orders = {order for one in interactions for order in permutations(split_interaction(one))}
    return any(_are_factors(pieces, order) for order in orders)


def _are_factors(pieces: list[str], groups: tuple[str, ...]) -> bool:
    """Return whether pieces, joined by ``*``, are factors of groups in this order.

    The first piece of a factor begins with the group, which has no ``*``. A factor that is the
    group itself ends there; another may end anywhere. So the time is linear in the pieces.
    """
    starts = {0}  # where the factor of the next group may begin
    for group in groups:
        members = [at for at in starts if at < len(pieces) and in_group(pieces[at], group)]
        longer = min((at for at in members if pieces[at] != group), default=len(pieces))
        starts = {at + 1 for at in members} | {*range(longer + 1, len(pieces) + 1)}
    return len(pieces) in starts


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


def with_names(X: Any, names: list[str], vocabulary: Vocabulary) -> Any:
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
