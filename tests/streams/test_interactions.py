"""Interactions: of namespaces, by hashes, and of columns, by names."""

import json
from contextlib import nullcontext
from functools import partial
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import thorough
from vw_twin import rows_of

from rosenblatt import models
from rosenblatt.engine.text.hashing import encode_interactions
from rosenblatt.engine.text.scanning import TextError
from rosenblatt.engine.text.vowpal_wabbit import parse
from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.hashed_names import HashedNames
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.frames.reader import RowReader
from rosenblatt.streams.opening import open_with

# --- Vowpal Wabbit text --------------------------------------------------------------------------

names = st.sampled_from(["x", "y", "zoo", "a-longer-name", "é", "7"])
features = st.lists(st.tuples(names, st.sampled_from([1.0, 0.0, -2.5, 3.0, 1e-200])), max_size=6)
spaces = st.sampled_from(["", "user", "use", "ad", "été"])
lines = st.lists(st.lists(st.tuples(spaces, features), min_size=1, max_size=5), min_size=1)
pairs = st.lists(st.tuples(spaces, spaces).map("*".join), max_size=3)
triples = st.lists(st.tuples(spaces, spaces, spaces).map("*".join), max_size=2)


def text_of(lines):
    return "\n".join(
        "1 " + " ".join(f"|{a} " + " ".join(f"{n}:{x!r}" for n, x in part) for a, part in line)
        for line in lines
    ).encode()


def cells(rows):
    entries = list(zip(rows.columns.tolist(), rows.data.tolist(), strict=True))
    return [entries[a:b] for a, b in pairwise(rows.indptr.tolist())]


@settings(deadline=None)
@given(lines, pairs, st.integers(1, 30))
def test_pairs_of_namespaces_match_the_twin(lines, interactions, bits):
    text = text_of(lines)
    found = parse(text, bits, interactions=encode_interactions(interactions))
    assert cells(found.rows) == [row.hashed(bits, interactions) for row in rows_of(text)]


@thorough(50)
@given(lines, pairs, triples, st.integers(1, 30))
def test_products_of_three_namespaces_match_the_twin(lines, pairs, triples, bits):
    text, interactions = text_of(lines), [*triples, *pairs]
    found = parse(text, bits, interactions=encode_interactions(interactions))
    assert cells(found.rows) == [row.hashed(bits, interactions) for row in rows_of(text)]


@settings(deadline=None)
@given(lines, pairs, st.lists(spaces, max_size=2), st.lists(spaces, max_size=2))
def test_namespaces_that_are_kept_or_ignored(lines, pairs, keep, ignore):
    counted = [
        [(a, part) for a, part in line if (not keep or a in keep) and a not in ignore] or [("", [])]
        for line in lines
    ]
    groups = encode_interactions(pairs, keep, ignore)
    found = parse(text_of(lines), 18, interactions=groups)
    assert cells(found.rows) == [row.hashed(18, pairs) for row in rows_of(text_of(counted))]


def test_the_order_within_a_namespace_does_not_matter():
    one, other = (
        parse(b"1 |a " + two, 30, interactions=encode_interactions(["a*a"]))
        for two in (b"x y", b"y x")
    )
    assert cells(one.rows) == cells(other.rows)
    assert len(cells(one.rows)[0]) == 5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"1 |a " + b"x " * 6000, "pairs make more than 16,777,216 features: cross fewer"),
        (b"1 |a x:1e200 y:-1e200", "the product of two crossed features fits no float64"),
        (b"1 |a x:1e150 |b y:1e150 |c z:1e150", "crossed features fits no float64"),
        (b"1 |a " + b"x " * 300 + b"|b " + b"y " * 300 + b"|c " + b"z " * 300, "pairs make more"),
    ],
)
def test_rows_whose_interactions_are_refused(line, message):
    text = b"1 | x\n\n \r\n1 |a x\n" + line + b"\n1 |a x\n"
    with pytest.raises(TextError, match=message) as caught:
        parse(text, 18, interactions=encode_interactions(["a*a", "a*b*c"]))
    assert (caught.value.line, caught.value.column) == (5, 1)


