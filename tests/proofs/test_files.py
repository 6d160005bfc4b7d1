"""Proof files: load restores what save wrote, and refuses every other file."""

import json
import os
from dataclasses import fields, replace

import numpy as np
import pytest
from certificates import MADE, NONE, certificate, xor

from rosenblatt.proofs.certificate import Certificate, Certificates
from rosenblatt.proofs.check.record import Overlap, first_fault
from rosenblatt.proofs.files import FORMAT, ProofError, save

load = Certificate.load
HUGE = 3**30_000  # 14,314 digits: more than Python writes in decimals


@pytest.fixture
def path(tmp_path):
    return tmp_path / "proof.json"


def plain(value):
    """Comparable, and telling types apart."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, Overlap):
        return plain(value.rows), value.weights, value.rest
    return type(value).__name__, value


def assert_same(one, other):
    for part in fields(Certificate):
        mine, yours = getattr(one, part.name), getattr(other, part.name)
        assert plain(mine) == plain(yours), part.name


def edited(path, change):
    """Rewrite the file with ``change`` made to its JSON value."""
    value = json.loads(path.read_text())
    path.write_text(json.dumps(change(value) or value))


# --- there and back ------------------------------------------------------------------------------


@pytest.mark.parametrize("made", MADE)
def test_save_and_load_restore_every_field(made, path):
    proof, X, y = MADE[made]()
    proof = replace(proof, feature_names=tuple("ab"[: X.shape[1]]), seconds=0.1)
    save(proof, path)
    loaded = load(path)
    assert_same(proof, loaded)
    assert loaded.verify(X, y)
    assert path.read_text().splitlines()[1] == f'"format": "{FORMAT}",'


@pytest.mark.parametrize("labels", [("a", "b"), (True, False), (2.5, -1.0), (7, None), ("é\n", 3)])
def test_labels_keep_their_types(labels, path):
    proof = replace(xor()[0], positive=labels[0], negative=labels[1])
    proof.save(path)
    assert_same(proof, Certificate.load(path))


def test_numpy_labels_become_pythons(path):
    for label in (np.str_("a"), np.int8(3), np.float32(0.5), np.bool_(True)):
        save(replace(xor()[0], positive=label, negative=None), path)
        assert type(load(path).positive) is type(label.item())
        assert load(path).positive == label


def test_numbers_of_any_length_and_infinity(path):
    _, X, y = xor()
    proof = certificate(
        X,
        y,
        weights=(HUGE, HUGE, HUGE, 10**3999),
        overlap=Overlap(np.array([0, 1]), (HUGE, 1), HUGE + 1),
        radius=float("inf"),
    )
    save(proof, path)
    assert_same(proof, load(path))
    open_end = certificate(
        X,
        y,
        status="undecided",
        margin=(0.0, float("inf")),
        rows=np.array([], np.int64),
        weights=(),
    )
    save(open_end, path)
    assert_same(open_end, load(path))
    directed = replace(MADE["step"]()[0], direction=(HUGE, 0, -HUGE))
    save(directed, path)
    assert_same(directed, load(path))
    assert json.loads(path.read_text())["direction"] == {"0": hex(HUGE), "2": hex(-HUGE)}


def test_certificates_of_several_classes(path):
    proof, X, y = xor()
    both = Certificates({1: replace(proof, negative=None), 5: replace(proof, positive=5)})
    both.save(path)
    loaded = Certificate.load(path)
    assert list(loaded) == [1, 5]
    for label in both:
        assert_same(both[label], loaded[label])
    assert loaded[1].verify(X, y)


def test_a_malformed_certificate_is_not_saved(path):
    with pytest.raises(ValueError, match="cannot be saved: radius must be"):
        save(replace(xor()[0], radius=-1.0), path)
    assert not path.exists()


def test_a_failure_leaves_the_old_file_whole(path, monkeypatch):
    save(xor()[0], path)

    def fail(descriptor):
        raise OSError(5, "the disk is on fire")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"The proof was not saved \(the disk is on fire\)"):
        save(MADE["line"]()[0], path)
    monkeypatch.undo()
    assert_same(xor()[0], load(path))
    assert os.listdir(path.parent) == [path.name]


def test_files_of_version_1_are_about_floats(path):
    proof, X, y = xor()
    save(proof, path)
    newer = ("numbers", "determined")
    edited(path, lambda fields: [fields.pop(name) for name in newer] and fields.update(version=1))
    assert load(path).numbers == "binary64"
    assert load(path).verify(X, y)
    edited(path, lambda fields: fields.update(numbers="binary64"))
    refused(path, "'numbers', which is unknown")


# --- what is no proof ----------------------------------------------------------------------------


def refused(path, message):
    with pytest.raises(ProofError, match=message) as failure:
        load(path)
    assert str(path) in str(failure.value)
    assert len(str(failure.value)) < 2000


@pytest.mark.parametrize("made", ["step", "line"])
def test_every_field_is_needed_once_and_no_other(made, path):
    save(MADE[made]()[0], path)
    text = path.read_text()
    for name in json.loads(text):
        path.write_text(text)
        edited(path, lambda value, name=name: {k: v for k, v in value.items() if k != name})
        if name == "determined":  # older files lack it
            assert load(path).determined is False
        else:
            refused(path, name)
        path.write_text(text.replace("{\n", '{\n"' + name + '": 0,\n', 1))
        refused(path, "same field twice")
    path.write_text(text.replace("{\n", '{\n"colour": 0,\n', 1))
    refused(path, "'colour', which is unknown")
    save(Certificates({1: MADE[made]()[0]}), path)
    edited(path, lambda value: value["classes"][0].pop("rows") and None)
    refused(path, r"classes\[0\] lacks the field 'rows'")


WRONG = [None, True, 0, -1, 7, 2**70, 0.5, 1e300, "", "x", "-0x1f", "9" * 5000, [], {}]
WRONG += [[None], [[]], [-1], ["1"], [1, 1], [2**70], [0.5, 0.5], {"0": 1}, {"x": "1"}, {"9": "1"}]
WRONG += [{"rows": [0], "weights": ["1"], "rest": "0"}, {"rows": [0], "weights": [], "rest": "1"}]


@pytest.mark.parametrize("made", MADE)
def test_a_wrong_value_is_refused_or_fails(made, path):
    proof, X, y = MADE[made]()
    save(proof, path)
    text = path.read_text()
    free = {"mistakes", "epochs", "seconds", "converged", "feature_names"}  # no claims about them
    for name, right in json.loads(text).items():
        for wrong in WRONG:
            if wrong == right and type(wrong) is type(right):
                continue
            path.write_text(json.dumps(json.loads(text) | {name: wrong}))
            try:
                found = load(path).verify(X, y)
            except ProofError:
                continue
            assert not found or name in free or _still_true(name, wrong, right), (name, wrong)


def _still_true(name, wrong, right):
    """Another larger radius, or another label for the rest, is no lie.

    The rows of the separable ones made by hand determine their margin.
    """
    if name == "radius":
        return wrong is None or float(wrong) >= right
    return name in ("negative", "determined") or wrong == right


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no JSON text"),
        ("{", "no JSON text"),
        ("\x00", "no JSON text"),
        ("[" * 100_000, "no JSON text"),
        ('{"a":' * 100_000, "no JSON text"),
        ("9" * 5000, "no JSON text"),
        ("1e999", "1e999 is no finite number"),
        ("NaN", "NaN is no finite number"),
        ("-Infinity", "no finite number"),
        ("[]", "must be an object; found a list"),
        ("null", "must be an object; found None"),
        ("{}", "format must be"),
        ('{"format": "x"}', "format must be"),
        ('{"format": "rosenblatt proof", "version": 3}', "version must be 1 or 2; found 3"),
        ('{"format": "rosenblatt proof", "version": true}', "version must be 1 or 2; found True"),
        ('{"format": "rosenblatt proof", "version": 1}', "lacks the field 'coef'"),
        ('{"format": "rosenblatt proof", "version": 1, "classes": []}', "must have one entry"),
        ('{"format": "rosenblatt proof", "version": 1, "classes": {}}', "must be a list"),
        ('{"format": "rosenblatt proof", "version": 1, "classes": [3]}', r"classes\[0\] must be"),
        ('{"format": "rosenblatt proof", "version": 1, "classes": [], "a": 1}', "'a', which"),
    ],
)
def test_other_files(text, message, path):
    path.write_text(text)
    refused(path, message)


def test_bytes_that_are_no_text(path):
    path.write_bytes(b"\xff\xfe{}")
    refused(path, "no JSON text")


def test_folders_pipes_and_nothing(path, tmp_path):
    refused(tmp_path, "a folder or a device")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused(pipe, "a folder or a device")
    with pytest.raises(FileNotFoundError):
        load(path)


def test_a_small_file_takes_little_memory_and_time(path):
    save(MADE["step"]()[0], path)
    text = path.read_text()
    edited(path, lambda value: value | {"shape": [4, 2**46]})
    refused(path, "diverging must have one number for each of")
    path.write_text(text)
    edited(path, lambda value: value | {"weights": ["1" * 524_289]})
    refused(path, r"weights\[0\] has 524,289 digits, of 524,288 at most")
    path.write_text(text)
    edited(path, lambda value: value | {"weights": ["0x" + "f" * 524_286, "1"]})
    _, X, y = MADE["step"]()
    assert "different sums" in load(path).verify(X, y).failed


def test_a_number_that_would_not_be_read_is_not_saved(path):
    proof = replace(MADE["step"]()[0], weights=(1 << 2_097_152, 1 << 2_097_152))
    with pytest.raises(ValueError, match="more digits than the 524,288 that are read"):
        save(proof, path)
    assert not path.exists()


def test_classes_are_named_once(path):
    proof = xor()[0]
    save(Certificates({1: proof, 2: proof}), path)
    refused(path, r"classes\[1\].positive is the label of a class before it")


def test_the_certificates_made_by_hand_are_well_formed():
    for make in MADE.values():
        assert first_fault(make()[0]) == ""
    assert NONE.rest == 1
