"""New data for a model: the columns of the model, and what contradicts it."""

import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.streams import DataError, open_stream, reopen, write_stream
from rosenblatt.streams.compatibility import other_kind, shared_layout
from rosenblatt.streams.io.paths import is_single_pass

MAIL = b"colour,links,label\nred,2,spam\ngreen,0,ham\nblue,4,spam\n"


def model_of(path, **options):
    """Return the notes and the columns of a model of a file."""
    stream = open_stream(path, **options)
    X, _ = stream.read()
    return stream.noted(), getattr(X, "columns", None)


@pytest.mark.parametrize("name", ["copy.parquet", "copy.arrow"])
def test_a_copy_with_products_of_numbers_is_read_like_its_source(write, tmp_path, name):
    source, copy = write("a.csv", b"a,b,y\n1,2,0\n3,4,1\n"), tmp_path / name
    write_stream(open_stream(source, interactions=["a*b"]), copy)
    notes = open_stream(source, interactions=["a*b"]).noted()
    names = ["a", "b", "a*b"]
    assert open_stream(copy).noted() == notes
    for path in (source, copy):
        for grows in (False, True):
            X, _ = reopen(notes, names, path, grows=grows).read()
            assert X.tolist() == [[1, 2, 2], [3, 4, 12]]


def test_categories_in_another_order_have_the_columns_of_the_model(write):
    notes, names = model_of(write("a.csv", MAIL))
    other = write("b.csv", b"label,links,more,colour\nham,1,9,green\nspam,2,9,mauve\n")
    reports = []
    stream = reopen(notes, names, other, report=reports.append)
    X, y = stream.read()
    assert X.columns == names == ("links", "colour=red", "colour=green", "colour=blue")
    assert X.toarray().tolist() == [[1, 0, 1, 0], [2, 0, 0, 0]]
    assert (y.tolist(), stream.target, stream.sparse) == (["ham", "spam"], "label", True)
    assert reports == [
        f"{other}: ignored 1 column that the model does not know: more.",
        f"{other}: has features beyond the model's 4; they are ignored, since the model has not "
        "learned them.",
    ]


def test_numbers_in_another_order(write):
    notes, names = model_of(write("a.csv", b"a,b,y\n1,2,x\n3,4,z\n"))
    stream = reopen(notes, names, write("b.csv", b"y,b,c,a\nx,20,30,10\n"))
    X, _ = stream.read()
    assert (X.tolist(), X.columns, stream.sparse) == ([[10.0, 20.0]], ("a", "b"), False)


def test_rows_without_labels_and_other_formats(write):
    notes, names = model_of(write("a.csv", MAIL))
    lines = b'{"colour": "blue", "links": 1}\n{"links": 3}\n'
    X, y = reopen(notes, names, write("b.jsonl", lines), labelled=False).read()
    assert (X.toarray().tolist(), y) == ([[1, 0, 0, 1], [3, 0, 0, 0]], None)
    X, y = reopen(notes, names, write("c.csv", b"links,colour\n7,red\n"), labelled=False).read()
    assert (X.toarray().tolist(), y) == ([[7, 1, 0, 0]], None)


def test_noted_options_are_taken_over(write):
    first = write("a.csv", b"1,5;?;yes\n2,5;3;no\n")
    notes, names = model_of(first, separator=";", decimal=",", header=False, impute="mean")
    X, y = reopen(notes, names, write("b.csv", b"0,5;NA;no\n")).read()
    assert (X.tolist(), y.tolist()) == ([[0.5, 3.0]], ["no"])


def test_sparse_columns_by_number_get_the_width_of_the_model(write):
    notes, names = model_of(write("a.svm", b"1 0:1 2:1\n-1 1:1\n"))
    assert names is None
    reports, wide = [], write("b.svm", b"1 1:1 5:1\n")
    X, _ = reopen(notes, None, wide, width=3, report=reports.append).read()
    assert X.toarray().tolist() == [[0, 1, 0]]  # counted from 0, as in the first file
    assert "has features beyond the model's 3" in reports[0]
    X, _ = reopen(notes, None, write("c.svm", b"1 0:1\n"), width=3).read()
    assert X.shape == (1, 3)
    assert reopen(notes, None, wide).read()[0].shape == (1, 6)


def test_an_array_by_position_needs_the_width_of_the_model(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0]]))
    notes, names = model_of(tmp_path / "a.npy")
    assert reopen(notes, names, tmp_path / "a.npy", width=2).read()[0].shape == (2, 2)
    with pytest.raises(DataError, match="has 2 features, but the model has 3, and no names"):
        reopen(notes, names, tmp_path / "a.npy", width=3).read()


