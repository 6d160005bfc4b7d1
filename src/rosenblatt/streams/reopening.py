"""New data for a model, read as its training data were: the same features in the same columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from rosenblatt.streams.aligning import AlignedStream, ColumnAligner
from rosenblatt.streams.compatibility import (
    check_compatible,
    check_missing,
    check_same_features,
    merge_options,
    shared_layout,
)
from rosenblatt.streams.core.access import Access
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.format import DELIMITERS
from rosenblatt.streams.core.missing import Imputer
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import LAYOUT_OPTIONS, ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.io.listing import one_listing
from rosenblatt.streams.io.paths import PathLike, expand_paths, is_single_pass
from rosenblatt.streams.opening import first_line, format_of, open_with
from rosenblatt.streams.registry import FORMATS
from rosenblatt.utils.arrays import Array


@one_listing()
def reopen(
    notes: Notes,
    names: Sequence[str] | None,
    source: PathLike | Sequence[PathLike],
    *,
    labelled: bool = True,
    width: int | None = None,
    classes: Array | None = None,
    grows: bool = False,
    report: Callable[[str], None] | None = None,
    **options: Any,
) -> Stream:
    r"""Open a source of rows for a model, as its training data were read.

    Two files read one after the other, the second with ``grows`` and the notes and columns of the
    first, are the rows of both files as one stream, bit for bit; but new products of
    ``interactions`` may have their columns in another order.

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
    classes : array, optional
        The labels of the model, ``classes_``: those of the rows get their type, or a wider one.
    grows : bool, default False
        True for rows that the model learns: names in sparse rows that it does not know, such as
        those of new categories, get columns after its own, and with ``impute="mean"`` the running
        means go on from the ``totals`` of the notes.
    report : callable, optional
        Function of a sentence about columns that the model does not know; they are ignored.
    **options
        Options of :func:`open_stream`, instead of those of the training data: where the values
        are (``format``, ``target``, ``separator``, …), never which features they are.

    Returns
    -------
    Stream
        Its batches have the columns of the model, in the order of the model; with ``grows``, new
        ones may follow.

    Raises
    ------
    DataError
        As :func:`open_stream`; or the source lacks a column of the model, or has other features:
        a column of another kind, other hashes, columns without names; or labels are numbers where
        those of the model are text, or text where they are numbers.
    ValueError
        An option would give other features than those of the training data; or, with ``grows``,
        ``missing`` has other spellings, or the notes lack what reading goes on from, as those of
        earlier versions may.

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
    names = None if names is None else list(names)
    stream = open_with(source, options_for(notes, source, requested, grows=grows))
    kind = "" if classes is None else classes.dtype.kind
    return aligned(stream, notes, names, width, kind, grows=grows, report=report)


def aligned(
    stream: Stream,
    notes: Notes,
    names: list[str] | None,
    width: int | None,
    labels: str = "",
    *,
    grows: bool = False,
    report: Callable[[str], None] | None = None,
) -> Stream:
    """Return the rows of an open stream with the columns of a model.

    Parameters
    ----------
    stream : Stream
    notes, names, width, grows, report
        As of :func:`reopen`.
    labels : str
        The kind of the dtype of the model's labels; "" takes labels as they are.

    Raises
    ------
    DataError
        As :func:`reopen`.
    """
    check_compatible(stream, notes)
    if grows:
        check_same_features(stream, notes)
    columns = ColumnAligner(stream, names, width, grows=grows, report=report)
    return AlignedStream(stream, columns, "U" if labels == "O" else labels)  # objects are texts


class NotesError(ValueError):
    """The notes of a model lack what reading goes on from."""


def _continued(notes: Notes, options: ReadOptions) -> ReadOptions:
    """Return the options with which running means go on from those of a model."""
    if notes.get("impute") != "mean":
        return options
    if "totals" not in notes:
        raise NotesError(
            "the model has the means of its columns, but not the number of their values, which the "
            "running means go on from: it was saved by an earlier "
            "version, or has learned in a service. Train it again."
        )
    imputer = Imputer("mean", options.missing, None, totals=notes["totals"])
    return options._replace(means=None, imputer=imputer)


def options_for(
    notes: Notes,
    source: PathLike | Sequence[PathLike],
    options: ReadOptions,
    *,
    grows: bool = False,
) -> ReadOptions:
    """Return the options that read a source as the training data of a model were read.

    Parameters
    ----------
    notes : dict
        Notes of the model; may be empty.
    source : str, path, or sequence of them
    options : ReadOptions
        Options of the caller; they take precedence.
    grows : bool, default False
        True for rows that the model learns: their missing cells are spelled as its own, and its
        running means go on.

    Raises
    ------
    DataError
        The source cannot be read, or its format is not clear.
    NotesError
        With ``grows``, the notes have means without their totals.
    ValueError
        An option would give other features than those of the training data.

    Examples
    --------
    >>> options_for({"format": "csv", "text": ["word:1"]}, "a.csv", ReadOptions()).text
    ('word:1',)
    >>> notes = {"impute": "mean", "means": {"x": 2.0}, "totals": {"x": [3, 6.0]}}
    >>> options = options_for(notes, "a.csv", ReadOptions(), grows=True)
    >>> options.imputer.noted()["means"]
    {'x': 2.0}
    """
    if isinstance(source, str | os.PathLike):
        name: PathLike = source
    else:
        name = expand_paths(source, options.access, format=options.format)[0]
    format = options.format or _guess_format(notes.get("format"), name, options.access)
    layout: tuple[str, ...] = LAYOUT_OPTIONS
    is_noted = any(notes.get(option) not in (None, []) for option in layout)
    is_same_format = format in DELIMITERS and format == notes.get("format")
    if is_noted and is_same_format and not is_single_pass(name):
        layout = shared_layout(notes, first_line(name, options.access, options.format))
    merged = merge_options(notes, options, format, layout)
    if is_single_pass(name) or format == "folder":
        merged = merged._replace(format=format)
    if not grows:
        return merged
    check_missing(notes, options)
    return _continued(notes, merged)


def _guess_format(trained_format: str | None, source: PathLike, access: Access) -> str | None:
    """Return the format of a source without consuming the first lines of a pipe."""
    if is_single_pass(source):
        texts = [name for name, one in FORMATS.items() if one.open_lines is not None]
        return trained_format if trained_format in (*texts, "folder") else None
    if trained_format == "folder" and os.path.isdir(source):
        return trained_format  # its files are texts, whatever their suffixes
    try:
        return format_of(source, access)
    except DataError:
        if trained_format not in ("folder", "csv", "tsv") or not os.path.isfile(source):
            raise
        return trained_format  # one text, one mail, or a table without a header line
