"""Rows that the core has parsed are learned as dicts are, bit for bit."""

import json
from typing import NamedTuple

import numpy as np
import pytest

from rosenblatt import OnlinePerceptron
from rosenblatt.engine.serving.examples import ExampleParser
from rosenblatt.learning.linear.base import OutOfRangeError
from rosenblatt.learning.models import files
from rosenblatt.learning.online.base import predict_then_learn_rows
from rosenblatt.learning.online.estimator import predict_then_learn

CONFIGS = [
    {}, {"output": "average"}, {"rule": "arow"}, {"rule": "pa2", "multi_class": "joint"},
    {"class_weight": {"a": 3.0, "b": 0.5}}, {"max_features": 40}, {"fit_intercept": False},
]  # fmt: skip


class Slow(NamedTuple):
    """A rule of a user."""

    rate: float = 0.5

    def step(self, score, y, sqnorm):
        return self.rate if score * y <= 0.0 else 0.0


def examples(count, labels, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        columns = rng.choice(60, 6, replace=False)
        row = {f"n{j}": float(rng.standard_normal()) for j in columns}
        row |= {"colour": str(rng.choice(["red", "blue", "ä"])), "new": bool(rng.integers(2))}
        row |= {"gone": None, "zero": -0.0}
        yield row, labels[rng.integers(len(labels))], float(rng.choice([1.0, 0.0, 2.5]))


def block_of(rows):
    lines = [json.dumps({"features": x, "label": y, "weight": w}).encode() for x, y, w in rows]
    block, left = ExampleParser(100, 100, 1e300).parse(lines)
    assert not left
    return block


@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize("labels", ["ab", "abcd"])
def test_models_are_those_of_dicts(config, labels):
    if len(labels) > 2 and "class_weight" in config:
        config = {"class_weight": dict.fromkeys(labels, 2.0)}
    rows = list(examples(300, labels))
    one, many = OnlinePerceptron(**config), OnlinePerceptron(**config)
    expected = [predict_then_learn(one, *row) for row in rows]
    predicted = []
    block = block_of(rows)
    for start, stop in ((0, 1), (1, 2), (2, 90), (90, 90), (90, 300)):
        part = []
        predict_then_learn_rows(many, block, start, stop, part)
        predicted += part
    assert predicted == expected
    assert files.to_bytes(many) == files.to_bytes(one)
    assert many.ignored_ == one.ignored_


def test_a_rule_without_a_loop_of_the_core_learns_them_too():
    rows = list(examples(60, "ab"))
    one, many, part = OnlinePerceptron(rule=Slow()), OnlinePerceptron(rule=Slow()), []
    expected = [predict_then_learn(one, *row) for row in rows]
    predict_then_learn_rows(many, block_of(rows), 0, len(rows), part)
    assert part == expected
    assert many.weights_of("b") == one.weights_of("b")


def test_those_before_a_fault_are_learned_and_none_after_it():
    rows, counts = list(examples(40, "ab")), []
    for label in "ab":  # one of them is wrong, and its step is too large
        rows[25] = ({"n1": 1e200, "n2": 1e200}, label, 1e200)
        part = []
        try:
            predict_then_learn_rows(OnlinePerceptron(), block_of(rows), 0, 40, part)
        except OutOfRangeError:
            counts.append(len(part))
    assert counts == [25]
    one = OnlinePerceptron()
    mixed = block_of([*rows[:5], ({"n1": 1.0}, 7, 1.0), *rows[5:10]])
    part = []
    with pytest.raises(ValueError, match=r"mixed types|another kind"):
        predict_then_learn_rows(one, mixed, 0, 11, part)
    assert len(part) == 5
    assert one.t_ == 6