def test_several_files_and_no_notes(write):
    files = [write("a.csv", MAIL), write("b.csv", b"colour,links,label\nblue,1,ham\n")]
    notes, names = model_of(files[0])
    X, y = reopen(notes, names, files[::-1]).read()
    assert X.toarray()[0].tolist() == [1, 0, 0, 1]
    assert y.tolist() == ["ham", "spam", "ham", "spam"]
    again, _ = reopen({}, names, files[::-1]).read()
    assert again.toarray().tolist() == X.toarray().tolist()


def test_the_rows_keep_weights_and_lines(write):
    notes, names = model_of(write("a.csv", MAIL))
    options = {"schema": {"w": "weight"}}
    stream = reopen(notes, names, write("b.csv", b"w,links,colour,label\n2,1,red,x\n"), **options)
    batch = next(iter(stream))
    assert batch.weight.tolist() == [2.0]
    assert stream.location(0)[1] == 2
    assert stream.bad_rows == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (("b.csv", b"links,label\n1,spam\n"), "no column 'colour' of the kind category"),
        (("b.csv", b"colour,label\nred,spam\n"), "links"),
        (("b.svm", b"1 1:1\n"), "columns without names, but the model matches its 4 by name"),
        (("b.vw", b"1 |a b\n"), "is read with --bits 18 hashed as Vowpal Wabbit does, but"),
        (("b.csv", b"colour,links,label\nred,many,spam\n"), "found 'many', expected a number"),
    ],
)
def test_a_source_that_contradicts_the_model_is_refused(write, source, message):
    notes, names = model_of(write("a.csv", MAIL))
    with pytest.raises(DataError, match=message):
        reopen(notes, names, write(*source)).read()


def test_a_table_that_lacks_a_column_is_refused(write):
    notes, names = model_of(write("a.csv", b"a,b,y\n1,2,x\n3,4,z\n"))
    with pytest.raises(DataError, match="lacks 1 column of the model's 2: b"):
        reopen({}, names, write("b.csv", b"a,y\n1,x\n"))
    with pytest.raises(DataError, match="model knows its 2 by index only"):
        reopen({}, None, write("c.csv", MAIL), width=2)
    assert notes["schema"] == {"a": "number", "b": "number"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bits": 9}, "--bits 9 does not go with this model: it was trained with names that"),
        ({"impute": "zero"}, "--impute zero does not go with this model: it was trained without"),
        ({"missing": "-"}, r"--missing \(--impute mean\) does not go with this model"),
        ({"interactions": "links*colour"}, "--interactions links.colour does not go with this"),
        ({"format": "word"}, "format must be one of"),
    ],
)
def test_options_that_would_give_other_features_are_refused(write, options, message):
    path = write("a.csv", MAIL)
    notes, names = model_of(path)
    with pytest.raises(ValueError, match=message):
        reopen(notes, names, path, **options)


def test_rows_that_are_learned_spell_missing_cells_as_the_model_does(write):
    path = write("a.csv", b"a,y\n1,x\n-9,z\n3,x\n")
    notes, names = model_of(path, impute="mean", missing=("-9",))
    message = "--missing=-7 does not go with this model: it was trained with --missing=-9"
    with pytest.raises(ValueError, match=message):
        reopen(notes, names, path, missing="-7", grows=True)
    again, _ = reopen(notes, names, path, missing="-9", grows=True).read()
    assert again.ravel().tolist() == [1, 5 / 3, 3]  # the means go on
    assert reopen(notes, names, path, missing="-7").read()[0].ravel().tolist() == [1, -9, 3]


def test_an_unknown_option_is_an_error(write):
    with pytest.raises(TypeError, match="colour"):
        reopen({}, None, write("a.csv", MAIL), colour="red")


def test_a_pipe_is_read_in_the_format_of_the_training_data(write, tmp_path):
    notes, names = model_of(write("a.csv", MAIL))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"links,colour,label\n5,blue,ham\n",))
    writer.start()
    assert is_single_pass(pipe)
    assert is_single_pass(["a.csv", pipe])
    X, y = reopen(notes, names, pipe).read()
    writer.join()
    assert (X.toarray().tolist(), y.tolist()) == ([[5, 0, 0, 1]], ["ham"])


