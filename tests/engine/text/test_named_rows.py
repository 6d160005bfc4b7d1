"""Rows of named features are sorted as NumPy sorts them, and read or refused as a whole."""

import re
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import core
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.scoring import RowScorer
from rosenblatt.engine.text.named_rows import BEYOND, INFINITE, Encoder, Path
from rosenblatt.learning.online.features import one_hot
from rosenblatt.theory import rules

SLOT = st.one_of(st.just(-1), st.integers(0, 9), st.integers(0, 5000), st.integers(0, 2**31 - 1))
SLOTS = st.lists(SLOT, max_size=130, unique_by=lambda j: j if j >= 0 else object())
NUMBER = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**70), 2**70), st.booleans()
)


def refuse(row, i):
    raise TypeError(f"{row} of {i}")


def encoder(vocabulary=(), limit=None, as_numbers=refuse):
    names = vocabulary if isinstance(vocabulary, dict) else {n: j for j, n in enumerate(vocabulary)}
    return Encoder(names, limit, as_numbers, 0), names


def assert_sorted(rows, names, slots, values):
    """The row has the entries that have a slot, in the order in which NumPy sorts them."""
    rows.encode(dict(zip(names, values, strict=True)), False)
    data, indices, ends = rows.arrays()
    slots, values = np.array(slots, np.int64), np.array([float(x) for x in values])
    order = np.argsort(slots, kind="stable")[np.count_nonzero(slots < 0) :]
    np.testing.assert_array_equal(data, values[order])
    np.testing.assert_array_equal(indices, slots[order])
    assert ends.tolist() == [0, len(order)]


@given(SLOTS, st.data())
@thorough(100)
def test_a_row_is_sorted_as_numpy_sorts_it(slots, data):
    names = [f"name {k}" for k in range(len(slots))]
    rows, _ = encoder({name: slot for name, slot in zip(names, slots, strict=True) if slot >= 0})
    for _ in range(2):  # the same names, with other values
        values = data.draw(st.lists(NUMBER, min_size=len(slots), max_size=len(slots)))
        assert_sorted(rows, names, slots, values)


@pytest.mark.parametrize("d", [1, 64, 65, 4096, 4097, 300_000])
def test_slots_of_every_length_are_sorted(rng, d):
    slots = rng.permutation(d)[:100].tolist()
    rows, vocabulary = encoder({f"name {slot}": slot for slot in slots})
    assert_sorted(rows, list(vocabulary), slots, rng.normal(size=len(slots)).tolist())


class Own:
    """A number of a user's class: what a method of it does, and then returns or raises."""

    def __init__(self, act=lambda: None, number=2.5):
        self.act, self.number = act, number

    def __float__(self):
        self.act()
        if isinstance(self.number, float):
            return self.number
        raise self.number


class Index:
    def __index__(self):
        return 7


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (np.float32(0.1), float(np.float32(0.1))),
        (np.int8(-3), -3.0),
        (np.uint64(2**63), 2.0**63),
        (np.bool_(True), 1.0),
        (np.array(2.5), 2.5),
        (Decimal("0.1"), 0.1),
        (Fraction(1, 3), 1 / 3),
        (True, 1.0),
        (2**80 + 1, 2.0**80),
        (Index(), 7.0),
        (Own(), 2.5),
        (-0.0, -0.0),
    ],
)
def test_what_float_takes_is_a_number(value, number):
    rows, _ = encoder(["a", "b"])
    for _ in range(2):
        rows.encode({"b": 1.5, "a": value}, False)
        data, _, _ = rows.arrays()
        assert data.tobytes() == np.array([number, 1.5]).tobytes()
    data, indices, _ = rows.encode_many([{"a": value}] * 2, False)
    assert data.tobytes() == np.array([number] * 2).tobytes()
    assert indices.tolist() == [0, 0]


@pytest.mark.parametrize(
    "row",
    [
        {"b": b"3"},
        {"b": [1]},
        {"b": 10**400},
        {"b": 10**400, "c": "red"},
        {"b": 1j},
        {"b": Own(number=ValueError("no"))},
        {"b": np.str_("red")},
        {"b": np.float64(1.5), "c": None},
        {5: "red"},
        {np.str_("b"): "red"},
    ],
)
def test_a_row_of_other_types_is_converted(row):
    seen = []

    def as_numbers(row, i):
        seen.append((row, i))
        return {"c": 4.0, "a": 3.0}

    rows, names = encoder(["a"], as_numbers=as_numbers)
    rows.encode(row, True)
    assert rows.arrays()[0].tolist() == [3.0, 4.0]
    rows.encode_many([{"a": 1.0}, row], True)
    assert [(given is row, i) for given, i in seen] == [(True, None), (True, 1)]
    assert names == {"a": 0, "c": 1}


