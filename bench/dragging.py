"""A frame of the lecture page while one of 80 points is dragged: how long its script runs.

Run: python bench/dragging.py. It needs Chromium and Playwright; a minute.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
from markdown import figure, table
from measure import Part, absent, machine, peer
from ratios import Finding, ratio

from rosenblatt.teach import html

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tests" / "support"), str(ROOT / "docs")]

import browser  # noqa: E402 (of the tests)
import widths  # noqa: E402 (of the docs)

TITLE = "A frame of the lecture page while a point is dragged"
POINTS, FRAMES, WARM = 80, 120, 20
SMOOTH, BROKEN = 8.0, 16.0
"""Milliseconds of script that a frame may take: half of one at 60 a second, and a whole one."""

FEW = "floor: the page as it opens, with two points"
STATES: dict[str, tuple[str, ...]] = {
    "the page as it opens": (),
    "Proof: u, γ, R": ("#idea-separator",),
    "Proof: floor": ("#idea-floor",),
    "Proof: ceiling": ("#idea-ceiling",),
    "Beyond: dual": ("#beyond-menu", "#view-dual"),
    "Beyond: kernel of degree 2": ("#beyond-menu", "#view-kernel"),
    "Break it: no margin": ("#idea-broken", "#break-margin"),
    "Break it: no R": ("#idea-broken", "#break-radius"),
    "Break it: steps when right": ("#idea-broken", "#break-mistakes"),
    "Break it: shrinking η": ("#idea-broken", "#break-rate"),
    "Break it: another start": ("#idea-broken", "#break-start"),
}
WATCH = """
window.frames_ms = [];
let now = 0;
const later = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = work => later(time => {
  const start = performance.now();
  work(time);
  now += performance.now() - start;
});
let begin = 0;
addEventListener("pointermove", () => (begin = performance.now()), true);
addEventListener("pointermove", () => {
  now += performance.now() - begin;
  later(() => setTimeout(() => { window.frames_ms.push(now); now = 0; }));
});
"""
NOTES = f"""\
{POINTS} points that a line separates, one of which is dragged along that line and back by the \
mouse, {FRAMES} frames in each state, in Chromium without a screen. A frame's script is the \
handler of the mouse and what it draws in the next frame; layout and paint come after it."""


def points(count: int) -> dict[str, Any]:
    """Return points of whole numbers that a line separates, the first of class +1, with labels."""
    cells = [[x, y] for x in range(-8, 9) for y in range(-8, 9) if abs(2 * x + 3 * y) > 3]
    others = [cell for cell in cells if cell not in ([8, 8], [-8, -8])]
    chosen = np.random.default_rng(8).permutation(len(others))[: count - 2]
    rows = [[8, 8], [-8, -8], *(others[k] for k in chosen)]
    return {"points": rows, "labels": [1 if 2 * x + 3 * y > 0 else -1 for x, y in rows]}


def path() -> list[tuple[int, int]]:
    """Return where the point goes: along the edge of its class, there and back."""
    there = [(x, -((2 * x - 5) // 3)) for x in range(-8, 9)]
    return there + there[-2:0:-1]


@contextmanager
def opened() -> Iterator[tuple[Any, str]]:
    """Return a window whose frames are watched, and the address of the page as a file."""
    with browser.chromium() as chromium, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lesson.html"
        file.write_text(html(), encoding="utf-8")
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.add_init_script(WATCH)
        yield page, file.as_uri()


def frames(
    page: Any, address: str, example: dict[str, Any], clicks: tuple[str, ...] = ()
) -> list[float]:
    """Drag the first point in a state of the page; return the milliseconds of each frame."""
    page.goto("about:blank")
    page.goto(f"{address}#still=1")
    page.evaluate("lesson.load", example)
    for control in clicks:
        page.click(control)
    browser.settle(page)
    page.mouse.move(*browser.place(page, *example["points"][0]))
    page.mouse.down()
    page.evaluate("window.frames_ms.length = 0")
    for x, y in islice(cycle(path()), WARM + FRAMES):
        page.mouse.move(*browser.place(page, x, y))
        browser.settle(page)
    page.mouse.up()
    times: list[float] = page.evaluate("window.frames_ms")
    return times[WARM:]


def main() -> Part:
    if peer("playwright") is None or widths.chromium() is None:
        return absent(TITLE, "Playwright or Chromium is not installed")
    found: dict[str, list[float]] = {}
    with opened() as (page, address):
        found[FEW] = frames(page, address, points(2))
        for name, clicks in STATES.items():
            found[name] = frames(page, address, points(POINTS), clicks)
    lines, rows = [], []
    for name, times in found.items():
        wanted = BROKEN if name.startswith("Break it") else SMOOTH
        share = ratio(times, [wanted] * len(times))
        low, high = np.quantile(times, (0.05, 0.95))
        rows.append([name, *map(figure, (np.median(times), low, high)), figure(wanted)])
        if name != FEW:
            work = f"script of a frame while one of {POINTS} points is dragged, {name}"
            lines.append(Finding(work, f"{wanted:g} ms", share, 1.0, at_most=True))
    head = ["state", "median, ms", "5 %", "95 %", "wanted, ms"]
    return Part(f"### {TITLE}\n\n{NOTES}\n\n{table(head, rows)}", lines)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