def test_the_separator_of_a_table_is_shared_unless_its_first_line_has_another():
    notes = {"format": "csv", "separator": ";", "column_names": ["a", "b"]}
    assert "separator" in shared_layout(notes, "1;2")
    assert "separator" not in shared_layout(notes, "1,2")
    assert "header" not in shared_layout(notes, "a;b")


def test_the_first_column_of_another_kind(write):
    stream = open_stream(write("a.csv", MAIL))
    kinds = {"colour": "category", "links": "category", "when": "number"}
    assert other_kind(stream, {"schema": kinds}) == ("links", "number", "category")
    assert other_kind(stream, {"schema": {"links": "skip"}}) is None
    assert other_kind(stream, {}) is None


# --- rows that the model learns ------------------------------------------------------------------

TABLE = (
    b"colour,links,label\nred,2,spam\ngreen,,ham\nblue,4,spam\n",
    b"colour,links,label\nmauve,1,ham\nred,,spam\n,0.1,ham\npink,7,new\n",
)
NUMBERS = (b"a,b,y\n1,2,x\n,4,z\n0.1,0.2,x\n", b"a,b,y\n0.3,,x\n,,z\n9,8,w\n")
LINES = (
    b'{"y": 1, "n": 2.5, "kind": "oak"}\n{"y": 2, "n": null}\n',
    b'{"y": 2, "new": 1, "kind": "elm", "n": null}\n{"y": 3, "n": 3, "kind": "oak"}\n',
)
TEXTS = (
    b"text,n,y\nwin a prize,1,spam\nsee you soon,2,ham\n",
    b"text,n,y\na new prize word,3,ham\nlunch at noon,4,spam\n",
)
GROWING = {
    "dense": ("csv", NUMBERS, {"impute": "mean"}),
    "dense products": ("csv", NUMBERS, {"impute": "zero", "interactions": ("a*b",)}),
    "categories": ("csv", TABLE, {"impute": "mean"}),
    "indicators": ("csv", TABLE, {"impute": "indicator"}),
    "zeros": ("csv", TABLE, {"missing": ("7",), "impute": "zero"}),
    "products": ("csv", TABLE, {"impute": "mean", "interactions": ("colour*links",)}),
    "products of one group": ("csv", TABLE, {"impute": "zero", "interactions": ("links*links",)}),
    "hashed": ("csv", TABLE, {"impute": "mean", "bits": 6}),
    "lines": ("jsonl", LINES, {}),
    "lines with means": ("jsonl", LINES, {"impute": "mean"}),
    "products of lines": ("jsonl", LINES, {"interactions": ("kind*n",)}),
    "texts": ("csv", TEXTS, {"text": ("word:1-2",), "schema": {"text": "text"}}),
    "svmlight": ("svm", (b"1 1:1 2:1\n-1 2:1\n", b"1 4:1\n2 1:2\n"), {}),
    "svmlight from 0": ("svm", (b"1 0:1 2:1\n-1 2:1\n", b"1 4:1\n2 1:2\n"), {}),
    "vw": ("vw", (b"1 |a x:2 y\n-1 |a z\n", b"1 |b x\n-1 |a new\n"), {"bits": 8}),
}


def dense(X, width):
    """Return rows of any kind as an array of a width."""
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return np.pad(X, ((0, 0), (0, width - X.shape[1])))


@pytest.mark.parametrize("case", GROWING)
def test_two_files_one_after_the_other_are_one_stream_bit_for_bit(write, case):
    suffix, texts, options = GROWING[case]
    paths = [write(f"{name}.{suffix}", text) for name, text in zip("ab", texts, strict=True)]
    both = open_stream(paths, **options)
    expected, labels = both.read()
    first = open_stream(paths[0], **options)
    X, y = first.read()
    notes = json.loads(json.dumps(first.noted()))  # as of a model file
    names, width = getattr(X, "columns", None), X.shape[1]
    second = reopen(notes, names, paths[1], width=width, classes=np.unique(y), grows=True)
    rows, new_labels = second.read()
    assert np.array_equal(dense(X, expected.shape[1]), dense(expected, expected.shape[1])[: len(y)])
    assert (
        dense(rows, rows.shape[1]).tobytes() == dense(expected, rows.shape[1])[len(y) :].tobytes()
    )
    assert rows.shape[1] == expected.shape[1]
    assert getattr(rows, "columns", None) == getattr(expected, "columns", None)
    assert new_labels.tolist() == labels.tolist()[len(y) :]
    assert json.dumps(second.noted()) == json.dumps(both.noted())


