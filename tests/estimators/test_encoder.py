"""The encoder of raw rows, against the command's reader of the same rows in files."""

import csv
import json
import lzma
import pickle
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
import scipy.sparse as sp
from adult_table import adult_columns
from numpy.testing import assert_allclose, assert_array_equal
from profiles import share
from real_data import real_data, text_of_table
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import Perceptron, RowEncoder, load
from rosenblatt.learning.models.files import describe
from rosenblatt.streams import open_stream

SAMPLES = Path(rosenblatt.__file__).parent / "samples"
UCI = (
    "banknote_authentication",
    "breast-cancer-wisconsin",
    "glass",
    "haberman",
    "ionosphere",
    "iris",
    "pima-indians-diabetes",
    "sonar",
    "wheat-seeds",
    "wine",
)
POLICIES = [None, "mean", "zero", "indicator"]


def as_arrays(X):
    if not hasattr(X, "indptr"):
        return [np.asarray(X)]
    return [X.data, X.indices, X.indptr, np.array(X.shape)]


def assert_same_bits(X, Y):
    for one, other in zip(as_arrays(X), as_arrays(Y), strict=True):
        assert_array_equal(one, other)


def in_memory(path, target, missing, layout):
    """The rows of a file without the label, as libraries read them."""
    names = layout.get("names")
    header = None if names is not None else 0
    text = {"names": names, "header": header} if names is not None else {}
    separator = layout.get("separator", ",")
    quotes = layout.get("quotes", True)
    frame = pd.read_csv(
        path,
        sep=separator,
        decimal=layout.get("decimal", "."),
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        keep_default_na="decimal" in layout,  # pandas reads words there with other missing cells
        na_values=[] if "decimal" in layout else missing,
        **text,
    )
    yield "pandas", frame.drop(columns=target)
    if "decimal" not in layout:
        table = pl.read_csv(
            path,
            separator=separator,
            quote_char='"' if quotes else None,
            has_header=names is None,
            new_columns=names,
            null_values=missing,
            infer_schema_length=None,
        )
        yield "polars", table.drop(target)
        yield (
            "pyarrow",
            pa.csv.read_csv(
                path,
                pa.csv.ReadOptions(column_names=names),
                pa.csv.ParseOptions(delimiter=separator, quote_char='"' if quotes else False),
                pa.csv.ConvertOptions(null_values=missing, strings_can_be_null=True),
            ).drop([target]),
        )
        with open(path, newline="") as file:
            quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
            rows = csv.DictReader(file, names, delimiter=separator, quoting=quoting)
            cells = [{name: row[name] for name in row if name != target} for row in rows]
        yield "dicts", cells
    typed = frame.astype(object).where(frame.notna(), None)
    yield "typed dicts", typed.drop(columns=target).to_dict("records")


def check_every_form(path, options, **layout):
    """Rows of every library have the columns and bits of the file's, learned and predicted."""
    extra = {name: layout[name] for name in ("separator", "decimal", "quotes") if name in layout}
    names = layout.get("names")
    reading = extra | ({"header": False} if names is not None else {}) | options
    stream = open_stream(path, **reading)
    rows = stream.whole().X
    notes = stream.noted()
    means = {"means": notes["means"]} if "means" in notes else {}
    predicted = open_stream(path, **reading, **means).whole().X
    missing = ["", "?"] if options.get("impute") else [""]
    forms = 0
    for form, table in in_memory(path, stream.target, missing, layout):
        encoder = RowEncoder(**options)
        learned = encoder.partial_fit_transform(table)
        assert encoder.names_ == stream.feature_names, form
        assert_same_bits(learned, rows)
        assert_same_bits(RowEncoder(**options).fit_transform(table), predicted)
        of_model = RowEncoder.from_notes(json.loads(json.dumps(notes)), stream.feature_names)
        assert_same_bits(of_model.transform(table), predicted)
        forms += 1
    assert forms >= 2


# --- samples and real tables ----------------------------------------------------------------------


@pytest.mark.parametrize("impute", POLICIES)
@pytest.mark.parametrize("name", ["flowers.csv", "new-flowers.csv"])
def test_sample_tables(name, impute):
    check_every_form(SAMPLES / name, {"impute": impute} if impute else {})


def test_the_sample_with_decimal_commas():
    layout = {"separator": ";", "decimal": ","}
    check_every_form(SAMPLES / "wines.csv", {"impute": "mean"}, **layout)


