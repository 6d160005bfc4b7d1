"""Recorded runs as JSON: every bit comes back, and other text is refused."""

import json
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import RUNS, recorded, seeds

from rosenblatt import textbook, toys
from rosenblatt.theory.textbook.trace import Trace

examples = thorough(60)
names = st.sampled_from(sorted(RUNS))
rates = st.sampled_from([1.0, 0.5, 0.3])


@examples
@given(seed=seeds, name=names, eta=rates)
def test_from_json_restores_every_bit(seed, name, eta):
    run = recorded(seed, name, eta)
    for text in (run.to_json(), run.to_json().encode()):
        read = Trace.from_json(text)
        for field in fields(Trace):
            ours, theirs = getattr(run, field.name), getattr(read, field.name)
            assert type(ours) is type(theirs), field.name
            if isinstance(ours, np.ndarray):
                assert ours.dtype == theirs.dtype
                assert ours.shape == theirs.shape
                assert ours.tobytes() == theirs.tobytes()
                assert not theirs.flags.writeable
            else:
                assert ours == theirs
        assert read.to_json() == run.to_json()


def test_runs_without_a_step_and_with_extreme_numbers_are_read():
    still = textbook.augmented_perceptron([[1.0], [-1.0]], [1, -1], start=[0.0, 1.0])
    assert len(still) == 0
    assert Trace.from_json(still.to_json()).weights.tolist() == [[0.0, 1.0]]
    X = [[5e-324, -0.0], [1e150, 1 / 3]]
    run = textbook.online_perceptron(X, [-1, -1], eta=1e-300, start=[-1e-310, 1e-5])
    assert Trace.from_json(run.to_json()).weights.tobytes() == run.weights.tobytes()


def test_options_as_numpy_numbers_are_written():
    run = textbook.online_perceptron([[1.0]], [1], np.float32(0.5), tie=np.int64(-1))
    assert (Trace.from_json(run.to_json()).tie, run.eta) == (-1, 0.5)


def test_a_run_that_overflows_is_an_error():
    run = textbook.origin_perceptron([[1.0]], [1])
    with pytest.raises(ValueError, match="not JSON compliant"):
        replace(run, score=np.array([np.inf])).to_json()


RUN = textbook.augmented_perceptron(toys.two_points().X, toys.two_points().y)
NAN, INF = float("nan"), float("inf")
DEEP = json.loads("[" * 80 + "0" + "]" * 80)


def refused(text):
    with pytest.raises(ValueError, match=r"not a trace that this version wrote: ."):
        Trace.from_json(text)


@pytest.mark.parametrize(
    "text",
    ["", "no", "null", "3", '"text"', "[]", "{}", "[" * 10**6, b"\xff\xfe", "{}" * 2, "9" * 5000],
    ids=lambda text: repr(text[:9]),
)
def test_other_json_is_refused(text):
    refused(text)


@pytest.mark.parametrize("name", json.loads(RUN.to_json()))
@pytest.mark.parametrize(
    "value",
    [
        None,
        "0",
        [],
        {},
        {"0": 1},
        [None],
        ["0"],
        [["0", "0"]],
        NAN,
        INF,
        10**400,
        [10**30],
        -2,
        DEEP,
    ],
    ids=lambda value: repr(value)[:9],
)
def test_a_field_of_another_type_is_refused(name, value):
    read = json.loads(RUN.to_json())
    if (name, value) not in [("offset", None), ("algorithm", "0"), ("epochs", 10**400)]:
        refused(json.dumps({**read, name: value}))
    del read[name]
    refused(json.dumps(read))


@pytest.mark.parametrize(
    "change",
    [
        {"format": "another"},
        {"version": 2},
        {"algorithm": 3},
        {"eta": True},
        {"eta": 0.0},
        {"eta": -1.0},
        {"tie": True},
        {"tie": 1.0},
        {"tie": 2},
        {"epochs": 1.5},
        {"epochs": True},
        {"converged": 1},
        {"offset": False},
        {"offset": 0.0},
        {"offset": 1},
        {"offset": -1},  # the last place holds no constant 1
        {"X": [[1.0, 2.0, 1.0], [1.0, 1.0]]},
        {"X": [[1.0, 1.0, NAN], [1.0, 2.0, 1.0]]},
        {"X": [[1.0, 1.0, 2.0]]},
        {"X": [[1.0], [1.0]]},
        {"X": [[1.0], [1.0]], "weights": [[0.0], [1.0], [2.0]]},  # nothing but the constant 1
        {"X": [[], []]},
        {"X": [], "y": []},
        {"y": [1, 0]},
        {"y": [1.0, -1.0]},
        {"y": [True, True]},
        {"y": [[1], [-1]]},
        {"weights": [[0.0, 0.0, 0.0]]},
        {"weights": [[0.0, 0.0, 0.0]] * 5},
        {"weights": [[0.0, 0.0, INF]] * 3},
        {"weights": [0.0, 1.0, 2.0]},
        {"order": [1, 2]},
        {"order": [1, -1]},
        {"order": [0.5, 1.0]},
        {"order": [1]},
        {"order": [[1], [0]]},
        {"order": [True, False]},
        {"order": 1, "used": 0, "score": 0, "prediction": 1, "label": 1, "mistake": True},
        {"used": [1, 0]},
        {"used": [1, 1]},
        {"used": [0, 2]},
        {"used": [0, 3]},
        {"score": [NAN, 0.0]},
        {"score": [None, 0.0]},
        {"score": [True, False]},
        {"prediction": [1, 7]},
        {"label": [2, 1]},
        {"mistake": [1, 1]},
        {"mistake": ["false", "false"]},
        {"mistake": [True]},
    ],
    ids=str,
)
def test_an_inconsistent_trace_is_refused(change):
    read = json.loads(RUN.to_json())
    assert Trace.from_json(json.dumps(read)).to_json() == RUN.to_json()
    refused(json.dumps(read | change))


def test_numbers_too_large_for_a_float_are_refused():
    refused(RUN.to_json().replace('"eta": 1.0', '"eta": 1e999'))
    refused(RUN.to_json().replace('"score": [0.0', '"score": [1e999'))
