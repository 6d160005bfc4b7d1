"""Rows of numbers, categories and texts, by name or hashed, with their interactions."""

import csv
import json
import pathlib
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import share
from sklearn.feature_extraction import FeatureHasher
from sklearn.utils.murmurhash import murmurhash3_bytes_s32
from stream_rows import rows_by_name

import rosenblatt
from rosenblatt import models
from rosenblatt.streams import DataError, open_stream, write_stream
from rosenblatt.streams.core.hashed_names import HashedNames
from rosenblatt.streams.features.encoding import number_columns
from rosenblatt.streams.features.ngrams import DEFAULT_NGRAMS, NgramHasher

TREES = "size,bark,leaf,kind\n1.5,rough,long,oak\n0,,round,elm\n-2,smooth,long,elm\n"


ROWS = [
    {"size": 1.5, "bark=rough": 1.0, "leaf=long": 1.0},
    {"leaf=round": 1.0},
    {"size": -2.0, "bark=smooth": 1.0, "leaf=long": 1.0},
]


@pytest.fixture
def write(tmp_path):
    def write(text, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


@pytest.mark.parametrize("bits", [None, 8])
def test_a_missing_time_is_a_feature_whatever_the_batch(write, bits):
    path = write("x,at,y\n1,18:30,a\n2,,b\n3,7:05,a\n4,,b\n")
    whole, cut = (
        open_stream(path, impute="indicator", bits=bits, batch_bytes=size).read()[0]
        for size in (1 << 22, 1)
    )
    encoder = rosenblatt.RowEncoder(impute="indicator", bits=bits)
    rows = [{"x": k + 1, "at": at} for k, at in enumerate(["18:30", None, "7:05", None])]
    fitted = encoder.fit_transform(rows)
    alone = encoder.transform(rows[1])
    assert cut.toarray().tolist() == whole.toarray().tolist() == fitted.toarray().tolist()
    assert alone.toarray().tolist() == whole.toarray()[[1]].tolist()


@pytest.mark.parametrize("impute", [None, "mean"])
def test_several_columns_of_dates_need_no_column_of_numbers(write, impute):
    text = "from,to,y\n2024-05-06,2024-05-07,a\n2024-05-06,2025-05-06,b\n"
    stream = open_stream(write(text), impute=impute)
    X, _ = stream.read()
    rows = rosenblatt.RowEncoder(impute=impute).fit_transform(
        [{"from": "2024-05-06", "to": day} for day in ("2024-05-07", "2025-05-06")]
    )
    assert stream.feature_names[:2] == ["from.years", "to.years"]
    assert X.columns == rows.columns
    assert X.toarray().tolist() == rows.toarray().tolist()


def named(stream):
    """Return the rows as dictionaries."""
    return [row for row, _ in rows_by_name(stream)]


def hashed(rows, bits):
    return FeatureHasher(1 << bits, input_type="dict").transform(rows)


@pytest.mark.parametrize("size", [1, 40, 1 << 22])
def test_categories_are_features_of_their_values(write, size):
    stream = open_stream(write(TREES), batch_bytes=size)
    assert (stream.sparse, stream.bits, stream.target) == (True, None, "kind")
    assert stream.schema == {"size": "number", "bark": "category", "leaf": "category"}
    assert named(stream) == ROWS == named(stream)
    assert stream.feature_names[0] == "size"
    assert np.concatenate([batch.y for batch in stream]).tolist() == ["oak", "elm", "elm"]


@pytest.mark.parametrize("bits", [1, 4, 30])
def test_hashed_rows_match_scikit_learns_feature_hasher(write, bits):
    stream = open_stream(write(TREES), bits=bits, batch_bytes=30)
    assert (stream.sparse, stream.bits, stream.feature_names) == (True, bits, None)
    X, _ = stream.read()
    assert X.shape == (3, 1 << bits)
    assert abs(X - hashed(ROWS, bits)).sum() == 0.0


cell = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-99, 99), cell, cell), min_size=1),
    st.integers(1, 20),
    st.integers(1, 200),
)
def test_hashed_cells_match_scikit_learns_feature_hasher(tmp_path_factory, rows, bits, size):
    path = tmp_path_factory.mktemp("made") / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("n", "a", "b"), *rows])
    schema = {"n": "number", "a": "category", "b": "category"}
    read_options = {"schema": schema, "labelled": False, "batch_bytes": size}
    dicts = []
    for number, *words in rows:
        features = {"n": float(number)}
        for name, word in zip("ab", (word.strip(" \t") for word in words), strict=True):
            features |= {f"{name}={word}": 1.0} if word else {}
        dicts.append({name: value for name, value in features.items() if value})
    X, _ = open_stream(path, bits=bits, **read_options).read()
    assert abs(X - hashed(dicts, bits)).sum() == 0.0
    assert named(open_stream(path, **read_options)) == dicts


