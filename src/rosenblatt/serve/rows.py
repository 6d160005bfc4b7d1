"""Rows on their way into the log and the model, and why a model does not take one.

They are values of Python, or parsed by the core. A parsed row is numbers by name, ready to be
learned, and the bytes that the log keeps. Whatever needs more of it reads these bytes, as a replay
does.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from rosenblatt.engine.serving.examples import Block, ExampleParser
from rosenblatt.learning.online.base import predict_then_learn_rows
from rosenblatt.learning.online.estimator import OnlinePerceptron, predict_then_learn
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.schema import LARGEST, MAX_FEATURES, MAX_LABELS, MAX_WORD, Features, Label
from rosenblatt.serve.store.log import Row, decode_row, encode_body
from rosenblatt.utils.labels import label_kind

Predicted = list[Label | None]
LONGEST = 2**17
"""Bytes of a line that the core parses: a longer one takes more than a turn of the loop."""

_parser = ExampleParser(MAX_FEATURES, MAX_WORD, LARGEST)  # a word has as many bytes or more


class Rows:
    """Examples in order, checked.

    Attributes
    ----------
    labels : list
    kinds : set
        Types of the features of a row and of its label.
    bodies : bytes
        What the log keeps of each, one after the other.
    ends : array or memoryview of int
        Where each body ends.
    """

    labels: list[Label]
    kinds: set[tuple[type, type]]
    bodies: bytes
    ends: array[int] | memoryview[int]

    def __len__(self) -> int:
        return len(self.ends)

    def learn(self, model: OnlinePerceptron, start: int, stop: int, to: Predicted) -> None:
        """Predict some rows and learn them; ``to`` gets the label predicted for each.

        Raises
        ------
        ValueError, TypeError, OutOfRangeError
            The row behind those predicted cannot be learned: the model is as it was before it.
        """
        raise NotImplementedError

    def __getitem__(self, i: int) -> Row:
        return decode_row(self.body(i))

    def body(self, i: int) -> bytes:
        """Return what the log keeps of a row."""
        return self.bodies[self.ends[i - 1] if i else 0 : self.ends[i]]


class PlainRows(Rows):
    """Rows of which Python has the values."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows
        self.labels = [label for _, label, _ in rows]
        self.kinds = {(type(features), type(label)) for features, label, _ in rows}
        encoded = list(map(encode_body, rows))
        self.bodies, self.ends = b"".join(encoded), array("q", accumulate(map(len, encoded)))

    def __getitem__(self, i: int) -> Row:
        return self._rows[i]

    def learn(self, model: OnlinePerceptron, start: int, stop: int, to: Predicted) -> None:
        """Predict some rows and learn them, one by one."""
        for features, label, weight in self._rows[start:stop]:
            to.append(predict_then_learn(model, features, label, weight))


class ParsedRows(Rows):
    """Rows of a block that the core has parsed."""

    def __init__(self, block: Block) -> None:
        self.block, self.labels = block, block.labels
        self.kinds = {(dict, kind) for kind in set(map(type, self.labels))}
        self.bodies, self.ends = block.bodies, memoryview(block.ends).cast("q")

    def learn(self, model: OnlinePerceptron, start: int, stop: int, to: Predicted) -> None:
        """Predict some rows and learn them, by the core."""
        predict_then_learn_rows(model, self.block, start, stop, to)


def parse_examples(lines: list[bytes]) -> tuple[Block, list[int]]:
    """Return the examples of lines, and the places of those that must be decoded.

    Examples
    --------
    >>> lines = [b'{"features": {"size": 3}, "label": "ham"}', b'{"label": 1}']
    >>> block, left = parse_examples(lines)
    >>> ParsedRows(block)[0], left
    (({'size': 3.0}, 'ham', 1.0), [1])
    """
    if max(map(len, lines)) > LONGEST:
        lines = [line if len(line) <= LONGEST else b"" for line in lines]
    return _parser.parse(lines)


def parts(rows: Rows, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of runs of rows, each of some more bytes than ``most`` but the last.

    Examples
    --------
    >>> rows = PlainRows([({"a": 1.0}, "b", 1.0)] * 5)
    >>> rows.ends.tolist(), list(parts(rows, 40))
    ([24, 48, 72, 96, 120], [(0, 2), (2, 4), (4, 5)])
    """
    start, before, ends = 0, 0, rows.ends
    while start < len(ends):
        stop = min(bisect_right(ends, before + most, start) + 1, len(ends))
        yield start, stop
        start, before = stop, ends[stop - 1]


# --- why a model does not take a row ------------------------------------------------------------


def check_kind(features: Features, label: Label | None, other: Label, dense: int | None) -> None:
    """Refuse a row of another kind than a model has: names, or ``dense`` numbers.

    Raises
    ------
    ValueError
        With the kind.
    """
    if label is not None and label_kind(other) != label_kind(label):
        raise ValueError(
            f"label {label!r:.80} is of another kind than the model's labels, such as "
            f"{other!r:.80}."
        )
    if isinstance(features, list) != (dense is not None):
        learned = "names" if dense is None else "dense rows (lists of numbers)"
        raise ValueError(f"features are of another kind: this model has learned {learned}.")
    if isinstance(features, list) and len(features) != dense:
        raise ValueError(f"a row of this model has {dense} numbers; got {len(features)}.")


def out_of_range(version: int) -> RefusedError:
    """Return the refusal of weights that left the floating-point range at a version."""
    return RefusedError(
        409,
        f"the weights left the floating-point range at version {version}: erase that version, or "
        "roll back to an earlier one.",
    )


def too_many_labels(label: Label) -> str:
    """Return the message on a label that is one too many."""
    return f"a model may have {MAX_LABELS:,} labels; {label!r:.80} is one more."
