"""``export``: write a model as a file that scores raw rows without this library."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rosenblatt.exports.format import DIALECT_NAMES, ExportOptions, Format
from rosenblatt.exports.formats import FORMATS, SUFFIXES
from rosenblatt.exports.terms import CannotExport
from rosenblatt.utils.atomic import atomic_write_bytes

if TYPE_CHECKING:
    from rosenblatt.exports.terms import Plan

Path = str | os.PathLike[str]


def export(
    model: object,
    path: Path,
    to: str | None = None,
    *,
    table: str | None = None,
    dialect: str | None = None,
) -> None:
    r"""Write a model as a file that scores raw rows without this library.

    The file has what the model does with a row as it is found: kinds of cells, missing cells,
    categories, products, texts and hashing, the scores :math:`s_k = \sum_j w_{kj} t_j + b_k` of
    features in raw units, the label, and probabilities where the model has them.

    Parameters
    ----------
    model : path, classifier of this library, model of :func:`rosenblatt.load`, or Pipeline
        A model file of ``rosenblatt train`` takes rows as its training data had them; a classifier
        that was trained on a matrix takes the numbers of a row.
    path : str or path
        The file to write; it is replaced at once, or left as it was.
    to : {"onnx", "sql", "js", "c", "json"}, optional
        The format; by default the suffix of ``path`` decides.
    table : str, default "data"
        SQL: the table of the rows.
    dialect : {"sqlite", "duckdb", "postgresql"}, default "sqlite"
        SQL: whose it is.

    Raises
    ------
    ValueError
        The format is not known, or an option is another format's.
    CannotExport
        A ``ValueError``, too: the model or the format cannot express it, for the reason in the
        message. Nothing is approximated.
    ModuleNotFoundError
        ONNX needs the package onnx: ``pip install 'rosenblatt[onnx]'``.
    ModelError, OSError
        The model cannot be loaded, or the file cannot be written.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from rosenblatt import Perceptron, export
    >>> model = Perceptron().fit([[0.0], [1.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(model, f"{folder}/model.json")
    ...     exported = json.loads(pathlib.Path(folder, "model.json").read_text())
    >>> exported["classes"], exported["terms"][0]["weights"] == model.coef_[0].tolist()
    (['no', 'yes'], True)
    """
    format = format_of(path, to)
    data = format.write(read(model), options_of(format, table, dialect))
    atomic_write_bytes(path, data, "export")


def read(model: object) -> Plan:
    """Return the plan of a model; the message of a refusal names its file."""
    from rosenblatt.exports.plan import read_plan  # with NumPy, which the names do without

    try:
        return read_plan(model)
    except CannotExport as error:
        subject = os.fspath(model) if isinstance(model, str | os.PathLike) else "the model"
        raise CannotExport(f"{subject} cannot be exported: {error}") from error


def format_of(path: Path, to: str | None) -> Format:
    """Return the format of a file.

    Raises
    ------
    ValueError
        Neither ``to`` nor the suffix names one.

    Examples
    --------
    >>> format_of("model.json", None).name, format_of("model.txt", "json").name
    ('json', 'json')
    """
    if to is None:
        suffix = os.path.splitext(os.fspath(path))[1].lower()
        if suffix not in SUFFIXES:
            suffixes = ", ".join(SUFFIXES)
            raise ValueError(
                f"{os.fspath(path)}: its suffix names no format; the formats are "
                f"{', '.join(FORMATS)}, with the suffixes {suffixes}."
            )
        to = SUFFIXES[suffix]
    if to not in FORMATS:
        raise ValueError(f"to must be one of {', '.join(FORMATS)}; got {to!r}.")
    return FORMATS[to]


def options_of(format: Format, table: str | None, dialect: str | None) -> ExportOptions:
    """Return the options of an export.

    Raises
    ------
    ValueError
        An option is not the format's, or has no such value.

    Examples
    --------
    >>> options_of(FORMATS["json"], None, "duckdb")
    Traceback (most recent call last):
    ValueError: dialect does not go with json; got 'duckdb'.
    """
    requested = {"table": table, "dialect": dialect}
    requested = {name: value for name, value in requested.items() if value is not None}
    for name, value in requested.items():
        if name not in format.options:
            raise ValueError(f"{name} does not go with {format.name}; got {value!r}.")
    if table == "":
        raise ValueError("table must be a name; got ''.")
    if dialect not in (None, *DIALECT_NAMES):
        raise ValueError(f"dialect must be one of {', '.join(DIALECT_NAMES)}; got {dialect!r}.")
    return ExportOptions(**requested)  # type: ignore[arg-type]
