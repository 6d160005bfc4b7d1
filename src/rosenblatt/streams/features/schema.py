"""Names and kinds of a table's columns: from a schema, else inferred from the first rows."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rosenblatt.engine.text.delimited import TRUTHS
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import COLUMN_KINDS, FEATURE_KINDS, WILDCARD, ReadOptions
from rosenblatt.streams.features.dates import infer_date
from rosenblatt.streams.features.labels import NOT_FINITE, NUMBER, WITH_COMMAS
from rosenblatt.utils.words import option_words, schema_option

TARGET_NAMES = ("target", "label", "class", "y")


def check_distinct(source: str, line: int | None, names: list[str]) -> None:
    """Refuse a name that several columns have.

    Parameters
    ----------
    source : str
    line : int or None
        The line of the names, for the error.
    names : list of str

    Raises
    ------
    DataError
        A name occurs twice.

    Examples
    --------
    >>> check_distinct("a.csv", 1, ["x", "y", "x"])
    Traceback (most recent call last):
    rosenblatt.streams.core.errors.DataError: a.csv:1: found the column 'x' twice: rename one.
    """
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(source, f"found the column {repeated[0]!r} twice: rename one.", line)


def in_group(name: str, group: str) -> bool:
    """Return whether a column has the name of a group, or continues it with ``=`` or ``.``.

    Parameters
    ----------
    name, group : str

    Examples
    --------
    >>> [in_group(name, "colour") for name in ("colour", "colour=red", "colours")]
    [True, True, False]
    """
    return name == group or name.startswith((f"{group}=", f"{group}."))


def target_index(source: str, line: int | None, names: list[str], target: str | None) -> int:
    """Return the index of the column of labels.

    Parameters
    ----------
    source : str
    line : int or None
        The line of the names, for the error.
    names : list of str
        At least one.
    target : str or None
        The column's name. None: the first of ``target``, ``label``, ``class``, ``y`` that names a
        column, in upper or lower case, else the last column.

    Raises
    ------
    DataError
        There is no column ``target``.

    Examples
    --------
    >>> target_index("a.csv", 1, ["x", "Class", "z"], None)
    1
    """
    if target in names:
        return names.index(target)
    if target is not None:
        raise DataError(source, unknown_column(target, "for the labels", names), line)
    lowered = [name.lower() for name in names]
    matches = [lowered.index(name) for name in TARGET_NAMES if name in lowered]
    return matches[0] if matches else len(names) - 1


def unknown_column(name: str, purpose: str, names: list[str]) -> str:
    """Return the message for a column that does not exist.

    Parameters
    ----------
    name : str
    purpose : str
        The role of the column.
    names : list of str
        The columns that exist.

    Examples
    --------
    >>> unknown_column("specis", "for the labels", ["petal", "species"])
    "no column 'specis' for the labels; the columns are 'petal', 'species'. Did you mean 'species'?"
    >>> unknown_column("bark", "for the labels", ["bark=rough", "y"])[-55:]
    'the table that was converted, or convert it to Parquet.'
    >>> unknown_column("bark", "of the kind category", [])
    "no column 'bark' of the kind category; there are no columns."
    """
    listed = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
    close = difflib.get_close_matches(name, names, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    if any(one.startswith(f"{name}=") for one in names):
        hint = (
            f" This table was converted: it has one column for each category of {name!r}. Use the "
            "table that was converted, or convert it to Parquet."
        )
    existing = f"the columns are {listed}" if names else "there are no columns"
    return f"no column {name!r} {purpose}; {existing}.{hint}"


_NUMBERS = (NUMBER, NOT_FINITE, WITH_COMMAS)
_FEW_WORDS = 3  # texts have at least so many words on average


def parse_schema(text: str) -> dict[str, str]:
    """Parse the schema of a command line.

    Parameters
    ----------
    text : str
        ``column:kind``, with commas between several; an entry with a comma of its own stands in
        double quotes.

    Raises
    ------
    ValueError
        An entry has no colon, or a column occurs twice.

    Examples
    --------
    >>> parse_schema('colour:category, "size, net:skip"')
    {'colour': 'category', 'size, net': 'skip'}
    """
    schema: dict[str, str] = {}
    for entry in option_words(text):
        column, colon, kind = entry.rpartition(":")
        if not colon or not column:
            raise ValueError(f"schema: found {entry!r}, expected column:kind.")
        if column in schema:
            raise ValueError(f"schema: found the column {column!r} twice.")
        schema[column] = kind
    return schema


def resolve_kinds(
    source: str,
    line: int | None,
    names: list[str],
    options: ReadOptions,
    infer: Callable[[str], str],
) -> dict[str, str]:
    """Decide the kind of every column.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    line : int or None
        The line of the names, for the error.
    names : list of str
        All columns.
    options : ReadOptions
        ``schema`` has the kinds of some columns, and of all others, ``*``. ``target`` is the column
        of labels, whatever its kind in the schema.
    infer : callable
        ``infer(name)`` is the kind of a column that no option decides.

    Raises
    ------
    DataError
        A column of the schema, or ``target``, does not exist, or no column has features.

    Examples
    --------
    >>> options = ReadOptions(schema={"when": "skip"})
    >>> resolve_kinds("a.csv", 1, ["when", "x", "y"], options, lambda name: "number")
    {'when': 'skip', 'x': 'number', 'y': 'label'}
    """
    schema = {} if options.schema is None else dict(options.schema)
    others = schema.pop(WILDCARD, None)
    target = options.target or column_of_kind(schema, "label")
    label_column = None
    if options.labelled or target in names:
        if target is not None and target not in names:
            raise DataError(source, unknown_column(target, "for the labels", names), line)
        candidates = [
            name for name in names if name == target or schema.get(name, "label") == "label"
        ]
        if not candidates:
            raise DataError(source, "no column is left for the labels.", line)
        label_column = candidates[target_index(source, line, candidates, target)]
    required = (*FEATURE_KINDS, "id", "weight") if options.labelled else FEATURE_KINDS
    columns = set(names)
    for name, kind in schema.items():
        if name not in columns and kind in required:
            raise DataError(source, unknown_column(name, f"of the kind {kind}", names), line)
    kinds = {
        name: "label" if name == label_column else schema.get(name) or others or infer(name)
        for name in names
    }
    if not columns_of_kind(kinds, *FEATURE_KINDS):
        raise DataError(source, "found no column with features besides the label.", line)
    return kinds


def check_skipped_columns(source: str, schema: dict[str, str] | None, names: list[str]) -> None:
    """Refuse a column to skip that does not exist, unless all others are skipped, too.

    Parameters
    ----------
    source : str
    schema : dict or None
        Kinds of columns, as the user gives them.
    names : list of str
        The columns that exist.

    Raises
    ------
    DataError

    Examples
    --------
    >>> check_skipped_columns("a.csv", {"Patent": "skip"}, ["Patient", "y"])
    Traceback (most recent call last):
    rosenblatt.streams.core.errors.DataError: a.csv: no column 'Patent' of the kind skip; the \
