"""``export``: formats by suffix, options, refusals, and a file that is written at once."""

import json

import pytest
from exported import of_text

import rosenblatt
from rosenblatt import KernelPerceptron, Perceptron, export
from rosenblatt.exports.formats import FORMATS, SUFFIXES
from rosenblatt.exports.terms import CannotExport

MODEL = Perceptron().fit([[0.0], [1.0]], ["no", "yes"])


def test_every_format_declares_itself():
    assert list(SUFFIXES.values()) == list(FORMATS)
    assert len({one.rank for one in FORMATS.values()}) == len(FORMATS)
    for name, one in FORMATS.items():
        assert one.suffix.startswith(".")
        assert one.title
        assert name == one.name


def test_the_suffix_or_to_is_the_format(tmp_path):
    export(MODEL, tmp_path / "a.json")
    export(MODEL, str(tmp_path / "a.txt"), to="json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "a.txt").read_bytes()
    with pytest.raises(ValueError, match="its suffix names no format; the formats are"):
        export(MODEL, tmp_path / "b.txt")
    with pytest.raises(ValueError, match="to must be one of"):
        export(MODEL, tmp_path / "b.txt", to="pmml")


def test_options_of_another_format_are_refused(tmp_path):
    with pytest.raises(ValueError, match="table does not go with json; got 'rows'"):
        export(MODEL, tmp_path / "a.json", table="rows")
    with pytest.raises(ValueError, match="dialect must be one of sqlite, duckdb, postgresql"):
        export(MODEL, tmp_path / "a.sql", dialect="mysql")


def test_a_file_and_an_estimator_give_the_same(call, tmp_path):
    done = of_text(call, tmp_path, "a,c,y\n1,u,0\n3,v,1\n2,u,0\n")
    export(done.model, tmp_path / "a.sql", table="rows", dialect="duckdb")
    assert 'FROM "rows" AS d' in (tmp_path / "a.sql").read_text()
    export(done.model, tmp_path / "a.json")
    exported = json.loads((tmp_path / "a.json").read_text())
    learner = rosenblatt.load(done.model)
    assert [term["weights"] for term in exported["terms"]] == learner.coef_.T.tolist()


def test_a_refusal_names_the_file_and_leaves_the_old_export(tmp_path):
    path, old = tmp_path / "k.rosenblatt", tmp_path / "a.json"
    rosenblatt.save(KernelPerceptron().fit([[0.0], [1.0]], [0, 1]), path)
    old.write_text("old")
    with pytest.raises(CannotExport, match=r"k.rosenblatt cannot be exported: a KernelPerceptron"):
        export(path, old)
    assert old.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".tmp"] == []


def test_columns_of_dates_are_a_limit_of_every_format(call, tmp_path):
    done = of_text(call, tmp_path, "day,y\n2024-01-31,0\n2024-07-01,1\n2025-02-03,0\n")
    for name, one in FORMATS.items():
        assert "dates" in one.limits.split(", ")[0]
        with pytest.raises(CannotExport, match="'day' is of the kind date, and no export makes"):
            export(done.model, tmp_path / "a", to=name)