def test_a_table_of_numbers_is_dense_without_bits(write):
    path = write("a,b,y\n1,2,u\n0,3,v\n")
    stream = open_stream(path)
    assert (stream.sparse, stream.feature_names) == (False, ["a", "b"])
    assert stream.schema == {"a": "number", "b": "number"}
    X, _ = open_stream(path, bits=6).read()
    assert abs(X - hashed([{"a": 1.0, "b": 2.0}, {"b": 3.0}], 6)).sum() == 0.0
    X, _ = open_stream(path, schema={"a": "category"}).read()
    assert X.toarray().tolist() == [[2, 1, 0], [3, 0, 1]]


def test_new_categories_widen_the_rows(write):
    stream = open_stream(write("a,y\nu,1\nv,2\nw,1\n"), batch_bytes=1)
    assert [batch.X.shape[1] for batch in stream] == [1, 2, 3]
    assert {batch.X.shape[1] for batch in stream} == {3}


def test_several_files_share_their_columns(write):
    paths = [write("a,n,y\nu,1,1\nv,2,2\n"), write("a,n,y\n7,3,1\nv,4,2\n", "b.csv")]
    stream = open_stream(paths)
    X, y = stream.read()
    assert (stream.feature_names, y.tolist()) == (["n", "a=u", "a=v", "a=7"], [1, 2, 1, 2])
    assert X.toarray().tolist() == [[1, 1, 0, 0], [2, 0, 1, 0], [3, 0, 0, 1], [4, 0, 1, 0]]


def test_ngrams_of_texts_share_the_hashed_columns(write):
    texts = ["Win a prize now!", "See you at seven.", "Win a prize now!"]
    lines = [f"{k},{text},{'us'[k % 2]},{k % 2}\n" for k, text in enumerate(texts, 1)]
    stream = open_stream(write("n,body,from,y\n" + "".join(lines)))
    assert (stream.bits, stream.schema["body"]) == (18, "text")
    X, _ = stream.read()
    rows = [{"n": k, f"from={'us'[k % 2]}": 1} for k in (1, 2, 3)]
    expected = hashed(rows, 18) + NgramHasher(DEFAULT_NGRAMS, 18).rows(texts).tocsr()
    assert abs(X - expected).max() < 1e-15


def test_weights_ids_and_skipped_columns(write):
    path = write("id,x,w,when,y\nm1,1,0.5,noon,a\nm2,2,3,,b\n")
    schema = {"w": "weight", "when": "skip", "id": "id"}
    (batch,) = open_stream(path, schema=schema)
    assert (batch.X.tolist(), batch.weight.tolist()) == ([[1.0], [2.0]], [0.5, 3.0])
    assert batch.X.flags.c_contiguous
    assert batch.ids.tolist() == ["m1", "m2"]
    ((X, *_),) = open_stream(path, schema={"*": "skip", "x": "number"}, target="y")
    assert X.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("-1", "column 'w': found -1, expected a weight: a finite number of 0 or more"),
        ("", "column 'w': found nothing, expected a number"),
        ("inf", "column 'w': found 'inf', expected a finite number"),
    ],
)
def test_a_wrong_weight_is_refused(write, cell, message):
    path = write(f'x,w,y\n1,1,"a\nb"\n\n1,{cell},c\n')
    with pytest.raises(DataError, match=message) as caught:
        list(open_stream(path, schema={"w": "weight"}))
    assert caught.value.line == 5


def test_text_in_a_column_of_numbers_is_refused(write):
    path = write("x,y\n" + "1,a\n" * 30_000 + "red,a\n")
    message = "column 'x': found 'red', expected a number: .* --schema x:category"
    with pytest.raises(DataError, match=message) as caught:
        list(open_stream(path))
    assert (caught.value.line, caught.value.column) == (30_002, 1)
    assert open_stream(path, schema={"x": "category"}).read()[0].shape == (30_001, 2)


