"""The file of an encoder of raw rows: what ``inspect`` tells of it."""

import pytest

from rosenblatt import RowEncoder, save
from rosenblatt.cli.report.encoder import encoder_facts, encoder_record
from rosenblatt.learning.models.files import describe

TABLE = [{"job": "Own", "pay": 3.0}, {"job": "Gov", "pay": None}, {"job": "Own", "pay": 4.0}]


@pytest.fixture
def about(tmp_path):
    """Return a function that describes the file of an encoder of rows."""

    def described(rows, notes=None, **params):
        save(RowEncoder(**params).fit(rows), tmp_path / "e", notes=notes)
        return describe(tmp_path / "e")

    return described


def test_a_table(about):
    found = about(TABLE, impute="mean", missing="-9", scale=True, notes={"made by": "hand"})
    facts = dict(encoder_facts(found, "e"))
    assert facts["class"] == "RowEncoder"
    assert facts["rows"] == "a table"
    assert facts["columns"] == "2: job (category), pay (number)"
    assert facts["options"] == "made by=hand, impute=mean, missing=['-9'], scale=True"
    assert facts["output"] == "3 columns: pay, job=Own, job=Gov"
    assert facts["means"] == "pay=3.5"
    assert found["sha256"][:12] in facts["written"]
    record = encoder_record(found, "e")
    assert record["columns"] == {"job": "category", "pay": "number"}
    assert record["names"] == ["pay", "job=Own", "job=Gov"]
    assert (record["features"], record["bits"], record["scale"]) == (3, None, True)
    assert record["means"] == {"pay": 3.5}
    assert record["notes"] == found["notes"]


def test_many_columns_are_cut(about):
    rows = [{"word": f"w{k % 40:02}"} for k in range(80)]
    found = about(rows)
    output = dict(encoder_facts(found, "e"))["output"]
    assert output.startswith("40 columns: word=w00, word=w01, ")
    assert "w39" not in output
    assert len(encoder_record(found, "e")["names"]) == 40


def test_hashed_texts_and_objects(about):
    found = about(["a prize", "see you"], bits=12)
    facts = dict(encoder_facts(found, "e"))
    assert (facts["rows"], facts["output"]) == ("texts", "hashed to 2^12 columns")
    assert facts["options"] == "bits=12, text=['word:1-2']"
    assert not {"columns", "means"} & facts.keys()
    assert encoder_record(found, "e")["features"] == 4096
    assert encoder_record(found, "e")["names"] is None
    facts = dict(encoder_facts(about([{"a": {"b": 1}}, {"c": "x"}]), "e"))
    assert (facts["rows"], facts["output"]) == ("objects, as of JSON lines", "2 columns: a.b, c=x")
    assert "options" not in facts
