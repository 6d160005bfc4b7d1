r"""How a model scores a raw row, as data: what every export writes in its own language.

A row has cells. The cells give *terms*: a number, 1 for a category with a value, 1 for a missing
cell, or a product of these. The term j has the weights ``weights[:, j]``, and the scores are

.. math:: s_k = \sum_j w_{kj} t_j + b_k .

Texts, and names that are hashed, have no terms: each name, and each n-gram of a text, is a term in
the column of its hash, with the sign of its hash, as in ``rosenblatt.engine.text.hashing``.

**The order of the sum**, which decides its last bits: a dense row is summed over all terms from the
left to the right, from 0. A row that is ``sparse`` has the terms of its cells alone, by increasing
j: neither zeros of a table's numbers nor features that the model does not know. (In rows of objects
the zeros are terms.) Several weight vectors are summed from the left to the right; one is summed in
four parts: with n terms in the row, of the first n − n mod 4, part i has every fourth from the i-th
on, part 1 goes on with the rest, and the sum is (part 1 + part 2) + (part 3 + part 4). Then the
intercept is added. All numbers are float64, and each product is rounded before it is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # the help of the command lists formats, without NumPy
    from rosenblatt.utils.arrays import Array


class CannotExport(ValueError):  # noqa: N818 - a limit, not a fault
    """What an export cannot express; the message has the reason."""


class Column(NamedTuple):
    """A column of cells that the model reads: its name, and "number", "category" or "text"."""

    name: str
    kind: str


class Number(NamedTuple):
    """The number of a cell, filled in where it is missing; ``column`` is an index of columns."""

    column: int


class Category(NamedTuple):
    """1 where a cell, without the blanks and tabs around it, is this text; else 0."""

    column: int
    value: str


class IsMissing(NamedTuple):
    """1 where a cell is missing; else 0."""

    column: int


Factor = Number | Category | IsMissing


class Term(NamedTuple):
    """A product of factors, one or more, and the model's name for it."""

    name: str
    factors: tuple[Factor, ...]


class Missing(NamedTuple):
    """Cells that are missing, and the numbers in their place.

    Attributes
    ----------
    policy : {"mean", "zero", "indicator"} or None
        None: a missing number is an error, and the only spelling is the empty cell. A missing
        category or text is no term, and with "indicator" a missing category is a term.
    spellings : tuple of str
        A cell of text that is one of these, without the blanks and tabs around it, is
        missing; so is null.
    numbers : tuple of float
        A cell of a number that has one of these values is missing.
    means : dict
        By column, the number in place of a missing one; 0 where there is none. In rows of objects
        a missing number without a mean is no term.
    """

    policy: str | None
    spellings: tuple[str, ...]
    numbers: tuple[float, ...]
    means: dict[str, float]


class Ngrams(NamedTuple):
    """N-grams of texts: their kind, "word", "char" or "char_wb", and their sizes."""

    kind: str
    least: int
    largest: int


class Hashing(NamedTuple):
    """Names hashed to 2^bits columns.

    Attributes
    ----------
    bits : int
    texts : tuple of Ngrams
    interactions : tuple of tuples of str
        Groups of names whose products are terms, too.
    """

    bits: int
    texts: tuple[Ngrams, ...]
    interactions: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """How a model scores a raw row.

    Attributes
    ----------
    rows : {"table", "objects", "text", "matrix"}
        Cells by the names of ``columns``; objects of JSON, flattened as JSON lines are; one text;
        or d numbers by position.
    columns : tuple of Column
        Of a table; of objects, the keys whose kinds the schema fixes.
    missing : Missing
    terms : tuple of Term
        The term of each column of weights; of objects, without factors: the names of features.
        Empty if names are hashed, and of a matrix, whose term j is its number j.
    hashing : Hashing or None
    sparse : bool
        See the module.
    weights : array of shape (vectors, d), float64
        Of features in raw units; one vector for two classes, K for more.
    intercepts : array of shape (vectors,), float64
    classes : tuple of K labels
        Text, whole numbers, floats or booleans, in increasing order.
    zero_is_second : bool
        Two classes: the label is the second where the score is above 0, and at exactly 0 if this is
        True. More: the first of those with the highest score.
    probabilities : {"logistic", "normalised", "softmax"} or None
        Two classes: p = 1/(1 + exp(−s)) of the second. More: the same of each, divided by their
        sum; or exp(s_k)/Σ exp(s_j). None: the scores are no log odds.
    index_base : int
        The index of the first number of a matrix in its file.
    all_columns : frozenset of str
        All columns of the training data, features or not.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.exports.plan import read_plan
    >>> plan = read_plan(Perceptron().fit([[0.0], [1.0]], ["no", "yes"]))
    >>> plan.rows, plan.classes, plan.weights.shape
    ('matrix', ('no', 'yes'), (1, 1))
    """

    rows: str
    columns: tuple[Column, ...]
    missing: Missing
    terms: tuple[Term, ...]
    hashing: Hashing | None
    sparse: bool
    weights: Array
    intercepts: Array
    classes: tuple[Any, ...]
    zero_is_second: bool
    probabilities: str | None
    index_base: int = 0
    all_columns: frozenset[str] = frozenset()

    @property
    def texts(self) -> tuple[Column, ...]:
        """The columns of texts."""
        return tuple(column for column in self.columns if column.kind == "text")
