"""One-vs-rest that loses to joint is said, where held-out rows show it."""

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.cli.training import other_scheme
from rosenblatt.cli.training.other_scheme import Comparison, FirstRows
from rosenblatt.streams import Batch
from rosenblatt.streams.core.batch import csr

NOTE = "one-vs-rest is wrong in"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with classes in a row: no line has one of the inner ones on a side."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(7)
    x, z = rng.uniform(-3, 3, (2, 400))
    labels = np.digitize(x, [-2, -1, 0, 1, 2])
    rows = [f"{a:.4f},{b:.4f},c{y}\n" for a, b, y in zip(x, z, labels, strict=True)]
    Path("a.csv").write_text("".join(["x,z,y\n", *rows]))
    Path("two.csv").write_text("".join(["x,z,y\n", *(r for r in rows if r[-3:-1] in ("c0", "c5"))]))
    lines = [f"{y} 1:{a:.4f} 2:1\n" for a, y in zip(x, labels, strict=True)]
    Path("a.svm").write_text("".join(lines))


def train(call, data, *options):
    status, out, err = call("train", data, "-m", "m", "--epochs", "20", *options)
    assert status == 0
    Path("out").write_text(out)
    return " ".join(err.split())


HOLDOUT = ("--holdout", "0.25", "--average")


@pytest.mark.parametrize("data", ["a.csv", "a.svm"])
def test_it_is_said_and_the_advice_is_good(call, data):
    err = train(call, data, *HOLDOUT)
    assert NOTE in err
    errors = int(err.split(NOTE)[1].split()[0])
    joint = int(err.split("held-out rows, a joint model in ")[1].split(":")[0])
    assert errors > joint + 10
    other = train(call, data, *HOLDOUT, "--multi-class", "joint", "--json")
    assert NOTE not in other
    assert json.loads(Path("out").read_text())["holdout"]["errors"] < errors - 10


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("a.csv", ()),
        ("two.csv", HOLDOUT),
        ("a.csv", (*HOLDOUT, "--quiet")),
        ("a.csv", (*HOLDOUT, "--kernel", "rbf")),
        ("a.csv", ("--holdout", "0.25", "--rule", "arow_full")),
    ],
)
def test_no_comparison_is_made(call, monkeypatch, data, options):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(Comparison, "sentence", refuse)
    train(call, data, *options)


def test_what_little_rows_cannot_show_is_not_said(call):
    assert NOTE not in train(call, "a.csv", "--holdout", "0.02", "--average")


def test_a_large_run_is_compared_on_its_first_rows(call, monkeypatch):
    monkeypatch.setattr(other_scheme, "_MOST_PRODUCTS", 24_000)
    assert NOTE not in train(call, "a.csv", *HOLDOUT)  # 100 of 300 rows say little
    monkeypatch.setattr(other_scheme, "_LEAST_ROWS", 100)
    assert "both after the first 100 rows: --multi-class joint" in train(call, "a.csv", *HOLDOUT)


def test_the_same_seeds_say_the_same(call):
    one, other = (train(call, "a.csv", *HOLDOUT, "--shuffle", "--seed", "4") for _ in range(2))
    assert one.split(NOTE)[1].split(".")[0] == other.split(NOTE)[1].split(".")[0]


def test_the_rows_that_are_kept_have_a_limit(monkeypatch):
    monkeypatch.setattr(other_scheme, "_MOST_VALUES", 100)
    dense, rows = Batch(np.ones((30, 2)), np.zeros(30), 0), FirstRows()
    for _ in range(3):
        rows.add(dense)
    assert ([len(batch.y) for batch in rows.batches], rows.are_all) == ([30, 20], False)
    sparse, rows = csr(np.ones(60), np.zeros(60, np.int32), np.arange(0, 61, 2), 1), FirstRows()
    rows.add(Batch(sparse, np.zeros(30), 0))
    assert rows.cheap(3, 1)[1]
    monkeypatch.setattr(other_scheme, "_MOST_PRODUCTS", 60)
    batches, are_all = rows.cheap(3, 1)
    assert ([len(batch.y) for batch in batches], are_all) == ([10], False)


@pytest.mark.parametrize(
    ("alone", "is_said"), [((4, 0), True), ((3, 0), False), ((20, 8), True), ((20, 10), False)]
)
def test_errors_that_one_scheme_makes_alone_decide(alone, is_said):
    ovr, joint = alone
    compared = Comparison(400, 100, True, ovr + 5, joint + 5, ovr, joint)
    assert (compared.sentence() is not None) == is_said
