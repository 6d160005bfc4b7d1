"""Texts in the command: folders of mail, and JSON lines with texts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from real_data import real_data
from sklearn.feature_extraction import FeatureHasher

import rosenblatt
from rosenblatt import load, models
from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.features.ngrams import NgramHasher

HAM = ["see you at noon", "lunch at noon today", "the minutes of today", "noon is fine for you"]
SPAM = ["win a prize now", "a free prize for you", "claim your free prize", "win win win now"]
LEARN = ["--rule", "perceptron", "--epochs", "9"]
"""Options that learn these few rows by heart."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Mail in folders, and the same in JSON lines."""
    monkeypatch.chdir(tmp_path)
    rows = []
    for label, texts in (("ham", HAM), ("spam", SPAM)):
        Path("mail", label).mkdir(parents=True)
        for k, text in enumerate(texts):
            Path("mail", label, f"{k}.txt").write_text(text)
            rows.append({"label": label, "body": text, "size": 1, "in": {"box": "a b"}})
    Path("mail.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    Path("new").mkdir()
    Path("new", "1.txt").write_text("a prize for you")
    Path("new", "2.txt").write_text("at noon today")
    return tmp_path


def test_from_a_folder_to_predictions(folder, call):
    status, out, _ = call("train", "mail", "-m", "m", *LEARN, "-q", "--json")
    assert (status, json.loads(out)["features"]) == (0, 2**18)
    notes = models.describe("m")["notes"]
    assert [notes[name] for name in ("format", "bits", "text")] == ["folder", 18, ["word:1-2"]]
    assert call("predict", "m", "new")[:2] == (0, "1.txt\tspam\n2.txt\tham\n")
    assert call("predict", "m", "new/1.txt", "--format", "folder")[:2] == (0, "1.txt\tspam\n")
    status, out, _ = call("evaluate", "m", "mail", "--json")
    assert (status, json.loads(out)["errors"]) == (0, 0)
    assert "text=['word:1-2']" in call("inspect", "m")[1]


def test_new_data_is_hashed_as_the_training_data(folder, call):
    options = ["--bits", "12", "--text", "word:1", "--text", "char:3"]
    assert call("train", "mail", "-m", "m", "-q", "--epochs", "9", *options)[0] == 0
    model = load("m")
    X = NgramHasher(["word:1", "char:3"], 12).rows(["a prize for you", "at noon today"]).tocsr()
    scores = "".join(
        f"{label}\t{score:.6g}\n"
        for label, score in zip(model.predict(X), model.decision_function(X), strict=True)
    )
    lines = zip(("1.txt", "2.txt"), scores.splitlines(), strict=True)
    answers = "".join(f"{name}\t{line}\n" for name, line in lines)
    assert call("predict", "m", "new", "--scores")[:2] == (0, answers)
    assert call("predict", "m", "new", *options)[0] == 0
    rows = '{"text": "a prize for you"}\n{"text": "at noon today"}\n'
    assert call("predict", "m", "-", "--format", "jsonl", "--scores", stdin=rows)[:2] == (0, scores)


def test_texts_in_json_lines(folder, call):
    train = ["train", "mail.jsonl", "-m", "m", "-q", "--text", "word:1-2", *LEARN]
    assert call(*train)[0] == 0
    notes = models.describe("m")["notes"]
    assert [notes[name] for name in ("text", "schema")] == [["word:1-2"], {"body": "text"}]
    rows = '{"body": "prize"}\n{"body": "noon", "size": 1}\n'  # too short to be told as texts
    assert call("predict", "m", "-", "--format", "jsonl", stdin=rows)[:2] == (0, "spam\nham\n")
    assert call("predict", "m", "mail.jsonl")[:2] == (0, "ham\n" * 4 + "spam\n" * 4)


@pytest.mark.parametrize(
    ("train", "predict", "status", "message"),
    [
        (
            "mail",
            "new --bits 12",
            2,
            "--bits 12 does not go with this model: it was trained with --bits 18 --text word:1-2",
        ),
        ("mail", "new --text char:3", 2, "--text char:3 does not go with this model"),
        (
            "mail",
            "a.svm",
            3,
            "is read with --bits 18, but the model was trained on folder data with",
        ),
        (
            "mail",
            "a.vw",
            3,
            "is read with --bits 18 hashed as Vowpal Wabbit does, but the model was trained on "
            "folder data with --bits 18 --text word:1-2: their features are not the same",
        ),
        (
            "a.svm",
            "new",
            3,
            "is read with --bits 18 --text word:1-2, but the model was trained on svmlight data",
        ),
        ("mail.jsonl --bits 9", "new", 3, "with --bits 9: their features are not the same"),
        (
            "mail.jsonl --bits 9",
            "mail.jsonl --text word:1",
            2,
            "--text word:1 does not go with this model: it was trained with --bits 9.",
        ),
        ("mail.jsonl", "new", 3, "names that are not hashed"),
        ("mail", "mail.jsonl --target body", 3, "mail.jsonl: found no texts of several words"),
    ],
)
def test_different_features_are_refused(folder, call, train, predict, status, message):
    Path("a.svm").write_text("1 1:1\n-1 2:1\n")
    Path("a.vw").write_text("1 | noon\n-1 | prize\n")
    assert call("train", *train.split(), "-m", "m", "-q")[0] == 0
    result, _, error = call("predict", "m", *predict.split())
    assert (result, message in " ".join(error.split())) == (status, True), error


def test_usage(folder, call):
    for args, message in [
        (("mail", "--text", "words"), "--text must be word:N, char:N or char_wb:N"),
        (("mail", "--target", "y"), "--target does not go with a folder of texts; got 'y'"),
        (("a.svm", "--text", "word:1"), "--text does not go with svmlight text"),
    ]:
        Path("a.svm").write_text("1 1:1\n-1 2:1\n")
        status, _, error = call("train", *args, "-m", "m")
        assert (status, message in " ".join(error.split())) == (2, True), error


def test_one_label_only(folder, call):
    status, _, error = call(
        "train", "mail.jsonl", "-m", "m", "-q", "--target", "size", "--text", "word:1"
    )
    assert (status, "every label is 1" in error) == (3, True)


def test_opening_a_folder_loads_nothing_heavy(folder):
    code = (
        "import sys; from rosenblatt.streams import open_stream\n"
        "assert open_stream('mail').bits == 18\n"
        "assert not {'numba', 'scipy', 'sklearn'} & set(sys.modules)"
    )
    home = str(Path(rosenblatt.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": home})


# --- rows of JSON lines ---------------------------------------------------------------------------


def test_json_lines_hashed(folder):
    rows = [json.loads(line) for line in Path("mail.jsonl").read_text().splitlines()]
    plain = [{"size": row["size"], "in.box": row["in"]["box"]} for row in rows]
    texts = [row["body"] for row in rows]
    for size in (1, 1 << 22):
        stream = open_stream("mail.jsonl", bits=8, text="word:1", batch_bytes=size)
        assert (stream.bits, stream.feature_names, stream.schema) == (8, None, {"body": "text"})
        hasher = FeatureHasher(2**8, input_type="dict")
        wanted = hasher.transform(plain) + NgramHasher(["word:1"], 8).rows(texts).tocsr()
        X, y = stream.read()
        assert abs(X - wanted).max() == 0
        assert y.tolist() == ["ham"] * 4 + ["spam"] * 4
    whole = [{**row, "body": text} for row, text in zip(plain, texts, strict=True)]
    assert abs(open_stream("mail.jsonl", bits=8).read()[0] - hasher.transform(whole)).max() == 0


def test_texts_in_lists_and_objects(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [
        {"y": 1, "a": {"t": ["one two", "three"], "u": 2}},
        {"y": 2, "a": {"t": "four"}},
        {"y": 1, "a": {"t": None, "u": "oak"}},
        {"y": 2, "a": {"t": "\ud800 five"}},
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    X, _ = open_stream(path, bits=20, schema={"a.t": "text"}, labelled=False, target="y").read()
    texts = NgramHasher(["word:1-2"], 20).rows(["one two\nthree", "four", "", "? five"]).tocsr()
    assert abs(X[[1, 3]] - texts[[1, 3]]).max() == 0
    assert (X[[0]] - texts[[0]]).count_nonzero() == X[[2]].count_nonzero() == 1


def test_rows_before_a_bad_line_are_predicted(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"y": 1, "t": "a text of words"}\n{"y": null, "t": "another text"}\n')
    rows = []
    with pytest.raises(DataError, match=r"a\.jsonl:2: key 'y': found nothing"):
        rows.extend(batch.X for batch in open_stream(path, text="word:1"))
    assert [X.shape[0] for X in rows] == [1]


# --- real messages --------------------------------------------------------------------------------


def test_spam_from_the_archive():
    path = real_data("spamassassin", "spamassassin_public_corpus.tar.xz")
    batch = next(iter(open_stream(path, batch_bytes=1 << 19)))
    assert set(batch.y.tolist()) == {"easy-ham-1"}
    assert (np.diff(batch.X.indptr) > 20).all()


def test_a_mail_from_a_pipe_and_a_file_without_a_suffix(folder, call):
    """A model of mail predicts a single mail."""
    assert call("train", "mail", "-m", "m", "-q", *LEARN)[0] == 0
    mail = next(Path("mail/spam").iterdir()).read_text()
    Path("fresh").write_text(mail)
    assert call("predict", "m", "-", stdin=mail) == (0, "spam\n", "")
    assert call("predict", "m", "fresh") == (0, "fresh\tspam\n", "")
    assert "a single text has no folder" in call("evaluate", "m", "-", stdin=mail)[2]