def test_a_stream_names_the_line_and_gives_the_rows_before(tmp_path):
    path = tmp_path / "a.vw"
    path.write_text("1 |a x |b y\n1 |a x:1e200 |b y:1e200\n")
    batches = []
    with pytest.raises(DataError, match=r"a\.vw:2:1: the product of two crossed") as caught:
        batches.extend(open_stream(path, interactions=["a*b"]))
    assert str(caught.value).startswith(str(path))
    assert [batch.X.nnz for batch in batches] == [3]


# --- tables, and JSON lines ----------------------------------------------------------------------


def test_products_of_columns_of_a_table(tmp_path, rng):
    X = rng.integers(-3, 4, (50, 3)).astype(float)
    path = tmp_path / "t.csv"
    lines = [",".join(map(str, [*row, 1])) for row in X.tolist()]
    path.write_text("b,a,c.x,y\n" + "\n".join(lines))
    interactions = ("a*b", "c*c", "b*c", "a*c*b", "b*a*b")
    stream = open_stream(path, interactions=interactions, batch_bytes=300)
    found, _ = stream.read()
    b, a, c = X.T
    products = ["a*b", "c.x*c.x", "b*c.x", "a*c.x*b", "b*b*a"]
    assert stream.feature_names == ["b", "a", "c.x", *products]
    assert np.array_equal(found, np.column_stack([X, a * b, c * c, b * c, a * c * b, b * b * a]))
    assert (stream.noted()["interactions"], stream.target) == (interactions, "y")


values = st.one_of(st.integers(-3, 3), st.sampled_from(["red", "blue"]), st.booleans())
objects = st.lists(st.dictionaries(st.sampled_from(["a", "b", "ab"]), values), min_size=1)


@settings(deadline=None)
@given(objects, st.integers(1, 200))
def test_products_of_named_features(tmp_path_factory, objects, size):
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    path.write_text("".join(json.dumps({"y": 1, **row}) + "\n" for row in objects))
    stream = open_stream(path, interactions=["a*b", "ab*ab", "a*b*a"], batch_bytes=size)
    lacking = {"a", "b", "ab"} - {name for row in objects for name in row}
    for _ in range(2):
        rows = []
        with pytest.raises(DataError, match="no column") if lacking else nullcontext() as caught:
            for batch in stream:
                rows += cells_of(batch.X)
        if lacking:
            assert any(f"no column {name!r} for" in str(caught.value) for name in lacking)
        found = [{stream.feature_names[j]: x for j, x in row} for row in rows]
        assert found == [_crossed(row) for row in objects]


def cells_of(X):
    for row in X:
        yield [(j, x) for j, x in zip(row.indices.tolist(), row.data.tolist(), strict=True) if x]


def _crossed(row):
    plain = {k if not isinstance(v, str) else f"{k}={v}": 1.0 if isinstance(v, str) else float(v)
             for k, v in row.items()}  # fmt: skip
    groups = {g: [n for n in plain if n.split("=")[0] == g] for g in ("a", "b", "ab")}
    both = [*product(groups["a"], groups["b"]), *combinations_with_replacement(groups["ab"], 2)]
    crossed = plain | {f"{x}*{y}": plain[x] * plain[y] for x, y in both}
    for (x, y), z in product(combinations_with_replacement(groups["a"], 2), groups["b"]):
        crossed[f"{x}*{y}*{z}"] = plain[x] * plain[y] * plain[z]
    return {name: x for name, x in crossed.items() if x}


def test_a_name_of_a_pair_does_not_depend_on_which_came_first(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"y":1,"t":["b"]}\n{"y":1,"t":["a","b"]}\n')
    stream = open_stream(path, interactions=["t*t"])
    stream.read()
    assert sorted(stream.feature_names) == ["t=a", "t=a*t=a", "t=a*t=b", "t=b", "t=b*t=b"]


def test_interactions_of_several_files_match_one_file(tmp_path):
    for name, row in (("1", '{"y":1,"a":2,"b":3}'), ("2", '{"y":1,"c":1,"b":5,"a":7}')):
        (tmp_path / f"{name}.jsonl").write_text(row + "\n")
    stream = open_stream(tmp_path / "*.jsonl", interactions=["a*b"])
    X, _ = stream.read()
    assert X[:, [stream.feature_names.index("a*b")]].toarray().ravel().tolist() == [6.0, 35.0]


