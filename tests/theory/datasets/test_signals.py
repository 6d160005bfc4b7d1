"""Synthetic signals, and filters that recover their responses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt import signals
from rosenblatt.signals import RATE
from rosenblatt.textbook import adaptive_filter

examples = thorough(40)
seeds = st.integers(0, 2**32 - 1)
waves = st.lists(st.floats(-100, 100), min_size=1, max_size=30)


@examples
@given(taps=st.integers(1, 600), decay=st.floats(1, 500), seed=seeds)
def test_L2_11_a_room_is_silent_until_the_sound_arrives(taps, decay, seed):
    h = signals.room_response(taps, decay=decay, seed=seed)
    arrival = taps // 16
    assert h.shape == (taps,)
    assert not h[:arrival].any()
    assert h[arrival] > 0
    assert np.linalg.norm(h) == pytest.approx(0.25, rel=1e-12)
    np.testing.assert_array_equal(h, signals.room_response(taps, decay=decay, seed=seed))


def test_L2_11_a_room_decays_at_the_given_rate():
    rooms = np.array([signals.room_response(512, decay=50.0, seed=seed) for seed in range(200)])
    power = (rooms**2).mean(axis=0)
    tail = np.arange(250, 500)  # past all early reflections
    slope = np.polyfit(tail, np.log(power[tail]), 1)[0]
    assert slope == pytest.approx(-2 / 50, rel=0.03)


def test_L2_11_speech_has_syllables_pauses_and_a_pitch():
    x = signals.speech(20 * RATE, seed=5)
    assert (x**2).mean() == pytest.approx(1.0, rel=1e-12)
    assert x.all()  # no silence to the bit
    loudness = 10 * np.log10((x.reshape(-1, RATE // 50) ** 2).mean(axis=1))
    assert 0.08 < (loudness < -40).mean() < 0.5  # pauses
    assert (loudness > -10).mean() > 0.4
    loud = x.reshape(-1, RATE // 20)[(x.reshape(-1, RATE // 20) ** 2).mean(axis=1) > 1.0]
    spectra = np.abs(np.fft.rfft(loud, n=RATE)) ** 2  # a hertz each
    below, above = spectra[:, 60:1000].sum(), spectra[:, 1000:].sum()
    assert 0.5 < below / (below + above) < 0.999  # most of it low, some high
    lags = np.arange(RATE // 160, RATE // 80)
    pitched = [
        max(np.dot(part[lag:], part[:-lag]) for lag in lags) / (part @ part) for part in loud
    ]
    assert np.median(pitched) > 0.5  # it repeats itself from 80 to 160 times a second


@given(n=st.integers(1, 3000), seed=seeds)
@examples
def test_speech_of_any_length_is_the_same_for_the_same_seed(n, seed):
    x = signals.speech(n, seed=seed)
    assert x.shape == (n,)
    assert np.isfinite(x).all()
    np.testing.assert_array_equal(x, signals.speech(n, seed=seed))
    assert not np.array_equal(x, signals.speech(n, seed=seed + 1)) or n == 1


@examples
@given(x=waves, h=waves)
def test_L2_11_a_delay_line_times_the_response_is_the_echo(x, h):
    line = signals.delay_line(x, len(h))
    assert line.shape == (len(x), len(h))
    for t in range(len(x)):
        for i in range(len(h)):
            assert line[t, i] == (x[t - i] if i <= t else 0.0)
    np.testing.assert_allclose(line @ h, signals.echo(x, h), rtol=1e-9, atol=1e-9)


def test_a_delay_line_is_a_view():
    line = signals.delay_line(np.ones(1_000_000), 1000)
    assert line.strides == (8, -8)  # as an array of its own it would take 8 GB
    assert not line.flags.writeable


@pytest.mark.parametrize("n", [300, 2 * signals.BLOCK + 77])
def test_L2_11_the_optimal_filter_is_the_least_squares_solution(n, rng):
    x, d = signals.speech(n, seed=2), rng.standard_normal(n)
    w = signals.optimal_filter(x, d, 20)
    expected = np.linalg.lstsq(np.array(signals.delay_line(x, 20)), d)[0]
    np.testing.assert_allclose(w, expected, rtol=1e-6, atol=1e-9)


def test_L2_11_the_optimal_filter_finds_the_room_and_takes_the_shortest_of_several():
    h = signals.room_response(64, seed=3)
    x = signals.speech(RATE, seed=4)
    np.testing.assert_allclose(signals.optimal_filter(x, signals.echo(x, h), 64), h, atol=1e-8)
    np.testing.assert_array_equal(signals.optimal_filter(np.zeros(9), np.ones(9), 3), np.zeros(3))


def test_echo_return_loss_by_hand():
    d, e = [3.0, 1.0, 20.0, 0.0, 0.0, 0.0, 7.0], [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 7.0]
    found = signals.echo_return_loss(d, e, window=2)
    np.testing.assert_allclose(found, [10.0, 20.0, math.nan])  # the seventh is left over
    assert signals.echo_return_loss([1.0], [0.0], window=1)[0] == math.inf
    assert signals.echo_return_loss([0.0], [1.0], window=1)[0] == -math.inf


@examples
@given(seed=seeds, taps=st.integers(1, 12), hold=st.integers(1, 12), threshold=st.floats(0.1, 2))
def test_L2_11_double_talk_is_found_where_it_is_defined(seed, taps, hold, threshold):
    rng = np.random.default_rng(seed)
    x, d = rng.standard_normal((2, 60))
    found = signals.double_talk(x, d, taps, threshold=threshold, hold=hold)
    loud = [abs(d[t]) > threshold * abs(x[max(0, t - taps + 1) : t + 1]).max() for t in range(60)]
    held = [any(loud[max(0, t - hold + 1) : t + 1]) for t in range(60)]
    assert found.dtype == bool
    assert found.tolist() == held


def test_L2_11_the_adaptive_filter_is_its_formula(rng):
    x, d = rng.standard_normal((2, 50))
    held = rng.random(50) < 0.3
    for normalised in (True, False):
        e, w = adaptive_filter(x, d, 3, 0.2, normalised=normalised, eps=0.5, held=held)
        by_hand = np.zeros(3)
        for t in range(50):
            row = np.array([x[t - i] if i <= t else 0.0 for i in range(3)])
            error = d[t] - row @ by_hand
            assert e[t] == pytest.approx(error, rel=1e-9, abs=1e-12)
            if not held[t]:
                by_hand += 0.2 * error / (0.5 + row @ row if normalised else 1.0) * row
        np.testing.assert_allclose(w, by_hand, rtol=1e-9, atol=1e-12)


def test_L2_11_silence_moves_nothing():
    e, w = adaptive_filter(np.zeros(4), np.ones(4), 2, mu=0.5)
    np.testing.assert_array_equal(e, np.ones(4))
    np.testing.assert_array_equal(w, np.zeros(2))


def test_L2_11_normalised_the_distance_to_the_room_never_grows():
    h = signals.room_response(16, seed=1)
    x = signals.speech(400, seed=6) * np.geomspace(1e-3, 1e3, 400)  # whatever the scale
    d = signals.echo(x, h)
    distances = [
        np.linalg.norm(adaptive_filter(x[:t], d[:t], 16, mu=1.9).weights - h)
        for t in range(1, 400, 20)
    ]
    assert (np.diff(distances) <= 1e-12).all()
    assert distances[-1] < 0.5 * distances[0]
    with pytest.raises(ValueError, match=r"diverged: choose mu < 1\.9$"):
        adaptive_filter(x, d, 16, mu=1.9, normalised=False)
    with pytest.raises(ValueError, match="the weights diverged"):  # with the last sample
        adaptive_filter([1e200], [1e200], 1, mu=1.0, normalised=False)


x = [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: signals.room_response(0), "taps must be a whole number >= 1"),
        (lambda: signals.room_response(decay=0.0), "decay must be a finite number > 0"),
        (lambda: signals.room_response(seed=-1), "seed must be a whole number >= 0"),
        (lambda: signals.speech(0), "n must be a whole number >= 1"),
        (lambda: signals.speech(5, seed=0.5), "seed must be a whole number >= 0"),
        (lambda: signals.echo([], [1.0]), "far must have shape"),
        (lambda: signals.echo(x, [math.nan]), "response must be finite"),
        (lambda: signals.delay_line(x, 0), "taps must be a whole number >= 1"),
        (lambda: signals.optimal_filter(x, [1.0], 2), r"d must have shape \(3,\)"),
        (lambda: signals.echo_return_loss(x, [1.0], 1), r"e must have shape \(3,\)"),
        (lambda: signals.echo_return_loss(x, x, 4), "window must be at most n = 3, got 4"),
        (lambda: signals.double_talk(x, x, 2, threshold=0.0), "threshold must be a finite"),
        (lambda: signals.double_talk(x, x, 2, hold=0), "hold must be a whole number >= 1"),
        (lambda: adaptive_filter(x, [1.0], 2, 0.5), r"d must have shape \(3,\)"),
        (lambda: adaptive_filter(x, x, 2, 0.0), "mu must be a finite number > 0"),
        (lambda: adaptive_filter(x, x, 2, 0.5, eps=-1.0), "eps must be a finite number >= 0"),
        (lambda: adaptive_filter(x, x, 2, 0.5, held=[True]), r"held must have shape \(3,\)"),
    ],
)
def test_an_argument_out_of_range_is_named(call, match):
    with pytest.raises(ValueError, match=match):
        call()
