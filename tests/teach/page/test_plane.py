"""The part of the plane that is shown fits the points; its axes and classes have their names."""

import re
from math import log10

import browser as machine
import numpy as np
import pytest
from browser import drawing, paste, settle, settled_box, state

GRIDS = """async ([origin, cases]) => {
  const {gridOf, isTrue} = await import(`${origin}/state/grid.js`);
  const {viewOf, lineEnds, shownFoot} = await import(`${origin}/plane/geometry.js`);
  return cases.map(({points, line}) => {
    const grid = gridOf(points);
    const view = viewOf(500, grid);
    const pixels = points.map(([x, y]) => [view.across(x), view.down(y)]);
    const snapped = points.map(point => view.snap(point));
    const ends = lineEnds(line, view);
    return {...grid, isTrue: isTrue(grid), pixels, snapped, ends, foot: shownFoot(line, view)};
  });
}"""
USUAL = {"from": [-8, -8], "to": [8, 8], "step": [1, 1], "every": [4, 4]}
HEIGHTS = (
    "height,weight,kind\n150,52,no\n160,50,no\n172,61,no\n171,80,yes\n182,75,yes\n195,98,yes\n"
)
UNLIKE = "age,income,kind\n0.2,1000,no\n0.5,1900,yes\n0.9,1400,no\n"


def grids(modules, clouds, line=None):
    """The grids of clouds of points, and what a view of each shows."""
    drawn = [
        {"points": np.asarray(cloud).tolist(), "line": line or {"w": [1, 1], "b": 0}}
        for cloud in clouds
    ]
    return modules.evaluate(GRIDS, [machine.ORIGIN, drawn])


def test_every_cloud_fills_its_grid(modules):
    rng = np.random.default_rng(0)
    clouds = [
        rng.normal(10.0 ** rng.uniform(-6, 5, 2) * rng.choice([0, 1, 9], 2), 1, (12, 2))
        * 10.0 ** rng.uniform(-3, 3, 2)
        for _ in range(200)
    ]
    kinds = set()
    for cloud, grid in zip(clouds, grids(modules, clouds), strict=True):
        pixels = np.array(grid["pixels"])
        assert pixels.min() >= 0
        assert pixels.max() <= 500
        low, high, step = (np.array(grid[name]) for name in ("from", "to", "step"))
        assert np.all(np.abs(np.array(grid["snapped"]) - cloud) <= step * (0.5 + 1e-6))
        assert {round(10 ** (log10(s) % 1), 6) for s in step} <= {1, 2, 5, 10}
        ends = np.vstack([cloud, np.where(low * high > 0, cloud[0], 0)])  # and 0, if it is there
        filled = np.ptp(ends, axis=0) / (high - low)
        usual = {name: grid[name] for name in USUAL} == USUAL
        assert usual or filled.max() >= 0.25
        assert grid["isTrue"] or filled.min() >= 0.5
        kinds.add((usual, grid["isTrue"], bool(low[0] * high[0] > 0)))
    assert len(kinds - {(True, True, False)}) == 4


def test_small_whole_numbers_have_the_usual_grid(modules):
    clouds = [[[1, 2], [2, 1]], [[6, 7], [8, 5]], [[2.5, 2.5], [-3, 2]], [], [[7.25, 1.125]]]
    for grid in grids(modules, clouds):
        assert {name: grid[name] for name in USUAL} == USUAL
        assert grid["isTrue"]
    (unit,) = grids(modules, [[[0.2, 0.7], [0.9, 0.1]]])
    assert (unit["from"], unit["to"], unit["step"]) == ([-1, -1], [1, 1], [0.1, 0.1])


def test_a_drag_keeps_the_decimals_of_the_points(modules):
    clouds = [
        [[150, 52.5], [172, 61], [195, 98.25]],
        [[150.123456, 52000], [195, 98000]],
        [[0.2, 0.7], [0.9, 0.1]],
        [[1, 2], [2.5, 1]],
    ]
    snaps = [grid["snap"] for grid in grids(modules, clouds)]
    assert snaps == [[1, 0.1], [0.1, 100], [0.1, 0.1], [1, 1]]


