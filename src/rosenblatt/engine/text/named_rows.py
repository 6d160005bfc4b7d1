"""Rows of named features: dicts, encoded by the core without arrays in between.

``Encoder(vocabulary, limit, as_numbers, ignored)`` has the slot of each name in the dict
``vocabulary``, and gives new names the next slots, up to ``limit`` names.

- ``encode(features, add_names)`` encodes a dict. The encoder then stands for that row: the learner
  of :func:`rosenblatt.engine.linear.core.learner` and :class:`rosenblatt.engine.scoring.RowScorer`
  take it as a row. The entries are sorted by slot: the order in which the loops sum.
- ``encode_row(block, i, add_names)`` encodes a row of a block that the core has parsed:
  :mod:`rosenblatt.engine.serving.examples`.
- ``arrays()`` copies the row as data, indices and indptr of a CSR matrix.
- ``encode_block(block)`` encodes all rows of a block as such arrays, with new names.
- ``encode_many(rows, add_names)`` encodes a list of dicts as such arrays.
- ``ignored`` counts the values of learned rows that were left out because of the limit.

``Path(encoder, scorer, learner)`` encodes a dict and uses it in one call, while the arrays of the
state stay the same.

- ``predict(features)`` returns the code of the class.
- ``learn(features, y, weight, predict)`` learns the row, with new names. It returns the code of the
  class that was predicted before, or 0, or :data:`INFINITE` if the weights left the range.
- ``learn_rows(block, start, y, weight)`` learns rows of a block one after the other, as many as
  there are targets, up to a fault, which is the last number that it returns: the others are what
  ``learn`` returns.
- They return :data:`BEYOND` for a row with names for which there are no weights. It is encoded
  then, new names with it, and nothing else.

A value may be anything that ``float`` takes, but no text. In a row with other values, a string is a
name with value 1, and None is left out: see :func:`rosenblatt.learning.online.features.one_hot`.
Where names or values of such a row are of other types than those of JSON, ``as_numbers(row, i)``
returns it with numbers alone, or raises; i is its number in a list, or None. A number that is not
finite is a ValueError that names the feature, and the row of a list. A row that is refused, or a
list with one, adds no names.

The slots of the last row are kept: a row with the same name objects, such as one that is predicted
and then learned, is not looked up again. Its values are read anew, as they may have been changed in
place. Values and names of classes of Python must not use the encoder: that is a RuntimeError.

Examples
--------
>>> encoder = Encoder({}, None, lambda row, i: {}, 0)
>>> encoder.encode({"a": 3, "b": 0.5}, True)
>>> [array.tolist() for array in encoder.arrays()]
[[3.0, 0.5], [0, 1], [0, 2]]
>>> rows = encoder.encode_many([{"b": 1.0, "a": 2.0}, {"colour": "red"}], True)
>>> [array.tolist() for array in rows]
[[2.0, 1.0, 1.0], [0, 1, 2], [0, 2, 3]]
"""

from rosenblatt._core.names import Encoder, Path

__all__ = ["BEYOND", "INFINITE", "Encoder", "Path"]

BEYOND, INFINITE = Path.BEYOND, Path.INFINITE
"""Negative codes: names beyond the weights, and weights beyond the range."""