JSON_VALUE = st.one_of(
    NUMBER, st.none(), st.sampled_from(["", "a", "a=a", "b=a", "é"]), st.just(-0.0)
)


@given(st.dictionaries(st.sampled_from(["a", "a=a", "a=a=a", "b", "a=b=a", "é"]), JSON_VALUE))
def test_strings_and_none_are_read_as_python_reads_them(row):
    rows, names = encoder(as_numbers=lambda row, i: {"called": 1.0})
    expected = row
    if any(value is None or isinstance(value, str) for value in row.values()):
        expected = one_hot(row)
    rows.encode(row, True)
    data, indices, _ = rows.arrays()
    assert list(names) == list(expected)
    assert data.tobytes() == np.array([*map(float, expected.values())]).tobytes()
    assert indices.tolist() == list(range(len(expected)))


def test_what_as_numbers_returns_is_checked():
    for result in ({"a": "red"}, {"a": None}, [1.0], None):
        rows, _ = encoder(as_numbers=lambda row, i, result=result: result)
        with pytest.raises(ValueError, match="as_numbers must return a dict of numbers"):
            rows.encode({"a": [1]}, True)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["known", "new", ("a", "pair")])
def test_a_value_that_is_not_finite_is_named(value, name):
    rows, names = encoder(["known"])
    fault = re.escape(f"feature {name!r} is {value}: use finite numbers, and None for a missing")
    with pytest.raises(ValueError, match=f"^{fault}"):
        rows.encode({"newer": 1.0, name: value}, True)
    with pytest.raises(ValueError, match=f"^row 1: {fault}"):
        rows.encode_many([{"newer": 1}, {name: value}, {name: -value}], True)
    assert (names, rows.ignored) == ({"known": 0}, 0)


def test_a_list_that_is_refused_adds_no_names():
    rows, names = encoder(["a"], limit=2)
    with pytest.raises(TypeError, match="of 2"):
        rows.encode_many([{"b": 1.0, "c": 2.0}, {"b": np.nan}, {"d": [1]}], True)
    with pytest.raises(ValueError, match="rows must be dicts"):
        rows.encode_many([{"b": 1.0, "c": 2.0}, [1.0]], True)
    assert (names, rows.ignored) == ({"a": 0}, 0)


@pytest.mark.parametrize("limit", [None, 0, 1, 3, 5])
def test_a_list_has_the_slots_of_its_rows_one_by_one(rng, limit):
    batch = [
        dict(zip(rng.permutation(list("abcdefg"))[:4].tolist(), [1.0, 2, 3, 4], strict=True))
        for _ in range(20)
    ]
    one, one_names = encoder(limit=limit)
    many, many_names = encoder(limit=limit)
    parts = []
    for row in batch:
        one.encode(row, True)
        parts.append(one.arrays())
    data, indices, ends = many.encode_many(batch, True)
    assert list(one_names.items()) == list(many_names.items())
    assert one.ignored == many.ignored
    assert (one.ignored > 0) == (limit is not None)
    assert data.tolist() == [x for part in parts for x in part[0]]
    assert indices.tolist() == [j for part in parts for j in part[1]]
    assert np.diff(ends).tolist() == [part[2][1] for part in parts]
    again = many.encode_many(batch, False)
    assert [a.tolist() for a in again] == [data.tolist(), indices.tolist(), ends.tolist()]


def test_equal_names_have_one_slot():
    rows, names = encoder()
    for name in (1, 1.0, True, np.int64(1)):
        rows.encode({name: 2.0}, True)
        assert rows.arrays()[1].tolist() == [0]
    for text in ("long name", "".join(["long", " name"])):
        rows.encode({text: 2.0}, True)
        assert rows.arrays()[1].tolist() == [1]
    assert len(names) == 2


def test_values_that_change_the_row_are_read_as_it_was():
    rows, names = encoder()
    row = {"a": 1.0}
    row |= {"b": Own(row.clear), "c": Own(lambda: row.update(dict.fromkeys("defgh", 1.0)))}
    rows.encode(row, True)
    assert rows.arrays()[0].tolist() == [1.0, 2.5, 2.5]
    assert names == {"a": 0, "b": 1, "c": 2}


def test_values_that_use_the_encoder_are_refused():
    def as_numbers(row, i):
        return {"a": float(row["a"])}

    rows, _ = encoder(["a"], as_numbers=as_numbers)
    for act in (lambda: rows.encode({"a": 2.0}, True), lambda: rows.encode_many([{}], True)):
        with pytest.raises(RuntimeError, match="must not use the model"):
            rows.encode({"a": Own(act)}, True)
    rows.encode({"a": 3.0}, False)
    assert rows.arrays()[0].tolist() == [3.0]