columns are 'Patient', 'y'. Did you mean 'Patient'?
    """
    schema = schema or {}
    if schema.get(WILDCARD) == "skip":
        return
    columns = set(names)
    for name, kind in schema.items():
        if kind == "skip" and name not in columns:
            raise DataError(source, unknown_column(name, "of the kind skip", names))


def separator_hint(line: str, delimiter: str = "") -> str:
    """Return a hint at the separator of a line, if it has more of another than of the expected one.

    Examples
    --------
    >>> separator_hint("a;b;c", ",")
    " If ';' separates the columns: --separator ';'."
    >>> separator_hint("a  b  c")
    " If blanks separate the columns: --separator ' '."
    """
    counts = {mark: line.count(mark) for mark in ";|\t," if mark != delimiter}
    mark = max(counts, key=counts.__getitem__)
    if not any(counts.values()) and not delimiter and len(line.split()) > 1:
        return " If blanks separate the columns: --separator ' '."
    if counts[mark] <= (line.count(delimiter) if delimiter else 0):
        return ""
    return f" If {mark!r} separates the columns: --separator {mark!r}."


def columns_of_kind(kinds: Mapping[str, str], *selected: str) -> list[str]:
    """Return the columns of some kinds.

    Examples
    --------
    >>> columns_of_kind({"a": "number", "b": "id", "c": "text"}, "number", "text")
    ['a', 'c']
    """
    return [name for name, kind in kinds.items() if kind in selected]


def column_of_kind(kinds: Mapping[str, str] | None, kind: str) -> str | None:
    """Return the first column of a kind, or None.

    Examples
    --------
    >>> column_of_kind({"mail": "id"}, "id"), column_of_kind(None, "label")
    ('mail', None)
    """
    return next((name for name, own in (kinds or {}).items() if own == kind), None)


def infer_kind(
    cells: Sequence[str], missing: Sequence[str] = ("",), *, has_dates: bool = True
) -> str:
    """Infer the kind of a column from its first cells.

    A column is of numbers if at least half of its cells are numbers, with commas or without, so
    that other cells, and those with commas, are errors; or if all cells are true or false, which
    are 1 and 0 (:data:`rosenblatt.engine.text.delimited.TRUTHS`), or numbers. As one of numbers, so
    is one of dates, or of times (:func:`rosenblatt.streams.features.dates.infer_date`). It is of
    text if most cells are distinct and have three words or more on average; else of categories.
    Empty cells do not count.

    Parameters
    ----------
    cells : sequence of str
    missing : sequence of str, default the empty cell
        Cells that do not count.
    has_dates : bool, default True
        Whether dates are a kind.

    Examples
    --------
    >>> infer_kind(["1", "", "2.5"]), infer_kind(["red", "blue", "red"])
    ('number', 'category')
    >>> infer_kind(["1,234", "12,5"]), infer_kind(["true", "false"]), infer_kind(["true", "maybe"])
    ('number', 'number', 'category')
    >>> infer_kind(["Win a prize now!", "See you at seven."]), infer_kind(["2024-05-31"])
    ('text', 'date')
    """
    filled = [cell.strip() for cell in cells if cell.strip() not in missing]
    counts = Counter(filled)
    numbers = sum(
        number for cell, number in counts.items() if any(kind.fullmatch(cell) for kind in _NUMBERS)
    )
    truths = sum(number for cell, number in counts.items() if cell in TRUTHS)
    if 2 * numbers >= len(filled) or numbers + truths == len(filled):
        return "number"
    dates = infer_date(filled) if has_dates else None
    if dates is not None:
        return dates
    words = sum(number * len(cell.split()) for cell, number in counts.items())
    distinct = 2 * len(counts) > len(filled)
    return "text" if distinct and words >= _FEW_WORDS * len(filled) else "category"


def with_text_column(
    kinds: dict[str, str], options: ReadOptions, cells: Mapping[str, Sequence[str]]
) -> tuple[dict[str, str], str | None]:
    """Return the kinds with a column for the option ``text``, and a remark on what that does.

    The option is set.

    Where no column is of text, but one whose kind was inferred has categories of several words,
    this column becomes text.

    Parameters
    ----------
    kinds : dict
        All columns with their kinds.
    options : ReadOptions
    cells : mapping
        The first cells of the columns whose kind was inferred, by name; others are ignored.

    Examples
    --------
    >>> cells = {"mail": ["win a prize", "call me", "call me", "call me"]}
    >>> kinds, remark = with_text_column({"mail": "category"}, ReadOptions(text=("word:1",)), cells)
    >>> kinds, remark
    ({'mail': 'text'}, "column 'mail' is read as text because of --text; as categories with \
--schema mail:category.")
    """
    if columns_of_kind(kinds, "text"):
        return kinds, None
    schema = options.schema or {}
    categories = columns_of_kind(kinds, "category")
    phrases = [name for name in categories if name not in schema and _has_phrases(cells, name)]
    if len(phrases) == 1 and WILDCARD not in schema:
        (name,) = phrases
        remark = f"column {name!r} is read as text because of --text; as categories with "
        return kinds | {name: "text"}, f"{remark}{schema_option(name, 'category')}."
    name = [*phrases, *categories, "COLUMN"][0]
    option = schema_option(name, "text")
    return kinds, f"no column is read as text, so --text does nothing: {option}."


def _has_phrases(cells: Mapping[str, Sequence[str]], name: str) -> bool:
    """Return whether the cells of a column have two words or more on average."""
    filled = [cell for cell in cells.get(name, ()) if cell.strip()]
    return bool(filled) and sum(len(cell.split()) for cell in filled) >= 2 * len(filled)


_MAX_SHOWN = 5
_KIND_WORDS = {
    "number": ("number", "numbers"),
    "category": ("category", "categories"),
    "text": ("text", "texts"),
    "date": ("date", "dates"),
    "date-dmy": ("date, day first", "dates, day first"),
    "date-mdy": ("date, month first", "dates, month first"),
    "time": ("time", "times"),
    "skip": ("left out", "left out"),
}


def describe_kinds(kinds: dict[str, str]) -> str | None:
    """Describe the kinds of columns in one line; None if all features are numbers, none skipped.

    Parameters
    ----------
    kinds : dict
        Columns with their kinds.

    Examples
    --------
    >>> describe_kinds({"x": "number", "z": "number", "colour": "category", "mid": "id"})
    '2 numbers, 1 category (colour), ids in mid'
    """
    if set(kinds.values()) <= {"number", "label"}:
        return None
    parts = []
    for kind in COLUMN_KINDS:
        names = columns_of_kind(kinds, kind)
        if not names or kind == "label":
            continue
        if kind in ("id", "weight"):
            parts.append(f"{kind}s in {names[0]}")
            continue
        word = _KIND_WORDS[kind][len(names) > 1]
        listed = ", ".join(names[:_MAX_SHOWN]) + (", …" if len(names) > _MAX_SHOWN else "")
        parts.append(f"{len(names):,} {word}" + ("" if kind == "number" else f" ({listed})"))
    return ", ".join(parts)
