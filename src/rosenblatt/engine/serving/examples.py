"""Examples of a service, each in a line of JSON, parsed by the core without dicts in between.

``ExampleParser(most_features, longest_word, largest)`` reads lines that are valid beyond doubt: an
object with ``features`` (an object of numbers, strings, bools and null), ``label`` (a string, a
bool or a whole number) and perhaps ``weight``, within the limits: features of a row, bytes of a
name, a string or a label, and the largest size of a number.

- ``parse(lines)`` takes a list of bytes objects, and returns the examples as a ``Block``, and the
  places of the lines that are left. That says nothing of a line: another parser reads it, which
  says what is wrong, if something is.

Left are also: a name that comes twice, other keys, strings that are no UTF-8 or have half a pair of
surrogates, −0 as a whole number, labels of more than 53 bits, numbers of more digits than certainly
decide a float64, and rows in which two names might become the same one, as in
``{"a": "b=c", "a=b": "c"}``.

``Block`` has the numbers of its rows by name, as
:func:`rosenblatt.learning.online.features.one_hot` returns them: an encoder and a path of
:mod:`rosenblatt.engine.text.named_rows` take it.

- ``labels`` is the list of labels, ``weights(start, stop)`` that of the weights of some rows.
- ``extend(other)`` adds the rows of another block, which is left empty.
- ``bodies`` are lists of features, label and weight in MessagePack, one after the other; ``ends``
  is where each of them ends, integers of 64 bits.

Examples
--------
>>> parser = ExampleParser(100, 100, 1e30)
>>> lines = [b'{"features": {"size": 3}, "label": "ham"}', b'{"label": 1.5}']
>>> block, left = parser.parse(lines)
>>> block.labels, block.weights(0, 1), left
(['ham'], [1.0], [1])
"""

from rosenblatt._core.json import ExampleParser
from rosenblatt._core.names import Block

__all__ = ["Block", "ExampleParser"]
