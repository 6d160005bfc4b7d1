"""A file that is no model, or none any more, is refused by name."""

import json
import os
import tracemalloc
from itertools import cycle

import numpy as np
import pytest
from edited_models import array, drop, put, rewrite, without
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from profiles import share, thorough
from safetensors import safe_open
from safetensors.numpy import save_file
from saved_models import assert_same, batch

import rosenblatt
from rosenblatt import LMSRegressor, Perceptron, RowEncoder
from rosenblatt.models import ModelError, describe, load, save

# --- what is not loaded --------------------------------------------------------------------------


def labels(values, dtype="<i8"):
    return put("fitted", "classes_", value={"dtype": dtype, "values": values})


def random_state(words=624, position=0):
    return put("params", "random_state", value={"RandomState": [[1] * words, position, 0, 0.0]})


def renamed(old, new):
    return lambda header, tensors: tensors.__setitem__(new, tensors.pop(old))


def nested(depth):
    value = 1
    for _ in range(depth):
        value = {"dict": [[0, value]]}
    return value


CHANGES = {
    "W too wide": (array("W", np.zeros((5, 16))), "weights W"),
    "W too narrow": (array("W", np.zeros((5, 3))), r"W are float64 of shape \(5, 3\)"),
    "W too short": (array("W", np.zeros((4, 8))), "weights W"),
    "W empty": (array("W", np.zeros((0, 8))), "weights W"),
    "W flat": (array("W", np.zeros(40)), "weights W"),
    "W of integers": (array("W", np.zeros((5, 8), np.int64)), "weights W are int64"),
    "W of bytes": (array("W", np.zeros((5, 8), np.uint8)), "weights W are U8"),
    "W of half floats": (array("W", np.zeros((5, 8), np.float16)), "weights W are F16"),
    "W in single precision alone": (array("W", np.zeros((5, 8), "f4")), "array Q is float64"),
    "W missing": (without("W"), "weights W are nothing"),
    "b missing": (without("b"), r"missing \['b'\]"),
    "b another name": (renamed("b", "c"), r"missing \['b'\], unknown \['c'\]"),
    "b too short": (array("b", np.zeros(3)), "array b"),
    "b a matrix": (array("b", np.zeros((1, 8))), "array b"),
    "one array more": (array("x", np.zeros(3)), r"unknown \['x'\]"),
    "U of another height": (array("U", np.zeros((3, 8))), "array U"),
    "U of another width": (array("U", np.zeros((5, 1))), "array U"),
    "Q of another type": (array("Q", np.zeros((0, 8), "f4")), "array Q"),
    "champion too short": (array("champion_W", np.zeros((1, 8))), "array champion_W"),
    "pocket too narrow": (array("pocket_W", np.zeros((5, 1))), "array pocket_W"),
    "no books of the average": (put("params", "output", value="average"), "array U"),
    "no books of the pocket": (put("params", "output", value="pocket"), "array champion_W"),
    "no books of the L1 penalty": (put("params", "penalty", value="l1"), "array Q"),
    "t as a float": (array("t", np.zeros(1)), "array t is float64"),
    "t empty": (array("t", np.zeros(0, np.int64)), "array t"),
    "t negative": (array("t", np.array([-1])), "array t cannot be"),
    "errors negative": (array("errors", np.array([-1])), "array errors cannot be"),
    "updates negative": (array("updates", -np.ones(8, np.int64)), "array updates cannot be"),
    "run negative": (array("run", np.array([0, -5])), "array run cannot be"),
    "run too short": (array("run", np.array([0])), "array run"),
    "scale zero": (array("scale", np.zeros(8)), "array scale cannot be"),
    "scale NaN": (array("scale", np.full(8, np.nan)), "array scale cannot be"),
    "scale infinite": (array("scale", np.full(8, np.inf)), "array scale cannot be"),
    "active padding": (array("active", np.ones(8, bool)), "array active cannot be"),
    "active as bytes": (array("active", np.ones(8, np.uint8)), "array active is U8"),
    "pocket errors NaN": (array("pocket_errors", np.array([np.nan])), "array pocket_errors"),
    "coef_ of another shape": (array("coef_", np.zeros((3, 6))), "array coef_"),
    "coef_ of another type": (array("coef_", np.zeros((3, 5), np.int64)), "array coef_"),
    "history a column short": (without("history_.norm"), "history_.norm"),
    "history without epochs": (without("history_.epoch"), r"unknown \['history_\."),
    "history of another length": (array("history_.norm", np.zeros(9)), "history_.norm"),
    "history a matrix": (array("history_.epoch", np.zeros((2, 1), np.int64)), "history_.epoch"),
    "history a number": (array("history_.epoch", np.array(1)), "history_"),
    "history of another type": (array("history_.seconds", np.zeros(2, "f4")), "history_.seconds"),
    "class unknown": (put("class", value="Oracle"), "class 'Oracle' is not one of Perceptron"),
    "class of another library": (put("class", value="os.system"), "class 'os.system'"),
    "class no name": (put("class", value=["Perceptron"]), "model.safetensors"),
    "class another": (put("class", value="Adaline"), "params: missing"),
    "rule unknown": (put("params", "rule", value="newest"), "rule must be one of"),
    "rule object unknown": (
        put("params", "rule", value={"rule": "Newest", "fields": {}}),
        "unknown type",
    ),
    "rule object not a rule": (
        put("params", "rule", value={"rule": "NamedTuple", "fields": {}}),
        "unknown type",
    ),
    "rule without fields": (
        put("params", "rule", "fields", value={}),
        r"rule PA1: missing \['C'\]",
    ),
    "rule with a field more": (put("params", "rule", "fields", "D", value=1), r"unknown \['D'\]"),
    "rule of words": (put("params", "rule", "fields", "C", value="many"), "many"),
    "rule no name": (put("params", "rule", value=3), "rule must be a name"),
    "parameter missing": (drop("params", "tie"), r"params: missing \['tie'\]"),
    "parameter unknown": (put("params", "magic", value=1), r"unknown \['magic'\]"),
    "parameters no object": (put("params", value=[]), "params must be a JSON object"),
    "parameter out of range": (put("params", "max_iter", value=0), "max_iter must be"),
    "parameter NaN": (put("params", "eta0", value={"float": "nan"}), "eta0 must be"),
    "parameter of an odd kind": (put("params", "eta0", value={"eval": "1"}), "unknown type"),
    "parameter a list": (put("params", "eta0", value=[1.0]), "unknown type"),
    "parameter a bottomless pit": (put("params", "class_weight", value=nested(300)), None),
    "parameter a pit": (put("params", "eta0", value=nested(100)), "eta0 must be"),
    "class_weight a word": (put("params", "class_weight", value="heavy"), "class_weight must be"),
    "random state a word": (put("params", "random_state", value="seed"), "seed"),
    "random state too short": (random_state(words=623), "MT19937"),
    "random state beyond its end": (random_state(position=10**6), "MT19937"),
    "random state before its start": (random_state(position=-1), "MT19937"),
    "random state of words": (
        put("params", "random_state", value={"RandomState": [["x"] * 624, 0, 0, 0.0]}),
        None,
    ),
    "labels unsorted": (labels([1, 0, 2]), "classes_ are not sorted"),
    "labels twice": (labels([0, 0, 2]), "classes_ are not sorted"),
    "labels too few": (labels([0, 1]), "weights W"),
    "labels too many": (labels(list(range(9))), "weights W"),
    "labels missing": (put("fitted", "classes_", value=None), "classes_ cannot be"),
    "labels nested": (labels([[0, 1, 2]]), "labels are lists"),
    "labels nested, of a large width": (labels([["a"] * 999], "<U9999"), "labels are lists"),
    "labels ragged": (labels([[0], [1, 2], []]), None),
    "labels a number": (labels(3), "classes_ are not sorted"),
    "labels of a strange type": (labels([0, 1, 2], "M8[D]"), "unknown type"),
    "labels of a broken type": (labels([0, 1, 2], ["<i8"]), "unknown type"),
    "labels beyond their type": (labels([0, 1, 300], "|i1"), None),
    "labels between the integers": (labels([0, 1, 2.5]), "do not have the type"),
    "labels longer than their type": (labels(["a", "b", "long"], "<U2"), "do not have the type"),
    "labels as objects": (labels([0, 1, 2], "|O"), "do not have the type"),
    "labels of a gigantic width": (labels(["a", "b", "c"], "<U99999999"), "more than 67108864"),
    "features another number": (put("fitted", "n_features_in_", value=6), "weights W"),
    "features none": (put("fitted", "n_features_in_", value=0), "n_features_in_ cannot be 0"),
    "features beyond the weights": (put("fitted", "n_features_in_", value=2**31), "weights W"),
    "features beyond memory": (
        put("fitted", "n_features_in_", value=2**60),
        "n_features_in_ cannot",
    ),
    "features a word": (put("fitted", "n_features_in_", value="5"), "n_features_in_ cannot be"),
    "names too few": (put("fitted", "feature_names_in_", value=["a"]), "feature_names_in_ cannot"),
    "names of numbers": (put("fitted", "feature_names_in_", value=[1] * 5), "feature_names_in_"),
    "epochs a word": (put("fitted", "n_iter_", value="3"), "n_iter_ cannot be '3'"),
    "converged a word": (put("fitted", "converged_", value="yes"), "converged_ cannot be 'yes'"),
    "open unknown": (put("fitted", "open", value=None), "open cannot be None"),
    "fitted unknown field": (put("fitted", "extra", value=1), r"unknown \['extra'\]"),
    "fitted no object": (put("fitted", value=None), "must be a JSON object"),
    "notes with NaN": (put("notes", value={"x": float("nan")}), "the number NaN"),
    "header lacks its notes": (drop("notes"), r"header: missing \['notes'\]"),
    "header has more": (put("pickle", value="gASVAAAA"), r"unknown \['pickle'\]"),
    "format zero": (put("format", value=0), "format must be from 1 to 6; found 0"),
    "format true": (put("format", value=True), "format must be from 1 to 6; found True"),
    "format a word": (put("format", value="1"), "format must be from 1 to 6; found '1'"),
    "format missing": (drop("format"), "format must be from 1 to 6; found None"),
}