def test_an_interrupt_while_a_value_is_read_is_passed_on():
    rows, _ = encoder(["a"], as_numbers=lambda row, i: {"a": 1.0})
    with pytest.raises(KeyboardInterrupt):
        rows.encode({"a": Own(number=KeyboardInterrupt())}, False)


def test_no_reference_is_kept_or_lost():
    name, other, value = "a name " + str(len(sys.path)), ("pair", object()), Own()
    before = [sys.getrefcount(x) for x in (name, other, value)]
    rows, names = encoder()
    for row in ({name: 1.0, other: value}, {other: 2.0}, {name: value}, {name: [1]}):
        for add_names in (False, True):
            for call, features in ((rows.encode, row), (rows.encode_many, [row] * 3)):
                try:
                    call(features, add_names)
                except TypeError:
                    assert row == {name: [1]}
    del rows, names, row, call, features
    assert [sys.getrefcount(x) for x in (name, other, value)] == before


@pytest.mark.parametrize("columns", [1, 3])
def test_a_row_beyond_the_weights_is_refused(columns):
    rows, _ = encoder(["a", "b", "c"])
    spec = UpdateSpec(rules.PA(), None, np.ones(1), 0.0, True, 1.0)
    memory = state.empty(2, columns)
    scorer = RowScorer(memory, columns, average=False, tie=0.0)
    rows.encode({"b": 1.0}, False)
    assert scorer.predict(rows) == 0
    rows.encode({"c": 1.0}, False)
    for use in (scorer.predict, scorer.scores):
        with pytest.raises(ValueError, match="names beyond the weights"):
            use(rows)
    learner = core.learner(state.empty(2, 1), spec)
    with pytest.raises(ValueError, match="names beyond the weights"):
        learner.row(rows, 1.0, 1.0)


def test_weights_of_float32_learn_no_rows_of_names():
    rows, _ = encoder(["a"])
    rows.encode({"a": 1.0}, False)
    spec = UpdateSpec(rules.PA(), None, np.ones(1), 0.0, True, 1.0)
    learner = core.learner(state.empty(2, 1, np.float32), spec)
    with pytest.raises(ValueError, match="W must be of float64"):
        learner.row(rows, 1.0, 1.0)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("columns", [1, 3])
def test_a_path_is_the_encoder_the_scorer_and_the_learner(rng, columns, average):
    scheme = None if columns == 1 else multiclass.OneVsRest()
    spec = UpdateSpec(rules.PA(), scheme, np.ones(columns), 0.0, True, 1.0, average=average)
    parts = []
    for _ in range(2):
        rows, names = encoder()
        memory = state.empty(8, columns, average=average)
        scorer = RowScorer(memory, columns, average=average, tie=0.0)
        parts.append((rows, names, memory, scorer, core.learner(memory, spec)))
    (rows, names, memory, scorer, learner), (_, other_names, other, *_) = parts
    path = Path(parts[1][0], parts[1][3].core, parts[1][4])
    for t in range(40):
        row = dict(
            zip(rng.permutation(list("abcdefgh"))[:3].tolist(), rng.normal(size=3), strict=True)
        )
        y = [-1.0, 1.0][t % 2] if columns == 1 else t % columns
        rows.encode(row, False)
        assert path.predict(row) == scorer.predict(rows)
        rows.encode(row, True)
        assert path.learn(row, y, 0.5, True) == scorer.predict(rows)
        assert learner.row(rows, y, 0.5) is True
    assert names == other_names

    def arrays(memory):
        return state.arrays_of(memory).values()

    for mine, theirs in zip(arrays(memory), arrays(other), strict=True):
        assert mine.tobytes() == theirs.tobytes()
    for wide in ({"i": 1.0}, {"a": 1.0, "j": 1.0}):
        assert path.learn(wide, 0, 1.0, True) == BEYOND
        assert path.predict(wide) == BEYOND
    assert len(other_names) == 10
    for mine, theirs in zip(arrays(memory), arrays(other), strict=True):
        assert mine.tobytes() == theirs.tobytes()
    other.W[:] = 1e308
    y = -1.0 if columns == 1 else 1  # a mistake, whose step is infinite
    assert path.learn({"a": 2.0, "b": 2.0}, y, 1e300, False) == INFINITE
    with pytest.raises(ValueError, match="no learner"):
        Path(rows, scorer.core, None).learn({}, 1, 1.0, False)