def test_new_data_is_read_with_the_kinds_of_the_model(write, call, tmp_path):
    model = tmp_path / "m"
    train = write("code,size,kind\n7a,1,oak\n12,2,elm\n7a,1,oak\nb,3,elm\n")
    status, _, err = call("train", train, "-m", model, "--epochs", 9)
    assert (status, err.splitlines()[0]) == (0, "columns: 1 number, 1 category (code)")
    assert rosenblatt.load(model).classifier.feature_names_in_.tolist() == [
        "size", "code=7a", "code=12", "code=b"
    ]  # fmt: skip
    new = write("size,note,code\n1,some words,7a\n3,,12\n", "new.csv")
    status, out, err = call("predict", model, new, "--json")
    assert [json.loads(line)["prediction"] for line in out.splitlines()] == ["oak", "elm"]
    assert "new.csv: ignored 1 column that the model does not know: note." in err
    numeric = write("code,size\n12,3\n", "numeric.csv")
    assert call("predict", model, numeric)[1] == "elm\n"
    assert call("predict", model, "-", stdin="size,code\n1,7a\n")[1] == "oak\n"
    status, out, err = call("evaluate", model, train, "-q", "--json")
    assert (status, json.loads(out)["errors"], err) == (0, 0, "")
    lacking = write("size\n1\n", "lacking.csv")
    assert "no column 'code' of the kind category" in call("predict", model, lacking)[2]


def test_new_data_is_hashed_as_for_training(write, call, tmp_path):
    model = tmp_path / "m"
    train = write("code,size,kind\n7a,1,oak\nb,2,elm\n")
    assert call("train", train, "-m", model, "--bits", 8, "--epochs", 9, "-q")[0] == 0
    assert call("predict", model, write("size,code\n2,b\n", "b.csv"), "-q")[1] == "elm\n"
    status, _, err = call("predict", model, train, "--bits", 9)
    assert (status, "trained with --bits 8" in err) == (2, True)
    status, _, err = call("train", train, "-m", model, "--schema", "code")
    assert (status, "--schema: found 'code', expected column:kind" in err) == (2, True)


def test_rows_without_labels_need_no_weights(write):
    path = write("x,w,y\n1,,a\n2,,b\n")
    read_options = {"schema": {"w": "weight"}, "target": "y", "labelled": False}
    (batch,) = open_stream(path, **read_options)
    assert (batch.X.tolist(), batch.weight) == ([[1.0], [2.0]], None)


def test_the_wildcard_cannot_have_the_kind_weight():
    with pytest.raises(ValueError, match="only one column can have the kind weight"):
        open_stream("a.csv", schema={"x": "number", "*": "weight"})


@pytest.mark.parametrize("interactions", [(), ("a*b", "n*a")])
def test_the_order_of_columns_does_not_depend_on_batches(write, interactions):
    rows = "".join(f"{k},{'uvwxyz'[k * 5 % 6]}{k // 7},{k * 7 % 11},c{k % 2}\n" for k in range(60))
    path = write("n,a,b,y\n" + rows)
    read_options = {"schema": {"b": "category"}, "interactions": interactions}
    streams = [open_stream(path, batch_bytes=size, **read_options) for size in (1, 150, 1 << 20)]
    for stream in streams:
        assert len(list(stream)) in (60, *range(2, 20), 1)
    assert streams[0].feature_names == streams[1].feature_names == streams[2].feature_names
    assert streams[0].feature_names[:3] == ["n", "a=u0", "b=0"]


