"""Kinds of keys: dates and ids of nested objects, and rows without them by both parsers."""

import json

import numpy as np
import pytest

from rosenblatt.streams import open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.formats.json_kinds import infer_keys

ROWS = [
    {
        "user": {"id": 7 * k, "joined": f"2024-05-{k % 28 + 1:02}"},
        "code": f"AB{k:05}",
        "x": k / 7,
        "tags": [f"t{k}", "all"],
        "new": k % 3 == 0,
        "note": f"the words of row {k}",
        "y": k % 2,
    }
    for k in range(40)
]
KINDS = {"user.id": "skip", "user.joined": "date", "code": "skip"}


def test_keys_of_nested_objects_lists_and_texts():
    keys = infer_keys(ROWS, ReadOptions(), ["y"], [])
    assert keys.kinds == KINDS
    assert [remark.split("'")[1] for remark in keys.remarks] == ["user.id", "code"]


@pytest.mark.parametrize(
    ("options", "reserved", "kinds"),
    [
        (ReadOptions(schema={"code": "category"}), [], {k: KINDS[k] for k in list(KINDS)[:2]}),
        (ReadOptions(), ["user.id"], {k: KINDS[k] for k in list(KINDS)[1:]}),
        (ReadOptions(schema={"*": "category"}), [], {}),
        (ReadOptions(settled=True), [], {}),
    ],
)
def test_options_decide(options, reserved, kinds):
    assert infer_keys(ROWS, options, [*reserved, "y"], []).kinds == kinds


def test_floats_and_mixed_values_are_no_ids():
    rows = [{"id": k + 0.0, "key": k if k % 2 else str(k), "pk": True, "x": 1} for k in range(40)]
    assert infer_keys(rows, ReadOptions(), ["y"], []).kinds == {}


def test_the_core_and_the_other_parser_leave_out_the_same_features(write):
    rows = [{k: v for k, v in row.items() if k not in ("user", "note")} for row in ROWS]
    rows = [row | {"id": {"of": k, "kind": [1, "a"]}} for k, row in enumerate(rows)]
    path = write("a.jsonl", "\n".join(map(json.dumps, rows)))
    schema = {"id": "skip"}
    fast = open_stream(path, schema=schema)
    slow = open_stream(path, schema=schema | {"other": "category"})
    X, Z = fast.read()[0], slow.read()[0]
    assert fast.feature_names == slow.feature_names
    assert not [name for name in fast.feature_names if name.startswith(("id", "code"))]
    np.testing.assert_array_equal(X.toarray(), Z.toarray())
