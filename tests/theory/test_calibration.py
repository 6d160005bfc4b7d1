"""The calibration of scores: what it finds, in any units, and that nothing breaks it."""

import numpy as np
import pytest
from calibration_twin import NAMES, learn
from profiles import share
from scipy.special import expit

from rosenblatt.theory import calibration


def empty(columns=1):
    arrays = {name: np.zeros(columns) for name in calibration.FIELDS}
    return arrays | {"calibration.count": np.zeros(1, np.int64)}


def learned(scores, labels):
    own = empty(1 if scores.ndim == 1 else scores.shape[1])
    for score, label in zip(scores.reshape(len(scores), -1).tolist(), labels.tolist(), strict=True):
        learn(own, score, label)
    return own


def made(n=6000, a=3.0, b=-1.0, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    return scores, (rng.random(n) < expit(a * scores + b)).astype(int)


@pytest.mark.parametrize(
    ("unit", "a", "b"),
    [
        (unit, *line)
        for turn, line in enumerate([(3.0, -1.0), (0.5, 2.0), (10.0, 0.0), (0.0, -2.0)])
        for unit in share([1e-6, 1.0, 1e6], 3, turn)
    ],
)
def test_the_sigmoid_of_the_data_is_found_in_any_unit(a, b, unit):
    scores, labels = made(a=a, b=b)
    own = learned(unit * scores, labels)
    found = expit(calibration.logits(unit * scores, own))
    # 820 examples count: the mean loss of two parameters is 1/820, some of them thrice that.
    true = expit(a * scores + b)
    loss = np.mean(true * np.log(true / found) + (1 - true) * np.log((1 - true) / (1 - found)))
    assert 0.0 <= loss < 4e-3


def test_units_that_are_powers_of_two_change_no_bit():
    scores, labels = made(500)
    one, other = learned(scores, labels), learned(2.0**-40 * scores, labels)
    assert one.pop("calibration.size") == other.pop("calibration.size") * 2.0**40
    assert one == other


def test_it_is_newtons_method_on_the_logistic_loss():
    """What it finds is where the gradient of the loss is zero, over the examples as they count."""
    scores, labels = made(4000)
    own = learned(scores, labels)
    count = np.arange(1.0, len(scores) + 1)
    share = 5.0 / (count + 4.0)
    counts = share * np.append(np.cumprod((1.0 - share[1:])[::-1])[::-1], 1.0)
    residuals = counts * (labels - expit(calibration.logits(scores, own)))
    rows = np.column_stack([scores, np.ones(len(scores))])
    spread = np.sqrt(counts @ counts)  # of a sum of residuals by chance: it is far below
    assert np.abs(residuals @ rows).max() < 0.2 * spread


def test_it_follows_a_change():
    scores, labels = made(6000, a=3.0, b=0.0)
    own = learned(scores, labels)
    for score, label in zip(*made(6000, a=-1.0, b=1.0, seed=1), strict=True):
        learn(own, [score], label)
    np.testing.assert_allclose(
        expit(calibration.logits(scores, own)), expit(1.0 - scores), atol=0.08
    )


def test_several_classes_have_the_softmax_of_the_data():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(8000, 3))
    logits = scores * [1.0, 2.0, 3.0] + [0.0, 1.0, -1.0]
    labels = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    own = learned(scores, labels)
    found = calibration.logits(scores, own)
    true, found = (np.exp(z - np.logaddexp.reduce(z, axis=1)[:, None]) for z in (logits, found))
    assert np.mean(np.sum(true * np.log(true / found), axis=1)) < 1e-2


HOSTILE = [0.0, np.nan, np.inf, -np.inf, 1e300, -1e308, 5e-324, 1e-300, 1.0, -1e150]


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("seed", range(20))
def test_hostile_scores_leave_it_finite(seed, columns):
    rng = np.random.default_rng(seed)
    scores = rng.choice(HOSTILE, size=(400, columns))
    own = learned(scores[:, 0] if columns == 1 else scores, rng.integers(0, max(2, columns), 400))
    assert all(np.isfinite(array).all() for array in own.values())
    finite = rng.choice([x for x in HOSTILE if np.isfinite(x)], size=(50, columns))
    values = calibration.logits(finite[:, 0] if columns == 1 else finite, own)
    assert np.isfinite(values).all()


def test_without_an_example_it_knows_nothing():
    assert calibration.logits(np.array([5.0, -3.0]), empty()).tolist() == [0.0, 0.0]
    assert [*NAMES] == [name.removeprefix("calibration.") for name in calibration.FIELDS]
