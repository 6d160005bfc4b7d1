"""
The machine of 1958
===================

Four hundred photocells, a thousand association cells with fixed random wiring, and one response
unit that learns: the demonstration that newspapers reported in 1958, on the pictures of
:mod:`rosenblatt.retina`. The wiring never changes; only the weights of the response unit do, and
only after a mistake. Lecture row L0.7.
"""  # noqa: D205, D400

# %%
# Shared by all five panels.
from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from rosenblatt import AssociationCells, Perceptron, retina
from rosenblatt.plots import style
from rosenblatt.plots.style import BLUE, COLOURS, GREY, INK, PALE, VERMILION
from rosenblatt.progressive import anytime_interval

LIGHT = ListedColormap([PALE, INK])
figure = style.figure(12, 7.8)
grid = figure.add_gridspec(2, 6, height_ratios=(1.15, 1))
album, machine = figure.add_subplot(grid[0, :2]), figure.add_subplot(grid[0, 2:])
curve, responses, shares = (figure.add_subplot(grid[1, 2 * k : 2 * k + 2]) for k in range(3))

# %%
# **Inputs.** A square on either side, three shapes, and six letters at any position.
seen = {
    "sides": [retina.sides, {}],
    "shapes": [retina.shapes, {}],
    "letters": [retina.letters, {}],
    "E or X": [retina.letters, {"letters": "EX"}],
}
page = np.full((3 * 23 - 3, 3 * 23 - 3), np.nan)
for row, kind in enumerate(("sides", "shapes", "letters")):
    make, options = seen[kind]
    for column, x in enumerate(make(3, seed=4, **options).X):
        page[23 * row : 23 * row + 20, 23 * column : 23 * column + 20] = x.reshape(20, 20)
    album.text(-2, 23 * row + 10, kind, rotation=90, ha="right", va="center", fontsize=9)
album.imshow(page, cmap=LIGHT)
style.without_axes(album)
album.set_anchor("N")
style.title(album, "Inputs", "400 photocells, lit or dark")


# %%
# **Wiring.** Four of the thousand cells: each adds four photocells, subtracts four others, and
# fires if the result is at least 1. A firing cell moves the response towards the side of its
# colour.
def learner(pictures: retina.Pictures) -> tuple[Any, Any]:
    """Return the association cells and a response unit trained on them."""
    cells = AssociationCells().fit(pictures.X)
    trained = Perceptron(output="average").fit(cells.transform(pictures.X), pictures.y)
    return cells, trained


known, new = retina.sides(500, seed=1), retina.sides(500, seed=2)
cells, unit = learner(known)
x = max(new.X, key=np.sum)
fires = cells.transform([x])[0] > 0
machine.imshow(x.reshape(20, 20), cmap=LIGHT, extent=(0, 20, 20, 0), zorder=0)
end = (49, 10)
thin, dot = {"linewidth": 0.7, "zorder": 1}, {"linewidths": 0, "zorder": 2}
for place, cell in enumerate([*np.flatnonzero(fires)[:2], *np.flatnonzero(~fires)[:2]]):
    here, wires = (33, 1 + 6 * place), cells.wiring_[:, [cell]].toarray().ravel()
    for sign, mark, colour in ((1, "+", VERMILION), (-1, "_", BLUE)):
        photocells = np.flatnonzero(wires * sign > 0)
        starts = np.column_stack([photocells % 20, photocells // 20]) + 0.5
        for start in starts:
            machine.plot(*zip(start, here, strict=True), color=colour, **thin)
        machine.scatter(*starts.T, s=30, color=colour, **dot)
        machine.scatter(*starts.T, s=12, marker=mark, color="white", linewidths=1, zorder=3)
    pull = COLOURS[int(unit.coef_[0, cell] > 0)]
    machine.plot(*zip(here, end, strict=True), color=pull, **thin)
    machine.scatter(*here, s=170, color=INK if fires[cell] else "white", edgecolors=INK, zorder=3)
    up, down = np.maximum(wires, 0) @ x, np.maximum(-wires, 0) @ x
    says = f"{up:.0f} − {down:.0f}: " + ("fires" if fires[cell] else "silent")
    machine.text(34, here[1] + (1.4 if place > 1 else -1.4), says, fontsize=8, va="center")
machine.scatter(*end, s=900, color="white", edgecolors=INK, zorder=3)
said = unit.predict(cells.transform([x]))[0]
machine.text(*end, said, fontsize=9, ha="center", va="center", zorder=4)
for middle, part in ((10, "retina"), (33, "association cells: fixed"), (49, "response: learns")):
    machine.text(middle, 22.5, part, fontsize=9, ha="center", va="center")
machine.set(xlim=(-0.5, 54), ylim=(23.5, -0.5))
style.without_axes(machine)
machine.set_anchor("N")
style.title(
    machine, "Wiring", "four of the thousand cells: photocells lit at + minus those lit at −"
)

# %%
# **Learning.** Every picture is classified before its label is revealed. The band contains the
# probability of an error at all times at once, with confidence 0.95.
online, errors = Perceptron(), []
for row, label in zip(cells.transform(known.X), known.y, strict=True):
    online.partial_fit([row], [label], classes=["left", "right"])
    errors.append(online.mistakes_)
n = np.arange(1, len(errors) + 1)
band = [anytime_interval(*pair) for pair in zip(errors, n.tolist(), strict=True)]
curve.fill_between(n, *100 * np.transpose(band), color=PALE, linewidth=0)
curve.plot(n, 100 * np.array(errors) / n, color=INK, linewidth=1.4)
curve.set(xscale="log", xlim=(1, 500), ylim=(0, 100), xlabel="pictures", ylabel="wrong so far, %")
curve.set(xticks=[1, 10, 100, 500], xticklabels=[1, 10, 100, 500])
style.open_frame(curve)
style.title(curve, "It learns left from right", f"{errors[-1]} mistakes on {len(errors)} pictures")

# %%
# **Predictions.** New pictures: a negative response means left.
answers = unit.decision_function(cells.transform(new.X))
right = new.y == "right"
bins = np.linspace(-1, 1, 41) * np.abs(answers).max()
for side, colour in zip((~right, right), COLOURS, strict=True):
    responses.hist(answers[side], bins, color=colour)
responses.axvline(0, color=INK, linewidth=1.4)
responses.set(xlabel="← left    response    right →", ylabel="new pictures", xticks=[0])
style.open_frame(responses)
wrong = int((right != (answers > 0)).sum())
style.title(responses, "It predicts", f"{len(new.y) - wrong} of {len(new.y)} new pictures right")

# %%
# **Benefit of the association cells.** The same learner on the photocells alone is as good if the
# position decides, and fails if a shape may appear anywhere.
for place, (make, options) in enumerate(seen.values()):
    known, new = make(1000, seed=1, **options), make(500, seed=2, **options)
    cells, unit = learner(known)
    alone = Perceptron(output="average").fit(known.X, known.y).score(new.X, new.y)
    both = 100 * np.array([alone, unit.score(cells.transform(new.X), new.y)])
    shares.plot(both, [place, place], color=GREY, linewidth=1, zorder=1)
    shares.scatter(both, [place, place], s=45, color=["white", INK], edgecolors=INK, zorder=2)
shares.set(yticks=range(4), yticklabels=list(seen), xlim=(0, 103), ylim=(3.5, -0.5))
shares.set(xlabel="new pictures right, %")
style.open_frame(shares)
style.title(shares, "The cells help with shapes", "● with the cells   ○ retina alone")

plt.show()
