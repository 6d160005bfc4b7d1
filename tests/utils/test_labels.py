"""Labels of every container and kind, in every classifier, in fit and in batches."""

import decimal
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from profiles import share

from rosenblatt import (
    Adaline,
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    VotedPerceptron,
)
from rosenblatt.utils.labels import as_labels, label_kind

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.random.default_rng(0).standard_normal((40, 3))
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
TEXT, NUMBERS, FLAGS = np.array(["eggs", "ham", "spam"])[THREE], 10 * THREE, THREE > 0
CONTAINERS = {
    "list of str": TEXT.tolist(),
    "tuple of np.str_": tuple(TEXT),
    "array of str": TEXT,
    "array of objects": TEXT.astype(object),
    "array of StringDType": TEXT.astype(np.dtypes.StringDType()),
    "pandas str": pd.Series(TEXT, dtype="str"),
    "pandas object": pd.Series(TEXT, dtype=object),
    "pandas category": pd.Series(TEXT, dtype="category"),
    "pandas string": pd.Series(TEXT, dtype="string"),
    "pandas index": pd.Index(TEXT),
    "pandas frame": pd.Series(TEXT).array,
    "polars str": pl.Series(TEXT.tolist()),
    "polars category": pl.Series(TEXT.tolist(), dtype=pl.Categorical),
    "polars enum": pl.Series(TEXT.tolist(), dtype=pl.Enum(["spam", "ham", "eggs"])),
    "list of int": NUMBERS.tolist(),
    "array of int": NUMBERS,
    "array of uint8": NUMBERS.astype(np.uint8),
    "array of int objects": NUMBERS.astype(object),
    "array of whole floats": NUMBERS.astype(float),
    "pandas int": pd.Series(NUMBERS),
    "pandas Int64": pd.Series(NUMBERS, dtype="Int64"),
    "pandas category of int": pd.Series(NUMBERS, dtype="category"),
    "polars int": pl.Series(NUMBERS),
    "list of bool": FLAGS.tolist(),
    "array of bool": FLAGS,
    "pandas bool": pd.Series(FLAGS),
    "pandas boolean": pd.Series(FLAGS, dtype="boolean"),
    "array of bool objects": FLAGS.astype(object),
    "polars bool": pl.Series(FLAGS),
}
CLASSIFIERS = [
    Perceptron,
    AveragedPerceptron,
    PassiveAggressiveClassifier,
    Adaline,
    KernelPerceptron,
    VotedPerceptron,
]


PLAIN = {str: TEXT, bool: FLAGS, object: NUMBERS}  # plain arrays of the labels, by their kind


def results(model):
    return model.classes_.tolist(), model.predict(X).tolist(), model.score(X, model.predict(X))


def learned(classifier, y, classes):
    """Results of a fit, and of two batches without and with the classes; the first model."""
    fitted = classifier(random_state=0, max_iter=3, tol=None).fit(X, y)
    open_classes = classifier(random_state=0).partial_fit(X, y).partial_fit(X, y)
    closed = classifier(random_state=0).partial_fit(X, y, classes=classes).partial_fit(X, y)
    return [results(model) for model in (fitted, open_classes, closed)], fitted


@cache
def learned_from_plain(classifier, kind):
    """What every container of this kind of labels must give."""
    y = PLAIN[kind]
    return learned(classifier, y, np.unique(y))[0]


@pytest.mark.parametrize(
    ("container", "classifier"),
    [
        (container, classifier)
        for turn, container in enumerate(CONTAINERS)
        for classifier in share(CLASSIFIERS, 6, turn)
    ],
)
def test_labels_of_every_container_are_learned_as_those_of_a_plain_array(classifier, container):
    y = CONTAINERS[container]
    kind = label_kind(next(iter(y)))
    found, fitted = learned(classifier, y, classes=y)
    assert found == learned_from_plain(classifier, kind)
    assert fitted.score(X, PLAIN[kind]) > 0.6


def test_batches_may_change_their_container():
    model = Perceptron()
    for y in (TEXT, pd.Series(TEXT), TEXT.tolist(), TEXT.astype(object)):
        model.partial_fit(X, y)
    assert model.classes_.tolist() == ["eggs", "ham", "spam"]
    late = model.partial_fit(X[:2], pd.Series(["zucchini", "ham"]))
    assert late.classes_.tolist() == ["eggs", "ham", "spam", "zucchini"]


