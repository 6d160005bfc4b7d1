"""Raw rows get the labels and the scores of ``rosenblatt predict``, to the last bit."""

import lzma
from itertools import islice

import pandas
import pytest
from raw_rows import MAIL, OBJECTS, OPTIONS, PEOPLE, answers_of, as_answered, raw_rows, trained
from real_data import real_data, text_of_table

from rosenblatt.serve.encoded.files import read_file
from rosenblatt.serve.encoded.live import EncodedLive
from rosenblatt.streams import open_stream


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check_alike(call, path, *options):
    """Every row of a file gets the labels and scores of the command, as its model file is put."""
    data = trained(call, path, *options)
    live = read_file(data)
    assert isinstance(live, EncodedLive)
    rows = raw_rows(path, live.how.notes)
    expected = answers_of(call, "m.rosenblatt", path)
    assert [as_answered(live.predict(row)) for row in rows] == expected
    return live, rows


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_rows_of_a_table_are_scored_as_by_the_command(folder, call, options):
    (folder / "people.csv").write_text(PEOPLE)
    check_alike(call, "people.csv", "--target", "y", *options)


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--impute", "mean"],
        ["--impute", "indicator"],
        ["--bits", "11", "--interactions", "kind*size"],
        ["--interactions", "kind*size"],
        ["--schema", "new:text", "--text", "char:2-3", "--bits", "12"],
        ["--schema", "size:category"],
    ],
    ids=" ".join,
)
def test_rows_of_json_lines_are_scored_as_by_the_command(folder, call, options):
    (folder / "rows.jsonl").write_text(OBJECTS)
    live, _ = check_alike(call, "rows.jsonl", *options)
    assert live.rows().rows == "objects"


@pytest.mark.parametrize("options", [[], ["--bits", "12"]], ids=" ".join)
def test_lists_of_json_lines_have_names_for_numbers_and_counts_for_words(folder, call, options):
    (folder / "rows.jsonl").write_text(
        '{"y": "a", "sizes": [2, 7], "tags": ["win", "prize", "win"]}\n'
        '{"y": "b", "sizes": [1, 0.5], "tags": ["noon"]}\n' * 9
    )
    live = read_file(trained(call, "rows.jsonl", *options))
    named = {"sizes.0": 2, "sizes.1": 7, "tags=win": 2, "tags=prize": 1}
    expected = answers_of(call, "m.rosenblatt", "rows.jsonl")[0]
    assert as_answered(live.predict(named)) == expected


@pytest.mark.parametrize("options", [[], ["--schema", "new:category,age:category"]], ids=" ".join)
def test_rows_of_parquet_are_scored_as_by_the_command(folder, call, options):
    rows = [
        {"age": 39, "new": True, "job": "a", "pay": 1.5, "zip": "01", "y": "n"},
        {"age": 50, "new": False, "job": None, "pay": None, "zip": "1.0", "y": "y"},
        {"age": 38, "new": True, "job": "b", "pay": 2.25, "zip": "1", "y": "n"},
    ] * 4
    pandas.DataFrame(rows).to_parquet("people.parquet")
    live = read_file(trained(call, "people.parquet", "--target", "y", "--impute", "mean", *options))
    expected = answers_of(call, "m.rosenblatt", "people.parquet")
    assert [as_answered(live.predict(row)) for row in rows] == expected


@pytest.mark.parametrize("options", [[], ["--text", "char_wb:2-4", "--bits", "12"]], ids=" ".join)
def test_texts_are_scored_as_by_the_command(folder, call, options):
    (folder / "mail.tsv").write_text(MAIL)
    live, rows = check_alike(call, "mail.tsv", "--schema", "text:text", *options)
    assert live.rows().columns == {"text": "text", "length": "number"}
    two = ("\t".join(line.split("\t")[:2]) for line in MAIL.splitlines())
    (folder / "two.tsv").write_text("".join(f"{line}\n" for line in two))
    live, rows = check_alike(call, "two.tsv", "--schema", "text:text", *options)
    for row in rows:  # the only column: the text alone is a row, too
        assert live.predict(row["text"]).scores == live.predict(row).scores
    for label, text in (("ham", "see you"), ("spam", "Prize! NOW"), ("ham", "ÄÖ ok\n\tja")):
        (folder / "mails" / label).mkdir(parents=True, exist_ok=True)
        (folder / "mails" / label / f"{len(text)}.txt").write_text(text)
    live, rows = check_alike(call, "mails", *options)
    assert (live.rows().rows, live.rows().columns) == ("text", {})