@pytest.mark.parametrize("text", [(), ("char_wb:2-4", "word:1")])
def test_the_sample_of_texts(text):
    layout = {"separator": "\t", "quotes": False}
    check_every_form(SAMPLES / "mail.tsv", {"text": text, "bits": 16}, **layout)
    mail = open_stream(SAMPLES / "mail.tsv", text=text, bits=16)
    encoder = RowEncoder.from_notes(mail.noted(), None)
    words = pd.read_csv(SAMPLES / "mail.tsv", sep="\t", quoting=csv.QUOTE_NONE)["text"]
    assert_same_bits(encoder.transform(words), mail.whole().X)
    assert_same_bits(encoder.transform(words.tolist()), mail.whole().X)


@pytest.mark.parametrize(
    "options",
    share(
        [
            {"impute": "mean"},
            {"impute": "indicator", "interactions": ("age*sex",)},
            {"impute": "zero", "bits": 10},
            {"impute": "indicator"},
            {"impute": "mean", "bits": 10, "interactions": ("age*sex",)},
        ],
        3,
        1,
    ),
)
def test_hypothyroid(tmp_path, options):
    path = unpacked(tmp_path, "hypothyroid")
    check_every_form(path, options)


@pytest.mark.parametrize(
    ("name", "options"),
    share(
        [
            ("soybean", {}),
            ("soybean", {"impute": "mean"}),
            ("kr.vs.kp", {}),  # no cell is missing
            ("soybean", {"impute": "indicator"}),
            ("soybean", {"bits": 8}),
        ],
        2,
        0,
    ),
)
def test_tables_of_categories(tmp_path, name, options):
    check_every_form(unpacked(tmp_path, name), options)


def unpacked(folder, name):
    """The first 200 rows of a table."""
    path, lines = folder / f"{name}.csv", text_of_table("tables", f"{name}.csv.xz").splitlines()
    path.write_text("".join(f"{line}\n" for line in lines[:201]))
    return path


@pytest.mark.parametrize(
    ("name", "options"),
    share(product(UCI, [{"impute": "mean"}, {"impute": "zero", "bits": 5}]), 5, 0),
)
def test_uci_tables(name, options):
    path = real_data("uci_small", f"{name}.csv")
    names = list(open_stream(path, header=False, impute="mean").column_names)
    check_every_form(path, options, names=names)


def test_spambase(tmp_path):
    text = lzma.decompress(real_data("spambase", "spam.data.xz").read_bytes()).decode()
    path = tmp_path / "spam.csv"
    path.write_text("".join(f"{','.join(line.split())}\n" for line in text.splitlines()[::20]))
    names = [f"c{j + 1}" for j in range(58)]
    check_every_form(path, {"interactions": ("c1*c57",)}, names=names)


def test_mushrooms_as_dicts(tmp_path):
    """Svmlight text as JSON lines: rows with keys of their own."""
    lines = lzma.decompress(real_data("mushroom", "agaricus_test.txt.xz").read_bytes()).decode()
    rows = [
        {name: float(value) for name, value in (entry.split(":") for entry in line.split()[1:])}
        for line in lines.splitlines()[:300]
    ]
    path = tmp_path / "mushroom.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    stream = open_stream(path, labelled=False)
    X = stream.whole().X
    encoder = RowEncoder()
    assert_same_bits(encoder.partial_fit_transform(rows), X)
    assert encoder.names_ == stream.feature_names
    assert_same_bits(RowEncoder.from_notes(stream.noted(), encoder.names_).transform(rows), X)


# --- models of the command ------------------------------------------------------------------------


