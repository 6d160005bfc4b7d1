"""Lessons from points and from recorded runs."""

import re
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import textbook
from rosenblatt.teach import lesson_of_points, lesson_of_trace, lessons, steps_through

PAGE = Path(lessons.__file__).parent / "page"
X, Y = [[1.0, 2.0], [2.0, 1.0], [0.0, 4.0]], [1, -1, 1]


def test_points_become_rows_with_their_labels():
    lesson = lesson_of_points(X, [1, 0, 1], "homework")
    assert lesson == {
        "title": "homework",
        "states": [{"points": [[1.0, 2.0, 1], [2.0, 1.0, -1], [0.0, 4.0, 1]]}],
    }


def test_points_keep_the_names_of_their_axes_and_classes():
    lesson = lesson_of_points(X, Y, axes=("height", "weight"), classes=["no", "yes"])
    state = lesson["states"][0]
    assert (state["axes"], state["classes"]) == (["height", "weight"], ["no", "yes"])


@pytest.mark.parametrize(
    ("rows", "labels", "fault"),
    [
        ([[1.0, 2.0, 3.0]], [1], "points of the plane: X must have 2 columns, got 3"),
        (np.ones((501, 2)), np.ones(501), "at most 500 points, got 501"),
    ],
)
def test_points_that_cannot_be_shown_are_an_error(rows, labels, fault):
    with pytest.raises(ValueError, match=fault):
        lesson_of_points(rows, labels)


def test_a_trace_is_recorded_look_for_look():
    run = textbook.sample_correction(X, [1, 0, 1], start=[0.5, 0.25, 0.0])
    (state,) = lesson_of_trace(run)["states"]
    assert state["conventions"] == {
        "tie": 0,
        "offset": "first",
        "eta": 1.0,
        "start": [0.25, 0.0, 0.5],
        "pick": "every",
        "stop": "right",
    }
    recorded = state["recorded"]
    assert recorded["weights"] == run.weights.tolist()
    assert recorded["rows"] == run.order.tolist()
    assert recorded["scores"] == run.score.tolist()
    assert set(recorded["predictions"]) <= {-1, 1}
    assert recorded["epochStarts"] == [*range(0, len(run), 3)]
    assert recorded["status"] == "converged"


@pytest.mark.parametrize(
    ("pick", "shown"),
    [
        ("first", "first"),
        ("last", "last"),
        ("cyclic", "next"),
        ("worst", "worst"),
        ("random", "random"),
    ],
)
def test_the_pick_of_a_run_is_the_one_that_its_rows_show(pick, shown):
    rng = np.random.default_rng(5)
    points = rng.integers(-9, 9, (12, 2)).astype(float)
    labels = np.where(points @ [1, 2] > 0, 1, -1)
    run = textbook.augmented_perceptron(
        points, labels, 0.5, pick=pick, tie=0, start=[1.0, 0.5, -2.0], max_updates=40
    )
    (state,) = lesson_of_trace(run)["states"]
    assert state["conventions"]["pick"] == shown


def test_one_pass_and_picks_are_named():
    one = lesson_of_trace(textbook.origin_perceptron(X, [-1, 1, 1]))["states"][0]
    assert (one["conventions"]["stop"], one["conventions"]["offset"]) == ("pass", "none")
    assert one["recorded"]["status"] == "ended"
    picked = lesson_of_trace(textbook.augmented_perceptron(X, Y))["states"][0]
    assert picked["conventions"]["pick"] == "first"
    assert picked["recorded"]["epochStarts"] == [*range(len(picked["recorded"]["rows"]))]
    xor = [[1, 1], [-1, -1], [1, -1], [-1, 1]]
    stopped = lesson_of_trace(textbook.perceptron(xor, [1, 1, -1, -1], max_epochs=2))
    assert stopped["states"][0]["recorded"]["status"] == "open"


def test_runs_that_update_otherwise_are_an_error():
    for run in (
        textbook.batch_descent(X, Y),
        textbook.sample_correction(X, Y, lambda t: 1.0 / t, start=[0.0, 0.0, 0.0]),
    ):
        with pytest.raises(ValueError, match=r"correct every mistake at once.*does not"):
            lesson_of_trace(run)


@pytest.mark.parametrize("names", [{"axes": ["x"]}, {"classes": (0, 1)}, {"classes": "yes"}])
def test_names_that_the_page_would_not_read_are_an_error(names):
    (field,) = names
    with pytest.raises(ValueError, match=f"{field} must be two texts, got "):
        lesson_of_points(X, Y, **names)


def test_numbers_beyond_those_of_the_page_are_refused():
    limits = (PAGE / "engine" / "limits.js").read_text("utf-8")
    named = {"SMALLEST": lessons.SMALLEST, "LARGEST": lessons.LARGEST}
    for name, value in {**named, "POINT_LIMIT": lessons.MAX_POINTS}.items():
        assert float(re.search(rf"const {name} = ([\d.e-]+);", limits)[1]) == value
    for wrong in (1.7e9, 1e-21):
        with pytest.raises(ValueError, match="the page takes 0 and numbers of sizes from 1e-20"):
            lesson_of_points([[wrong, 0.0]], [1])
    with pytest.raises(ValueError, match=r"to 1e[+]09, got 1000000001\.0: subtract"):
        lesson_of_points([[1e9 + 1, 0.0]], [1])
    for rate, start in ((1e12, None), (1.0, [1e15, 0.0, 0.0])):
        run = textbook.perceptron(X, Y, rate, start=start)
        assert not steps_through(run)
        with pytest.raises(ValueError, match="the page takes 0 and numbers of sizes"):
            lesson_of_trace(run)
