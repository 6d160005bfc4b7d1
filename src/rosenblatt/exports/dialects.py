"""Dialects of SQL: literals, names, cells and functions, as each database writes them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rosenblatt.exports.format import DIALECT_NAMES
from rosenblatt.exports.terms import CannotExport

_MOST_ARGUMENTS = 100  # of a function; SQLite takes 127
_LARGEST = sys.float_info.max


class Dialect:
    """SQLite's, and what others share with it.

    Attributes
    ----------
    text_type, number_type : str
        The types of text and of float64.
    folds_names : bool
        Whether names that differ in case only are one.
    """

    text_type = "TEXT"
    number_type = "REAL"
    folds_names = True
    greatest, least = "MAX", "MIN"

    # --- literals and names ----------------------------------------------------------------------

    def name(self, name: str) -> str:
        """Return a name in quotes.

        Examples
        --------
        >>> Dialect().name('a"b')
        '"a""b"'
        """
        return '"{}"'.format(self._checked(name).replace('"', '""'))

    def text(self, text: str) -> str:
        """Return a text as a literal.

        Examples
        --------
        >>> Dialect().text("it's")
        "'it''s'"
        """
        return "'{}'".format(self._checked(text).replace("'", "''"))

    @staticmethod
    def _checked(text: str) -> str:
        if "\0" in text:
            raise CannotExport(f"{text!r:.80} has the character NUL, which no text of SQL can hold")
        return text

    def number(self, number: float) -> str:
        """Return a number as a literal of float64.

        Examples
        --------
        >>> Dialect().number(0.5), Dialect().number(-1e300)
        ('0.5e0', '-1e+300')
        """
        digits = repr(float(number))
        return digits if "e" in digits else f"{digits}e0"

    def label(self, label: object) -> str:
        """Return a label as a literal of its type.

        Examples
        --------
        >>> Dialect().label("a"), Dialect().label(3), Dialect().label(True)
        ("'a'", '3', '1')
        """
        if isinstance(label, str):
            return self.text(label)
        if isinstance(label, bool):
            return self.boolean(label)
        if isinstance(label, int):
            if not -(2**63) <= label < 2**63:
                raise CannotExport(f"its label {label} is no whole number of 64 bits")
            return str(label)
        assert isinstance(label, float)
        return self.number(label)

    def boolean(self, value: bool) -> str:
        """Return a boolean."""
        return str(int(value))

    # --- cells -----------------------------------------------------------------------------------

    def word(self, cell: str) -> str:
        """Return a cell as text without the blanks around it; empty for NULL."""
        return self.trimmed(f"COALESCE(CAST({cell} AS {self.text_type}), '')")

    def trimmed(self, text: str) -> str:
        """Return a text without blanks and tabs around it."""
        return f"TRIM({text}, ' ' || CHAR(9))"

    def finite(self, cell: str) -> str:
        """Return the number of a cell; NULL for NULL, and for what is no finite number.

        In SQLite ``CAST('12x' AS REAL)`` is 12: but a text that is no number is above all numbers.
        """
        number = f"CAST({cell} AS {self.number_type})"
        low, high = (f"CAST({self.number(x)} AS REAL)" for x in (-_LARGEST, _LARGEST))
        return f"CASE WHEN {cell} BETWEEN {low} AND {high} THEN {number} END"

    # --- functions -------------------------------------------------------------------------------

    def largest(self, numbers: Sequence[str]) -> str:
        """Return the largest of several numbers."""
        while len(numbers) > 1:
            groups = [
                numbers[k : k + _MOST_ARGUMENTS] for k in range(0, len(numbers), _MOST_ARGUMENTS)
            ]
            numbers = [
                f"{self.greatest}({', '.join(group)})" if len(group) > 1 else group[0]
                for group in groups
            ]
        return numbers[0]

    def exp(self, number: str) -> str:
        """Return exp(x) of an x cut to ±700: beyond, databases raise errors, and it is 0 or ∞."""
        low, high = self.number(-700.0), self.number(700.0)
        return f"EXP({self.greatest}({low}, {self.least}({high}, {number})))"

    def log_expit(self, number: str) -> str:
        """Return −log(1 + exp(−x)) = min(x, 0) − log(1 + exp(−|x|))."""
        zero, one = self.number(0.0), self.number(1.0)
        least = f"{self.least}({number}, {zero})"
        return f"({least} - LN({one} + {self.exp(f'-ABS({number})')}))"


class DuckDB(Dialect):
    """DuckDB's."""

    text_type, number_type = "VARCHAR", "DOUBLE"
    greatest, least = "GREATEST", "LEAST"

    def boolean(self, value: bool) -> str:
        """Return a boolean."""
        return str(value).upper()

    def trimmed(self, text: str) -> str:
        """Return a text without blanks and tabs around it."""
        return f"TRIM({text}, ' ' || CHR(9))"

    def finite(self, cell: str) -> str:
        """Return the number of a cell; NULL for NULL, and for what is no finite number."""
        number = f"TRY_CAST({cell} AS DOUBLE)"
        low, high = self.number(-_LARGEST), self.number(_LARGEST)
        return f"CASE WHEN {number} BETWEEN {low} AND {high} THEN {number} END"


class PostgreSQL(DuckDB):
    """PostgreSQL's: a cell that is no number is an error, as it is in the library."""

    text_type, number_type = "TEXT", "DOUBLE PRECISION"
    folds_names = False

    def text(self, text: str) -> str:
        r"""Return a text as a literal, whatever the setting of backslashes.

        Examples
        --------
        >>> print(PostgreSQL().text("a\\b"))
        E'a\\b'
        """
        literal = super().text(text)
        return "E" + literal.replace("\\", "\\\\") if "\\" in text else literal

    def number(self, number: float) -> str:
        """Return a number as a literal of float64: 0.5 alone is a decimal.

        Examples
        --------
        >>> PostgreSQL().number(0.5)
        "float8 '0.5'"
        """
        return f"float8 '{float(number)!r}'"

    def finite(self, cell: str) -> str:
        """Return the number of a cell; NULL for NULL and what is not finite."""
        number = f"CAST({cell} AS {self.number_type})"
        low, high = self.number(-_LARGEST), self.number(_LARGEST)
        return f"CASE WHEN {number} BETWEEN {low} AND {high} THEN {number} END"


DIALECTS: dict[str, Dialect] = dict(
    zip(DIALECT_NAMES, (Dialect(), DuckDB(), PostgreSQL()), strict=True)
)
"""Every dialect, by its name."""
