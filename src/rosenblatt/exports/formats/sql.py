"""SQL: one SELECT of every column of a table, the scores, the probabilities and the label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rosenblatt import __version__
from rosenblatt.exports.format import ExportOptions, Format
from rosenblatt.exports.terms import CannotExport, Category, IsMissing, Plan

if TYPE_CHECKING:
    from rosenblatt.exports import addends, dialects
    from rosenblatt.exports.addends import Addend
    from rosenblatt.exports.dialects import Dialect

_MOST_NUMBERS = 200_000  # weights and pairs of classes: a statement of some ten megabytes
_MOST_ADDENDS = 400  # of a sum without parentheses; SQLite allows expressions a depth of 1000
_MOST_BYTES = 40  # of a label in the name of a column; PostgreSQL cuts names after 63


def write(plan: Plan, options: ExportOptions) -> bytes:
    """Return the statement.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.exports.plan import plan_of
    >>> plan = plan_of(Perceptron().fit([[0.0], [1.0]], ["no", "yes"]), {}, ["links"])
    >>> print(write(plan, ExportOptions()).decode().splitlines()[-1])
    FROM r;
    """
    from rosenblatt.exports.addends import addends, require_cells
    from rosenblatt.exports.dialects import DIALECTS

    require_cells(plan, "SQL")
    if plan.rows == "matrix":
        raise CannotExport("its columns have no names, and those of SQL have: train it on a table")
    _check_size(plan)
    dialect = DIALECTS[options.dialect]
    _check_names(plan, dialect)
    statement = _Statement(plan, dialect, addends(plan))
    title = f"-- A model of rosenblatt {__version__}, for {options.dialect}: every column, scores"
    return f"{title}, the label last.\n{statement.text(options.table)}\n".encode()


def _check_size(plan: Plan) -> None:
    pairs = 0 if plan.probabilities in (None, "logistic") else len(plan.classes) ** 2
    numbers = int(plan.weights.size) + pairs
    if numbers > _MOST_NUMBERS:
        raise CannotExport(
            f"it has too many names and classes: {numbers:,} numbers make too long a statement of "
            f"SQL, and {_MOST_NUMBERS:,} are the most"
        )


def _check_names(plan: Plan, dialect: Dialect) -> None:
    """Refuse two columns that the dialect takes for one: it folds letters of ASCII alone."""
    seen: dict[bytes, str] = {}
    for column in plan.columns:
        other = seen.setdefault(column.name.encode().lower(), column.name)
        if other != column.name and dialect.folds_names:
            raise CannotExport(
                f"its columns {other!r} and {column.name!r} differ in case only, and are one in "
                "this dialect: rename one"
            )


class _Statement:
    """The parts of the statement.

    The inner SELECT adds the scores to the columns of the table, the outer one what follows from
    them. A table with a column of the name of one of these would give the outer SELECT the wrong
    one: ``free`` has them, too, so that such a table is an error, a name that is ambiguous.
    MATERIALIZED keeps SQLite from computing a score anew wherever it is used.
    """

    def __init__(self, plan: Plan, dialect: Dialect, terms: Sequence[Addend]) -> None:
        self._plan, self._sql, self._addends = plan, dialect, terms
        self._values = _values_of_columns(plan)
        taken = {name.lower() for name in plan.all_columns}
        vectors = len(plan.intercepts)
        self._scores = ["score"] if vectors == 1 else _names("score", plan, taken)
        self._scores = _untaken(self._scores, taken)
        self._shares = []
        if plan.probabilities is not None:
            self._shares = _untaken(_names("probability", plan, taken), taken)
        (self._label,) = _untaken(["prediction"], taken)

    def text(self, table: str) -> str:
        """Return the statement."""
        name, plan = self._sql.name, self._plan
        scores = [self._score(k) for k in range(len(plan.intercepts))]
        inner = ["d.*", *map(self._as, scores, self._scores)]
        is_scored = f"r.{name(self._scores[0])} IS NOT NULL"  # least and greatest leave out NULL
        shares = [
            self._as(f"CASE WHEN {is_scored} THEN {share} END", one)
            for share, one in zip(self._probabilities(), self._shares, strict=True)
        ]
        outer = ["r.*", *shares, self._as(self._decision(), self._label)]
        added = [*self._scores, *self._shares, self._label]
        free = ", ".join(self._as("0", one) for one in added)
        clear = " AND ".join(f"{name(one)} = 0" for one in added)
        return (
            "WITH r AS MATERIALIZED (\n  SELECT\n    " + ",\n    ".join(inner)
            + f"\n  FROM {name(table)} AS d\n  CROSS JOIN (SELECT {free}) AS free\n"
            + f"  WHERE {clear}\n)\nSELECT\n  " + ",\n  ".join(outer) + "\nFROM r;"
        )  # fmt: skip

    def _as(self, value: str, name: str) -> str:
        return f"{value} AS {self._sql.name(name)}"

    def _references(self, names: Sequence[str]) -> list[str]:
        return [f"r.{self._sql.name(name)}" for name in names]

    # --- scores ----------------------------------------------------------------------------------

    def _score(self, k: int) -> str:
        parts = [self._sql.number(0.0), *filter(None, (self._part(a, k) for a in self._addends))]
        return f"{_sum(parts)} + {self._sql.number(float(self._plan.intercepts[k]))}"

    def _part(self, addend: Addend, k: int) -> str:
        """Return an addend; nothing if its weights are 0, and no number can be missing."""
        weights = {values: row[k] for values, row in addend.weights.items() if row[k]}
        if addend.cells and not (weights or addend.numbers):
            return ""
        weight = self._weight(addend.cells, weights)
        return " * ".join([weight, *map(self._number, addend.numbers)])

    def _weight(self, cells: Sequence[int], weights: dict[addends.Values, float]) -> str:
        """Return the weight that cells decide: for each value of the first, that of the others."""
        if not (cells and weights):
            return self._sql.number(weights.get((), 0.0))
        inner: dict[str | None, dict[addends.Values, float]] = {}
        for (value, *others), weight in weights.items():
            inner.setdefault(value, {})[tuple(others)] = weight
        zero = self._sql.number(0.0)
        parts = {value: self._weight(cells[1:], rest) for value, rest in inner.items()}
        missing = parts.pop(None, None)
        if missing is not None and self._plan.columns[cells[0]].kind == "number":
            return f"CASE WHEN {self._is_missing(cells[0])} THEN {missing} ELSE {zero} END"
        if missing is not None:  # one CASE: DuckDB takes long for one within another
            parts |= dict.fromkeys(self._plan.missing.spellings, missing)
        whens = " ".join(f"WHEN {self._sql.text(str(v))} THEN {w}" for v, w in parts.items())
        word = self._sql.category(self._cell(cells[0]), self._values[cells[0]])
        return f"CASE {word} {whens} ELSE {zero} END"

    # --- cells -----------------------------------------------------------------------------------

    def _cell(self, column: int) -> str:
        return f"d.{self._sql.name(self._plan.columns[column].name)}"

    def _is_missing(self, column: int) -> str:
        """Return the condition that a cell is missing."""
        cell, missing = self._cell(column), self._plan.missing
        words = ", ".join(self._sql.text(word) for word in missing.spellings)
        condition = f"{self._sql.word(cell)} IN ({words})"
        if missing.numbers and self._plan.columns[column].kind == "number":
            numbers = ", ".join(map(self._sql.number, missing.numbers))
            return (
                f"CASE WHEN {condition} THEN TRUE ELSE {self._sql.finite(cell)} IN ({numbers}) END"
            )
        return condition

    def _number(self, column: int) -> str:
        """Return the number of a cell, with the one in the place of a missing one."""
        missing, number = self._plan.missing, self._sql.finite(self._cell(column))
        if missing.policy is None:
            return f"({number})"
        filled = self._sql.number(missing.means.get(self._plan.columns[column].name, 0.0))
        return f"(CASE WHEN {self._is_missing(column)} THEN {filled} ELSE {number} END)"

    # --- what follows from the scores ------------------------------------------------------------

    def _decision(self) -> str:
        scores, labels = self._references(self._scores), map(self._sql.label, self._plan.classes)
        if len(scores) == 1:
            first, second = labels
            above, below = (">=", "<") if self._plan.zero_is_second else (">", "<=")
            zero, (score,) = self._sql.number(0.0), scores
            return (
                f"CASE WHEN {score} {above} {zero} THEN {second} "
                f"WHEN {score} {below} {zero} THEN {first} END"
            )
        whens = " ".join(f"WHEN {s} THEN {y}" for s, y in zip(scores, labels, strict=True))
        return f"CASE {self._sql.largest(scores)} {whens} END"

    def _probabilities(self) -> Iterator[str]:
        """Yield the probability of each class: of K classes 1/Σ_j exp(log p_j − log p_k)."""
        kind, one = self._plan.probabilities, self._sql.number(1.0)
        if kind is None:
            return
        scores = self._references(self._scores)
        if kind == "logistic":
            (score,) = scores
            for signed in (score, f"-{score}"):
                yield f"{one} / ({one} + {self._sql.exp(signed)})"
            return
        logs = scores if kind == "softmax" else list(map(self._sql.log_expit, scores))
        for log in logs:
            yield f"{one} / ({_sum([self._sql.exp(f'{other} - {log}') for other in logs])})"


def _values_of_columns(plan: Plan) -> dict[int, dialects.Values]:
    """Return the values of the categories of each column that has any, or has a term if missing."""
    from rosenblatt.exports.dialects import Values

    factors = [factor for term in plan.terms for factor in term.factors]
    words: dict[int, dict[str, None]] = {}
    missing: dict[int, tuple[str, ...]] = {}
    for factor in factors:
        if isinstance(factor, Category):
            words.setdefault(factor.column, {})[factor.value] = None
        elif isinstance(factor, IsMissing):
            missing[factor.column] = plan.missing.spellings
    return {j: Values.of([*words.get(j, ())], missing.get(j, ())) for j in {*words, *missing}}


def _sum(parts: Sequence[str]) -> str:
    """Return a sum from the left to the right; of very many parts, a sum of sums."""
    while len(parts) > _MOST_ADDENDS:
        groups = [parts[k : k + _MOST_ADDENDS] for k in range(0, len(parts), _MOST_ADDENDS)]
        parts = [f"({' + '.join(group)})" for group in groups]
    return " + ".join(parts)


def _names(prefix: str, plan: Plan, taken: set[str]) -> list[str]:
    """Return a name for each class: with its label, else with its number from 1."""
    names = [f"{prefix}_{label}" for label in plan.classes]
    distinct = len({name.lower() for name in names} - taken) == len(names)
    if distinct and all(len(name.encode()) <= _MOST_BYTES and name.isprintable() for name in names):
        return names
    return [f"{prefix}_{k}" for k in range(1, len(names) + 1)]


def _untaken(names: list[str], taken: set[str]) -> list[str]:
    """Return names that no column of the training data has."""
    while not taken.isdisjoint(name.lower() for name in names):
        names = [f"{name}_" for name in names]
    taken.update(name.lower() for name in names)
    return names


FORMAT = Format(
    name="sql",
    suffix=".sql",
    title="one SELECT for SQLite, DuckDB or PostgreSQL",
    limits="dates, texts, JSON lines, hashed names and columns without names",
    write=write,
    rank=2,
    options=("table", "dialect"),
)
