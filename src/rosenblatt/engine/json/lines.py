r"""Rows of a file of JSON lines, parsed by the core without dicts in between.

``LineParser(target, labelled)`` reads lines that are valid beyond doubt, one object each, as
:class:`rosenblatt.streams.formats.json_rows.RowParser` reads them without a schema, weights, ids
and missing cells. ``target`` is the key of the label in the outermost object, or None; with
``labelled`` each row has one.

- ``parse(text)`` takes whole lines, and returns their rows as a ``Block``
  (:mod:`rosenblatt.engine.serving.examples`), whose labels are values of Python, or None. None says
  nothing of the lines: the other parser reads them, which says what is wrong, if something is.

Blank lines, more than 64 objects and lists in each other, labels that are whole numbers of more
than 53 bits, and numbers of more digits than certainly decide a float64 are left, too.

Examples
--------
>>> block = LineParser("y", True).parse(b'{"y": 1, "n": 2.5, "in": {"a": true}}\n')
>>> block.labels, LineParser("y", True).parse(b'{"n": 1}')
([1], None)
"""

from rosenblatt._core.json import LineParser
from rosenblatt.engine.serving.examples import Block

__all__ = ["Block", "LineParser"]
