"""Synthetic signals for echo cancellation: speech, room response, echo, and the optimal filter.

The echo canceller of lecture row L2.11: the loudspeaker's signal x (the far end) returns to the
microphone as d = h * x, with h the impulse response of the room or of the cable. A filter with the
weights h removes the echo. All signals are arrays of shape (n,), at 8,000 samples per second as on
the telephone. Random numbers come from ``numpy.random.default_rng(seed)`` with an integer seed
>= 0. An argument with another shape, or with a number that is not finite or out of range, is a
ValueError that names it.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from rosenblatt.utils.arrays import Array, ArrayLike, NDArray
from rosenblatt.utils.checks import Floats, check_array, check_float, check_int, check_vector

__all__ = [
    "RATE",
    "delay_line",
    "double_talk",
    "echo",
    "echo_return_loss",
    "optimal_filter",
    "room_response",
    "speech",
]


RATE = 8000  # samples per second
BLOCK = 8192  # rows of a delay line in memory at once

# The first three resonances of the vowels a, e, i, o, u in hertz (Peterson and Barney 1952, men).
VOWELS = np.array(
    [(730, 1090, 2440), (530, 1840, 2480), (270, 2290, 3010), (570, 840, 2410), (300, 870, 2240)]
)
BANDWIDTH = 90.0  # of a resonance, in hertz


def room_response(taps: int = 256, *, decay: float = 40.0, seed: int = 0) -> Floats:
    """Impulse response of a room: direct sound, early reflections, an exponential tail.

    h[t] = 0 until the sound arrives at t0 = taps // 16. From t0 on, h[t] is exp(-(t - t0)/decay)
    times 1 at t0, and times 1/5 of a normal random number later, with ±1/2 added at up to five
    early reflections. The scale is ‖h‖ = 1/4, so that the echo of white noise is 12 dB weaker.

    Parameters
    ----------
    taps : int, default 256
        Length of the response, >= 1; 256 taps are 32 ms.
    decay : float, default 40.0
        Number of samples in which the tail falls to 1/e, > 0.
    seed : int, default 0

    Returns
    -------
    array of shape (taps,)

    Notes
    -----
    Lecture row L2.11.

    Examples
    --------
    >>> h = room_response(taps=64)
    >>> h[:4], float(np.linalg.norm(h).round(12)), int(np.abs(h).argmax())
    (array([0., 0., 0., 0.]), 0.25, 4)
    """
    taps, decay = check_int(taps, "taps", minimum=1), check_float(decay, "decay", above=0.0)
    rng = np.random.default_rng(check_int(seed, "seed", minimum=0))
    after = np.arange(taps - taps // 16)  # samples since the arrival of the sound
    h = rng.standard_normal(len(after)) / 5.0
    h[rng.integers(len(after), size=5) // 3] += rng.choice([-0.5, 0.5], 5)
    h[0] = 1.0
    h *= np.exp(-after / decay)
    return np.concatenate([np.zeros(taps // 16), h / (4.0 * np.linalg.norm(h))])


def speech(n: int, *, seed: int = 0) -> Floats:
    """Synthetic speech: syllables of vowels and noise, with pauses between them.

    A syllable lasts 0.12 to 0.3 s: a burst of white noise, then the harmonics of a gliding pitch
    and noise, both filtered by the three resonances of a vowel, under a sine-squared envelope. A
    pause of 0.2 to 0.5 s follows one syllable in four. The power is 1; a background noise 60 dB
    below the syllables prevents exact silence.

    Parameters
    ----------
    n : int
        Number of samples, >= 1.
    seed : int, default 0

    Returns
    -------
    array of shape (n,)

    Notes
    -----
    Lecture row L2.11. Source and filter: Fant 1960.

    Examples
    --------
    >>> x = speech(2 * RATE)
    >>> x.shape, float((x**2).mean().round(12))
    ((16000,), 1.0)
    """
    n = check_int(n, "n", minimum=1)
    rng = np.random.default_rng(check_int(seed, "seed", minimum=0))
    parts: list[Floats] = []
    while sum(map(len, parts)) < n:
        parts.append(rng.uniform(0.5, 1.5) * _syllable(rng))
        if rng.random() < 0.25:
            parts.append(np.zeros(_random_length(rng, 0.2, 0.5)))
    x = np.concatenate(parts)[:n] + 0.001 * rng.standard_normal(n)
    return _unit_power(x)


def _syllable(rng: np.random.Generator) -> Floats:
    """One syllable, of power 1."""
    n = _random_length(rng, 0.12, 0.3)
    vowel = VOWELS[rng.integers(len(VOWELS))]
    start, end = rng.uniform(90.0, 150.0, 2)
    pitch = np.linspace(start, end, n)[:, np.newaxis]
    k = np.arange(1.0, RATE / 2 // max(start, end))
    phase = 2.0 * np.pi * np.cumsum(pitch, axis=0) / RATE
    voice = (np.cos(k * phase) * _resonance(k * pitch, vowel) / k).sum(axis=1)
    noise = rng.standard_normal(n)
    spectrum = np.fft.rfft(noise) * _resonance(np.fft.rfftfreq(n, 1.0 / RATE), vowel)
    swell = np.sin(np.linspace(0.0, np.pi, n)) ** 2
    burst = 0.5 * noise * np.exp(-np.arange(n) / (0.01 * RATE))
    x = (_unit_power(voice) + 0.1 * _unit_power(np.fft.irfft(spectrum, n))) * swell + burst
    return _unit_power(x)


def _resonance(hertz: Array, formants: Floats) -> Floats:
    """Gain of the mouth at each frequency: a product of three resonances."""
    ratio = hertz[..., np.newaxis] / formants
    gain: Floats = 1.0 / np.hypot(1.0 - ratio**2, ratio * BANDWIDTH / formants).prod(axis=-1)
    return gain


def _unit_power(x: Floats) -> Floats:
    scaled: Floats = x / np.sqrt((x**2).mean())
    return scaled


def _random_length(rng: np.random.Generator, shortest: float, longest: float) -> int:
    """Draw a random duration in seconds; return it as a number of samples."""
    return int(rng.uniform(shortest, longest) * RATE)


def echo(far: ArrayLike, response: ArrayLike) -> Floats:
    """Echo of a signal: d[t] = Σ_i h[i] x[t - i], with x = 0 before the start.

    Parameters
    ----------
    far : array of shape (n,)
        The far end x.
    response : array of shape (taps,)
        The response h.

    Returns
    -------
    array of shape (n,)

    Notes
    -----
    Lecture row L2.11.

    Examples
    --------
    >>> echo([1.0, 0.0, 2.0], [0.5, 0.25])
    array([0.5 , 0.25, 1.  ])
    """
    x, h = check_array(far, "far", "(n,)", 1), check_array(response, "response", "(taps,)", 1)
    return np.convolve(x, h)[: len(x)]


def delay_line(x: ArrayLike, taps: int) -> Floats:
    """Rows for an adaptive filter: row t is (x[t], x[t - 1], …, x[t - taps + 1]).

    Before the start x is 0. An `echo` is then a matrix product, ``delay_line(x, taps) @ h``.

    Parameters
    ----------
    x : array of shape (n,)
    taps : int
        Length of a row, >= 1.

    Returns
    -------
    array of shape (n, taps)
        A view of n + taps - 1 numbers, read-only.

    Notes
    -----
    Lecture row L2.11.

    Examples
    --------
    >>> delay_line([1.0, 2.0, 3.0], taps=2)
    array([[1., 0.],
           [2., 1.],
           [3., 2.]])
    """
    x, taps = check_array(x, "x", "(n,)", 1), check_int(taps, "taps", minimum=1)
    return sliding_window_view(np.concatenate([np.zeros(taps - 1), x]), taps)[:, ::-1]


def optimal_filter(x: ArrayLike, d: ArrayLike, taps: int) -> Floats:
    """Optimal fixed filter: the w that minimises Σ_t (d[t] - w·x_t)².

    The Wiener filter of this recording: the solution of R w = p with R = Σ x_t x_tᵀ and
    p = Σ d[t] x_t, where x_t are the rows of `delay_line`; the shortest of several solutions.

    Parameters
    ----------
    x, d : array of shape (n,)
        Input of the filter, and its desired output.
    taps : int
        Length of the filter, >= 1.

    Returns
    -------
    array of shape (taps,)

    Notes
    -----
    Lecture row L2.11. Wiener 1949.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal(100)
    >>> optimal_filter(x, echo(x, [0.5, 0.25]), taps=3).round(9)
    array([0.5 , 0.25, 0.  ])
    """
    line = delay_line(x, taps)
    d = check_vector(d, "d", len(line))
    R, p = np.zeros((taps, taps)), np.zeros(taps)
    for start in range(0, len(d), BLOCK):
        rows = np.ascontiguousarray(line[start : start + BLOCK])
        R += rows.T @ rows
        p += rows.T @ d[start : start + BLOCK]
    w: Floats = np.linalg.lstsq(R, p)[0].astype(np.float64)
    return w


def echo_return_loss(d: ArrayLike, e: ArrayLike, window: int) -> Floats:
    """Echo return loss enhancement (ERLE) in decibels, 10 log10 (Σ d² / Σ e²), for each window.

    ``window=len(d)`` gives one number for the complete signal.

    Parameters
    ----------
    d, e : array of shape (n,)
        The microphone's signal, and the remaining error.
    window : int
        Samples in a window, 1 <= window <= n. An incomplete window at the end does not count.

    Returns
    -------
    array of shape (n // window,)
        inf for a window with e = 0, nan for a window with d = e = 0.

    Notes
    -----
    Lecture row L2.11. ITU-T recommendation G.168.

    Examples
    --------
    >>> echo_return_loss([10.0, 10.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], window=2)
    array([20.,  0.])
    """
    d = check_array(d, "d", "(n,)", 1)
    e, window = check_vector(e, "e", len(d)), check_int(window, "window", minimum=1)
    if window > len(d):
        raise ValueError(f"window must be at most n = {len(d)}, got {window}")
    n_used = len(d) // window * window
    before, after = ((signal[:n_used].reshape(-1, window) ** 2).sum(axis=1) for signal in (d, e))
    with np.errstate(divide="ignore", invalid="ignore"):
        decibels: Floats = 10.0 * np.log10(before / after)
    return decibels


def double_talk(
    x: ArrayLike, d: ArrayLike, taps: int, *, threshold: float = 0.5, hold: int = 800
) -> NDArray[np.bool_]:
    """Geigel's double-talk detector: the near end talks if ``|d[t]| > threshold max_i |x[t - i]|``.

    An echo alone cannot exceed the threshold if ``Σ |h|`` is at most the threshold, and rarely does
    if the echo path attenuates by 6 dB. The maximum is over the last `taps` samples. A detection
    lasts for `hold` samples, since a voice passes through zero.

    Parameters
    ----------
    x, d : array of shape (n,)
        The far end and the microphone.
    taps : int
        Length of the echo path in samples, >= 1.
    threshold : float, default 0.5
        > 0; one half is 6 dB, the minimum attenuation of a telephone's hybrid.
    hold : int, default 800
        Duration of a detection in samples, >= 1; 800 are 0.1 s.

    Returns
    -------
    array of bool of shape (n,)
        True where `adaptive_filter` should not change its weights (its parameter `held`).

    Notes
    -----
    Lecture row L2.11. Duttweiler 1978.

    Examples
    --------
    >>> double_talk([4.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 3.0, 0.0, 0.0], taps=3, hold=2)
    array([False, False,  True,  True, False])
    """
    x = check_array(x, "x", "(n,)", 1)
    d, threshold = check_vector(d, "d", len(x)), check_float(threshold, "threshold", above=0.0)
    hold = check_int(hold, "hold", minimum=1)
    loudest = delay_line(np.abs(x), taps).max(axis=1)
    loud = np.abs(d) > threshold * loudest
    near_talk: NDArray[np.bool_] = delay_line(loud, hold).max(axis=1) > 0.0
    return near_talk
