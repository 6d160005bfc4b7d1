"""Bad arguments of the lectures' algorithms, and their messages."""

import math

import pytest

from rosenblatt import textbook

nan, inf = math.nan, math.inf
LEARNERS = {
    textbook.origin_perceptron: "y",
    textbook.online_perceptron: "y",
    textbook.perceptron: "y",
    textbook.augmented_perceptron: "y",
    textbook.sample_correction: "c",
}
ROWS = [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("learn", LEARNERS)
@pytest.mark.parametrize(
    ("X", "says"),
    [
        ([], r"X must have shape \(n, d\)"),
        ([1.0, 2.0], r"X must have shape \(n, d\)"),
        ([[], []], r"X must have shape \(n, d\)"),
        ([[[1.0]], [[2.0]]], r"X must have shape \(n, d\)"),
        ([[1.0], [2.0, 3.0]], "X must be an array of real numbers"),
        ([["a"], ["b"]], "X must be an array of real numbers"),
        ([[nan], [1.0]], r"X must be finite, got nan at \(0, 0\)"),
        ([[1.0], [inf]], r"X must be finite, got inf at \(1, 0\)"),
    ],
)
def test_bad_rows(learn, X, says):
    with pytest.raises(ValueError, match=says):
        learn(X, [0, 1] if LEARNERS[learn] == "c" else [-1, 1])


@pytest.mark.parametrize("learn", LEARNERS)
@pytest.mark.parametrize(
    ("y", "says"),
    [
        ([1], r"NAME must have shape \(2,\), got \(1,\)"),
        ([1, 1, 1], r"NAME must have shape \(2,\), got \(3,\)"),
        ([[1], [1]], r"NAME must have shape \(2,\)"),
        ([1, 2], "NAME must hold the labels -1 and 1, or 0 and 1, got 2"),
        ([1, 0.5], "NAME must hold the labels -1 and 1, or 0 and 1, got 0.5"),
        ([1, nan], "NAME must be finite"),
        (["yes", "no"], "NAME must hold signs, got text: code it"),
    ],
)
def test_bad_labels(learn, y, says):
    with pytest.raises(ValueError, match=says.replace("NAME", LEARNERS[learn])):
        learn(ROWS, y)


@pytest.mark.parametrize("learn", LEARNERS)
def test_labels_may_be_of_either_kind(learn):
    one, other = learn(ROWS, [-1, 1]), learn(ROWS, [0, 1])
    assert one.to_json() == other.to_json()
    assert set(one.label.tolist()) <= ({0, 1} if LEARNERS[learn] == "c" else {-1, 1})
    assert one.y.tolist() == [-1, 1]
    with pytest.raises(ValueError, match="must hold the labels -1 and 1, or 0 and 1, got -1"):
        learn([*ROWS, [1.0, 1.0]], [-1, 0, 1])


@pytest.mark.parametrize("learn", LEARNERS)
@pytest.mark.parametrize(
    ("X", "y", "says"),
    [
        (
            [1.0, 2.0],
            [0, 1],
            r"got \(2,\): for one feature np\.reshape\(X, \(-1, 1\)\), for one row",
        ),
        ([[1.0], [2.0, 3.0]], [0, 1], "got rows of different lengths: row 0 has 1, row 1 has 2"),
        ([[1], [2], [3]], [0, 1, 2], "take rosenblatt.textbook.one_against_rest"),
        ([[1], [2], [3]], ["a", "b", "c"], "take rosenblatt.textbook.one_against_rest"),
        (ROWS, ["yes", "no"], r"code it, np\.where\(np\.array\(\w\) == 'yes', 1, -1\)$"),
    ],
    ids=str,
)
def test_a_message_says_what_to_do(learn, X, y, says):
    with pytest.raises(ValueError, match=says):
        learn(X, y)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_label_is_refused_with_its_row(missing):
    with pytest.raises(ValueError, match=f"got {missing} in row 1"):
        textbook.one_against_rest(ROWS, [1, missing])


def test_one_class_is_refused_where_two_are_needed():
    for learn in (textbook.perceptron, textbook.augmented_perceptron):
        with pytest.raises(ValueError, match="y must hold both -1 and 1, got -1 only"):
            learn(ROWS, [-1, -1])
    with pytest.raises(ValueError, match="c must hold both 0 and 1, got 1 only"):
        textbook.sample_correction(ROWS, [1, 1])
    for learn in (textbook.origin_perceptron, textbook.online_perceptron):
        assert learn(ROWS, [1, 1]).mistakes <= 2


@pytest.mark.parametrize(
    ("learn", "option", "says"),
    [
        (textbook.origin_perceptron, {"eta": 0.0}, "eta must be a finite number > 0, got 0.0"),
        (textbook.origin_perceptron, {"eta": 1.5}, "eta must be at most 1, got 1.5"),
        (textbook.origin_perceptron, {"eta": nan}, "eta must be a finite number > 0, got nan"),
        (textbook.origin_perceptron, {"tie": 2}, "tie must be one of -1, 0, 1; got 2"),
        (textbook.online_perceptron, {"tie": 2}, "tie must be one of"),
        (textbook.perceptron, {"eta": -1.0}, "eta must be a finite number > 0"),
        (textbook.perceptron, {"eta": inf}, "eta must be a finite number > 0"),
        (textbook.perceptron, {"tie": 2}, "tie must be one of -1, 0, 1; got 2"),
        (textbook.perceptron, {"max_epochs": 0}, "max_epochs must be a whole number >= 1"),
        (textbook.perceptron, {"max_epochs": 1.5}, "max_epochs must be a whole number >= 1"),
        (textbook.augmented_perceptron, {"pick": "best"}, "pick must be one of .*got 'best'"),
        (textbook.augmented_perceptron, {"tie": None}, "tie must be one of"),
        (textbook.augmented_perceptron, {"seed": -1}, "seed must be a whole number >= 0"),
        (textbook.augmented_perceptron, {"max_updates": 0}, "max_updates must be a whole number"),
        (textbook.sample_correction, {"eps": 0.0}, "eps must be a finite number > 0"),
        (textbook.sample_correction, {"eps": []}, r"eps must have shape \(k,\) and not be empty"),
        (textbook.sample_correction, {"eps": [1, 0]}, "rate 2 of eps must be a finite number > 0"),
        (textbook.sample_correction, {"eps": [1, nan]}, r"eps must be finite, got nan at \(1,\)"),
        (textbook.sample_correction, {"eps": "fast"}, "eps must be a finite number > 0"),
        (textbook.sample_correction, {"seed": 0.5}, "seed must be a whole number >= 0"),
        (textbook.sample_correction, {"max_epochs": 0}, "max_epochs must be a whole number"),
        (textbook.sample_correction, {"start": [1.0]}, r"start must have shape \(3,\), got \(1,\)"),
        (textbook.sample_correction, {"start": [1.0, 0.0, nan]}, "start must be finite"),
    ],
)
def test_bad_options(learn, option, says):
    labels = [0, 1] if learn is textbook.sample_correction else [-1, 1]
    with pytest.raises(ValueError, match=says):
        learn(ROWS, labels, **option)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: textbook.threshold([], 0.0), r"w must have shape \(d,\)"),
        (lambda: textbook.threshold([nan]), "w must be finite"),
        (lambda: textbook.threshold([1.0], inf), "b must be a finite number"),
        (lambda: textbook.threshold([1.0])([[1.0, 2.0]]), r"a row of X must have shape \(1,\)"),
        (lambda: textbook.threshold([1.0])([1.0]), r"X must have shape \(n, d\)"),
        (lambda: textbook.append_one([1.0]), r"X must have shape \(n, d\)"),
        (lambda: textbook.append_one([[nan]]), "X must be finite"),
        (lambda: textbook.lift_threshold([[1.0]], 0.0), r"w must have shape \(d,\)"),
        (lambda: textbook.lift_threshold([1.0], nan), "b must be a finite number"),
        (lambda: textbook.lower_threshold([1.0]), r"w must have shape \(d \+ 1,\)"),
        (lambda: textbook.lower_threshold([1.0, inf]), "w must be finite"),
    ],
)
def test_bad_thresholds(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_an_argument_by_its_old_name_is_told_the_new_one():
    with pytest.raises(TypeError, match="takes max_updates for max_steps, its old name"):
        textbook.batch_descent(ROWS, [-1, 1], max_steps=5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_looks'"):
        textbook.batch_descent(ROWS, [-1, 1], max_looks=5)
