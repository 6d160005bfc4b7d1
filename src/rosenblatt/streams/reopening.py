"""New data for a model, read as its training data were: the same features in the same columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from rosenblatt.streams.aligning import AlignedStream, ColumnAligner
from rosenblatt.streams.compatibility import check_compatible, merge_options, shared_layout
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.format import DELIMITERS
from rosenblatt.streams.core.options import LAYOUT_OPTIONS, ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.io.paths import PathLike, expand_paths, is_single_pass
from rosenblatt.streams.opening import first_line, format_of, open_with
from rosenblatt.streams.registry import FORMATS


def reopen(
    notes: dict[str, Any],
    names: Sequence[str] | None,
    source: PathLike | Sequence[PathLike],
    *,
    labelled: bool = True,
    width: int | None = None,
    report: Callable[[str], None] | None = None,
    **options: Any,
) -> Stream:
    r"""Open a source of rows for a model, as its training data were read.

    Parameters
    ----------
    notes : dict
        What the model notes of its training data: :meth:`Stream.noted`, as a model file has it
        (``rosenblatt.models.describe(path)["notes"]``). It may be empty.
    names : sequence of str, or None
        The columns of the model, ``feature_names_in_``; None if they have no names.
    source : str, path, or sequence of them
        As of :func:`open_stream`. Its format may differ from that of the training data.
    labelled : bool, default True
        False reads rows without labels, as :func:`open_stream` does.
    width : int, optional
        The number of columns of a model without names, ``n_features_in_``: sparse rows get this
        width, and a feature beyond it is ignored. By default rows stay as wide as they are.
    report : callable, optional
        Function of a sentence about columns that the model does not know; they are ignored.
    **options
        Options of :func:`open_stream`, instead of those of the training data: where the values
        are (``format``, ``target``, ``separator``, …), never which features they are.

    Returns
    -------
    Stream
        Its batches have the columns of the model, in the order of the model.

    Raises
    ------
    DataError
        As :func:`open_stream`; or the source lacks a column of the model, or has other features:
        a column of another kind, other hashes, columns without names.
    ValueError
        An option would give other features than those of the training data.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.streams import open_stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, second = (pathlib.Path(folder, name) for name in ("a.csv", "b.csv"))
    ...     _ = first.write_text("colour,y\nred,stop\ngreen,go\n")
    ...     _ = second.write_text("colour,y\ngreen,go\nred,stop\n")
    ...     stream = open_stream(first)
    ...     X, y = stream.read()
    ...     again, _ = reopen(stream.noted(), X.columns, second).read()
    >>> again.columns, again.toarray().tolist()
    (('colour=red', 'colour=green'), [[0.0, 1.0], [1.0, 0.0]])
    """
    words = {
        name: (value,) if isinstance(value, str) else tuple(value)
        for name, value in options.items()
        if ReadOptions._field_defaults.get(name) == ()
    }
    requested = ReadOptions(**options | words, labelled=labelled)
    requested.validate()
    stream = open_with(source, options_for(notes, source, requested))
    check_compatible(stream, notes)
    names = None if names is None else list(names)
    return AlignedStream(stream, ColumnAligner(stream, names, width, report=report))


def options_for(
    notes: dict[str, Any], source: PathLike | Sequence[PathLike], options: ReadOptions
) -> ReadOptions:
    """Return the options that read a source as the training data of a model were read.

    Parameters
    ----------
    notes : dict
        Notes of the model; may be empty.
    source : str, path, or sequence of them
    options : ReadOptions
        Options of the caller; they take precedence.

    Raises
    ------
    DataError
        The source cannot be read, or its format is not clear.
    ValueError
        An option would give other features than those of the training data.

    Examples
    --------
    >>> options_for({"format": "csv", "text": ["word:1"]}, "a.csv", ReadOptions()).text
    ('word:1',)
    """
    name = source if isinstance(source, str | os.PathLike) else expand_paths(source)[0]
    format = options.format or _guess_format(notes.get("format"), name)
    layout: tuple[str, ...] = LAYOUT_OPTIONS
    is_noted = any(notes.get(option) not in (None, []) for option in layout)
    is_same_format = format in DELIMITERS and format == notes.get("format")
    if is_noted and is_same_format and not is_single_pass(name):
        layout = shared_layout(notes, first_line(name))
    merged = merge_options(notes, options, format, layout)
    if is_single_pass(name) or format == "folder":
        merged = merged._replace(format=format)
    return merged


def _guess_format(trained_format: str | None, source: PathLike) -> str | None:
    """Return the format of a source without consuming the first lines of a pipe."""
    if is_single_pass(source):
        texts = [name for name, one in FORMATS.items() if one.open_lines is not None]
        return trained_format if trained_format in (*texts, "folder") else None
    try:
        return format_of(source)
    except DataError:
        if trained_format not in ("folder", "csv", "tsv") or not os.path.isfile(source):
            raise
        return trained_format  # one text, one mail, or a table without a header line
