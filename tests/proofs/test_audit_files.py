"""Files of audits: what is saved is read, and what is not one is refused with file and field."""

import json
from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import audit, textbook, toys
from rosenblatt.proofs import Audit
from rosenblatt.proofs.audit_files import is_audit, load_audit
from rosenblatt.proofs.check import theorem
from rosenblatt.proofs.check.theorem import AuditRecord
from rosenblatt.proofs.files import ProofError


@pytest.fixture
def path(tmp_path):
    toy = toys.two_points()
    audit(textbook.augmented_perceptron(toy.X, toy.y)).save(tmp_path / "a.json")
    return tmp_path / "a.json"


@pytest.mark.parametrize("start", [None, [0.1, -3.0, 1e-300]])
@pytest.mark.parametrize("u", [None, [-3.0, 2.0]])
def test_what_is_saved_is_read(tmp_path, start, u):
    toy = toys.two_points()
    saved = audit(textbook.augmented_perceptron(toy.X, toy.y, 0.1, start=start), u)
    saved.save(tmp_path / "a.json")
    loaded = Audit.load(tmp_path / "a.json")
    assert str(loaded) == str(saved)
    assert loaded.verify()
    assert loaded.maximal == (u is None)
    for name in AuditRecord.__dataclass_fields__:
        assert np.array_equal(getattr(loaded.record, name), getattr(saved.record, name)), name


def test_the_file_is_text_with_exact_numbers(path):
    fields = json.loads(path.read_text())
    assert (fields["format"], fields["version"]) == ("rosenblatt audit", 1)
    assert (fields["radius2"], fields["gamma2"], fields["bound"]) == ("6", "1/2", "12")
    assert fields["X"] == [[1.0, 1.0, 2.0], [1.0, 2.0, 1.0]]
    assert (fields["order"], fields["weights"], fields["direction"]) == ([1, 0], ["1", "1"], None)
    assert is_audit(path)


def test_audits_that_fail_are_not_saved(tmp_path):
    square = toys.xor()
    failing = audit(textbook.perceptron(square.X, square.y, max_epochs=2))
    with pytest.raises(ValueError, match="cannot be saved: at step 3 the rows so far prove it"):
        failing.save(tmp_path / "a.json")
    assert failing.verify().failed.startswith("the theorem applies to the run: at step 3 the rows")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": "rosenblatt proof"}, "object with the format 'rosenblatt audit'"),
        ({"version": 2}, "version must be 1; found 2"),
        ({"version": True}, "version must be 1; found True"),
        ({"more": 1}, "has a field 'more', which is unknown"),
        ({"X": None}, "X must be a list; found None"),
        ({"X": []}, "X must be a list; found a list"),
        ({"X": [[1.0, 1.0, 2.0], [1.0]]}, r"X\[1\] must be a list of one length"),
        ({"X": [[1.0, 1.0, "2"], [1.0, 2.0, 1.0]]}, r"X\[0\]\[2\] must be a number; found '2'"),
        ({"X": [[1.0, True, 2.0], [1.0, 2.0, 1.0]]}, r"X\[0\]\[1\] must be a number; found True"),
        ({"X": [[2**60, 1, 1], [1, 2, 1]]}, r"X\[0\]\[0\] has a whole number beyond 2\*\*53"),
        ({"y": [1.0, -1]}, r"y\[0\] must be a small integer; found 1.0"),
        ({"order": [2**70, 0]}, r"order\[0\] must be a small integer"),
        ({"order": [5, 0]}, "order must have rows from 0 to 1"),
        ({"eta": "1"}, "eta must be a number; found '1'"),
        ({"eta": -1.0}, "eta must be a finite number > 0; found -1.0"),
        ({"tie": None}, "tie must be a whole number; found None"),
        ({"offset": "0"}, "offset must be a whole number; found '0'"),
        ({"start": [0.0]}, "start must have 3 finite numbers"),
        ({"weights": [1, 1]}, "weights"),
        ({"weights": ["1"]}, "rows must be different, with one number of weights each"),
        ({"weights": ["1", "-1"]}, "weights must be > 0"),
        ({"direction": ["1", "2", "3"]}, "direction must be null if there are weights"),
        ({"radius2": 6}, "radius2"),
        ({"radius2": "1/0"}, 'radius2 must be a whole number or a fraction, "1/2"'),
        ({"radius2": "1/2/3"}, "radius2 must be a whole number or a fraction"),
        ({"gamma2": "1" * 600_000}, "has 600,000 digits, of 524,288 at most"),
        ({"allowed": 12}, "allowed"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_hostile_files_are_refused(path, changes, says):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(ProofError, match=says) as refusal:
        Audit.load(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert "restore it, or audit the run again" in str(refusal.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"format": "rosenblatt audit"}', '{"a": NaN}', "[" * 100_000, "\xff"]
)
def test_other_texts_are_refused(tmp_path, text):
    (tmp_path / "a.json").write_text(text, encoding="latin-1")
    with pytest.raises(ProofError, match=r"a\.json: "):
        load_audit(tmp_path / "a.json")


def test_a_field_less_is_named(path):
    fields = json.loads(path.read_text())
    for name in list(fields)[2:]:
        path.write_text(json.dumps({key: value for key, value in fields.items() if key != name}))
        with pytest.raises(ProofError, match=f"lacks the field '{name}'"):
            load_audit(path)


def test_weights_that_cancel_and_runs_out_of_range_are_refused(path):
    fields = json.loads(path.read_text())
    same = {"X": [[1.0, 1.0, 2.0], [1.0, 1.0, 2.0]]}
    path.write_text(json.dumps(fields | same))
    with pytest.raises(ProofError, match="weights must give a direction"):
        Audit.load(path)
    path.write_text(json.dumps(fields | {"eta": 1.7e308, "start": [0.0, 1.7e308, -1.7e308]}))
    with pytest.raises(ProofError, match="its run leaves the range of floats"):
        Audit.load(path)


def test_a_claim_of_the_file_is_not_trusted(path):
    path.write_text(json.dumps(json.loads(path.read_text()) | {"bound": "11", "allowed": "11"}))
    loaded = Audit.load(path)
    assert (loaded.bound, loaded.allowed) == (12.0, 12)
    assert loaded.verify().failed.endswith("α = R²/γ: it is 12, not 11")
    assert not loaded.maximal  # what is not verified is not said
    assert loaded.record.bound == Fraction(11)


@pytest.mark.parametrize("limit", ["MOST_NUMBERS", "MOST_WORK"])
def test_an_audit_that_is_too_long_to_be_verified_says_so(limit, tmp_path, monkeypatch):
    run = textbook.augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    monkeypatch.setattr(theorem, limit, 1)
    result = audit(run)
    assert (result.holds, result.exact, result.record) == (True, True, None)
    failed = result.verify().failed
    assert failed.startswith("the audit can be verified: the run is too long to be verified: order")
    with pytest.raises(ValueError, match="cannot be saved: the run is too long to be verified"):
        result.save(tmp_path / "a.json")


def test_an_audit_says_where_decimals_have_another_verdict():
    rows = [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]]
    result = audit(textbook.perceptron(rows, [1, -1, 1], max_epochs=3))
    assert result.decimals is not None
    assert f"(0.1, 0.3, …) the rows are {result.decimals.status}." in str(result)
    whole = audit(textbook.perceptron([[1, 3], [2, 6], [3, 9]], [1, -1, 1], max_epochs=3))
    assert whole.decimals is None
    assert "decimals" not in str(whole)