def test_an_explanation_has_the_names_that_were_hashed(folder, call):
    (folder / "mail.tsv").write_text(MAIL)
    live = read_file(trained(call, "mail.tsv", "--schema", "text:text"))
    told = live.predict({"text": "win a PRIZE", "length": 3}, explain=True)
    parts = {part.feature: (part.value, part.contribution) for part in told.contributions}
    assert parts["prize"][0] == 1.0
    assert parts["length"][0] == 3.0
    intercept = float(live.model._fitted().intercept_[0])
    sign = 1 if told.label == live.model.classes_[1] else -1
    total = sum(contribution for _, contribution in parts.values()) + sign * intercept
    assert total == pytest.approx(told.scores[told.label])
    (folder / "rows.jsonl").write_text(OBJECTS)
    live = read_file(trained(call, "rows.jsonl", "--bits", "12"))
    told = live.predict({"size": 2.0, "kind": "oak", "new": None}, explain=True)
    assert {p.feature: p.value for p in told.contributions} == {"size": 2.0, "kind=oak": 1.0}


@pytest.mark.parametrize("options", [["--scale"], ["--average"]], ids=" ".join)
def test_rows_of_a_data_set_are_scored_as_by_the_command(folder, call, options):
    live = read_file(trained(call, "sklearn:wine", *options))
    assert set(live.rows().columns.values()) == {"number"}
    X, _ = open_stream("sklearn:wine").read()
    rows = [dict(zip(X.columns, row, strict=True)) for row in X.tolist()]
    expected = answers_of(call, "m.rosenblatt", "sklearn:wine")
    assert [as_answered(live.predict(row)) for row in rows] == expected
    again = read_file(live.content()())
    assert again.predict(rows[0]) == live.predict(rows[0])
    (folder / "m.rosenblatt").write_bytes(live.content()())
    assert answers_of(call, "m.rosenblatt", "sklearn:wine") == expected


SAMPLES = [("flowers", []), ("wines", ["--impute", "mean", "--decimal", ","]), ("mail", [])]
TABLES = [
    (("tables", "soybean.csv.xz"), ["--impute", "indicator"]),
    (("tables", "hypothyroid.csv.xz"), ["--impute", "mean", "--scale"]),
    (("tables", "kr.vs.kp.csv.xz"), ["--average"]),
    (("uci_small", "glass.csv"), ["--no-header", "--scale", "--average"]),
    (("uci_small", "breast-cancer-wisconsin.csv"), ["--no-header", "--impute", "mean"]),
    (("uci_small", "pima-indians-diabetes.csv"), ["--no-header", "--rule", "arow"]),
    (("uci_small", "iris.csv"), ["--no-header", "--interactions", "c1*c2"]),
]


@pytest.mark.parametrize(("sample", "options"), SAMPLES, ids=[name for name, _ in SAMPLES])
def test_samples_are_scored_as_by_the_command(folder, call, sample, options):
    call("sample", sample)
    (path,) = (path.name for path in folder.iterdir())
    check_alike(call, path, *options)


@pytest.mark.parametrize(("parts", "options"), TABLES, ids=[parts[1] for parts, _ in TABLES])
def test_real_tables_are_scored_as_by_the_command(folder, call, parts, options):
    lines = text_of_table(*parts).splitlines(keepends=True)
    (folder / "a.csv").write_text("".join(lines[:300]))
    check_alike(call, "a.csv", *options)


def test_real_texts_are_scored_as_by_the_command(folder, call):
    path = "a.tsv"
    with lzma.open(real_data("sms_spam", "SMSSpamCollection.xz")) as file:
        (folder / path).write_bytes(b"".join(islice(file, 600)))
    options = ("--format", "tsv", "--names", "label,text", "--target", "label", "--schema")
    data = trained(call, path, *options, "text:text", "--average")
    live = read_file(data)
    rows = raw_rows(path, live.how.notes)
    expected = answers_of(call, "m.rosenblatt", path, "--format", "tsv")
    assert len(rows) == 600
    assert [as_answered(live.predict(row["text"])) for row in rows] == expected
