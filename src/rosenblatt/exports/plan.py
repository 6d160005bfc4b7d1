"""The plan of a model, from its weights and the notes of how its rows are read."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.engine.text.delimited import SPELLINGS
from rosenblatt.exports.terms import (
    CannotExport,
    Category,
    Column,
    Factor,
    Hashing,
    IsMissing,
    Missing,
    Ngrams,
    Number,
    Plan,
    Term,
)
from rosenblatt.learning.base import BaseLearner
from rosenblatt.learning.interface import is_fitted, tie
from rosenblatt.learning.models import files
from rosenblatt.learning.models.encoders import has_learner, learner_and_notes
from rosenblatt.learning.models.online_names import learner_and_names
from rosenblatt.learning.probabilities import is_joint
from rosenblatt.streams.core.missing import finite_numbers, missing_name
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import DEFAULT_BITS, NO_FEATURES, parse_ngram_spec
from rosenblatt.streams.features.products import ProductNames

__all__ = ["CannotExport", "Plan", "plan_of", "read_plan"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_CUTS = 1000  # of a name: those of a model that can be exported are one or few
_FORMATS_OF_NUMBERS = (None, "sklearn", "npy", "npz", "svmlight")  # without a schema


def read_plan(model: object) -> Plan:
    """Return the plan of a model: of a file, an estimator, or an encoder with a classifier.

    Parameters
    ----------
    model : path, classifier of this library, or Pipeline
        A model file of the command has the notes of how to read rows. A classifier alone takes rows
        of numbers, by their names if it was trained on a table. The steps of a ``Pipeline`` are an
        encoder of rows, which notes how it reads them, and the classifier: what a model file has.

    Raises
    ------
    CannotExport
        As :func:`plan_of`.
    ModelError, OSError
        The file cannot be loaded.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> read_plan(Perceptron().fit([[0.0], [1.0]], [0, 1])).rows
    'matrix'
    """
    notes: Notes = {}
    if isinstance(model, str | os.PathLike):
        saved, notes = files.load_with_notes(model)
    else:
        saved = model
    if has_learner(saved):
        saved, notes = _parts(saved)
    learner, names = learner_and_names(saved)
    if getattr(learner, "costs_", None) is not None:
        raise CannotExport(
            "it predicts by costs, which exported files do not: clear them by set_costs(), and "
            "compare the exported score with log(false_positive/false_negative)."
        )
    if learner is not saved and names is not None and "format" not in notes:
        notes = {"format": "jsonl"}  # an OnlinePerceptron takes rows of any names
    return plan_of(learner, notes, names)


def _parts(pipeline: object) -> tuple[Any, Notes]:
    """Return the classifier of a pipeline and its notes, as a model file has them."""
    try:
        return learner_and_notes(pipeline, None)
    except (TypeError, ValueError) as error:
        saving = f"This {type(pipeline).__name__} cannot be saved: "
        raise CannotExport(str(error).removeprefix(saving)) from error


def plan_of(learner: Any, notes: Notes, names: Sequence[str] | None) -> Plan:
    """Return the plan of a learner.

    Parameters
    ----------
    learner : classifier of this library, fitted
        It takes rows of numbers.
    notes : mapping
        How its rows are read, as :meth:`rosenblatt.streams.Stream.noted` returns it; empty for rows
        of numbers.
    names : sequence of str, or None
        The names of its features.

    Raises
    ------
    CannotExport
        It is no linear classifier of two classes or more, it votes, its rows are read in a way
        that no row of cells tells, or a name or a label is no text of Unicode.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron().fit([[0.0, 1.0], [2.0, 1.0]], ["ham", "spam"])
    >>> plan = plan_of(model, {}, ["links", "words"])
    >>> plan.columns[0], plan.terms[1].factors, plan.weights.tolist(), plan.classes
    (Column(name='links', kind='number'), (Number(column=1),), [[2.0, -1.0]], ('ham', 'spam'))
    """
    _check_learner(learner)
    rows = _kind_of_rows(notes, names)
    columns = _columns(notes, names, rows)
    missing = _missing(notes)
    hashing = _hashing(notes, columns) if _is_hashed(notes, columns) else None
    if names is None and hashing is None and rows != "matrix":
        raise CannotExport("its features have no names, and no column tells which is which.")
    _check_texts(learner, notes, names)
    coef = learner.coef_
    weights = np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef, np.float64)
    terms: tuple[Term, ...] = ()
    if rows == "objects" and hashing is None:
        _refuse_interactions(notes)
        terms = tuple(Term(name, ()) for name in names or ())
    elif rows == "table" and hashing is None:
        reader = _NameReader(columns, missing, notes.get("interactions") or (), names or ())
        terms = tuple(Term(name, reader.factors(name)) for name in names or ())
    schema = notes.get("schema") or {}
    in_data = [*schema, notes.get("target"), *(column.name for column in columns)]
    return Plan(
        rows=rows,
        columns=columns,
        missing=missing,
        terms=terms,
        hashing=hashing,
        sparse=_is_sparse(rows, columns, missing, hashing, notes),
        weights=weights,
        intercepts=np.asarray(learner.intercept_, np.float64),
        classes=tuple(learner.classes_.tolist()),
        zero_is_second=len(learner.classes_) == 2 and tie(learner) == 1,
        probabilities=_probabilities(learner),
        index_base=int(notes.get("index_base") or 0),
        all_columns=frozenset(name for name in in_data if isinstance(name, str)),
    )


# --- the learner ---------------------------------------------------------------------------------


def _check_learner(learner: object) -> None:
    name = type(learner).__name__
    if not isinstance(learner, BaseLearner):
        raise CannotExport(f"a {name} is no model of this library.")
    votes = getattr(learner, "output", "last") == "vote"
    if votes and getattr(learner, "kernel", "linear") == "linear":
        raise CannotExport("it votes with many weight vectors: train without --vote to export it.")
    if hasattr(learner, "kernel"):
        raise CannotExport(
            f"a {name} is a sum over its support rows, not one weight for each feature: only "
            "linear models are exported."
        )
    if not is_fitted(learner):
        raise CannotExport(f"this {name} is not fitted yet: call fit first.")
    if not hasattr(learner, "classes_"):
        raise CannotExport(f"a {name} predicts numbers: only classifiers are exported.")
    if len(learner.classes_) < 2:
        raise CannotExport("it has learned one class so far, and needs two to decide.")


def _check_texts(learner: Any, notes: Notes, names: Sequence[str] | None) -> None:
    """Refuse what no file in UTF-8 can hold."""
    texts = {
        "label": learner.classes_.tolist(),
        "feature": names or (),
        "column": notes.get("schema") or (),
        "spelling of a missing cell": notes.get("missing") or (),
    }
    for kind, every in texts.items():
        for text in every:
            if isinstance(text, str) and not text.isascii() and _SURROGATE.search(text):
                raise CannotExport(
                    f"its {kind} {text!a:.80} has half of a surrogate pair, which is no character: "
                    "rename it before the training."
                )


def _probabilities(learner: Any) -> str | None:
    if not hasattr(learner, "predict_proba") or learner.probabilities:
        return None
    if len(learner.classes_) == 2:
        return "logistic"
    return "softmax" if is_joint(learner) else "normalised"


# --- the rows ------------------------------------------------------------------------------------


def _kind_of_rows(notes: Notes, names: Sequence[str] | None) -> str:
    format = notes.get("format")
    if format == "vw":
        raise CannotExport(
            "it was trained on Vowpal Wabbit text, whose rows are namespaces of hashed names, not "
            "cells: train it on a table or on JSON lines."
        )
    if format == "folder":
        return "text"
    if format == "jsonl":
        return "objects"
    if notes.get("bits") is not None and not notes.get("schema"):
        raise CannotExport(
            f"its {format} data was hashed, and its notes do not tell the columns: train it on a "
            "table, or without --bits."
        )
    return "matrix" if names is None and not notes.get("schema") else "table"


def _columns(notes: Notes, names: Sequence[str] | None, rows: str) -> tuple[Column, ...]:
    schema: Mapping[str, str] | None = notes.get("schema")
    if schema is None:
        if rows != "table":
            return ()
        if notes.get("format") not in _FORMATS_OF_NUMBERS:
            raise CannotExport("its notes lack the kinds of its columns: train it again.")
        products = ProductNames(notes.get("interactions") or (), names or ())
        return tuple(Column(name, "number") for name in names or () if not _cuts(products, name))
    for name, kind in schema.items():
        if kind not in ("number", "category", "text", *NO_FEATURES):
            raise CannotExport(
                f"its column {name!r} is of the kind {kind}, and no export makes its "
                "features: make columns of them before the training."
            )
    others = NO_FEATURES if rows == "table" else ("label", "id", "weight")
    return tuple(Column(name, kind) for name, kind in schema.items() if kind not in others)


def _missing(notes: Notes) -> Missing:
    policy, spellings = notes.get("impute"), tuple(notes.get("missing") or ())
    if policy is None:
        return Missing(None, ("",), (), {})
    if policy == "mean" and notes.get("means") is None:
        raise CannotExport("its notes lack the means of its columns: train it again.")
    every = tuple(dict.fromkeys((*SPELLINGS, *spellings)))
    return Missing(policy, every, tuple(finite_numbers(spellings)), dict(notes.get("means") or {}))


def _is_hashed(notes: Notes, columns: Sequence[Column]) -> bool:
    return notes.get("bits") is not None or any(column.kind == "text" for column in columns)


def _hashing(notes: Notes, columns: Sequence[Column]) -> Hashing:
    texts = [parse_ngram_spec(spec) for spec in notes.get("text") or ()]
    return Hashing(
        bits=notes.get("bits") or DEFAULT_BITS,
        texts=tuple(Ngrams(kind, *sizes) for kind, sizes in texts),
        interactions=tuple(tuple(one.split("*")) for one in notes.get("interactions") or ()),
    )


def _refuse_interactions(notes: Notes) -> None:
    if notes.get("interactions"):
        raise CannotExport(
            "it has interactions of JSON lines, whose keys are not fixed: train it on a table, or "
            "with --bits."
        )


def _is_sparse(
    rows: str,
    columns: Sequence[Column],
    missing: Missing,
    hashing: Hashing | None,
    notes: Notes,
) -> bool:
    """Return whether the reader gives sparse rows, which are summed in another order."""
    if rows in ("objects", "text") or hashing is not None:
        return True
    if rows == "matrix":
        return notes.get("format") == "svmlight"
    return missing.policy == "indicator" or any(column.kind == "category" for column in columns)


# --- the names of features -----------------------------------------------------------------------


def _cuts(products: ProductNames, name: str) -> list[tuple[str, ...]]:
    """Return every cut of a name into the factors of a product.

    Raises
    ------
    CannotExport
        Two interactions make the product, whose value is then twice that of its factors; or there
        are more than 1,000 cuts.
    """
    cuts: set[tuple[str, ...]] = set()
    for factors in products.cuts(name):
        if factors in cuts:
            raise CannotExport(
                f"two of its interactions make the product {name!r:.80}, which so counts twice: "
                "train it with one of them."
            )
        cuts.add(factors)
        if len(cuts) > _MOST_CUTS:
            raise CannotExport(
                f"the stars in {name!r:.80} separate factors in more than {_MOST_CUTS:,} ways: "
                "rename its categories."
            )
    return sorted(cuts)


class _NameReader:
    """What the names of features stand for: the names that a table's reader gives to its terms.

    Parameters
    ----------
    columns : sequence of Column
    missing : Missing
    interactions : sequence of str
        Each ``"a*b"``.
    names : sequence of str
    """

    def __init__(
        self,
        columns: Sequence[Column],
        missing: Missing,
        interactions: Sequence[str],
        names: Sequence[str],
    ) -> None:
        self._of_kind: dict[str, dict[str, int]] = {"number": {}, "category": {}, "text": {}}
        for j, column in enumerate(columns):
            self._of_kind[column.kind][column.name] = j
        self._ends = sorted({len(name) for name in self._of_kind["category"]})
        self._missing = missing
        self._indicators: dict[str, int] = {}
        if missing.policy == "indicator":
            cells = self._of_kind["number"] | self._of_kind["category"]
            self._indicators = {missing_name(name): j for name, j in cells.items()}
        self._product_names = ProductNames(interactions, names)

    def factors(self, name: str) -> tuple[Factor, ...]:
        """Return the factors of a feature.

        A product is read as one: that a category has the same name, ``colour=red*size``, would be
        an error in training.

        Raises
        ------
        CannotExport
            No cell gives a feature of this name, or two different cells do.
        """
        readings = [*self._products(name)] or [*self._plain(name)]
        if len(readings) == 1:
            return readings[0]
        if not readings:
            problem = "which no column of its training data gives"
        else:
            problem = "which two different cells give: rename a column"
        raise CannotExport(f"it has the feature {name!r:.80}, {problem}.")

    def _plain(self, name: str) -> Iterator[tuple[Factor, ...]]:
        if name in self._of_kind["number"]:
            yield (Number(self._of_kind["number"][name]),)
        if name in self._indicators:
            yield (IsMissing(self._indicators[name]),)
        for end in (k for k in self._ends if name[k : k + 1] == "="):
            column, value = self._of_kind["category"].get(name[:end]), name[end + 1 :]
            if column is not None and value not in self._missing.spellings:
                yield (Category(column, value),)

    def _products(self, name: str) -> Iterator[tuple[Factor, ...]]:
        for parts in _cuts(self._product_names, name):
            for factors in itertools.product(*(list(self._plain(part)) for part in parts)):
                yield tuple(itertools.chain(*factors))
