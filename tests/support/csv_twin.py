"""The grammar of tables in plain Python: regular expressions, and ``float``."""

import math
import re

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


TRUTHS = {"True": 1.0, "true": 1.0, "TRUE": 1.0, "False": 0.0, "false": 0.0, "FALSE": 0.0}


class RecordError(ValueError):
    """The first line of the first malformed record, and the records before it."""


def records_of(text, kinds, separator=","):
    """Parse records as lists; ``kinds`` has True for each field that is a number."""
    field = re.compile(rf'(?:"((?:[^"]|"")*)"|([^"{separator}\r\n][^{separator}\r\n]*|))')
    end = re.compile(rf"({separator})|\r?\n|\r?\Z")
    blanks = " \t".replace(separator, "")
    records, i = [], 0
    while i < len(text):
        line, cells = text.count("\n", 0, i) + 1, []
        if blank := re.compile(r"\r?\n|\r\Z").match(text, i):
            i = blank.end()
            continue
        more = True
        while more:
            cell = field.match(text, i)
            mark = end.match(text, cell.end())
            if mark is None:
                raise RecordError(line, records)
            cells.append((cell[2] if cell[1] is None else cell[1].replace('""', '"')).strip(blanks))
            i, more = mark.end(), mark[1] is not None
        if len(cells) != len(kinds):
            raise RecordError(line, records)
        for k, is_number in enumerate(kinds):
            if is_number and cells[k] in TRUTHS:
                cells[k] = TRUTHS[cells[k]]
            elif is_number:
                if not NUMBER.fullmatch(cells[k]) or math.isinf(float(cells[k])):
                    raise RecordError(line, records)
                cells[k] = float(cells[k])
        records.append(cells)
    return records
