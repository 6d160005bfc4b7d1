"""The encoder of raw rows: a transformer of scikit-learn that reads rows as the command does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from rosenblatt.estimators.encoded_rows import ENCODED, is_matrix, own_columns, take_means
from rosenblatt.learning.scaling import RunningScaling, Scaling
from rosenblatt.streams.core.named import with_columns
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import FEATURE_KINDS, WILDCARD, ReadOptions
from rosenblatt.streams.frames.notes import TABLES
from rosenblatt.streams.frames.reader import RowReader
from rosenblatt.streams.frames.rows import Objects, Texts, rows_of
from rosenblatt.streams.frames.tables import Table
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import check_choice
from rosenblatt.utils.column_names import column_names

__all__ = ["RowEncoder"]


class RowEncoder(TransformerMixin, BaseEstimator):
    """Encoder of raw rows as numbers, with the columns and the bits of the command's reader.

    Rows are a DataFrame of pandas or polars, a Table or RecordBatch of pyarrow, dicts, texts, or a
    matrix of numbers. A number x is a column of its name; a category a column ``name=value`` of
    value 1; a text is hashed n-grams. Columns are created in the order in which names first appear.
    A table of numbers alone becomes a dense array, anything else sparse rows.

    A column of numbers, or of true and false, has numbers. Words are categories, or texts where
    most differ and have three words or more. Where all cells are text, as from ``csv.DictReader``,
    columns of words that are numbers have numbers. Dicts whose keys differ from row to row, or
    whose values have parts, are read as JSON lines: null, or a key that is not there, is no feature
    of a row.

    New rows have all columns of the first ones, matched by name; their order does not matter, and
    other columns are ignored, and so are categories that ``fit`` has not seen. A column that no row
    has is an error; a key that some of the dicts lack is a missing cell of these, and in one dict
    None is. A number as a category is the category of its value: 1 and 1.0 are ``zone=1`` or
    ``zone=1.0``, whichever is there.

    Parameters
    ----------
    schema : dict, optional
        Columns, or keys, with their kinds: ``number``, ``category``, ``text``, ``label``, ``id``,
        ``weight`` or ``skip``, of which the last four are no features; ``*`` stands for all columns
        that it does not name. By default, the kinds are inferred from the first rows.
    impute : {"mean", "zero", "indicator"}, optional
        The number in place of a missing one: the mean of the column; 0; or 0 beside a column ``name
        is missing`` of value 1. A missing category or text is no feature; with ``"indicator"`` a
        missing category is a column ``name is missing``. By default a missing number is an error.
    scale : bool, default=False
        Whether to standardise the numbers of a table: (x − m)/s, with m and s the mean and the
        standard deviation of the column, before products and hashes. Rows that are read as JSON
        lines have no list of numbers: a column is divided by the root mean square of its values
        that are not zero (decision 017). A learner with ``scale=True`` does so itself.
    text : str or sequence of str, default=()
        N-grams of texts: ``word:1-2`` are words and pairs of words, the default where there are
        texts; ``char:3-5`` sequences of letters, ``char_wb:3-5`` those within words.
    bits : int, optional
        Names are hashed to 2^bits columns, 1 to 30; default 18 where there are texts.
    interactions : sequence of str, default=()
        Products of columns, each ``"a*b"``.
    missing : str or sequence of str, default=()
        Spellings of a missing cell besides None, NaN, the empty cell, ``NA``, ``N/A``, ``NaN``,
        ``nan``, ``null``, ``NULL`` and ``?``. Implies ``impute="mean"``.

    Attributes
    ----------
    schema_ : dict or None
        The columns of a table with their kinds; of objects the keys that are no plain features.
        None for texts.
    names_ : list of str or None
        Columns of the output so far; None where names are hashed.
    means_ : dict or None
        With ``impute="mean"``: the mean of each column of numbers.
    bits_ : int or None
    text_ : tuple of str
        The n-grams of texts; empty where there are none.
    n_features_in_ : int
        Columns of a table.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have names.

    References
    ----------
    Columns, words and hashes: decision 014; Weinberger et al. 2009, "Feature hashing for large
    scale multitask learning".

    Examples
    --------
    >>> from rosenblatt import RowEncoder
    >>> rows = [{"size": 2, "colour": "red"}, {"size": 1, "colour": "blue"}]
    >>> encoder = RowEncoder().fit(rows)
    >>> encoder.names_, encoder.schema_
    (['size', 'colour=red', 'colour=blue'], {'size': 'number', 'colour': 'category'})
    >>> encoder.transform([{"colour": "green", "size": 0.5}]).toarray().tolist()
    [[0.5, 0.0, 0.0]]
    """

    n_features_in_: int
    feature_names_in_: Array

    def __init__(
        self,
        schema: dict[str, str] | None = None,
        impute: str | None = None,
        scale: bool = False,
        text: str | Sequence[str] = (),
        bits: int | None = None,
        interactions: Sequence[str] = (),
        missing: str | Sequence[str] = (),
    ) -> None:
        self.schema = schema
        self.impute = impute
        self.scale = scale
        self.text = text
        self.bits = bits
        self.interactions = interactions
        self.missing = missing

    @classmethod
    def from_notes(cls, notes: Notes, names: Sequence[str] | None) -> Self:
        """Return the encoder of a model file: its rows are those that ``predict`` gives the model.

        Parameters
        ----------
        notes : dict
            Notes of the model, those of :meth:`rosenblatt.streams.Stream.noted` among them.
        names : sequence of str, or None
            Columns of the model, in order; None where they are hashed.

        Raises
        ------
        ValueError
            The model was trained on rows without names of columns, or on Vowpal Wabbit text.

        Examples
        --------
        >>> notes = {"format": "csv", "target": "y", "schema": {"colour": "category"}}
        >>> encoder = RowEncoder.from_notes(notes, ["colour=red", "colour=go"])
        >>> encoder.transform([{"colour": "go"}, {"colour": "red"}]).toarray().tolist()
        [[0.0, 1.0], [1.0, 0.0]]
        """
        reader = RowReader.from_notes(notes, names)
        schema = notes.get("schema")
        if schema is not None and notes.get("format") in TABLES:  # a fit takes these columns alone
            features = {name: kind for name, kind in schema.items() if kind in FEATURE_KINDS}
            schema = features | {WILDCARD: "skip"}
        encoder = cls(
            schema=schema,
            impute=notes.get("impute"),
            text=tuple(notes.get("text") or ()),
            bits=notes.get("bits"),
            interactions=tuple(notes.get("interactions") or ()),
            missing=tuple(notes.get("missing") or ()),
        )
        encoder._reader = reader
        encoder._scales = None
        encoder._set_inputs(encoder._reader.columns)
        return encoder

    def with_scaling(self, scaling: Scaling | None) -> Self:
        """Set the scaling of the columns, that of a file; return the encoder itself."""
        self._scales, self.scale = None, scaling is not None
        if scaling is not None:
            self._scales = RunningScaling()
            self._scales.scaling = scaling
        return self

    # --- learning --------------------------------------------------------------------------------

    def fit(self, X: object, y: object = None) -> Self:
        """Learn kinds, names and means of the columns.

        Parameters
        ----------
        X : DataFrame, table, dicts, texts, or matrix of numbers
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A parameter is out of range, a cell cannot be read, or there are no rows or features.
        TypeError
            X is nothing of these.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: object, y: object = None, **options: Any) -> Matrix:
        """Return the rows of :meth:`transform` after :meth:`fit`, which reads the cells once.

        Parameters
        ----------
        X : raw rows
        y : ignored
        **options
            Ignored, too.
        """
        rows, Z = self._fit(X)
        return self._named(self._read(rows) if Z is None else Z)

    def _fit(self, X: object) -> tuple[Table | Objects | Texts, Matrix | None]:
        """Learn rows, and return them as they are, and encoded, if that is known."""
        reader = self._new_reader()
        rows = self._rows(X, reset=True)
        reader.note(rows)
        scales = RunningScaling() if self.scale else None
        Z = None if scales is None else reader.read(rows, scales.fit)
        self._reader, self._scales = reader, scales
        self._set_inputs_of(rows)
        return rows, Z

    def partial_fit(self, X: object, y: object = None) -> Self:
        """Learn more rows: new names get further columns, and means go on.

        Parameters
        ----------
        X : DataFrame, table, dicts, texts, or matrix of numbers
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            As :meth:`fit`.
        """
        self.partial_fit_transform(X)
        return self

    def partial_fit_transform(self, X: object, y: object = None) -> Matrix:
        """Learn more rows, and return them as the command reads them while it trains.

        A missing number is the mean of the rows before it; with ``scale`` each row is scaled by the
        moments up to and including itself. So the rows do not depend on how they are cut into
        calls.

        Parameters
        ----------
        X : DataFrame, table, dicts, texts, or matrix of numbers
        y : ignored

        Returns
        -------
        Z : csr_array, or array where all columns are numbers, of shape (n, columns)

        Raises
        ------
        ValueError, TypeError
            As :meth:`fit`.

        Examples
        --------
        >>> encoder = RowEncoder(impute="mean")
        >>> encoder.partial_fit_transform([{"x": 1.0}, {"x": 3.0}, {"x": None}]).tolist()
        [[1.0], [3.0], [2.0]]
        >>> encoder.partial_fit_transform([{"x": None}, {"x": 8.0}, {"x": None}]).tolist()
        [[2.0], [8.0], [4.0]]
        """
        is_first = not self.__sklearn_is_fitted__()
        reader = self._new_reader() if is_first else self._reader
        is_encoded = sp.issparse(X) or column_names(X) is not None
        if is_encoded and not is_first and self._scales is None:
            return self._named(self._learned(X))
        rows = self._rows(X, reset=is_first)
        scales = RunningScaling() if is_first else self._scales
        Z = reader.learn(rows, scales.learn if self.scale and scales is not None else None)
        if is_first:
            self._reader, self._scales = reader, scales if self.scale else None
            self._set_inputs_of(rows)
        return self._named(Z)

    def _learned(self, X: object) -> Matrix:
        """Return rows of a stream; their names, and the means after them, are learned."""
        take_means(self._reader, X)
        if sp.issparse(X):
            return self._encoded(X, grows=True)
        return self._read(self._rows(X, reset=False))

    @contextmanager
    def unchanged_on_error(self) -> Iterator[None]:
        """Leave a fitted encoder as it was, if what is done within fails."""
        if not self.__sklearn_is_fitted__():
            yield
            return
        scaling = self.scaling_
        try:
            with self._reader.unchanged_on_error():
                yield
        except BaseException:
            if self._scales is not None:
                self._scales.scaling = scaling
            raise

    def _new_reader(self) -> RowReader:
        check_choice(self.scale, "scale", (False, True))
        text, interactions, missing = (
            (words,) if isinstance(words, str) else tuple(words or ())
            for words in (self.text, self.interactions, self.missing)
        )
        options = ReadOptions(
            schema=self.schema,
            impute=self.impute,
            text=text,
            bits=self.bits,
            interactions=interactions,
            missing=missing,
        )
        options.validate()
        return RowReader(options)

    # --- rows ------------------------------------------------------------------------------------

    def transform(self, X: object) -> Matrix:
        """Return rows with the columns so far, as the command's ``predict`` gives them to a model.

        Parameters
        ----------
        X : DataFrame, table, dicts, texts, or matrix of numbers
            One dict is one row. Sparse rows of a stream, ``model.read(source)``, are encoded
            already: they have the columns so far, and perhaps further ones, which are left out.

        Returns
        -------
        Z : csr_array, or array where all columns are numbers, of shape (n, columns)
            With ``columns``, a tuple of the names of its columns, unless they are hashed.

        Raises
        ------
        ValueError
            A column is missing, or a cell cannot be read: the message names it.
        TypeError
            X is nothing of these.
        """
        check_is_fitted(self)
        if sp.issparse(X):
            return self._named(self._encoded(X, grows=False))
        return self._named(self._read(self._rows(X, reset=False)))

    def _encoded(self, X: object, *, grows: bool) -> Matrix:
        """Return rows that a stream has encoded; further columns are learned, or left out."""
        if self.scaling_ is not None:
            raise TypeError(ENCODED)
        return own_columns(self._reader, X, grows=grows)

    def _read(self, rows: Table | Objects | Texts) -> Matrix:
        return self._reader.read(rows, None if self._scales is None else self._scales.scaled)

    def _named(self, Z: Matrix) -> Matrix:
        names = self._reader.names
        return Z if names is None else with_columns(Z, names[: Z.shape[1]])

    def _rows(self, X: object, *, reset: bool) -> Table | Objects | Texts:
        """Return rows as what they are; a matrix is checked as scikit-learn checks it."""
        if sp.issparse(X):
            raise TypeError(ENCODED)
        if is_matrix(X):
            names = column_names(X)
            if names is None:
                self._check_named(reset=reset)
                X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)
        return rows_of(X)

    def _check_named(self, *, reset: bool) -> None:
        """Refuse a matrix without names where the encoder knows its columns by name."""
        if reset or not hasattr(self, "feature_names_in_"):
            return
        names = self.feature_names_in_.tolist()
        listed = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
        raise ValueError(
            f"X has columns without names, but this RowEncoder knows its columns by name ({listed})"
            ": give a DataFrame or dicts with these names."
        )

    # --- description -----------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_reader")

    def _set_inputs_of(self, rows: Table | Objects | Texts) -> None:
        is_named = not isinstance(rows, Table) or rows.is_named
        self._set_inputs(self._reader.columns, is_named=is_named)

    def _set_inputs(self, columns: list[str] | None, *, is_named: bool = True) -> None:
        """Set the attributes of scikit-learn on the columns of the input."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        if columns is not None:
            self.n_features_in_ = len(columns)
            if is_named:
                self.feature_names_in_ = np.array(columns, dtype=object)

    def _fitted_reader(self) -> RowReader:
        if not self.__sklearn_is_fitted__():
            raise AttributeError("this RowEncoder is not fitted yet: call fit.")
        return self._reader

    @property
    def schema_(self) -> dict[str, str] | None:
        """Columns with their kinds."""
        schema: dict[str, str] | None = self._fitted_reader().noted()["schema"]
        return schema

    @property
    def names_(self) -> list[str] | None:
        """Columns of the output so far; None where names are hashed."""
        names = self._fitted_reader().names
        return None if names is None else list(names)

    @property
    def scaling_(self) -> Scaling | None:
        """The moments of the numbers, by which they are scaled; None without ``scale``."""
        self._fitted_reader()
        return None if self._scales is None else self._scales.scaling

    @property
    def means_(self) -> dict[str, float] | None:
        """The mean of each column of numbers, with ``impute="mean"``."""
        means: dict[str, float] | None = self._fitted_reader().noted().get("means")
        return means

    @property
    def bits_(self) -> int | None:
        """Names are hashed to 2^bits columns; None where they are not."""
        bits: int | None = self._fitted_reader().noted()["bits"]
        return bits

    @property
    def text_(self) -> tuple[str, ...]:
        """The n-grams of texts."""
        return tuple(self._fitted_reader().noted()["text"])

    def noted(self) -> Notes:
        """Return the notes of a model of these rows, from which :meth:`from_notes` reads alike.

        Returns
        -------
        dict
            Values of JSON, those of :meth:`rosenblatt.streams.Stream.noted`: ``format``,
            ``schema``, ``bits``, ``impute``, ``means`` and others; with ``impute="mean"`` also
            ``totals``, the count and the sum of each column, from which ``means`` go on. ``scale``
            is not among them.

        Examples
        --------
        >>> encoder = RowEncoder(impute="mean").fit([{"x": 1.0}, {"x": 2.0}])
        >>> notes = encoder.noted()
        >>> notes["schema"], notes["means"], notes["totals"]
        ({'x': 'number'}, {'x': 1.5}, {'x': (2, 3.0)})
        """
        check_is_fitted(self)
        return self._reader.noted()

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Names of the columns of the output so far.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the columns of the input: none but ``feature_names_in_``.

        Returns
        -------
        names : ndarray of str objects

        Raises
        ------
        ValueError
            Names are hashed, or ``input_features`` are others.
        """
        check_is_fitted(self)
        if input_features is not None:
            _check_feature_names_in(self, input_features)
        names = self._reader.names
        if names is None:
            raise ValueError(f"names are hashed to 2^{self.bits_} columns, and have no names.")
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.impute is not None or bool(self.missing)
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.dict = True
        return tags
