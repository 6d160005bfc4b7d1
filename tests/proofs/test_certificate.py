"""Certificates: they keep their verification, and a mapping of them has the worst status."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from certificates import line, step, xor

from rosenblatt import certify
from rosenblatt.proofs import certification
from rosenblatt.proofs.certificate import Certificate, Certificates
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search.nearest import Deadline, Task


def test_certify_keeps_the_verification():
    _, X, y = xor()
    proof = certify(X, y)
    kept, again = proof.verification, proof.verify(X, y)
    assert kept
    assert kept == again
    assert kept.seconds > 0.0
    assert pickle.loads(pickle.dumps(proof)).verification == kept


def test_each_class_keeps_its_verification():
    _, X, _ = xor()
    proofs = certify(X, ["a", "b", "c", "c"])
    assert all(proof.verification for proof in proofs.values())


def test_a_changed_or_loaded_certificate_has_no_verification(tmp_path):
    _, X, y = line()
    proof = certify(X, y)
    assert replace(proof, mistakes=0).verification is None
    assert line()[0].verification is None
    proof.save(tmp_path / "proof.json")
    assert Certificate.load(tmp_path / "proof.json").verification is None


def test_other_feature_names_keep_the_verification():
    _, X, y = line()
    proof = certify(X, y)
    named = proof.with_feature_names(("dose",))
    assert (named.feature_names, proof.feature_names) == (("dose",), None)
    assert named.verification == proof.verification
    assert named.verify(X, y, feature_names=("dose",))
    assert proof.verify(X, y, feature_names=("dose",))  # no names, no claim about them
    failed = named.verify(X, y, feature_names=("dose", "age")).failed
    assert failed == "the features have the proof's names: the proof has 1 feature, 2 are named"
    failed = named.verify(X, y, feature_names=("age",)).failed
    assert failed == "the features have the proof's names: 'dose' in the proof is 'age' in the data"


def test_no_separator_has_no_bound():
    assert xor()[0].mistake_bound == xor()[0].origin_bound == np.inf
    assert replace(line()[0], radius=np.inf).origin_bound == np.inf


def test_a_summary_has_one_line():
    assert repr(line()[0]) == "<Certificate: separable, 4 x 1, margin 1.0 to 1.0>"
    assert repr(xor()[0]) == "<Certificate: inseparable, 4 x 2, 4 rows prove it>"


def test_the_status_of_several_classes_is_the_worst():
    proofs = {1: line()[0], 2: step()[0]}
    assert Certificates(proofs).status == "quasi-separable"
    assert Certificates(proofs | {3: xor()[0]}).status == "inseparable"
    assert list(Certificates(proofs)) == [1, 2]


def test_what_does_not_verify_is_never_returned(monkeypatch):
    """A search that finds nonsense leaves a certificate without claims; else certify fails."""
    X, y = [[0.0], [1.0], [3.0]], [0, 0, 1]
    data = LabelledData(np.array(X), np.array([-1.0, -1, 1]))
    found = certification.find(Task(data, True, Deadline(60.0)), 0.1)
    wrong = replace(found, margin=(7.0, 8.0), radius=0.5)
    monkeypatch.setattr(certification, "find", lambda *_: wrong)
    monkeypatch.setattr(certification, "find_exactly", lambda *_: wrong)
    proof = certify(X, y)
    assert (proof.status, proof.margin, proof.epochs) == ("undecided", (0.0, np.inf), 0)
    assert proof.verification
    run = found.run._replace(mistakes=np.array([99, 0, 0]))
    monkeypatch.setattr(certification, "find", lambda *_: replace(found, run=run))
    proof = certify(X, y)
    assert (proof.status, proof.mistakes, proof.epochs) == ("separable", 0, 0)
    assert "rounding misled it" in str(proof)
    monkeypatch.setattr(certification, "_undecided", lambda proof: replace(proof, radius=0.0))
    monkeypatch.setattr(certification, "find", lambda *_: wrong)
    with pytest.raises(RuntimeError, match="no certificate that verifies: no row is longer"):
        certify(X, y)