def test_a_file_that_is_written_again_is_the_same(saved, path):
    rewrite(path, lambda header, tensors: None)
    assert_same(saved, load(path))


@pytest.mark.parametrize("name", CHANGES)
def test_an_inconsistent_file_is_refused(name, saved, path):
    change, message = CHANGES[name]
    rewrite(path, change)
    with pytest.raises(ModelError, match=message) as refusal:
        load(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert "restore it from a backup" in str(refusal.value)


def test_a_regressor_has_no_labels(path):
    save(LMSRegressor(max_iter=1, tol=None).fit(*batch(0, classes=2)), path)
    rewrite(path, labels([0, 1]))
    with pytest.raises(ModelError, match="classes_ cannot be"):
        load(path)


@pytest.mark.parametrize("rule", ["uneven", {"rule": "Uneven", "fields": {"eta": 1.0}}])
def test_a_rule_of_another_version_is_refused_with_that_version(saved, path, rule):
    def change(header, tensors):
        header.update(rosenblatt="9.8.7", params=header["params"] | {"rule": rule})

    rewrite(path, change)
    with pytest.raises(
        ModelError, match=r"ven.* written by rosenblatt 9\.8\.7; .* version that wrote it"
    ) as refusal:
        load(path)
    assert "damaged" not in str(refusal.value)


@pytest.mark.parametrize("newer", [{"format": 7}, {"params": {}}])
def test_a_version_in_a_message_controls_no_terminal(saved, path, newer):
    version = "\x1b[2J\u202e" + 90 * "9\n"
    rewrite(path, lambda header, tensors: header.update(newer, rosenblatt=version))
    with pytest.raises(ModelError, match=r"written by rosenblatt [?][?]2J[?]9[?]9") as refusal:
        load(path)
    assert str(refusal.value).isprintable()


def test_a_newer_format_is_refused_with_its_version(saved, path):
    def change(header, tensors):
        header.update(format=7, rosenblatt="9.8.7", novelty=[1])
        tensors["news"] = np.zeros(3)

    rewrite(path, change)
    for read in (load, describe):
        with pytest.raises(
            ModelError, match=r"(?s)format 7, written by rosenblatt 9\.8\.7.*Upgrade"
        ):
            read(path)


HEADERS = {
    "not JSON": "{'format': 1}",
    "cut short": '{"format": 1',
    "empty": "",
    "a list": "[1]",
    "a number": "1",
    "not a number": '{"format": NaN}',
    "beyond all numbers": '{"format": 1e999}',
    "a number without end": '{"format": ' + "9" * 10_000 + "}",
    "a bottomless pit": "[" * 200_000,
    "nothing but the format": '{"format": 1}',
}


@pytest.mark.parametrize("text", HEADERS.values(), ids=HEADERS.keys())
def test_a_broken_header_is_refused(text, path):
    save_file({"W": np.zeros((1, 1))}, path, {"rosenblatt": text})
    for read in (load, describe):
        with pytest.raises(ModelError, match=r"^.*a model\.safetensors: .*save the model again"):
            read(path)


@pytest.mark.parametrize("metadata", [None, {}, {"format": "pt"}])
def test_another_programs_safetensors_file_is_refused(metadata, path):
    save_file({"W": np.zeros((1, 1))}, path, metadata)
    for read in (load, describe):
        with pytest.raises(ModelError, match="of another program"):
            read(path)


def size_bomb(shape, body):
    header = {"W": {"dtype": "F64", "shape": shape, "data_offsets": [0, len(body)]}}
    text = json.dumps({"__metadata__": {"rosenblatt": '{"format": 1}'}, **header}).encode()
    return len(text).to_bytes(8, "little") + text + body


NO_SAFETENSORS = {
    "empty": b"",
    "short": b"\x01",
    "text": b"1 1:0.5 7:1\n-1 2:0.25\n",
    "pickle": b"\x80\x04\x95" + b"x" * 100,
    "header beyond memory": (2**62).to_bytes(8, "little") + b"{}",
    "header beyond the file": (2**20).to_bytes(8, "little") + b"{}",
    "array beyond memory": size_bomb([2**40, 8], b"\0" * 64),
    "array beyond all numbers": size_bomb([2**62, 2**62], b""),
    "nothing of a size beyond memory": size_bomb([0, 2**60], b""),
}


@pytest.mark.parametrize("content", NO_SAFETENSORS.values(), ids=NO_SAFETENSORS.keys())
def test_other_content_is_refused_without_large_memory(content, path):
    path.write_bytes(content)
    tracemalloc.start()
    for read in (load, describe):
        with pytest.raises(ModelError, match=r"a model\.safetensors: .*restore it from a backup"):
            read(path)
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()


def test_folders_and_devices_are_refused(path):
    for read in (load, describe):
        with pytest.raises(FileNotFoundError, match=r"a model\.safetensors"):
            read(path)
        with pytest.raises(ModelError, match="a folder or a device"):
            read(path.parent)
    os.mkfifo(path)
    with pytest.raises(ModelError, match="a folder or a device"):
        load(path)


# --- damage --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small model, its file's bytes and a position to damage them."""
    path = tmp_path_factory.mktemp("damage") / "model"
    model = Perceptron(random_state=3, class_weight={0: 1.5, 1: 1.0}).fit([[0.0], [1.0]], [0, 1])
    save(model, path, notes={"é": 'a "note"'})
    return model, path.read_bytes(), path


def assert_refused_or_the_same(model, content, path):
    path.write_bytes(content)
    try:
        loaded = load(path)
    except ModelError:
        return True
    assert_same(model, loaded)
    return False


def test_every_changed_byte_is_detected(small):
    model, content, path = small
    refused, changes = 0, [*zip(range(len(content)), cycle([0x01, 0x20, 0xFF]), strict=False)]
    tried = share(changes, 4, 0)  # with each mask in turn
    for position, mask in tried:
        damaged = bytearray(content)
        damaged[position] ^= mask
        refused += assert_refused_or_the_same(model, bytes(damaged), path)
    assert refused >= len(tried) - 8  # "\u00e9" may become "\u00E9"


def test_every_missing_byte_is_detected(small):
    model, content, path = small
    for length in share(range(len(content)), 4, 0):
        assert assert_refused_or_the_same(model, content[:length], path)
    assert assert_refused_or_the_same(model, content + b"\0", path)
    assert not assert_refused_or_the_same(model, content, path)


@settings(thorough(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_overwritten_stretch_is_detected(small, data):
    model, content, path = small
    start = data.draw(st.integers(0, len(content)))
    length = data.draw(st.integers(0, 64))
    new = data.draw(st.binary(max_size=64))
    assert_refused_or_the_same(model, content[:start] + new + content[start + length :], path)


def test_swapped_arrays_are_detected(saved, path):
    with safe_open(path, "np") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in list(file.keys())}
    tensors["b"], tensors["area"] = tensors["area"], tensors["b"]
    save_file(tensors, path, metadata)
    with pytest.raises(ModelError, match="checksum of its arrays"):
        load(path)


def test_an_encoder_of_another_version_is_refused_with_that_version(path):
    save(RowEncoder().fit([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]), path)

    def change(header, tensors):
        header["rosenblatt"] = "9.8.7"
        header["notes"]["impute"] = "median"

    rewrite(path, change)
    with pytest.raises(ModelError, match=r"median.* written by rosenblatt 9\.8\.7; ") as refusal:
        rosenblatt.load(path)
    assert "damaged" not in str(refusal.value)
