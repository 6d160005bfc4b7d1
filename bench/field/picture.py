"""The picture of the sets: auto in one pass, with nothing chosen, beside others, tuned and not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import svg

from field import ours
from field.runs import Kept
from rosenblatt.plots import style

NAME = "auto.svg"
NEAR = 1.0  # points of accuracy: as good as the best, for most uses
FARTHEST = 12.0  # points; who is farther behind is at the edge, so that one point stays visible
OURS_TUNED = "rosenblatt, best"
LANE = 0.235  # inches of a set


class Lane(NamedTuple):
    """A set: the accuracy of the best tuned other learner, and points ahead of it, all in percent.

    Attributes
    ----------
    name : str
    best : float
    auto, several : float
        Of auto in one pass, and in ten.
    others : dict of str to float
        Of the others' defaults in one pass.
    """

    name: str
    best: float
    auto: float
    several: float
    others: dict[str, float]


def lanes_of(runs: dict[str, Kept]) -> list[Lane]:
    """Return the lanes of the kept runs, the largest lead of auto first.

    Examples
    --------
    >>> def of(**values):
    ...     return {name: {"accuracy": [value, 0.5]} for name, value in values.items()}
    >>> one = of(auto=91.0, perceptron=90.0, vw=85.0, river=92.0)
    >>> best = of(**{"rosenblatt, best": 99.0, "vw, best": 91.5})
    >>> lanes_of({"iris": {"one": one, "ten": of(auto=92.0), "best": best}})
    [Lane(name='iris', best=91.5, auto=-0.5, several=0.5, others={'vw': -6.5, 'river': 0.5})]
    """
    found = []
    for name, run in runs.items():
        tuned = {who: of["accuracy"][0] for who, of in run["best"].items() if who != OURS_TUNED}
        best = max(tuned.values())
        one = {who: round(of["accuracy"][0] - best, 2) for who, of in run["one"].items()}
        several = round(run["ten"]["auto"]["accuracy"][0] - best, 2)
        others = {who: points for who, points in one.items() if who not in ours.ONE_PASS}
        found.append(Lane(name, best, one["auto"], several, others))
    return sorted(found, key=lambda lane: -lane.auto)


def count_near(lanes: list[Lane], points: Callable[[Lane], float]) -> int:
    """Return on how many sets a learner is at most a point behind the best."""
    return sum(points(lane) >= -NEAR for lane in lanes)


def finding(lanes: list[Lane]) -> str:
    """Return what the picture shows, in a sentence."""
    near = count_near(lanes, lambda lane: lane.auto)
    names = {who: None for lane in lanes for who in lane.others}
    counts = {
        who: count_near(lanes, lambda lane, who=who: lane.others.get(who, -np.inf)) for who in names
    }
    next_best = max(counts, key=counts.__getitem__)
    return (
        f"auto is within a point of the best tuned on {near} of {len(lanes)} sets, "
        f"{next_best} on {counts[next_best]}"
    )


def alt_text(lanes: list[Lane]) -> str:
    """Return what the picture shows, for those who do not see it."""
    behind = [f"{lane.name} {-lane.auto:.1f}" for lane in reversed(lanes) if lane.auto < -NEAR]
    return (
        f"{len(lanes)} sets: {finding(lanes)}. In one pass auto is more than a point behind on "
        f"{', '.join(behind)}"
    )


@style.common_style()
def draw(lanes: list[Lane]) -> Any:
    """Return the figure: a lane for each set, the points ahead of the best tuned learner."""
    axes = style.figure(8.2, 1.9 + LANE * len(lanes)).add_subplot()
    at, beside = np.arange(len(lanes)), axes.get_yaxis_transform()
    text = {"ha": "right", "va": "center", "size": style.SMALL_TEXT, "color": style.INK}
    axes.text(1.09, -1.0, "best tuned", transform=beside, **text)
    axes.axvspan(-NEAR, NEAR, color=style.BLUE, alpha=0.1, linewidth=0, zorder=0)
    axes.axvline(0.0, color=style.INK, linewidth=1.2, zorder=1)
    for height, lane in enumerate(lanes):
        axes.text(1.09, height, f"{lane.best:.1f} %", transform=beside, **text)
    defaults = np.array([(of, k) for k, lane in enumerate(lanes) for of in lane.others.values()])
    is_far = defaults[:, 0] < -FARTHEST
    defaults[is_far, 0] = -FARTHEST
    look = {"s": 20, "color": style.GREY, "alpha": 0.55, "linewidths": 0, "zorder": 2}
    others = axes.scatter(*defaults[~is_far].T, **look)
    axes.scatter(*defaults[is_far].T, marker="<", **look)
    look = {"edgecolors": style.BLUE, "linewidths": 1.4, "zorder": 3}
    several = axes.scatter([lane.several for lane in lanes], at, s=44, facecolors="white", **look)
    one = axes.scatter([lane.auto for lane in lanes], at, s=44, facecolors=style.BLUE, **look)
    (best,) = axes.plot([], [], color=style.INK, linewidth=1.2)
    ahead = [points for lane in lanes for points in (lane.auto, lane.several)]
    axes.set_xlim(-FARTHEST - 0.3, max(2.0, *ahead, *defaults[:, 0]))
    axes.set_ylim(len(lanes) - 0.4, -0.6)
    axes.set_yticks(at, [lane.name for lane in lanes])
    axes.grid(axis="y", color=style.PALE, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    style.open_frame(axes)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("points of accuracy ahead of the best tuned learner")
    marks = [one, several, others, best]
    words = ["auto, one pass", "auto, ten passes", "others' defaults, one pass", "best tuned"]
    style.legend(axes, marks, words, columns=4)
    style.title(
        axes,
        finding(lanes),
        "Accuracy on held-out rows. Others: Vowpal Wabbit (three), SGDClassifier averaged, river.\n"
        "Tuned: the better of logistic regression and Vowpal Wabbit. A triangle is farther out.",
    )
    return axes.figure


def save(runs: dict[str, Kept], folder: Path) -> None:
    """Draw the kept runs into a folder."""
    svg.write(draw(lanes_of(runs)), folder / NAME)