def test_a_line_ends_at_the_edges_of_a_view_that_is_elsewhere(modules):
    cloud = [[150, 5000], [200, 5900], [170, 5100]]
    line = {"w": [-18, 1], "b": -2400}
    (grid,) = grids(modules, [cloud], line)
    assert not grid["isTrue"]
    low, high = np.array(grid["from"]), np.array(grid["to"])
    half = (high - low) * 1.07 / 2
    ends, foot = np.array(grid["ends"]), np.array(grid["foot"])
    for point in (*ends, foot):
        assert abs(point @ line["w"] + line["b"]) < 1e-6
    shares = np.abs(ends - (low + high) / 2) / half
    np.testing.assert_allclose(shares.max(axis=1), 1)
    assert np.all((low <= foot) & (foot <= high))


def test_a_pasted_table_is_fitted_and_named(plain):
    paste(plain, HEIGHTS)
    box = settled_box(plain, plain.locator("#plane"))
    plain.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    words = drawing(plain)
    for name in ("height", "weight", "160", "180"):
        assert f">{name}</text>" in words
    assert plain.locator(".legend").all_inner_texts() == ["no", "yes"]
    notes = plain.locator("#notes")
    assert "the scales of x and y differ" not in notes.inner_text()
    plain.click("#as-text")
    text = plain.locator("dialog textarea").input_value().splitlines()
    assert text[:2] == ["height weight label", "150 52 no"]
    x, y, label = text[7].split()
    assert (150 < float(x) < 195, 50 < float(y) < 98, label) == (True, True, "yes")
    plain.click("dialog .main")
    settle(plain)
    assert plain.locator(".legend").all_inner_texts() == ["no", "yes"]
    paste(plain, UNLIKE)
    assert "the scales of x and y differ: angles do not look right" in notes.inner_text()
    plain.keyboard.press("Control+z")
    plain.keyboard.press("Control+z")
    settle(plain)
    assert "the scales of x and y differ" not in notes.inner_text()
    assert ">height</text>" in drawing(plain)
    plain.select_option("#examples", "eight")
    settle(plain)
    assert plain.locator(".legend").count() == 0
    assert ">height</text>" not in drawing(plain)


def test_a_view_stays_until_it_is_fitted(plain):
    paste(plain, "1000 1000 1\n1001 1003 -1\n1004 1001 1\n1900 1900 -1")
    words = drawing(plain)
    box = settled_box(plain, plain.locator("#plane"))
    plain.mouse.click(box["x"] + box["width"] * 0.92, box["y"] + box["height"] * 0.08)
    looks = state(plain)["looks"]
    plain.keyboard.press("Delete")
    settle(plain)
    assert state(plain)["looks"] != looks
    assert ">1400</text>" in words
    assert ">1400</text>" in drawing(plain)
    plain.click("#fit")
    settle(plain)
    words = drawing(plain)
    assert ">1400</text>" not in words
    assert ">1002</text>" in words


def test_the_words_no_line_cover_no_number_of_an_axis(plain):
    paste(plain, "1.5 2.5 -1\n3.1 4 -1\n0.5 3 -1\n2.5 0.75 1\n4.5 3 1")
    texts = re.findall(r'<text [^>]*\by="([\d.]+)"[^>]*>([^<]*)</text>', drawing(plain))
    heights = {words: float(y) for y, words in texts}
    assert 18 < abs(heights["no line yet: w = (0, 0)"] - heights["−4"]) < 40


def test_names_are_kept_in_the_address(visit):
    page = visit()
    paste(page, HEIGHTS)
    again = visit(machine.address_of(page))
    settle(again)
    assert again.locator(".legend").all_inner_texts() == ["no", "yes"]
    assert ">weight</text>" in drawing(again)


