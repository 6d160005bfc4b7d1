"""Missing cells: each policy, the same rows in all batches, passes and files, and its options."""

import json

import numpy as np
import pytest
from stream_rows import refused

from rosenblatt.streams import open_stream
from rosenblatt.streams.core.missing import SPELLINGS, Imputer

TABLE = "x,colour,z,y\n1,red,4,a\n?,?,NA,b\nnan,blue,,a\n4,N/A,-9,b\nNULL,red,null,a\n"


def dense(stream):
    return [row.tolist() for batch in stream for row in batch.X.toarray()]


def means_before(cells):
    """Return the cells, each missing one as the mean of the numbers before it."""
    filled, total, count = [], 0.0, 0
    for cell in cells:
        filled.append(total / max(count, 1) if np.isnan(cell) else cell)
        if not np.isnan(cell):
            total, count = total + cell, count + 1
    return filled


@pytest.mark.parametrize("word", SPELLINGS)
def test_every_usual_spelling_is_a_missing_number_quoted_or_not(write, word):
    for cell in (word, f'"{word}"', f"  {word} "):
        path = write("a.csv", f"x,y\n3,a\n{cell},b\n")
        (batch,) = open_stream(path, impute="mean")
        assert batch.X.tolist() == [[3.0], [3.0]]
        refused(path, "expected a (finite )?number: fill it in.*--impute mean", 3, 1)


def test_policies(write):
    path = write("a.csv", TABLE)
    stream = open_stream(path, impute="mean", schema={"colour": "category"})
    rows = dense(stream)
    assert stream.feature_names == ["x", "z", "colour=red", "colour=blue"]
    assert rows[1][:2] == [1.0, 4.0]
    assert [row[0] for row in rows] == [1.0, 1.0, 1.0, 4.0, 2.5]
    assert [sum(row[2:]) for row in rows] == [1.0, 0.0, 1.0, 0.0, 1.0]
    stream = open_stream(path, impute="zero", schema={"colour": "category"})
    assert [row[:2] for row in dense(stream)] == [[1, 4], [0, 0], [0, 0], [4, -9], [0, 0]]
    stream = open_stream(path, impute="indicator", schema={"colour": "category"})
    rows, names = dense(stream), stream.feature_names
    assert set(names) == {
        "x", "z", "colour=red", "colour=blue",
        "x is missing", "z is missing", "colour is missing",
    }  # fmt: skip
    for name, expected in [("x", [0, 1, 1, 0, 1]), ("colour", [0, 1, 0, 1, 0])]:
        column = names.index(f"{name} is missing")
        assert [row[column] if column < len(row) else 0 for row in rows] == expected


def test_a_number_can_spell_a_missing_cell(write):
    path = write("a.csv", "x,c,y\n1,a,0\n-999,-999,1\n-999.0,b,0\n.,b,1\n")
    stream = open_stream(path, missing=("-999", "."), schema={"c": "category"})
    assert [row[0] for row in dense(stream)] == [1.0, 1.0, 1.0, 1.0]
    assert stream.feature_names == ["x", "c=a", "c=b"]
    assert stream.noted()["missing"] == ("-999", ".")
    refused(path, r"column 'x': found '\.', .*if the cell is missing: --missing '\.'", 5, 1)


@pytest.mark.parametrize("impute", ["mean", "zero", "indicator"])
@pytest.mark.parametrize("bits", [None, 4])
def test_batches_and_passes_do_not_matter(write, rng, impute, bits):
    cells = rng.normal(size=(200, 3)).round(3).astype(str)
    cells[rng.random(cells.shape) < 0.3] = "?"
    text = "a,b,c,y\n" + "".join(",".join(row) + ",0\n" for row in cells.tolist())
    path = write("a.csv", text)
    stream = open_stream(path, impute=impute, bits=bits)
    expected = stream.read()[0]
    small = open_stream(path, impute=impute, bits=bits, batch_bytes=64)
    for again in (stream, small, small):
        X = again.read()[0]
        assert abs(X - expected).max() == 0.0
    assert small.noted() == stream.noted()
    if impute == "mean" and bits is None:
        numbers = np.where(cells == "?", "nan", cells).astype(float)
        twin = np.transpose([means_before(column) for column in numbers.T])
        assert np.array_equal(expected, twin)


def test_files_continue_the_means_and_a_note_of_them_reads_new_rows(write):
    one, two = write("1.csv", "x,y\n1,a\n?,b\n"), write("2.csv", "x,y\n?,a\n4,b\n?,a\n")
    both = open_stream([one, two], impute="mean")
    for _ in range(2):
        assert [x for batch in both for x in batch.X.ravel().tolist()] == [1, 1, 1, 4, 2.5]
    assert both.noted()["means"] == {"x": 2.5}
    noted = json.loads(json.dumps(both.noted()))
    options = {name: noted[name] for name in ("impute", "missing", "means")}
    new = open_stream(one, **options)
    assert new.read()[0].tolist() == [[1.0], [2.5]]
    assert new.noted()["means"] == {"x": 2.5}


def test_an_interrupted_pass_leaves_the_means_of_the_longest(write):
    path = write("a.csv", "x,y\n" + "".join(f"{k},a\n" for k in range(100)) + "?,b\n")
    stream = open_stream(path, impute="mean", batch_bytes=16)
    stream.read()
    next(iter(stream))
    assert stream.noted()["means"] == {"x": 49.5}


def test_labels_and_weights_are_never_filled_in(write):
    path = write("a.csv", "x,w,y\n1,1,a\n2,?,b\n")
    refused(path, "'w': found nothing, expected a weight", 3, impute="zero", schema={"w": "weight"})
    path = write("b.csv", "x,y\n1,a\n2,?\n")
    refused(path, r"'y': found '\?', expected a label", 3, impute="zero")
    assert open_stream(path).read()[1].tolist() == ["a", "?"]


def test_a_mean_that_overflows(write):
    path = write("a.csv", "x,y\n1e308,a\n1e308,b\n?,a\n")
    refused(path, "column 'x': its mean overflows float64: scale the column down", impute="mean")


def test_other_numbers_stay_errors(write):
    path = write("a.csv", "x,y\n1,a\nabc,b\n")
    refused(path, "column 'x': found 'abc'", 3, 1, impute="mean")
    refused(write("b.csv", "x,y\n1,a\n1e999,b\n"), "fits a float64", 3, 1, impute="mean")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"impute": "median"}, "impute must be one of mean, zero, indicator; got 'median'"),
        ({"missing": [" ?"]}, "missing must be words without quotes"),
        ({"format": "jsonl", "impute": "zero"}, "impute does not go with JSON lines"),
    ],
)
def test_wrong_options(write, options, message):
    with pytest.raises(ValueError, match=message):
        open_stream(write("a.csv", TABLE), **options)


def test_the_imputer_describes_itself():
    assert Imputer("mean", ["-"], {}).describe().endswith("?, - read as the model's mean")
