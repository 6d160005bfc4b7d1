"""EncodedPerceptron: raw rows, predicted as by ``decision_function``, learned in any parts."""

import numpy as np
import pytest
from profiles import share

from rosenblatt.learning.models import files
from rosenblatt.learning.online.encoded import EncodedPerceptron, HowRead

KINDS = {"size": "number", "hue": "category", "zip": "category"}
NOTES = {"format": "csv", "target": "y", "schema": KINDS, "impute": "mean", "missing": [],
         "means": {"size": 1.5}}  # fmt: skip
HOW = HowRead(NOTES, [], False)


def rows_of(count, seed=0):
    """Rows with new words now and then, and cells of several types in one column."""
    rng = np.random.default_rng(seed)
    zips = [2.0, "2", "2.0", True, None, "x", 7.5]
    return [
        {
            "size": None if j % 4 == 0 else round(float(rng.normal()), 3),
            "hue": f"c{rng.integers(j // 5 + 1)}",
            "zip": zips[rng.integers(len(zips))],
        }
        for j in range(count)
    ]


def labels_of(count, seed=0):
    return np.random.default_rng(seed).choice(["a", "b", "c"], count).tolist()


def learned(model, rows, labels, parts):
    predicted, start = [], 0
    for k in range(len(rows)):
        stop = start + parts[k % len(parts)]
        model.predict_then_learn_rows(
            rows[start:stop], labels[start:stop], [1.0] * len(rows[start:stop]), to := []
        )
        predicted, start = predicted + to, stop
    return predicted


@pytest.mark.parametrize(
    ("params", "scale"),
    [
        (params, scale)
        for turn, params in enumerate([{}, {"rule": "arow"}, {"output": "average"}, {"rule": "cw"}])
        for scale in share([False, True], 2, turn)
    ],
)
def test_the_bits_do_not_depend_on_how_rows_are_divided(params, scale):
    rows, labels, found = rows_of(60), labels_of(60), []
    for parts in ([1], [60], [7, 2, 13]):
        model = EncodedPerceptron.untrained(HOW._replace(scale=scale), **params)
        found.append((learned(model, rows, labels, parts), model.freeze({})()))
    assert found[0] == found[1] == found[2]
    assert None in found[0][0][:1]
    model = EncodedPerceptron.untrained(HOW, **params)
    learned(model, rows, labels, [60])
    assert {"zip=2", "zip=2.0", "zip=True", "zip=7.5"} <= set(model.feature_names_)


@pytest.mark.parametrize("output", ["last", "average"])
@pytest.mark.parametrize("scale", [False, True])
def test_scores_are_those_of_the_learner_in_the_file(tmp_path, output, scale):
    model = EncodedPerceptron.untrained(HOW._replace(scale=scale), output=output)
    learned(model, rows_of(90), labels_of(90), [11])
    new = rows_of(30, seed=5)
    labels, scores = model.predict_raw(new)
    path = tmp_path / "m"
    path.write_bytes(model.freeze({"more": 1})())
    learner, notes = files.load(path), files.describe(path)["notes"]
    assert notes == NOTES | {"more": 1}
    assert learner.feature_names_in_.tolist() == model.feature_names_
    again = EncodedPerceptron.of_file(learner, notes, None)
    X = again.matrix(new)
    expected = learner.decision_function(X)
    assert [list(one.values()) for one in scores] == expected.tolist()
    assert labels == learner.predict(X).tolist()
    assert again.predict_raw(new) == (labels, scores)
    learned(again, rows_of(9, seed=7), labels_of(9), [4])
    learned(model, rows_of(9, seed=7), labels_of(9), [9])
    assert again.predict_raw(new) == model.predict_raw(new)


def test_a_few_columns_of_an_average_are_scored_from_their_weights_alone():
    model = EncodedPerceptron.untrained(HOW, output="average")
    rows = [{"size": 1.0, "hue": f"c{j}", "zip": None} for j in range(400)]
    learned(model, rows, labels_of(400), [100])
    assert vars(model._fitted()).get("_coef") is None
    scores = model.predict_raw(rows[:3])[1]
    assert vars(model._fitted()).get("_coef") is None  # they were not all computed
    assert [list(one.values()) for one in scores] == (
        model._fitted().decision_function(model.matrix(rows[:3])).tolist()
    )


def test_names_are_bounded_alike_however_rows_are_divided():
    rows, labels, found = rows_of(60), labels_of(60), []
    for parts in ([1], [60], [7, 2, 13]):
        model = EncodedPerceptron.untrained(HOW, max_features=6)
        learned(model, rows, labels, parts)
        assert len(model.feature_names_) == 6
        found.append(model.freeze({})())
    assert found[0] == found[1] == found[2]


def test_a_row_that_is_refused_leaves_those_before_it_learned():
    model = EncodedPerceptron.untrained(HOW)
    rows, labels = rows_of(10), labels_of(10)
    bad = [*rows[:6], {"size": "old", "hue": "a", "zip": "b"}, *rows[6:]]
    to = []
    with pytest.raises(ValueError, match="column 'size'"):
        model.predict_then_learn_rows(bad, [*labels[:6], "a", *labels[6:]], [1.0] * 11, to)
    twin = EncodedPerceptron.untrained(HOW)
    assert to == learned(twin, rows[:6], labels[:6], [1])
    assert model.freeze({})() == twin.freeze({})()


def test_notes_that_do_not_fit_the_learner_are_refused(tmp_path):
    model = EncodedPerceptron.untrained(HOW)
    learned(model, rows_of(20), labels_of(20), [20])
    path = tmp_path / "m"
    path.write_bytes(model.freeze({})())
    for notes in (NOTES | {"schema": {"other": "number", "hue": "category"}}, NOTES | {"bits": 4}):
        with pytest.raises(ValueError, match="its columns are not those of its notes"):
            EncodedPerceptron.of_file(files.load(path), notes, None)
    with pytest.raises(ValueError, match="no encoder of raw rows"):
        EncodedPerceptron.of_file(files.load(path), {"format": "vw"}, None)


def test_a_rule_that_chooses_among_all_rows_learns_none_as_they_come():
    model = EncodedPerceptron.untrained(HOW)
    learned(model, rows_of(9), labels_of(9), [9])
    before = model.freeze({})()
    model.set_params(rule="minover")
    with pytest.raises(ValueError, match="chooses its row among all"):
        learned(model, rows_of(9), labels_of(9), [9])
    assert model.set_params(rule="perceptron").freeze({})() == before


def test_a_prediction_waits_for_a_label_that_is_being_learned():
    notes = {"format": "csv", "target": "y", "schema": {"size": "number"}}
    model = EncodedPerceptron.untrained(HowRead(notes, [], False))
    rows = [{"size": 1.0}, {"size": -1.0}]
    model.predict_then_learn_rows(rows, ["stop", "go"], [1.0, 1.0], [])
    lock = model._lock

    class Held:
        """A lock that another thread holds, which learns a third label before it lets go."""

        def __enter__(self):
            model._lock = lock
            model.predict_then_learn_rows(rows[:1], ["halt"], [1.0], [])
            lock.acquire()

        def __exit__(self, *error):
            lock.release()

    model._lock = Held()
    labels, scores = model.predict_raw(rows)
    assert (labels, scores) == model.predict_raw(rows)
    assert list(scores[0]) == ["go", "halt", "stop"]