BAD = [
    ([0.5, 1.0], r"Unknown label type: y has the label 0\.5 in row 0, a fraction.*LMSRegressor"),
    (pd.Series([1.0, 2.25]), r"y has the label 2\.25 in row 1, a fraction.*round or map"),
    (np.array([0.5, 1], object), "the label 0.5 in row 0, a fraction"),
    ([0.0, np.inf], "y has the label inf in row 1, infinite"),
    ([1.0, np.nan], "y has the label nan in row 1: NaN and None are missing.*Leave out"),
    ([1, None], "y has the label None in row 1"),
    (["a", None], "y has the label None in row 1"),
    (["a", float("nan")], "y has the label nan in row 1"),
    (pd.Series(["a", None]), "in row 1: NaN and None are missing"),
    (pd.Series([1, None], dtype="Int64"), "in row 1: NaN and None are missing"),
    (pd.Series(["a", None], dtype="category"), "in row 1: NaN and None are missing"),
    (pl.Series([1, None]), "in row 1: NaN and None are missing"),
    (["a", 1], "y has labels of mixed types: 'a' in row 0, 1 in row 1. Use one type"),
    ([True, 2], "mixed types: True in row 0, 2 in row 1"),
    (np.array([True, 2], object), "mixed types: True in row 0, 2 in row 1"),
    ([b"a", b"b"], "y has the label b'a', of bytes: decode"),
    (np.array([decimal.Decimal(1), 2]), "the label Decimal.'1'. in row 0, of type Decimal"),
    ([10**30, 1], "y has numbers beyond 64 bits: write its labels as text"),
    ([2**63 + 1, -1], "y has numbers beyond 64 bits: write its labels as text"),
    (np.array(["2026-11-29", "NaT"], "M8[D]"), "the label 2026-11-29 in row 0, of type datetime64"),
    (pd.Series(pd.to_timedelta([1, 2])), "the label .* in row 0, of type timedelta64"),
    ([[1, 2], [3, 4]], "y should be a 1d array"),
    (None, "y"),
]


@pytest.mark.parametrize("classifier", [Perceptron, KernelPerceptron])
@pytest.mark.parametrize(("y", "message"), BAD, ids=lambda value: repr(value)[:30])
def test_labels_that_are_no_classes_are_refused_by_name_row_and_remedy(classifier, y, message):
    with pytest.raises(ValueError, match=message):
        classifier().fit(X[:2], y)
    model = classifier()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X[:2], y)
    assert not hasattr(model, "classes_")


def test_whole_numbers_of_64_bits_are_exact_labels_whenever_they_come():
    ids = np.array([2**64 - 1, 2**64 - 3], np.uint64)
    rows = np.eye(2)
    first = Perceptron().partial_fit(rows, ids)
    late = Perceptron().partial_fit(rows, [0, 1]).partial_fit(rows, ids)
    assert first.classes_.tolist() == sorted(ids.tolist())
    assert late.classes_.tolist() == [0, 1, *sorted(ids.tolist())]
    signed = np.array([2**62, 2**62 + 1])
    models = [Perceptron().partial_fit(rows, signed) for _ in range(2)]
    models[0].partial_fit(rows, signed)
    models[1].partial_fit(rows, signed.astype(np.uint64))
    assert models[0].coef_.tolist() == models[1].coef_.tolist()
    with pytest.raises(ValueError, match="beyond 64 bits"):
        first.partial_fit(rows, [-1, -2])


def test_bad_classes_are_refused_by_the_name_of_their_argument():
    with pytest.raises(ValueError, match=r"classes has the label 0\.5 in row 1"):
        Perceptron().partial_fit(X[:2], [0, 1], classes=[0, 0.5, 1])


@pytest.mark.parametrize("text", [TEXT, TEXT.astype(object)], ids=["str", "object"])
def test_text_after_numbers_is_refused(text):
    with pytest.raises(ValueError, match="mixed types"):
        Perceptron().partial_fit(X, NUMBERS).partial_fit(X, text)
    with pytest.raises(ValueError, match="none of the classes"):
        Perceptron().partial_fit(X, NUMBERS, classes=[0, 10, 20]).partial_fit(X, text)
    with pytest.raises(ValueError, match="mixed types"):
        Perceptron().partial_fit(X, text).partial_fit(X, NUMBERS)


def test_label_arrays():
    assert as_labels(NUMBERS) is NUMBERS
    column = as_labels(pd.DataFrame({"label": pd.Series([3, 5], dtype="Int64")}))
    assert column.tolist() == [[3], [5]]
    assert as_labels(pd.Series(["a", "b"], dtype=object)).tolist() == ["a", "b"]
    assert label_kind(np.True_) is bool
    assert as_labels(np.array([], "S1")).tolist() == []