@pytest.mark.parametrize(
    ("name", "text", "interactions", "message"),
    [
        ("t.csv", "age,sex,y\n1,2,3\n", ["age*sx"], "no column 'sx'.*Did you mean 'sex'"),
        ("t.csv", "age,sex,y\n1,m,3\n", ["age*sx"], "no column 'sx'.*Did you mean 'sex'"),
        ("t.jsonl", '{"age":1,"sex":"m","y":3}\n', ["age*sx"], "no column 'sx' for the inter"),
        ("t.vw", "1 |age x |sex m\n", ["age*sx"], "no row has .* 'sx'; .*Did you mean 'sex'"),
        ("t.vw", "1 |age x |sex m\n", ["age*age*sx"], "no row has .* 'sx'"),
        ("t.csv", "a,a*a,y\n1,2,3\n", ["a*a"], r"found the column 'a\*a' twice"),
        ("t.csv", "a,y\n1e200,3\n", ["a*a"], r"row 0 \(from 0\), column 'a\*a': the product"),
        ("t.jsonl", '{"a":1e200,"y":3}\n', ["a*a"], r"row 0 .*'a\*a': the product overflows"),
        ("t.jsonl", '{"a":1,"a*a":2,"y":3}\n', ["a*a"], r"found the column 'a\*a', but"),
    ],
)
def test_columns_whose_interactions_are_refused(tmp_path, name, text, interactions, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        list(open_stream(path, interactions=interactions))


@pytest.mark.parametrize(
    ("name", "interactions", "message"),
    [
        ("a.vw", ["a"], "interactions must be two or three names with '\\*' between; got 'a'"),
        ("a.vw", ["a*b*c*d"], "got 'a\\*b\\*c\\*d'"),
        ("a.svm", ["a*b"], "interactions does not go with svmlight text"),
    ],
)
def test_wrong_interactions(tmp_path, name, interactions, message):
    path = tmp_path / name
    path.write_text("1 | x\n")
    with pytest.raises(ValueError, match=message):
        open_stream(path, interactions=interactions)


# --- the command ---------------------------------------------------------------------------------

XOR = "1 |a x |b y\n-1 |a x |b z\n-1 |a w |b y\n1 |a w |b z\n"


@pytest.fixture
def trained(call, tmp_path):
    """Train a model of exclusive or, which is linear with interactions."""
    data, model = tmp_path / "xor.vw", tmp_path / "xor.rosenblatt"
    data.write_text(XOR)
    arguments = ("train", data, "-m", model, "--interactions", "a*b", "--rule", "perceptron")
    assert call(*arguments, "--epochs", 20, "-q")[0] == 0
    return model


def test_new_data_gets_the_interactions_of_the_model(call, trained, tmp_path):
    assert models.describe(trained)["notes"]["interactions"] == ["a*b"]
    status, out, _ = call("evaluate", trained, tmp_path / "xor.vw", "--json")
    assert (status, json.loads(out)["errors"]) == (0, 0)
    assert call("predict", trained, "-", stdin=XOR)[1].split() == ["1", "-1", "-1", "1"]


def test_other_interactions_than_the_models_are_refused(call, trained, tmp_path):
    data = tmp_path / "xor.vw"
    status, _, error = call("predict", trained, data, "--interactions", "a*a")
    assert status == 2
    assert "--interactions a*a does not go with this model: it was trained with --bits" in error
    assert "--interactions a*b" in error
    assert call("predict", trained, data, "--interactions", "a*b")[0] == 0


def test_interactions_that_no_row_has_are_reported(call, trained, tmp_path):
    arguments = ("train", tmp_path / "xor.vw", "-m", trained, "--interactions")
    status, _, error = call(*arguments, "a*c")
    assert status == 3
    assert "no row has features in the namespace 'c'; the first rows have 'a', 'b'." in error
    apart = tmp_path / "apart.vw"
    apart.write_text("1 |a x\n-1 |b y\n")
    arguments = ("train", apart, "-m", trained, "--interactions", "a*b")
    assert "no row has a pair of --interactions" in call(*arguments)[2]


@pytest.mark.parametrize("bits", [None, 12])
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_new_rows_and_rows_without_labels_may_lack_a_group(tmp_path, name, bits):
    path = tmp_path / name
    path.write_text("age,y\n1,3\n" if name == "t.csv" else '{"age":1,"y":3}\n')
    if name == "t.csv":
        with pytest.raises(DataError, match="no column 'sex' for the interactions"):
            open_stream(path, interactions=["age*sex"], bits=bits)
        return
    with pytest.raises(DataError, match="no column 'sex' for the interactions"):
        open_stream(path, interactions=["age*sex"], bits=bits).read()
    stream = open_stream(path, interactions=["age*sex"], bits=bits, labelled=False, target="y")
    assert stream.read()[0].shape[0] == 1
    noted = {"format": "jsonl", "interactions": ["age*sex"], "bits": bits, "target": "y"}
    options = ReadOptions().completed(noted, "jsonl")
    assert open_with(path, options).read()[0].shape[0] == 1


def test_files_may_lack_a_namespace_that_another_has(tmp_path):
    (tmp_path / "1.vw").write_text("1 |a x\n")
    (tmp_path / "2.vw").write_text("1 |a x |b y\n")
    X, _ = open_stream(tmp_path / "*.vw", interactions=["a*b"]).read()
    assert np.diff(X.indptr).tolist() == [1, 3]


@pytest.mark.parametrize("bits", [None, 12])
def test_products_of_three_have_their_names(tmp_path, bits):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a":2,"b":"x","c":3,"y":1}\n')
    names = HashedNames()
    stream = open_stream(path, interactions=["a*b*c"], bits=bits, names=names)
    X, _ = stream.read()
    if bits is None:
        assert stream.feature_names == ["a", "b=x", "c", "a*b=x*c"]
        assert X.toarray().tolist() == [[2.0, 1.0, 3.0, 6.0]]
    else:
        named = {name for _, name in names.of(X.indices.tolist()).values()}
        assert named == {"a", "b=x", "c", "a*b=x*c"}
        assert sorted(np.abs(X.data).tolist()) == [1.0, 2.0, 3.0, 6.0]


def test_a_model_notes_the_namespaces_that_count(call, tmp_path):
    data, model = tmp_path / "xor.vw", tmp_path / "m.rosenblatt"
    data.write_text(XOR)
    assert call("train", data, "-m", model, "--ignore", "b", "-q")[0] == 0
    notes = models.describe(model)["notes"]
    assert (notes["ignore"], notes.get("keep")) == (["b"], None)
    ignored = call("predict", model, "-", stdin=XOR)[1]
    assert ignored == call("predict", model, "-", stdin=XOR.replace("|b z", "|b other"))[1]
    status, _, error = call("predict", model, data, "--ignore", "a")
    assert status == 2
    assert "--ignore a does not go with this model: it was trained with --bits 18" in error
    status, _, error = call("train", data, "-m", model, "--keep", "c", "-q")
    assert status == 3
    assert "no row has features in the namespace 'c'" in error
    assert call("train", data, "-m", model, "--keep", "a b")[0] == 2


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_a_column_that_an_interaction_names_is_no_id(tmp_path, name):
    """JSON lines had no products, and nothing said so; tables had no such column."""
    rows = [{"user": f"u{k:02}", "ad": "xyz"[k % 3], "y": k % 2} for k in range(60)]
    frame = pandas.DataFrame(rows)
    write = {".csv": partial(frame.to_csv, index=False), ".parquet": frame.to_parquet}
    path = tmp_path / name
    if path.suffix in write:
        write[path.suffix](path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)))
    X, _ = open_stream(path, interactions=["user=u07*ad"]).read()
    assert [column for column in X.columns if "*" in column] == ["user=u07*ad=y"]
    assert open_stream(path).left_out == ("user",)


def test_a_column_of_a_frame_that_an_interaction_names_is_no_id():
    reader = RowReader(ReadOptions(interactions=("user*ad",)))
    reader.learn([{"user": f"u{k:02}", "ad": "a"} for k in range(60)])
    assert "user=u07*ad=a" in reader.names


@pytest.mark.parametrize("bits", [None, 9])
def test_a_key_that_is_left_out_has_no_products(tmp_path, bits):
    path = tmp_path / "a.jsonl"
    path.write_text('{"user": "u1", "ad": "a", "y": 1}\n{"user": "u2", "ad": "b", "y": 0}\n')
    with pytest.raises(DataError, match="no column 'user' for the interactions"):
        open_stream(path, interactions=["user*ad"], schema={"user": "skip"}, bits=bits).read()
