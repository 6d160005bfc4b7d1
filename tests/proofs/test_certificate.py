"""Certificates: they keep their verification, and a mapping of them has the worst status."""

import pickle
from dataclasses import replace

from certificates import line, step, xor

from rosenblatt import certify
from rosenblatt.proofs.certificate import Certificate, Certificates


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


def test_a_summary_has_one_line():
    assert repr(line()[0]) == "<Certificate: separable, 4 x 1, margin 1.0 to 1.0>"
    assert repr(xor()[0]) == "<Certificate: inseparable, 4 x 2, 4 rows prove it>"


def test_the_status_of_several_classes_is_the_worst():
    proofs = {1: line()[0], 2: step()[0]}
    assert Certificates(proofs).status == "quasi-separable"
    assert Certificates(proofs | {3: xor()[0]}).status == "inseparable"
    assert list(Certificates(proofs)) == [1, 2]