def test_categories_in_another_order_have_the_columns_of_the_model(
    tmp_path, monkeypatch, run_train
):
    """The trap: a matrix of another file is predicted by position, to the opposite."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("colour,y\nred,stop\ngreen,go\nred,stop\ngreen,go\n")
    Path("b.csv").write_text("colour,y\ngreen,go\nred,stop\n")
    run_train("a.csv", "a.rosenblatt")
    model, notes = load("a.rosenblatt").classifier, describe("a.rosenblatt")["notes"]
    encoder = RowEncoder.from_notes(notes, list(model.feature_names_in_))
    for rows in (pd.read_csv("b.csv"), [{"colour": "green"}, {"colour": "red"}]):
        assert Perceptron.predict(model, encoder.transform(rows)).tolist() == ["go", "stop"]


@pytest.fixture
def run_train():
    from rosenblatt.cli.main import run

    def train(data, model, *options):
        with pytest.raises(SystemExit) as ended:
            sys.exit(run(["train", str(data), "-m", str(model), "-q", *options]))
        assert not ended.value.code

    return train


def test_labels_of_predict(tmp_path, monkeypatch, run_train, capsys):
    """Labels of `predict` on other rows, with unknown categories and missing cells."""
    from rosenblatt.cli.main import run

    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(adult_columns(600))
    label = table.columns[-1]
    table.loc[::7, "age"] = np.nan
    table.loc[::5, "workclass"] = None
    table[:400].to_csv("a.csv", index=False)
    new = table[400:].assign(occupation=table["occupation"].where(table.index % 9 > 0, "Pilot"))
    new.to_csv("b.csv", index=False)
    run_train("a.csv", "m", "--impute", "mean", "--scale", "--average", "--target", label)
    capsys.readouterr()
    run(["predict", "m", "b.csv", "-q"])
    expected = capsys.readouterr().out.split()
    model, notes = load("m").classifier, describe("m")["notes"]
    encoder = RowEncoder.from_notes(notes, list(model.feature_names_in_))
    for rows in (new, pl.from_pandas(new), new.drop(columns=label).to_dict("records")):
        assert Perceptron.predict(model, encoder.transform(rows)).tolist() == expected


# --- fit, partial_fit, scale ----------------------------------------------------------------------


def small():
    return pd.DataFrame(
        {"x": [1.0, np.nan, 4.0, 0.0], "c": ["a", "b", None, "a"], "z": [5, 7, 7, 1]}
    )


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("options", [{}, {"bits": 4}, {"interactions": ("x*c",)}])
def test_the_cuts_of_partial_fit_do_not_matter(options, scale):
    options = {"impute": "mean", "scale": scale, **options}
    whole, parts = RowEncoder(**options), RowEncoder(**options)
    X = whole.partial_fit_transform(small())
    rows = [parts.partial_fit_transform(small()[k : k + 1]) for k in range(4)]
    dense = np.zeros(X.shape)
    for k, row in enumerate(rows):
        dense[k, : row.shape[1]] = row.toarray()
    assert_array_equal(dense, X.toarray())
    assert parts.names_ == whole.names_
    assert parts.noted() == whole.noted()
    assert_array_equal(parts.transform(small()).toarray(), whole.transform(small()).toarray())


def test_partial_fit_goes_on_after_fit_and_after_pickle():
    encoder = RowEncoder(impute="mean", scale=True).fit(small()[:2])
    copy = pickle.loads(pickle.dumps(encoder))
    for one in (encoder, copy):
        one.partial_fit(small()[2:])
    assert_array_equal(copy.transform(small()).toarray(), encoder.transform(small()).toarray())
    assert encoder.means_ == {"x": 5 / 3, "z": 5.0}
    assert encoder.noted()["totals"] == {"x": (3, 5.0), "z": (4, 20.0)}


def test_fit_forgets():
    encoder = RowEncoder(impute="mean").fit(small())
    encoder.fit(["a text", "another"])
    assert encoder.names_ is None
    assert not hasattr(encoder, "n_features_in_")
    assert encoder.fit(small()).names_ == ["x", "z", "c=a", "c=b"]


def test_scale_is_that_of_standard_scaler():
    X = np.random.default_rng(0).normal(5, 3, (50, 4))
    Z = RowEncoder(scale=True).fit_transform(X)
    assert_allclose(Z, StandardScaler().fit_transform(X), rtol=1e-12, atol=1e-12)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(k=["u", "v"] * 25)
    mixed = RowEncoder(scale=True).fit_transform(frame).toarray()
    assert_array_equal(mixed[:, :4], Z)
    assert_array_equal(mixed[:, 4:], [[1, 0], [0, 1]] * 25)


def test_scale_is_that_of_a_learner():
    frame, y = small().fillna({"x": 2.0}), ["no", "yes", "yes", "no"]
    outside, inside = Perceptron(shuffle=False), Perceptron(shuffle=False, scale=True)
    encoder, raw = RowEncoder(scale=True), RowEncoder()
    numbers = frame[["x", "z"]]
    outside.partial_fit(encoder.partial_fit_transform(numbers), y, ["no", "yes"])
    inside.partial_fit(raw.partial_fit_transform(numbers), y, ["no", "yes"])
    expected = inside.decision_function(raw.transform(numbers))
    assert_allclose(outside.decision_function(encoder.transform(numbers)), expected, rtol=1e-12)


def test_scale_of_missing_numbers_is_that_of_filled_ones():
    Z = RowEncoder(impute="mean", scale=True).fit_transform(small())
    filled = small().fillna({"x": 5 / 3})
    assert_allclose(Z.toarray(), RowEncoder(scale=True).fit_transform(filled).toarray())


# --- the interface of scikit-learn ----------------------------------------------------------------


def test_in_a_pipeline():
    rows = pd.DataFrame(adult_columns(2000))
    y = rows.pop(rows.columns[-1])
    model = make_pipeline(
        RowEncoder(scale=True), Perceptron(output="average", max_iter=5, tol=None)
    )
    model.fit(rows[:1500], y[:1500])
    assert model.score(rows[1500:], y[1500:]) > 0.78
    assert list(model[-1].feature_names_in_) == model[0].names_
    shuffled = rows[1500:].sample(frac=1, axis=1, random_state=0)
    assert_array_equal(model.predict(shuffled), model.predict(rows[1500:]))


def test_clone_and_html():
    encoder = RowEncoder(impute="mean", bits=5).fit(small())
    copy = clone(encoder)
    assert copy.get_params() == encoder.get_params()
    with pytest.raises(NotFittedError):
        copy.transform(small())
    with pytest.raises(AttributeError, match="not fitted yet"):
        _ = copy.names_
    assert "RowEncoder" in encoder._repr_html_()


def test_names():
    encoder = RowEncoder(impute="mean").fit(small())
    assert encoder.get_feature_names_out().tolist() == ["x", "z", "c=a", "c=b"]
    assert encoder.get_feature_names_out(["x", "c", "z"]).tolist() == encoder.names_
    assert encoder.transform(small()).columns == tuple(encoder.names_)
    assert encoder.feature_names_in_.tolist() == ["x", "c", "z"]
    assert encoder.schema_ == {"x": "number", "c": "category", "z": "number"}
    assert (encoder.bits_, encoder.text_, encoder.n_features_in_) == (None, (), 3)
    with pytest.raises(ValueError, match="input_features is not equal"):
        encoder.get_feature_names_out(["x", "z", "c"])
    hashed = RowEncoder(impute="mean", bits=5).fit(small())
    assert (hashed.names_, hashed.bits_) == (None, 5)
    with pytest.raises(ValueError, match=r"hashed to 2\^5 columns"):
        hashed.get_feature_names_out()
    matrix = RowEncoder().fit(np.ones((2, 2)))
    assert matrix.get_feature_names_out().tolist() == ["x0", "x1"]
    assert not hasattr(matrix, "feature_names_in_")
    with pytest.raises(ValueError, match="should have length equal to number of features"):
        matrix.get_feature_names_out(["a"])


def test_output_as_a_table():
    frame = small()[["z"]].assign(w=1.5)
    Z = RowEncoder().set_output(transform="pandas").fit_transform(frame)
    assert Z.columns.tolist() == ["z", "w"]


def test_matrices():
    encoder = RowEncoder().fit(pd.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(ValueError, match=r"knows its columns by name \('a', 'b'\): give a DataF"):
        encoder.transform([[1, 2]])
    X = open_stream("sklearn:wine").read()[0]
    of_set = RowEncoder().fit(X)
    assert of_set.feature_names_in_.tolist() == list(X.columns)
    assert_array_equal(of_set.transform(X[:5]), X[:5])
    with pytest.raises(TypeError, match="not a sparse matrix without names"):
        RowEncoder().fit(sp.csr_array(np.eye(2)))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"impute": "median"}, ValueError, "impute must be one of mean, zero, indicator"),
        ({"bits": 31}, ValueError, "bits must be 1 to 30"),
        ({"schema": {"x": "numbr"}}, ValueError, "a kind must be one of"),
        ({"schema": ["x"]}, TypeError, "schema must be a mapping"),
        ({"text": "letters"}, ValueError, "text must be word:N"),
        ({"interactions": "x"}, ValueError, r"two or three names with '\*' between"),
        ({"scale": "yes"}, ValueError, "scale must be"),
    ],
)
def test_parameters(options, error, message):
    with pytest.raises(error, match=message):
        RowEncoder(**options).fit(small())


def test_one_text_for_a_sequence_of_one():
    rows = [{"a": 2.0, "t": "win a prize"}, {"a": 3.0, "t": "see you there"}]
    one = RowEncoder(text="word:1", interactions="a*a", missing="-", bits=7).fit(rows)
    many = RowEncoder(text=["word:1"], interactions=["a*a"], missing=["-"], bits=7).fit(rows)
    assert one.noted() == many.noted()
    assert_same_bits(one.transform(rows), many.transform(rows))


def test_a_matrix_of_a_stream_is_not_encoded_twice():
    """Rows that a model reads are no raw rows: their names are columns, categories and all."""
    encoder = RowEncoder().fit([{"c": "a"}, {"c": "b"}])
    Z = encoder.transform([{"c": "a"}])
    assert_same_bits(encoder.transform(Z), Z)
    wider = RowEncoder().fit([{"c": "a"}, {"c": "b"}, {"c": "d"}]).transform([{"c": "d"}])
    assert encoder.transform(wider).columns == ("c=a", "c=b")
    other = RowEncoder().fit([{"c": "b"}, {"c": "a"}]).transform([{"c": "a"}])
    with pytest.raises(ValueError, match="column 0 is 'c=b', the model's is 'c=a'"):
        encoder.transform(other)
    assert encoder.partial_fit(wider).names_ == ["c=a", "c=b", "c=d"]
