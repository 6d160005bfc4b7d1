"""Rows of JSON lines: flattened objects, and every malformed line."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import share
from stream_rows import refused_at, rows_by_name

from rosenblatt.streams import DataError, open_stream


@pytest.mark.parametrize(
    ("row", "features"),
    [
        ({"a": 1, "b": -0.5, "c": True, "d": False}, {"a": 1, "b": -0.5, "c": 1, "d": 0}),
        ({"kind": "oak"}, {"kind=oak": 1}),
        ({"a": {"b": {"c": 2}, "d": "x"}}, {"a.b.c": 2, "a.d=x": 1}),
        ({"a": [1, 2.5, None, True]}, {"a.0": 1, "a.1": 2.5, "a.3": 1}),
        ({"tags": ["red", "old", "red"]}, {"tags=red": 2, "tags=old": 1}),
        ({"a": [{"b": 1}, [2, "x"]]}, {"a.0.b": 1, "a.1.0": 2, "a.1=x": 1}),
        ({"a": None, "b": {}, "c": []}, {}),
        ({"": 3, "é": "ß", "t": ""}, {"": 3, "é=ß": 1, "t=": 1}),
        ({"a": 1e308, "b": 10**30}, {"a": 1e308, "b": 1e30}),
    ],
)
def test_objects_are_flattened(put_json, row, features):
    stream = open_stream(put_json({**row, "label": 1}))
    assert (stream.format, stream.sparse, stream.target) == ("jsonl", True, "label")
    assert rows_by_name(stream) == [(features, 1)] == rows_by_name(stream)
    assert sorted(stream.feature_names) == sorted(features)


def test_columns_stay_in_order_of_appearance(put_json):
    rows = [{"b": 1, "y": 1}, {"a": 2, "y": 2}, {"c": 3, "b": 4, "y": 1}]
    stream = open_stream(put_json(*rows), batch_bytes=1)
    assert [batch.X.shape for batch in stream] == [(1, 1), (1, 2), (1, 3)]
    assert stream.feature_names == ["b", "a", "c"]
    assert stream.read()[0].toarray().tolist() == [[1, 0, 0], [0, 2, 0], [4, 0, 3]]
    assert [batch.X.shape[1] for batch in stream] == [3, 3, 3]  # now all are known


keys = st.text("pqr", min_size=1, max_size=2)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("abé", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


def flat(name, value):
    """Return the features of a value by a direct definition, with repetitions."""
    match value:
        case None:
            return []
        case dict():
            return [f for key, inner in value.items() for f in flat(f"{name}.{key}", inner)]
        case list():
            names = [name if isinstance(v, str) else f"{name}.{k}" for k, v in enumerate(value)]
            return [f for at, v in zip(names, value, strict=True) for f in flat(at, v)]
        case str():
            return [(f"{name}={value}", 1.0)]
        case _:
            return [(name, float(value))]


@settings(deadline=None)
@given(
    st.lists(st.dictionaries(keys, values, max_size=3), min_size=1, max_size=6), st.integers(1, 200)
)
def test_rows_come_back(tmp_path_factory, rows, size):
    path = tmp_path_factory.mktemp("json") / "a.jsonl"
    path.write_text("".join(json.dumps({**row, "y": k}) + "\n" for k, row in enumerate(rows)))
    wanted = []
    for row in rows:
        features: dict[str, float] = {}
        for name, value in (f for key, inner in row.items() for f in flat(key, inner)):
            features[name] = features.get(name, 0.0) + value
        wanted.append(features)
    found = rows_by_name(open_stream(path, batch_bytes=size))
    assert found == list(zip(wanted, range(len(rows)), strict=True))


@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
@pytest.mark.parametrize(
    ("line", "message", "column"),
    [
        ('{"a": 1', "is not JSON: Expecting ',' delimiter; expected one complete object", 8),
        ('{"é": 1, a}', "is not JSON: Expecting property name", 11),
        ('{"a": 1} {"a": 2}', "is not JSON: Extra data", 10),
        ("{'a': 1}", "is not JSON", 2),
        ("[1, 2]", r"found \[1, 2\], expected one object", None),
        ("3", "found 3, expected one object", None),
        ('{"a": 1, "a": 2, "y": 1}', "found the key 'a' twice in an object", None),
        ('{"b": {"a": 1, "a": 1}, "y": 1}', "found the key 'a' twice", None),
        ('{"a.b": 1, "a": {"b": 2}, "y": 1}', r"found the feature 'a\.b' twice", None),
        ('{"a": NaN, "y": 1}', "found NaN, expected a finite number", None),
        ('{"a": -Infinity, "y": 1}', "found -Infinity, expected a finite number", None),
        ('{"a": 1e999, "y": 1}', "key 'a': found inf, expected a number that fits", None),
        ('{"a": 1' + "0" * 400 + ', "y": 1}', "expected text and a number that fits", None),
        ('{"a": 1' + "0" * 5000 + ', "y": 1}', "a whole number of 5,001 digits, expected", None),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + ', "y": 1}', "nested too deeply", None),
        ('{"\\ud800": 1, "y": 1}', "expected text", None),
        ('{"a": 1, "y": "\\ud800"}', "expected a label of text", None),
        ('{"a": 1, "y": "b\\u0000"}', "expected a label of text", None),
        ('{"a": 1}', "key 'y': found nothing, expected a label", None),
        ('{"a": 1, "y": null}', "key 'y': found nothing, expected a label", None),
        ('{"a": 1, "y": ""}', "column 'y': found nothing, expected a label", None),
        ('{"a": 1, "y": [1]}', r"key 'y': found \[1\], expected a number or text", None),
        ('{"a": 1, "y": {"b": 1}}', "key 'y': found .*, expected a number or text", None),
        ('{"a": 1, "y": 1e999}', "column 'y': found 'inf', expected a label", None),
        ('{"a": "\0", "y": 1}', "NUL byte", 8),
    ],
)
def test_bad_lines(put_json, line, message, column, batch_bytes):
    path = put_json({"a": 1, "y": 1}, "", line)
    refused_at(path, message, 3, column, batch_bytes=batch_bytes)


def test_deep_nesting_is_refused(put_json):
    """The JSON parser fails at some depth; flattening and messages fail a little earlier."""
    for depth in share(range(950, 1000), 3, 0):
        deep = "[" * depth + "1" + "]" * depth
        for row in (f'{{"y": 1, "a": {deep}}}', f'{{"y": {deep}}}'):
            stream = open_stream(put_json({"y": 2}, row), on_bad_row="skip")
            assert len(rows_by_name(stream)) + stream.bad_rows == 2


@settings(deadline=None)
@given(st.lists(st.text('{}[]",:0a\\.eE-\n ', max_size=30), max_size=3), st.booleans())
def test_any_line_is_a_row_or_an_error(tmp_path_factory, lines, first):
    path = tmp_path_factory.mktemp("json") / "a.jsonl"
    path.write_text("\n".join(['{"a": 1, "y": 1}'] * first + lines))
    try:
        rows = rows_by_name(open_stream(path, labelled=False))
    except DataError:
        return
    assert all(math.isfinite(value) for row, _ in rows for value in row.values())
    assert len(rows) == sum(bool(line.strip()) for line in path.read_text().split("\n"))