def test_three_files_and_two_passes_go_on_from_the_same_totals(write):
    options = {"impute": "mean"}
    third = write("c.csv", b"colour,links,label\nred,,spam\nred,0.7,spam\nteal,,ham\n")
    paths = [*(write(f"{k}.csv", text) for k, text in enumerate(TABLE)), third]
    expected, _ = open_stream(paths, **options).read()
    notes, names = model_of(paths[0], **options)
    stream = reopen(notes, names, paths[1:], grows=True)
    for _ in range(2):
        rows, _ = stream.read()
        assert dense(rows, 99).tobytes() == dense(expected, 99)[3:].tobytes()


def test_numbers_in_another_order_are_learned_in_the_order_of_the_model(write):
    notes, names = model_of(write("a.csv", b"a,b,y\n1,2,x\n3,4,z\n"))
    reports, other = [], write("b.csv", b"y,b,c,a\nx,20,30,10\n")
    rows, _ = reopen(notes, names, other, grows=True, report=reports.append).read()
    assert (rows.tolist(), rows.columns) == ([[10.0, 20.0]], ("a", "b"))
    assert reports == [f"{other}: ignored 1 column that the model does not know: c."]


def test_a_new_column_of_a_sparse_table_is_ignored(write):
    notes, names = model_of(write("a.csv", MAIL))
    reports, other = [], write("b.csv", b"more,label,colour,links\n5,x,mauve,1\n")
    rows, _ = reopen(notes, names, other, grows=True, report=reports.append).read()
    assert rows.columns == (*names, "colour=mauve")
    assert rows.toarray().tolist() == [[1, 0, 0, 0, 1]]
    assert reports == [f"{other}: ignored 1 column that the model does not know: more."]


@pytest.mark.parametrize(("kind", "now"), [("skip", "skip"), ("weight", "weight")])
def test_a_column_of_the_model_stays_a_feature(write, kind, now):
    path = write("a.csv", MAIL)
    notes, names = model_of(path)
    with pytest.raises(DataError, match=f"column 'links' is {now}, but the model was trained with"):
        reopen(notes, names, path, schema={"links": kind}, grows=True)
    other = write("b.csv", b"colour,links,more,label\nred,1,2,x\n")
    with pytest.raises(DataError, match="'more' is number, but the model was trained with no"):
        reopen(notes, names, other, schema={"more": "number"}, grows=True)


def test_labels_keep_the_type_of_the_model(write):
    notes, names = model_of(write("a.csv", MAIL))
    numbers = write("b.csv", b"colour,links,label\nred,1,7\n")
    classes = np.array(["ham", "spam"])
    with pytest.raises(DataError, match="label 7, a number, but all labels of the model are text"):
        reopen(notes, names, numbers, classes=classes, grows=True).read()
    with pytest.raises(
        DataError, match="label spam, text, but all labels of the model are numbers"
    ):
        reopen(notes, names, write("c.csv", MAIL), classes=np.array([0, 7]), grows=True).read()
    _, y = reopen(notes, names, numbers, classes=np.array([0.5, 7.0])).read()
    assert y.dtype == np.float64
    assert reopen(notes, names, numbers).read()[1].tolist() == [7]


def test_notes_of_earlier_versions_say_too_little_to_go_on(write):
    notes, names = model_of(write("a.csv", TABLE[0]), impute="mean")
    del notes["totals"]
    other = write("b.csv", TABLE[1])
    assert reopen(notes, names, other).read()[0].shape[0] == 4
    with pytest.raises(ValueError, match=r"not the number of their values.*Train it again"):
        reopen(notes, names, other, grows=True)


def test_a_copy_in_arrow_has_its_columns_in_an_order_of_its_own(write, tmp_path):
    pytest.importorskip("pyarrow")
    notes, names = model_of(write("a.csv", MAIL))
    other = open_stream(write("b.csv", b"colour,links,label\nmauve,1,x\nred,2,x\n"))
    write_stream(other, tmp_path / "b.arrow")
    rows, _ = reopen(notes, names, tmp_path / "b.arrow", grows=True).read()
    assert rows.columns == (*names, "colour=mauve")
    assert rows.toarray().tolist() == [[1, 0, 0, 0, 1], [2, 1, 0, 0, 0]]


def test_standard_input_is_read_once_as_a_path_too():
    assert is_single_pass(Path("-"))
    assert is_single_pass(["a.csv", Path("-")])