PIECES = """async ([origin, voters, points]) => {
  const load = name => import(`${origin}/${name}.js`);
  const [{votedPieces}, {voteAt}, {viewOf}] = await Promise.all(
    ["plane/shades", "engine/beyond", "plane/geometry"].map(load));
  const grid = {from: [-8, -8], to: [8, 8], snap: [1, 1]};
  const pieces = [...votedPieces(voters, -1, viewOf(560, grid))];
  const total = voters.reduce((sum, {count}) => sum + count, 0);
  return [pieces, points.map(point => voteAt(voters, point, -1) / total)];
}"""


def test_the_shades_of_the_votes_are_exact_pieces_of_the_view(modules):
    """The pieces fill the view, and each has the share of the votes at its points."""
    rng = np.random.default_rng(5)
    lines = rng.integers(-9, 10, (40, 3)).tolist()
    voters = [{"w": line[:2], "b": line[2], "count": 1 + k % 5} for k, line in enumerate(lines)]
    points = rng.uniform(-8.5, 8.5, (80, 2)).tolist()
    pieces, shares = modules.evaluate(PIECES, [machine.ORIGIN, voters, points])
    polygons = [(share, np.array(corners)) for share, all_ in pieces for corners in all_]
    areas = [area_of(corners) for _, corners in polygons]
    assert sum(areas) == pytest.approx((2 * 8 * 1.07) ** 2)
    assert len(polygons) > 500
    for point, share in zip(np.array(points), shares, strict=True):
        assert share in [piece for piece, corners in polygons if is_inside(point, corners)]


def area_of(corners):
    x, y = corners.T
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def is_inside(point, corners):
    ahead = np.roll(corners, -1, axis=0) - corners
    there = point - corners
    return (ahead[:, 0] * there[:, 1] - ahead[:, 1] * there[:, 0] >= 0).all()


NAMES = """async origin => {
  const load = name => import(`${origin}/${name}.js`);
  const [{Model}, {sceneAt}, {drawPlane}, {SvgPen}, {viewOf}, {strings}, {EXAMPLES, exampleOf},
    {SIX}] = await Promise.all(["state/model", "plane/scene", "plane/draw", "plane/svgpen",
    "plane/geometry", "strings", "state/examples", "lessons/states"].map(load));
  const model = new Model();
  const examples = ["two", "eight", "wide", "shifted"].map(exampleOf);
  examples.push({points: SIX.map(([x, y]) => [x, y]), labels: SIX.map(row => row[2])});
  const found = [];
  for (const example of examples)
    for (const idea of ["separator", "floor", "ceiling"]) {
      model.load({...example, conventions: {offset: "none"}, tab: "proof", idea, asking: false});
      for (let t = 0; t < Math.min(8, model.looks); t++)
        for (const size of [300, 386, 620]) {
          model.set({t});
          const scene = sceneAt(model);
          drawPlane(new SvgPen(), size, scene, {thick: 1}, strings);
          const view = viewOf(size, scene.grid);
          const marks = scene.points.map(([x, y]) => [view.across(x), view.down(y)]);
          for (const {words, x, y, look} of scene.proof.names)
            found.push({words, size, x, y, letters: look.size, marks});
        }
    }
  return found;
}"""


def test_names_of_the_proof_stand_clear_of_the_points(modules):
    found = modules.evaluate(NAMES, machine.ORIGIN)
    assert {name["words"] for name in found} == {"u", "γ", "R", "‖x‖", "u·x", "−u·x"}
    for name in found:
        wide, tall = name["letters"] * 0.3 * len(name["words"]), name["letters"] * 0.45
        assert wide <= name["x"] <= name["size"] - wide
        mark = 11 * max(0.7, min(1.6, name["size"] / 560)) * 0.9
        for x, y in name["marks"]:
            across, down = abs(x - name["x"]), abs(y - name["y"])
            assert across > wide + mark or down > tall + mark, (name, x, y)
