"""Hashed rows of tables, JSON lines and texts: interactions, and names of columns."""

import json
import pathlib
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.murmurhash import murmurhash3_bytes_s32

from rosenblatt import models
from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.hashed_names import HashedNames
from rosenblatt.streams.features.ngrams import NgramHasher

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


def hashed(features, bits):
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


def named(path, **read_options):
    """The features of each row by their names."""
    stream = open_stream(path, **read_options)
    X, _ = stream.read()
    return [{stream.feature_names[j]: x for j, x in row.items()} for row in cells_of(X)]


@settings(deadline=None)
@given(objects, st.integers(1, 30), st.integers(1, 2000))
def test_interactions_of_json_lines_match_vowpal_wabbit(tmp_path_factory, objects, bits, size):
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    path.write_text("".join(json.dumps({"y": 1, **row}) + "\n" for row in objects))
    stream = open_stream(path, bits=bits, interactions=PAIRS, batch_bytes=size)
    assert (stream.noted()["interactions"], stream.feature_names) == (tuple(PAIRS), None)
    wanted = [hashed(row, bits) for row in named(path)]
    for _ in range(2):
        assert cells_of(stream.read()[0]) == wanted


@pytest.mark.parametrize("bits", [1, 4, 24])
@pytest.mark.parametrize("size", [80, 1 << 22])
def test_interactions_of_numbers_and_categories(tmp_path, bits, size):
    path = tmp_path / "t.csv"
    path.write_text(CSV)
    names = HashedNames()
    read_options = {"bits": bits, "batch_bytes": size, "interactions": PAIRS}
    rows = named(path)
    assert rows[0] == {"a": 2.0, "b=red": 1.0, "ab=x": 1.0}
    X, _ = open_stream([path, path], names=names, **read_options).read()
    assert cells_of(X) == [hashed(row, bits) for row in rows] * 2
    met = {}
    for row in rows:
        for h in [*map(signed, row), *(h for h, *_ in pairs_of(row))]:
            met.setdefault(abs(h) % 2**bits, set()).add(h)
    assert names.collisions()[:3] == (bits, len(met), sum(len(held) > 1 for held in met.values()))


def test_names_of_hashed_interactions(tmp_path):
    path, names = tmp_path / "t.csv", HashedNames()
    path.write_text(CSV)
    open_stream(path, bits=22, names=names, interactions=PAIRS).read()
    rows = named(path)
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
