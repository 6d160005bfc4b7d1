"""Labels of DATA that the model does not know."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def incomes(folder, call):
    """A model of labels with signs, and a file whose labels end in a full stop."""
    text = "x,income\n" + "1,>50K\n-1,<=50K\n" * 20
    Path("train.csv").write_text(text)
    Path("test.csv").write_text(text.replace("50K", "50K."))
    assert call("train", "train.csv", "-m", "m", "-q")[0] == 0


@pytest.mark.parametrize("options", [(), ("--json",), ("-q",)])
def test_data_without_a_known_label_is_refused_with_the_nearest(incomes, call, options):
    status, out, err = call("evaluate", "m", "test.csv", *options)
    assert (status, out) == (3, "")
    assert err.startswith("error: test.csv: no row has a label that the model knows.")
    assert "Its classes are <=50K, >50K" in err
    assert "'<=50K.' (20 rows; did you mean '<=50K'?)" in err
    assert "'>50K.' (20 rows; did you mean '>50K'?)" in err
    assert "--target" in err


def test_rows_with_unknown_labels_get_a_note_with_their_number(incomes, call):
    Path("mixed.csv").write_text("x,income\n1,>50K\n-1,<=50K\n2,>50k\n3,rich\n4,>50k\n")
    status, out, err = call("evaluate", "m", "mixed.csv", "--json")
    assert (status, json.loads(out)["unseen"]) == (0, {">50k": 2, "rich": 1})
    assert "note: mixed.csv: 3 rows of 5 have labels that the model does not know" in err
    assert "'>50k' (2 rows; did you mean '>50K'?), 'rich' (1 row)." in err
    assert "note" not in call("evaluate", "m", "mixed.csv", "-q")[2]


def test_numbers_have_no_near_spelling_and_long_lists_are_cut(models, call):
    rows = "".join(f"{label} 1:1\n" for label in range(5, 20))
    status, _, err = call("evaluate", "four.rosenblatt", "-", stdin=rows)
    assert status == 3
    assert "did you mean" not in err
    assert "and 10 more" in err


def test_labels_that_differ_only_in_case_are_noted(folder, call):
    Path("a.csv").write_text("x,y\n" + "1,yes\n-1,no\n2,Yes\n3,NO\n" * 3)
    note = "note: a.csv: labels differ only in case or blanks: NO, no: each is a class of its own."
    assert note in call("train", "a.csv", "-m", "m")[2].splitlines()
    assert note in call("certify", "a.csv")[2].splitlines()
    assert "differ only" not in call("train", "a.csv", "-m", "m", "-q")[2]
    assert "differ only" not in call("certify", "a.csv", "-q")[2]
