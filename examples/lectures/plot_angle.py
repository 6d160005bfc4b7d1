"""
The angle between w and u
=========================

The projection u·w could grow because w points more and more along u, or only because w gets longer.
The proof says which: u·w = ‖w‖ cos θ, u·w grows at least like t and ‖w‖ at most like √t, so the
cosine of the angle has a floor that rises, cos θ_t ≥ √t γ/R. It may not exceed 1, and so the
mistakes end. Lecture row L0.8.
"""  # noqa: D205, D400

# %%
# **The turn.** 150 points in 20 dimensions. :func:`rosenblatt.audit` takes the u of the largest
# margin, and has the cosine of the angle and its floor after every mistake.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

import rosenblatt
from rosenblatt import textbook, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PALE, PURPLE

toy = toys.separable(150, 20, margin=0.1, seed=2)
run = textbook.origin_perceptron(np.tile(toy.X, (20, 1)), np.tile(toy.y, 20))
found = rosenblatt.audit(run)
print(f"{run.mistakes} mistakes of at most {found.allowed}, γ/R = {found.gamma / found.R:.3f}")
for t in (1, run.mistakes // 2, run.mistakes):
    cosine, floor = found.cosine[t], found.least_cosine[t]
    print(
        f"after mistake {t:2}: cos θ = {cosine:.3f} ≥ {floor:.3f}, "
        f"θ = {np.degrees(np.arccos(cosine)):.1f}°, u·w = {found.projection[t]:.2f}"
    )

# %%
# Left: each w in a plane, by its part along u and the length of the rest; its angle to the axis is
# θ. Middle: the cosine of this angle, above its floor. The floor would reach 1 at t = (R/γ)²: then
# w would point along u, and no further mistake is possible. Right: the two growths that make the
# floor. u·w gains at least γ each time; ‖w‖, which is never shorter, cannot go beyond √t R.
figure = style.figure(14, 4.6)
plane, cosines, growth = figure.subplots(1, 3)
rest = np.sqrt(np.maximum(found.sqnorm - found.projection**2, 0.0))
path, k = np.column_stack([found.projection, rest]), run.mistakes
plane.plot(*path.T, color=GREY, linewidth=1.2, marker=".", zorder=2)
for t in sorted({1, 2, 4, 8, 16, k} & set(range(k + 1))):
    look = {"color": INK, "alpha": 0.25 + 0.75 * t / k, "linewidth": 1.6}
    style.arrow(plane, (0, 0), path[t], **look)
    style.annotate(plane, f"{t}", path[t], (-3, 10), fontsize=style.SMALL_TEXT)
plane.axhline(0, color=GREEN, linestyle="dashed", linewidth=2)
plane.set(xlabel="u·w, along u", ylabel="the rest of w, across u", aspect="equal")
plane.set(xlim=(0, 1.12 * path[:, 0].max()), ylim=(-0.04 * rest.max(), 1.25 * rest.max()))
style.title(plane, "w turns towards u", "w after some mistakes; dashed: the direction of u")

limit = (found.R / found.gamma) ** 2
t = np.linspace(0, limit, 400)
cosines.plot(t, np.sqrt(t / limit), color=PURPLE, linestyle="dashed", label="floor √t γ/R")
cosines.plot(found.t[1:], found.cosine[1:], color=GREEN, marker="d", label="cos θₜ", markersize=4)
cosines.fill_between(t, np.sqrt(t / limit), 1, color=PALE, zorder=0)
cosines.axhline(1, color=GREY, linewidth=1)
cosines.axvline(limit, color=INK, linewidth=1.4)
over = {"xycoords": cosines.get_xaxis_transform(), "fontsize": style.TEXT, "ha": "right"}
style.annotate(cosines, f"(R/γ)² = {limit:.1f}", (limit, 0.08), (-6, 0), **over)
cosines.set(xlabel="t, number of mistakes", ylabel="cosine of the angle of w and u", ylim=(0, 1.05))
style.legend(cosines, *cosines.get_legend_handles_labels())
style.title(cosines, "The cosine has a floor", "no cosine exceeds 1, so the mistakes end")

growth.plot(found.t, found.projection, color=GREEN, marker="d", markersize=4, label="u·wₜ")
growth.plot(found.t, found.least, color=GREEN, linestyle="dashed", label="tγ")
growth.plot(found.t, np.sqrt(found.sqnorm), color=PURPLE, marker="p", markersize=4, label="‖wₜ‖")
growth.plot(found.t, np.sqrt(found.most), color=PURPLE, linestyle="dashed", label="√t R")
growth.set(xlabel="t, number of mistakes", ylabel="length")
growth.legend(loc="upper left", frameon=False, ncols=2, fontsize=style.TEXT)
style.title(growth, "u·w catches up with ‖w‖", "it grows at least like t, ‖w‖ at most like √t")
for panel in (plane, cosines, growth):
    style.open_frame(panel)
for panel in (cosines, growth):
    panel.xaxis.get_major_locator().set_params(integer=True)
plt.show()
