"""Dialects of SQL: literals, names, cells and functions, as each database writes them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rosenblatt.exports.format import DIALECT_NAMES
from rosenblatt.exports.terms import CannotExport
from rosenblatt.streams.features.labels import NUMBER

_MOST_ARGUMENTS = 100  # of a function; SQLite takes 127
_LARGEST = sys.float_info.max
_WHOLE = 2.0**53  # from here on, whole numbers that differ can be one float64
_TRUE = ("true", "t", "yes", "y", "on", "1")  # the spellings that PostgreSQL reads as booleans
_FALSE = ("false", "f", "no", "n", "off", "0")


class Values(NamedTuple):
    """The categories of a column by their values, for cells that a database does not keep as text.

    Attributes
    ----------
    numbers : dict
        The category of a number: of several, the one in the shortest spelling, else the first. From
        2^53 on there is none: such cells are compared as text.
    truths : dict
        The category of true, and that of false: the one spelled so in any case, else the only one
        of its other spellings.
    are_truths : bool
        Whether every category is one of these.
    """

    numbers: Mapping[float, str]
    truths: Mapping[bool, str]
    are_truths: bool

    @classmethod
    def of(cls, categories: Sequence[str], missing: Sequence[str] = ()) -> Values:
        """Return the values of categories, and of the spellings of a missing cell.

        Examples
        --------
        >>> Values.of(["1.0", "1", "2.50", "oak"]).numbers
        {1.0: '1', 2.5: '2.50'}
        >>> Values.of(["t", "n"]).truths, Values.of(["f", "n"]).truths
        ({True: 't', False: 'n'}, {})
        """
        words, numbers = [*categories, *missing], dict[float, str]()
        for word in filter(NUMBER.fullmatch, words):
            value = float(word) + 0.0  # 0 for -0
            if abs(value) < _WHOLE and (value not in numbers or word == _shortest(value)):
                numbers[value] = word
        pairs = ((value, _truth(words, of)) for value, of in ((True, _TRUE), (False, _FALSE)))
        truths = {value: word for value, word in pairs if word is not None}
        return cls(numbers, truths, truths != {} and set(categories) <= set(truths.values()))


def _shortest(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _truth(words: Sequence[str], spellings: Sequence[str]) -> str | None:
    named = [word for word in words if word.lower() == spellings[0]]
    if named:
        exact = spellings[0].capitalize()
        return exact if exact in named else named[0]
    others = [word for word in words if word.lower() in spellings]
    return others[0] if len(others) == 1 else None


class Dialect:
    """SQLite's, and what others share with it.

    Attributes
    ----------
    text_type : str
        The type of text.
    folds_names : bool
        Whether names that differ in case only are one.
    """

    text_type = "TEXT"
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

    def category(self, cell: str, values: Values) -> str:
        """Return a cell as a category: a number, or true and false, as that of its value.

        Examples
        --------
        >>> values = Values.of(["3", "oak"])
        >>> print(Dialect().category("d.x", values).split(", TRIM")[0])
        COALESCE(CASE WHEN TYPEOF(d.x) IN ('integer', 'real') THEN CASE d.x WHEN 3.0e0 THEN '3' \
END END
        """
        whens = self._of_types(cell, values)
        return f"COALESCE(CASE {whens} END, {self.word(cell)})" if whens else self.word(cell)

    def _of_types(self, cell: str, values: Values) -> str:
        """Return what a cell is that is no text. SQLite has 1 and 0 for true and false."""
        truths = values.truths if values.are_truths else {}
        numbers = {float(value): word for value, word in truths.items()} | {**values.numbers}
        if not numbers:
            return ""
        return f"WHEN TYPEOF({cell}) IN ('integer', 'real') THEN {self._by_number(cell, numbers)}"

    def _by_number(self, number: str, words: Mapping[float, str]) -> str:
        whens = (f"WHEN {self.number(x)} THEN {self.text(word)}" for x, word in words.items())
        return f"CASE {number} {' '.join(whens)} END"

    def trimmed(self, text: str) -> str:
        """Return a text without blanks and tabs around it."""
        return f"TRIM({text}, ' ' || CHAR(9))"

    def finite(self, cell: str) -> str:
        """Return the number of a cell; NULL for NULL, and for what is no finite number.

        In SQLite ``CAST('12x' AS REAL)`` is 12: but a text that is no number is above all numbers.
        """
        low, high = (f"CAST({self.number(x)} AS REAL)" for x in (-_LARGEST, _LARGEST))
        number, is_number = f"CAST({cell} AS REAL)", f"{cell} BETWEEN {low} AND {high}"
        return f"CASE WHEN {is_number} THEN {number} ELSE {self._of_truth(cell)} END"

    def _of_truth(self, cell: str) -> str:
        """Return the number of a cell that is true or false, or spells it; else NULL."""
        word = f"LOWER({self.trimmed(f'CAST({cell} AS {self.text_type})')})"
        one, zero = self.number(1.0), self.number(0.0)
        return f"CASE {word} WHEN 'true' THEN {one} WHEN 'false' THEN {zero} END"

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

    text_type = "VARCHAR"
    greatest, least = "GREATEST", "LEAST"

    def boolean(self, value: bool) -> str:
        """Return a boolean."""
        return str(value).upper()

    def trimmed(self, text: str) -> str:
        """Return a text without blanks and tabs around it."""
        return f"TRIM({text}, ' ' || CHR(9))"

    def _of_types(self, cell: str, values: Values) -> str:
        whens, as_text = [], f"CAST({cell} AS {self.text_type})"
        if values.numbers:
            number = self._by_number(self._cast_number(cell), values.numbers)
            whens.append(f"WHEN {self._is_number(cell)} THEN {number}")
        words = {str(value).lower(): word for value, word in values.truths.items()}
        truths = [
            f"WHEN {self.text(value)} THEN {self.text(word)}"
            for value, word in words.items()
            if word != value  # as which it is cast
        ]
        if truths:
            whens.append(
                f"WHEN {self._is_boolean(cell)} THEN CASE {as_text} {' '.join(truths)} END"
            )
        return " ".join(whens)

    def _is_number(self, cell: str) -> str:
        return f"TYPEOF({cell}) SIMILAR TO 'DOUBLE|FLOAT|DECIMAL.*|[A-Z]*INT(EGER)?'"

    def _is_boolean(self, cell: str) -> str:
        return f"TYPEOF({cell}) = 'BOOLEAN'"

    def _cast_number(self, cell: str) -> str:
        return f"TRY_CAST({cell} AS DOUBLE)"

    def finite(self, cell: str) -> str:
        """Return the number of a cell; NULL for NULL, and for what is no finite number."""
        number = self._cast_number(cell)
        return f"CASE WHEN {self._is_finite(number)} THEN {number} ELSE {self._of_truth(cell)} END"

    def _is_finite(self, number: str) -> str:
        return f"{number} BETWEEN {self.number(-_LARGEST)} AND {self.number(_LARGEST)}"


class PostgreSQL(DuckDB):
    """PostgreSQL's: a cell that is no number is an error, as it is in the library."""

    text_type = "TEXT"
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

    def _is_number(self, cell: str) -> str:
        types = "'smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision'"
        return f"CAST(PG_TYPEOF({cell}) AS TEXT) IN ({types})"

    def _is_boolean(self, cell: str) -> str:
        return f"CAST(PG_TYPEOF({cell}) AS TEXT) = 'boolean'"

    def _cast_number(self, cell: str) -> str:  # by way of text: it has no cast of a date, say
        return f"CAST(CAST({cell} AS TEXT) AS DOUBLE PRECISION)"

    def finite(self, cell: str) -> str:
        """Return the number of a cell; NULL for NULL and what is not finite."""
        number, truth = self._cast_number(cell), self._of_truth(cell)  # it casts no boolean
        return f"COALESCE({truth}, CASE WHEN {self._is_finite(number)} THEN {number} END)"


DIALECTS: dict[str, Dialect] = dict(
    zip(DIALECT_NAMES, (Dialect(), DuckDB(), PostgreSQL()), strict=True)
)
"""Every dialect, by its name."""
