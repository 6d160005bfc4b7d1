"""Drift: alarms after a rise of the error, and (almost) none without."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt.drift import BLOCK, Alarm, Drift, _likeliest_change, _merge_buckets
from rosenblatt.progressive import anytime_interval


def draw_errors(rng, *stretches):
    """Errors of consecutive stretches of (examples, probability)."""
    return np.concatenate([rng.random(n) < p for n, p in stretches])


def in_pieces(wrong, sizes):
    drift, alarms, start = Drift(), [], 0
    for size in sizes:
        alarms += drift.add(wrong[start : start + size])
        start += size
    return alarms + drift.add(wrong[start:]), drift


@given(st.lists(st.integers(0, 300), max_size=20))
@thorough(25)
def test_the_size_of_parts_changes_nothing(sizes):
    wrong = draw_errors(np.random.default_rng(1), (1500, 0.05), (500, 0.6))
    alarms, drift = in_pieces(wrong, [])
    assert alarms
    assert in_pieces(wrong, sizes)[0] == alarms
    assert drift.examples == 2000


@pytest.mark.parametrize(
    ("p", "q", "most"), [(0.01, 0.5, 64), (0.05, 0.15, 1000), (0.3, 0.4, 4000)]
)
def test_a_rise_is_detected_with_its_start_and_shares(rng, p, q, most):
    (alarm,) = Drift().add(draw_errors(rng, (10_000, p), (10_000, q)))
    assert 0 < alarm.example - 10_000 <= most
    assert abs(alarm.since - 10_001) <= 300
    assert abs(alarm.before - p) < 0.02
    assert alarm.after > 0.5 * (p + q)


def test_an_alarm_has_the_counts_of_its_segments(rng):
    wrong = draw_errors(rng, (5000, 0.02), (3000, 0.2))
    (alarm,) = Drift().add(wrong)
    since = slice(alarm.since - 1, alarm.example)
    assert alarm.after == wrong[since].mean()
    assert alarm.example % BLOCK == (alarm.since - 1) % BLOCK == 0
    low, _ = anytime_interval(int(wrong[since].sum()), alarm.example - alarm.since + 1)
    assert low > alarm.before


def test_L2_4_no_alarm_without_a_rise():
    """Of 100 streams without a rise, 1 % at most may ever raise an alarm."""
    n = np.arange(4000)
    curves = [
        np.full(4000, 0.05),
        np.full(4000, 0.5),
        0.02 + 0.48 / np.sqrt(n + 1.0),
        0.4 - n / 1e4,
    ]
    alarms = 0
    for run in range(100):
        alarms += bool(Drift().add(np.random.default_rng(run).random(4000) < curves[run % 4]))
    assert alarms <= 1


def test_low_confidence_gives_false_alarms():
    """The test above can fail."""
    runs = (Drift(0.01).add(np.random.default_rng(run).random(4000) < 0.3) for run in range(40))
    assert any(runs)


def test_a_fall_raises_no_alarm_and_is_the_new_baseline(rng):
    drift = Drift()
    assert drift.add(draw_errors(rng, (4000, 0.5), (4000, 0.05))) == []
    (alarm,) = drift.add(draw_errors(rng, (2000, 0.3)))
    assert alarm.before < 0.1
    assert alarm.example < 8400


def test_each_rise_has_an_alarm(rng):
    alarms = Drift().add(draw_errors(rng, (5000, 0.02), (5000, 0.15), (5000, 0.5)))
    assert len(alarms) == 2
    assert alarms[1].before > 0.1


def test_memory_grows_logarithmically(rng):
    drift = Drift()
    drift.add(rng.random(60_000) < 0.1)
    assert len(drift._buckets) <= 6 * 11
    assert sum(length for length, _ in drift._buckets) == 60_000 // BLOCK


@given(st.lists(st.integers(0, 32), min_size=1, max_size=200))
def test_buckets_keep_all_errors_and_grow_with_age(counts):
    buckets = []
    for errors in counts:
        buckets.append((1, errors))
        _merge_buckets(buckets)
    lengths = [length for length, _ in buckets]
    assert sum(errors for _, errors in buckets) == sum(counts)
    assert sum(lengths) == len(counts)
    assert lengths == sorted(lengths, reverse=True)
    assert all(lengths.count(length) <= 5 for length in lengths)


@given(st.lists(st.tuples(st.integers(1, 50), st.floats(0, 1)), min_size=2, max_size=12))
def test_the_likeliest_change_has_the_largest_likelihood(parts):
    """By definition: two binomials instead of one."""

    def log_likelihood(errors, n):
        p = errors / n
        return sum(k * np.log(s) for k, s in ((errors, p), (n - errors, 1 - p)) if k > 0)

    n = np.cumsum([size for size, _ in parts])
    errors = np.cumsum([round(size * share) for size, share in parts])
    likelihoods = [
        log_likelihood(e, m) + log_likelihood(errors[-1] - e, n[-1] - m)
        for e, m in zip(errors[:-1], n[:-1], strict=True)
    ]
    assert np.isclose(likelihoods[_likeliest_change(n, errors)], max(likelihoods))


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1, 2])
def test_a_confidence_out_of_range_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1"):
        Drift(confidence)


def test_one_block_of_errors_after_none_is_enough():
    drift = Drift()
    assert drift.add(np.zeros(992, bool)) == []
    assert drift.add(np.ones(BLOCK, bool)) == [Alarm(1024, 993, 0.0, 1.0)]