NUMBERS = {
    "categories": (TREES, {}, ["size"]),
    "columns in another order": ("y,bark,a,b\noak,x,1,2\nelm,y,3,0\n", {}, ["a", "b"]),
    "numbers alone": ("a,y\n1,oak\n2,elm\n", {}, []),
    "hashed": (TREES, {"bits": 8}, ["size"]),
    "hashed numbers": ("a,b,y\n1,3,oak\n2,4,elm\n", {"bits": 8}, ["a", "b"]),
    "a text": (TREES, {"schema": {"bark": "text"}}, ["size"]),
    "indicators": ("a,b,y\n1,,oak\n2,4,elm\n", {"impute": "indicator"}, ["a", "b"]),
    "interactions": (TREES, {"interactions": ("size*bark",)}, ["size"]),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_columns_of_numbers_in_sparse_rows(write, case):
    text, read_options, wanted = NUMBERS[case]
    stream = open_stream(write(text), **read_options)
    batch = next(iter(stream))
    columns = number_columns(stream)
    assert all(column < batch.X.shape[1] for column in columns)
    if stream.bits is None:
        assert [stream.feature_names[j] for j in columns] == wanted
    else:
        hasher = FeatureHasher(1 << stream.bits)
        hashed = hasher.transform([dict.fromkeys(wanted, 1.0)]) if wanted else np.zeros((1, 1))
        assert columns == sorted(hashed.indices)


def test_a_converted_table_keeps_its_columns_of_numbers(write, tmp_path):
    path = tmp_path / "trees.arrow"
    write_stream(open_stream(write(TREES)), path)
    stream = open_stream(path)
    next(iter(stream))
    assert number_columns(stream) == [0]


def test_json_lines_have_no_columns_of_numbers(tmp_path):
    path = tmp_path / "trees.jsonl"
    path.write_text('{"size": 1, "bark": "rough", "y": "oak"}\n{"size": 2, "y": "elm"}\n')
    stream = open_stream(path, schema={"size": "number"})
    next(iter(stream))
    assert number_columns(stream) == []


PAIRS = ["a*b", "ab*ab"]
CSV = "a,b,ab,y\n2,red,x,1\n0,blue,x,2\n-1.5,red,,1\n3,,y,2\n"
values = st.one_of(
    st.integers(-3, 3),
    st.sampled_from(["red", "blue"]),
    st.lists(st.sampled_from(["red", "oak", 2]), max_size=3),
    st.fixed_dictionaries({"x": st.integers(0, 2)}),
)
objects = st.lists(st.dictionaries(st.sampled_from(["a", "b", "ab"]), values), min_size=1)


def signed(name):
    return murmurhash3_bytes_s32(name.encode(), 0)


def pairs_of(features):
    """The hash, the value and the two hashes of each pair of one row."""

    def group(name):
        return [
            (signed(n), x) for n, x in features.items() if n.split("=")[0].split(".")[0] == name
        ]

    every = [*product(group("a"), group("b"))]
    every += [tuple(sorted(two)) for two in combinations_with_replacement(group("ab"), 2)]
    for (h, x), (k, z) in every:
        both = (h * 16777619 ^ k) & 0xFFFFFFFF
        yield both - (both >> 31 << 32), x * z, (h, k)


def hashed_row(features, bits):
    """The cells of a row with its pairs."""
    cells = {}
    entries = [(signed(name), x) for name, x in features.items()]
    for h, x in entries + [(h, x) for h, x, _ in pairs_of(features)]:
        column = abs(h) % 2**bits
        cells[column] = cells.get(column, 0.0) + (x if h >= 0 else -x)
    return {column: x for column, x in cells.items() if x}


def cells_of(X):
    return [
        {j: x for j, x in zip(row.indices.tolist(), row.data.tolist(), strict=True) if x}
        for row in X
    ]


def named_rows(path, **read_options):
    """The features of each row by their names."""
    stream = open_stream(path, **read_options)
    X, _ = stream.read()
    return [{stream.feature_names[j]: x for j, x in row.items()} for row in cells_of(X)]


@settings(deadline=None)
@given(objects, st.integers(1, 30), st.integers(1, 2000))
def test_interactions_of_json_lines_match_vowpal_wabbit(tmp_path_factory, objects, bits, size):
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    objects = [*objects, {"a": 1, "b": 2, "ab": 3}]  # every group is there
    path.write_text("".join(json.dumps({"y": 1, **row}) + "\n" for row in objects))
    stream = open_stream(path, bits=bits, interactions=PAIRS, batch_bytes=size)
    assert (stream.noted()["interactions"], stream.feature_names) == (tuple(PAIRS), None)
    wanted = [hashed_row(row, bits) for row in named_rows(path)]
    for _ in range(2):
        assert cells_of(stream.read()[0]) == wanted


@pytest.mark.parametrize(("size", "bits"), share(product([80, 1 << 22], [1, 4, 24]), 2, 0))
def test_interactions_of_numbers_and_categories(tmp_path, bits, size):
    path = tmp_path / "t.csv"
    path.write_text(CSV)
    names = HashedNames()
    read_options = {"bits": bits, "batch_bytes": size, "interactions": PAIRS}
    rows = named_rows(path)
    assert rows[0] == {"a": 2.0, "b=red": 1.0, "ab=x": 1.0}
    X, _ = open_stream([path, path], names=names, **read_options).read()
    assert cells_of(X) == [hashed_row(row, bits) for row in rows] * 2
    met = {}
    for row in rows:
        for h in [*map(signed, row), *(h for h, *_ in pairs_of(row))]:
            met.setdefault(abs(h) % 2**bits, set()).add(h)
    assert names.collisions()[:3] == (bits, len(met), sum(len(held) > 1 for held in met.values()))


def test_names_of_hashed_interactions(tmp_path):
    path, names = tmp_path / "t.csv", HashedNames()
    path.write_text(CSV)
    open_stream(path, bits=22, names=names, interactions=PAIRS).read()
    rows = named_rows(path)
    spelled = {h: name for row in rows for name in row for h in [signed(name)]}
    for row in rows:
        spelled |= {h: f"{spelled[a]}*{spelled[b]}" for h, _, (a, b) in pairs_of(row)}
    wanted = {abs(h) % 2**22: (1 if h >= 0 else -1, name) for h, name in spelled.items()}
    assert "a*b=red" in spelled.values()
    assert names.of(range(2**22)) == wanted


TEXTS = '{"y": 1, "kind": "oak", "body": "win a prize now"}\n{"y": 2, "n": 0, "body": "see you"}\n'


def test_names_of_json_with_texts(tmp_path):
    path, names = tmp_path / "t.jsonl", HashedNames()
    path.write_text(TEXTS)
    X, _ = open_stream(path, schema={"body": "text"}, bits=22, names=names).read()
    grams = ["win", "prize", "now", "win prize", "prize now", "see", "you", "see you"]
    wanted = {abs(signed(name)) % 2**22: (1, name) for name in grams}  # n-grams have no sign
    wanted |= {abs(signed(n)) % 2**22: (1 if signed(n) >= 0 else -1, n) for n in ("kind=oak", "n")}
    assert names.of(range(2**22)) == wanted
    assert min(signed(name) for name in grams) < 0
    assert (X.data[X.indices == abs(signed("win")) % 2**22] == 1.0).all()


@pytest.mark.parametrize("bits", [3, 22])
def test_names_of_ngrams_do_not_change_the_rows(bits):
    names, specs, texts = HashedNames(), ["word:1-2", "char:3-5"], ["Win a prize", "", "ﬁre été"]
    X = NgramHasher(specs, bits, names).rows(texts).tocsr()
    assert abs(X - NgramHasher(specs, bits).rows(texts).tocsr()).sum() == 0.0
    assert names.collisions().used == len(set(X.indices.tolist()))
    if bits == 22:
        recorded = {name for _, name in names.of(range(2**bits)).values()}
        assert {"win", "win prize", "fire été", " pri"} <= recorded


@pytest.mark.parametrize(
    ("name", "text", "pairs", "message"),
    [
        (
            "t.jsonl",
            TEXTS,
            "body*kind",
            "interactions: 'body' holds texts, which have no interactions",
        ),
        (
            "t.csv",
            "n,body,y\n1,win a prize,2\n",
            "n*body",
            "'body' holds texts, which have no interactions",
        ),
        ("t.jsonl", TEXTS, "n*n.x", "interactions: 'n.x' is part of 'n', and a hashed column"),
        ("t.csv", "n,y\n1,1\n1e200,3\n", "n*n", r"row 1 \(from 0\): the product of two crossed"),
        ("t.jsonl", '{"y":1,"n":1e200}\n', "n*n", r"row 0 \(from 0\): the product of two crossed"),
    ],
)
def test_interactions_that_are_refused(tmp_path, name, text, pairs, message):
    path = tmp_path / name
    path.write_text(text)
    schema = {"body": "text"} if "body" in text else None
    with pytest.raises(DataError, match=message):
        list(open_stream(path, bits=8, interactions=[pairs], schema=schema))


# --- the command ---------------------------------------------------------------------------------


def test_inspect_names_the_hashed_columns_of_a_table(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    xor = [f"{a},{b},{(a == 'x') ^ (b == 'x')}\n" for a in "xz" for b in "xz"]
    pathlib.Path("t.csv").write_text("a,b,y\n" + "".join(xor))
    arguments = ("t.csv", "-m", "m", "--bits", 16, "--interactions", "a*b", "--epochs", 20, "-q")
    status, out, _ = call("train", *arguments, "--json")
    assert (status, json.loads(out)["collisions"]["pairs"]) == (0, 4)
    assert models.describe("m")["notes"]["interactions"] == ["a*b"]
    assert json.loads(call("evaluate", "m", "t.csv", "--json")[1])["errors"] == 0
    out = call("inspect", "m")[1]
    assert "a=x*b=z" in out


def test_inspect_names_ngrams_and_predict_names_files(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("ham/1", "see you at noon"), ("spam/2", "win a prize"), ("spam/3", "win")):
        path = pathlib.Path("mail", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    status, _, error = call("train", "mail", "-m", "m", "--epochs", 9)
    assert status == 0
    assert "columns used" in error
    weights = json.loads(call("inspect", "m", "--json")[1])["weights"]["spam"]
    assert "win" in {name for name, _ in weights["positive"]}
    assert "at noon" in {name for name, _ in weights["negative"]}
    out = call("predict", "m", "mail")[1]
    assert out == "ham/1\tham\nspam/2\tspam\nspam/3\tspam\n"
