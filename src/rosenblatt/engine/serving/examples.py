"""Examples of a service, each in a line of JSON, parsed by the core without dicts in between.

``ExampleParser(most_features, longest_word, largest)`` reads lines that are valid beyond doubt: an
object with ``features`` (an object of numbers, strings, bools and null), ``label`` (a string, a
bool or a whole number) and perhaps ``weight``, within the limits: features of a row, bytes of a
name, a string or a label, and the largest size of a number.

- ``parse(lines)`` takes bytes objects, and returns for each ``(row, label, weight)``, or None. None
  says nothing of the line: another parser reads it, which says what is wrong, if something is.

Left to the other parser are also: a name that comes twice, other keys, strings that are no UTF-8 or
have half a pair of surrogates, whole numbers that are −0 or need more than 53 bits as a label,
numbers of more digits than certainly decide a float64, and rows in which two names might become the
same one, as in ``{"a": "b=c", "a=b": "c"}``.

``ParsedRow`` has the numbers of such a row by name, as
:func:`rosenblatt.learning.online.features.one_hot` returns them: an encoder and a path of
:mod:`rosenblatt.engine.text.named_rows` take it.

- ``body`` is the list of features, label and weight in MessagePack.

Examples
--------
>>> parser = ExampleParser(100, 100, 1e30)
>>> parser.parse([b'{"features": {"size": 3}, "label": "ham"}', b'{"label": 1.5}'])
[(<rosenblatt._core.names.ParsedRow object at 0x...>, 'ham', 1.0), None]
"""

from rosenblatt._core.json import ExampleParser
from rosenblatt._core.names import ParsedRow

__all__ = ["ExampleParser", "ParsedRow"]
