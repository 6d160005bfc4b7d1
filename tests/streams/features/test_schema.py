"""Schemas: kinds of columns, stated or inferred, and errors."""

import pytest

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.features.schema import (
    describe_kinds,
    infer_kind,
    parse_schema,
    resolve_kinds,
)


def kinds(names, target=None, labelled=True, **schema):
    read_options = ReadOptions(target=target, labelled=labelled, schema=schema)
    return list(
        resolve_kinds("a.csv", 1, names.split(), read_options, lambda name: "number").values()
    )


# --- written -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("a:text", {"a": "text"}),
        ("a:text, b c :skip", {"a": "text", "b c ": "skip"}),
        ("a:b:id,*:skip", {"a:b": "id", "*": "skip"}),
        ('"a, b:skip",c:text', {"a, b": "skip", "c": "text"}),
        ('"a, b":skip, 5" d:id', {"a, b": "skip", '5" d': "id"}),
        ("a:skip,\n  in\n(mm):text\n", {"a": "skip", "in\n(mm)": "text"}),
    ],
)
def test_parse_schema(text, schema):
    assert parse_schema(text) == schema


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "found 'a', expected column:kind"),
        (":text", "found ':text', expected column:kind"),
        ("a:text,", "found '', expected column:kind"),
        ("a:text,a:skip", "found the column 'a' twice"),
    ],
)
def test_a_wrong_schema_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_schema(text)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"a": "word"}, "a kind must be one of number, category, .*; got 'word'"),
        ({"b": "label"}, "its label is not the target, 'a'"),
        ({"a": "id", "b": "id"}, "found 2 columns of the kind id"),
        ({"a": "label", "b": "label"}, "found 2 columns of the kind label"),
        ({"a": "weight", "b": "weight"}, "found 2 columns of the kind weight"),
    ],
)
def test_invalid_kinds_are_refused(tmp_path, schema, message):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=message):
        open_stream(tmp_path / "a.csv", schema=schema, target="a")


# --- settled -------------------------------------------------------------------------------------


def test_the_schema_decides():
    assert kinds("a b c", b="category") == ["number", "category", "label"]
    assert kinds("a b c", a="label") == ["label", "number", "number"]
    assert kinds("a b c", target="b", b="number") == ["number", "label", "number"]
    assert kinds("a b c", c="skip") == ["number", "label", "skip"]
    assert kinds("a b c", a="text", **{"*": "skip"}) == ["text", "skip", "label"]
    assert kinds("a b c", labelled=False) == ["number"] * 3
    assert kinds("a b c", labelled=False, target="a") == ["label", "number", "number"]
    assert kinds("a b", labelled=False, c="weight", d="id") == ["number", "number"]


@pytest.mark.parametrize(
    ("names", "schema", "message"),
    [
        ("a y", {"b": "number"}, "no column 'b' of the kind number; the columns are 'a', 'y'"),
        ("size y", {"sise": "text"}, "Did you mean 'size'?"),
        ("a y", {"w": "weight"}, "no column 'w' of the kind weight"),
        ("a y", {"b": "label"}, "no column 'b' for the labels"),
        ("a y", {"a": "skip"}, "found no column with features besides the label"),
        ("a y", {"a": "skip", "y": "id"}, "no column is left for the labels"),
    ],
)
def test_schemas_that_do_not_match_the_columns_are_refused(names, schema, message):
    with pytest.raises(DataError, match=message) as caught:
        kinds(names, **schema)
    assert caught.value.line == 1


# --- inferred, and described ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", " -2.5e3 ", "+.5"], "number"),
        ([], "number"),
        (["", " "], "number"),
        (["1", "nan", "", "?"], "number"),
        (["1,2e-05", "-,5", "3E+7"], "number"),
        (["1", "a", "b"], "category"),
        (["1_0"], "category"),
        (["red", "blue", "red"], "category"),
        (["dark red", "light blue"], "category"),
        (["Win a prize now", "See you at seven", "Win a prize now"], "text"),
        (["see the note"] * 3, "category"),
    ],
)
def test_kinds_are_inferred(cells, kind):
    assert infer_kind(cells) == kind


def test_kinds_are_described_in_one_line():
    names = [f"c{k}" for k in range(7)]
    assert describe_kinds(dict.fromkeys(names, "number") | {"y": "label"}) is None
    summary = describe_kinds(
        {"x": "number", **dict.fromkeys(names, "category"), "w": "weight", "d": "skip"}
    )
    assert summary == "1 number, 7 categories (c0, c1, c2, c3, c4, …), weights in w, 1 left out (d)"
