"""
Echo cancellation: a linear neuron that learns a room
=====================================================

On a telephone line, or with a loudspeaker, a caller hears an echo of his own voice: the far-end
signal x comes back from the near end as d[t] = Σ h[i] x[t − i], where h is the response of the
room. A linear neuron that predicts d from the last 256 samples is a model of the room. The error of
its prediction is d without the echo, and it learns from this error. Lecture row L2.11.
"""  # noqa: D205, D400

# %%
# **A voice, a room, a microphone.** Ten seconds at 8 kHz. All three are synthetic, so h is known:
# it lasts 32 ms. The noise of the microphone is 30 dB below the echo, and no filter can remove
# it.
from __future__ import annotations

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from rosenblatt import LMSRegressor, rules
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PALE, PURPLE
from rosenblatt.signals import (
    RATE,
    delay_line,
    double_talk,
    echo,
    echo_return_loss,
    optimal_filter,
    room_response,
    speech,
)
from rosenblatt.textbook import adaptive_filter

n, taps = 10 * RATE, 256
x = speech(n, seed=1)
h = room_response(taps)
back = echo(x, h)
noise = np.sqrt((back**2).mean() / 1000) * np.random.default_rng(0).standard_normal(n)
d = back + noise

# %%
# **Three filters.** Least mean squares (LMS) steps along x_t by μ e, and μ must be small enough
# for the loudest moment: μ < 2/max ‖x_t‖². Normalised LMS divides by ε + ‖x_t‖² and learns
# equally fast in quiet and in loud moments; ε prevents steps in the pauses, which contain only
# noise. The best filter is computed afterwards, from all ten seconds at once. Each filter is
# judged by the decibels that it removes, 10 log10 (Σ d²/Σ e²).
line = delay_line(x, taps)
loudest = max(row @ row for row in line)
began = time.perf_counter()
normalised = adaptive_filter(x, d, taps, mu=0.5, eps=10.0)
seconds = time.perf_counter() - began
plain = max(  # the best of four step sizes
    (adaptive_filter(x, d, taps, mu / loudest, normalised=False) for mu in (0.25, 0.5, 1.0, 1.5)),
    key=lambda filtered: -(filtered.errors**2).sum(),
)
best = optimal_filter(x, d, taps)
left = {"best": d - line @ best, "NLMS": normalised.errors, "LMS": plain.errors}
first, last = slice(RATE), slice(n - RATE, n)
for name, e in left.items():
    losses = [echo_return_loss(d[part], e[part], RATE)[0] for part in (first, last)]
    print("{:4}  {:.1f} dB in the first second, {:.1f} dB in the last".format(name, *losses))

# %%
# **The same filter, compiled.** `LMSRegressor` learns the rows of the delay line, one block per
# second. Its weights are those of the textbook.
model = LMSRegressor(rule=rules.NormalizedLMS(0.5, 10.0), fit_intercept=False, shuffle=False)
clone(model).partial_fit(line[:RATE], d[:RATE])  # the first block compiles
began = time.perf_counter()
for start in range(0, n, RATE):
    model.partial_fit(line[start : start + RATE], d[start : start + RATE])
compiled = time.perf_counter() - began
print(f"{seconds / n * 1e6:.1f} µs a sample as written, {compiled / n * 1e6:.2f} µs compiled")
print(f"largest difference of a weight: {np.abs(model.coef_ - normalised.weights).max():.0e}")

# %%
# **Double talk.** From second 4 to 7 the near end talks, too. For the filter this is a large
# error, and it unlearns the room. Geigel's detector compares loudness: this room rarely returns
# more than a quarter of the peak of the last 32 ms, so a louder signal is probably a voice, and
# the weights are frozen. The measure is now the remaining echo under a voice that should pass.
# (No detector is perfect: it also freezes the weights needlessly, and with some voices a soft
# beginning is missed.)
talks = slice(4 * RATE, 7 * RATE)
near = np.zeros(n)
near[talks] = speech(3 * RATE, seed=3)
both = d + near
found = double_talk(x, both, taps, threshold=0.25)
needless = double_talk(x, d, taps, threshold=0.25).mean()
print(f"without near-end speech the weights would be frozen {needless:.0%} of the time")
resting, restless = (
    adaptive_filter(x, both, taps, mu=0.5, eps=10.0, held=held).errors - near - noise
    for held in (found, None)
)
for name, e in (("with the detector", resting), ("without", restless)):
    loss = echo_return_loss(back[talks], e[talks], 3 * RATE)[0]
    print(f"while both talk, {name}: {loss:.1f} dB of the echo")

# %%
# **The signal, the remainder, and the weights.** In a pause of the far end only the microphone's
# noise remains, which no filter removes: these are the two valleys of the second panel.
figure = style.figure(9.6, 7.6)
heard, taken, doubled, room = (figure.add_subplot(2, 2, place) for place in (1, 2, 3, 4))
for axes in (heard, taken, doubled):
    style.open_frame(axes)
    axes.set_xlabel("seconds")
window = RATE // 2
middle = (np.arange(n // window) + 0.5) * window / RATE


def curve(axes, signal, e, name, place, colour, **look):
    """Draw the decibels window by window, with a name at the given point."""
    axes.plot(middle, echo_return_loss(signal, e, window), color=colour, **look)
    axes.text(*place, name, color=colour, fontsize=10)


style.title(
    heard, "After half a second the echo is gone", "grey: microphone; green: after the filter"
)
moments = np.arange(2 * RATE) / RATE
heard.plot(moments, d[: 2 * RATE], color=GREY, linewidth=0.6)
heard.plot(moments, normalised.errors[: 2 * RATE], color=GREEN, linewidth=0.6)
heard.set(xticks=[0, 0.5, 1, 1.5, 2], yticks=[])

style.title(taken, "Normalised, it comes close to the best", "dB removed, every half second")
curve(taken, d, left["best"], "the best filter", (0.7, 33.5), INK, linestyle="dashed")
curve(taken, d, left["NLMS"], "NLMS", (5.4, 26.2), GREEN)
curve(taken, d, left["LMS"], "LMS", (5.4, 18.5), PURPLE)

style.title(
    doubled,
    "Double talk: the weights must be frozen",
    "dB of the echo removed; shaded: both talk",
)
doubled.axvspan(4, 7, color=PALE, zorder=0)
curve(doubled, back, resting, "with the detector", (4.08, 21), GREEN)
curve(doubled, back, restless, "without", (4.5, 8), PURPLE)

gap = np.linalg.norm(normalised.weights - h) / np.linalg.norm(h)
style.title(room, "The weights are the room", f"difference {gap:.0%}; the room is shifted up")
milliseconds = 1000 * np.arange(taps) / RATE
room.plot(milliseconds, h + 0.4 * np.ptp(h), color=GREY, linewidth=1)
room.plot(milliseconds, normalised.weights, color=GREEN, linewidth=1)
room.text(20, 0.5 * np.ptp(h), "the room", color=GREY, fontsize=10)
room.text(20, 0.1 * np.ptp(h), "the weights", color=GREEN, fontsize=10)
room.set(xlabel="milliseconds", yticks=[])
style.open_frame(room)

plt.show()
