"""Verification: true certificates hold, and every change fails."""

import math
import re
import sys
from dataclasses import fields, replace
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp
from certificates import MADE, NONE, certificate, line, scaled, small, step, xor
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import certify
from rosenblatt.proofs.certificate import Certificate, Certificates
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.check.record import Overlap
from rosenblatt.proofs.check.verify import verify


@pytest.mark.parametrize("made", MADE)
def test_true_certificates_hold(made):
    proof, X, y = MADE[made]()
    found = verify(proof, X, y)
    assert found
    assert found.failed is None
    assert len(found.claims) >= 6
    for form in (
        sp.csr_array(X),
        sp.csc_matrix(X),
        X.astype(np.float32),
        X.astype(int),
        X.tolist(),
    ):
        assert verify(proof, form, y).claims == found.claims
    text = np.where(y == 1, "yes", "no")
    assert verify(replace(proof, positive="yes", negative="no"), X, text)
    assert verify(replace(proof, positive=np.str_("yes"), negative=None), X, text.tolist())


def test_an_undecided_certificate_without_rows_holds():
    _, X, y = line()
    nothing = {"margin": (0.0, np.inf), "rows": np.array([], np.int64), "weights": ()}
    assert verify(certificate(X, y, status="undecided", **nothing), X, y)
    proof, X, y = xor()
    assert verify(replace(proof, status="undecided", overlap=None), X, y)


WELL = "the certificate is well-formed"
CANCEL = "weighted sum of the listed rows"
UPPER = "above the upper end"
PLANE = "weighted sum of all rows on the plane"
DIRECTION = "wrong side of the direction"
ROUNDED = "the direction, rounded"

CHANGES = [
    ("xor", {"status": "fine"}, WELL),
    ("xor", {"status": "separable"}, WELL),
    ("xor", {"status": "quasi-separable"}, WELL),
    ("xor", {"margin": (0.0, 1.0)}, WELL),
    ("xor", {"margin": (np.nan, np.nan)}, WELL),
    ("xor", {"rows": np.arange(3), "weights": (1, 1, 1)}, CANCEL),
    ("xor", {"rows": np.array([], np.int64), "weights": ()}, WELL),
    ("xor", {"rows": np.array([0, 0, 1, 2])}, WELL),
    ("xor", {"rows": np.array([0, 1, 2, 4])}, WELL),
    ("xor", {"rows": np.array([-1, 1, 2, 3])}, WELL),
    ("xor", {"rows": np.arange(4.0)}, WELL),
    ("xor", {"rows": [0, 1, 2, 3]}, WELL),
    ("xor", {"weights": (1, 1, 1)}, WELL),
    ("xor", {"weights": (1, 1, 1, 0)}, "row 3 of rows must have .* found 0"),
    ("xor", {"weights": (1, 1, 1, -1)}, WELL),
    ("xor", {"weights": (1, 1, 1, True)}, WELL),
    ("xor", {"weights": (1, 1, 1, 1.0)}, WELL),
    ("xor", {"weights": (2, 1, 1, 1)}, f"{CANCEL}.*different sums"),
    ("xor", {"weights": (2, 1, 2, 1)}, f"{CANCEL}.*the sum of feature 1 is not 0"),
    ("xor", {"weights": (10**5000, 1, 1, 1)}, CANCEL),
    ("xor", {"coef": np.ones(2)}, WELL),
    ("xor", {"intercept": 1.0}, WELL),
    ("xor", {"intercept": np.nan}, WELL),
    ("xor", {"direction": (1, 0, 0)}, WELL),
    ("xor", {"overlap": None}, WELL),
    ("xor", {"overlap": replace(NONE, rest=0)}, WELL),
    ("xor", {"overlap": (1, 2)}, WELL),
    ("xor", {"overlap": Overlap(np.array([2]), (2,), 1)}, f"{PLANE}.*weigh"),
    ("xor", {"overlap": Overlap(np.array([0, 2]), (2, 2), 1)}, f"{PLANE}.*feature 1 is not 0"),
    ("xor", {"overlap": Overlap(np.array([9]), (2,), 1)}, WELL),
    ("xor", {"diverging": np.array([0, 1], np.int8)}, "diverging.*feature 1"),
    ("xor", {"diverging": np.zeros(2)}, WELL),
    ("xor", {"diverging": np.array([0, 2], np.int8)}, WELL),
    ("xor", {"radius": 1.4}, "longer than the radius: row 1"),
    ("xor", {"radius": np.nan}, WELL),
    ("xor", {"radius": "2"}, WELL),
    ("xor", {"mistakes": -1}, WELL),
    ("xor", {"epochs": 1.5}, WELL),
    ("xor", {"converged": 1}, WELL),
    ("xor", {"positive": 0, "negative": 1}, "the data has the proof's digest"),
    ("xor", {"positive": 2}, "classes: row 2 has the label 1"),
    ("xor", {"positive": 2, "negative": None}, "no row has 2"),
    ("xor", {"positive": "one"}, "classes"),
    ("xor", {"positive": [1, 0]}, WELL),
    ("xor", {"positive": 0}, WELL),
    ("xor", {"positive": float("nan")}, WELL),
    ("xor", {"fit_intercept": 1}, WELL),
    ("xor", {"shape": (4, 3)}, WELL),
    ("xor", {"shape": (5, 2)}, "shape"),
    ("xor", {"shape": (10**5000, 2)}, WELL),
    ("xor", {"digest": "sha256:0"}, "the data has the proof's digest"),
    ("xor", {"digest": None}, WELL),
    ("xor", {"feature_names": ("a",)}, WELL),
    ("xor", {"seconds": None}, WELL),
    ("line", {"status": "inseparable"}, WELL),
    ("line", {"margin": (1.0000000000000002, 1.1)}, "margin's lower end: row 1"),
    ("line", {"margin": (0.9, 0.9999999999999999)}, UPPER),
    ("line", {"margin": (1.0, np.inf)}, WELL),
    ("line", {"margin": (0.0, 1.0)}, WELL),
    ("line", {"margin": (1.5, 1.0)}, WELL),
    ("line", {"margin": 1.0}, WELL),
    ("line", {"rows": np.array([0, 1])}, f"{UPPER}.*one class"),
    ("line", {"rows": np.array([0, 2])}, UPPER),
    ("line", {"coef": np.array([1.5])}, "length 1"),
    ("line", {"coef": np.array([-1.0])}, "strictly on its own side"),
    ("line", {"coef": np.array([0.0])}, "length 1"),
    ("line", {"coef": np.array([np.inf])}, WELL),
    ("line", {"coef": np.ones(2)}, WELL),
    ("line", {"coef": None}, WELL),
    ("line", {"intercept": -1.0}, "strictly on its own side of the separator: row 1"),
    ("line", {"intercept": -2.0000000000000004}, "margin's lower end: row 2"),
    ("line", {"fit_intercept": False}, WELL),
    ("line", {"diverging": np.array([0], np.int8)}, "diverging has"),
    ("ray", {"margin": (2.1213203436, 2.1213203436)}, "margin's lower end"),
    ("ray", {"margin": (2.0, 2.1213203435)}, UPPER),
    ("ray", {"weights": (7, 8)}, UPPER),
    ("ray", {"fit_intercept": True}, f"{UPPER}.*one class"),
    ("line", {"direction": (0, 0)}, "lies strictly on its own side.*row 0 does not"),
    ("line", {"direction": (0, 1)}, "lies strictly on its own side.*row 0 does not"),
    ("step", {"direction": (-3, 0, 0)}, f"{DIRECTION}.*: row 2"),
    ("step", {"direction": (0, 0, 0)}, f"{DIRECTION}.*every row"),
    ("step", {"direction": (3, 0, 1)}, f"{DIRECTION}.*: row 0"),
    ("step", {"direction": (3, 1, -1)}, f"{ROUNDED}.*number 1"),
    ("step", {"direction": (3, 0)}, WELL),
    ("step", {"direction": (3.0, 0, 0)}, WELL),
    ("step", {"direction": None}, WELL),
    ("step", {"fit_intercept": False, "direction": (3, 1, -1)}, WELL),
    ("step", {"coef": np.array([3.0, 1.0])}, f"{ROUNDED}.*number 1"),
    ("step", {"coef": np.array([-3.0, 0.0])}, ROUNDED),
    ("step", {"coef": np.zeros(2)}, ROUNDED),
    ("step", {"coef": np.array([3.0000000000000004, 0.0])}, ROUNDED),
    ("step", {"intercept": 1.0}, ROUNDED),
    ("step", {"overlap": Overlap(np.array([2]), (4,), 4)}, f"{PLANE}.*row 2"),
    ("step", {"overlap": Overlap(np.array([1]), (3,), 4)}, PLANE),
    ("step", {"diverging": np.array([-1, 0], np.int8)}, "diverging has"),
    ("step", {"margin": (0.0, 0.1)}, WELL),
    ("open_end", {"margin": (0.0, 0.9)}, UPPER),
    ("open_end", {"margin": (0.1, 1.5)}, WELL),
    ("open_end", {"margin": (0.0, 0.0)}, CANCEL),
    ("open_end", {"diverging": np.array([1], np.int8)}, "diverging has"),
]


@pytest.mark.parametrize(("made", "change", "claim"), CHANGES)
def test_every_change_fails_at_its_claim(made, change, claim):
    proof, X, y = MADE[made]()
    found = verify(replace(proof, **change), X, y)
    assert not found
    assert not found.claims[-1].holds
    assert all(claim.holds for claim in found.claims[:-1])
    assert re.search(claim, found.failed), found.failed


HOSTILE = [None, True, -1, 10**5000, 1.5, np.inf, np.nan, "x", b"x", (), [], {}, (1,), (None, None)]
HOSTILE += [np.zeros(0), np.zeros((2, 2), np.int64), np.array(["a"]), np.array(3), object(), {1: 2}]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("name", [part.name for part in fields(Certificate)])
def test_no_value_of_a_field_crashes_the_check(made, name):
    proof, X, y = MADE[made]()
    for value in HOSTILE:
        assert isinstance(verify(replace(proof, **{name: value}), X, y).failed, str | None)


@pytest.mark.parametrize("name", ["rows", "weights", "rest"])
def test_no_overlap_crashes_the_check(name):
    proof, X, y = step()
    for value in HOSTILE:
        overlap = replace(proof.overlap, **{name: value})
        assert isinstance(verify(replace(proof, overlap=overlap), X, y).failed, str | None)


@pytest.mark.parametrize("texts", [["-2", "-1", "1", "2"], ["-0.4", "-0.2", "0.3", "0.4"]])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", [float, Decimal])
def test_a_determined_margin_has_no_larger_upper_end(texts, intercept, kind):
    rows, y = [[kind(text)] for text in texts], [0, 0, 1, 1]
    proof = certify(rows, y, fit_intercept=intercept)
    assert proof.determined
    assert proof.verify(rows, y)
    low, high = proof.margin
    for larger in (math.nextafter(high, math.inf), 1.5 * high, sys.float_info.max):
        forged = replace(proof, margin=(low, larger))
        assert "the upper end is their bound" in forged.verify(rows, y).failed
        assert replace(forged, determined=False).verify(rows, y)


def test_other_data_are_refused():
    proof, X, y = xor()
    X[0, 0] = 5e-324
    assert "the data has the proof's digest" in verify(proof, X, y).failed
    assert "the data has the proof's digest" in verify(proof, X[::-1], y).failed
    assert "shape" in verify(proof, X[:, :1], y).failed
    assert "classes" in verify(proof, X, [0, 0, 1, 2]).failed
    assert "classes" in verify(proof, X, ["0", "0", "1", "1"]).failed
    with pytest.raises(ValueError, match="NaN"):
        verify(proof, np.full((4, 2), np.nan), y)
    with pytest.raises(ValueError, match="labels"):
        verify(proof, X, y[:3])


def test_every_class_is_checked():
    proof, X, y = xor()
    one = replace(proof, negative=None)
    both = Certificates({1: one, 0: replace(proof, positive=0, negative=None)})
    assert both[1].verify(X, y)
    assert "0: the data has" in both.verify(X, y).failed


def test_no_class_may_be_missing_or_swapped():
    _, X, _ = xor()
    y = np.array(["a", "b", "c", "c"])
    proofs = certify(X, y)
    assert proofs.verify(X, y)
    without = Certificates({label: proofs[label] for label in ("a", "b")})
    assert "'c' has none" in without.verify(X, y).failed
    swapped = Certificates({"a": proofs["b"], "b": proofs["a"], "c": proofs["c"]})
    assert "of 'a' is about 'b'" in swapped.verify(X, y).failed
    mixed = Certificates({**proofs, "b": replace(proofs["b"], fit_intercept=False)})
    assert "only some are with" in mixed.verify(X, y).failed
    with pytest.raises(ValueError, match="at least one certificate"):
        Certificates({})


def test_a_run_that_contradicts_the_claims():
    proof, X, y = xor()
    assert "last epoch had no mistake" in replace(proof, converged=True).verify(X, y).failed
    proof = certify([[0.0], [2.0]], [0, 1])
    for counts in ({"mistakes": 0, "epochs": 0}, {"mistakes": 1, "epochs": 0, "converged": False}):
        assert "it has no epoch" in replace(proof, **counts).verify([[0.0], [2.0]], [0, 1]).failed
    other = replace(proof, mistakes=3, epochs=4).verify([[0.0], [2.0]], [0, 1])
    assert other  # possible, though it is not the run: the claim says no more
    assert "which is not repeated here, are possible" in other.claims[-1].text
    assert "mistakes exceed" in replace(proof, mistakes=10**6).verify([[0.0], [2.0]], [0, 1]).failed


# --- planted witnesses ---------------------------------------------------------------------------


def forms(X):
    """The same rows, stored otherwise."""
    return [X, sp.csr_array(X), np.asfortranarray(X), sp.csr_array(X.astype(np.float32))]


def agree(proof, X, y):
    """The one verdict on all forms of the rows."""
    (found,) = {verify(proof, form, y).failed for form in forms(X)}
    return found


@given(st.lists(st.tuples(small, small, st.integers(1, 99)), min_size=1, max_size=6), st.data())
def test_mirrored_rows_overlap(rows, data):
    """Each row once in either class, and with the same weight."""
    X = np.array([row[:2] for row in rows] * 2, dtype=float)
    m = len(rows)
    y = np.repeat([1, 0], m)
    weights = tuple(row[2] for row in rows) * 2
    pair, rest = data.draw(st.integers(0, m - 1)), data.draw(st.integers(1, 9))
    proof = certificate(
        X,
        y,
        rows=np.array([pair, pair + m]),
        weights=(3, 3),
        overlap=Overlap(np.arange(2 * m), weights, rest),
    )
    assert agree(proof, X, y) is None
    wrong = replace(proof, overlap=Overlap(np.arange(2 * m), (weights[0] + 1, *weights[1:]), rest))
    assert PLANE in agree(wrong, X, y)
    assert (PLANE in str(agree(replace(wrong, fit_intercept=False), X, y))) == X[0].any()


@given(
    st.lists(st.tuples(small, small, small, st.integers(1, 10**30)), min_size=1, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_a_last_row_that_balances_the_others(rows, sides):
    """Without an intercept: x_n = −Σ λ_i y_i x_i, as far as floats hold it."""
    y = np.array([*sides[: len(rows)], not sides[0]], dtype=int)
    signs = [1 if label else -1 for label in y]
    weights = [row[3] % 1000 + 1 for row in rows]
    closing = [
        -signs[-1] * sum(w * s * row[j] for w, s, row in zip(weights, signs, rows, strict=False))
        for j in range(3)
    ]
    X = np.array([*(row[:3] for row in rows), closing], dtype=float)
    scale = rows[0][3]
    proof = certificate(
        X,
        y,
        rows=np.arange(len(X)),
        weights=tuple(w * scale for w in [*weights, 1]),
        overlap=Overlap(np.arange(len(X) - 1), tuple(weights), 1),
        fit_intercept=False,
    )
    assert agree(proof, X, y) is None
    X[-1, 0] += 0.25
    moved = replace(
        proof, digest=LabelledData(X, np.array(signs, dtype=float)).digest(), radius=1e9
    )
    assert "the sum of feature 0 is not 0" in agree(moved, X, y)


@given(
    st.lists(st.tuples(small, small), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(1, 6), small, st.booleans()), min_size=1, max_size=5),
    st.integers(1, 10**400),
    small,
)
def test_a_plane_with_other_rows(on, beside, factor, offset):
    """Mirrored rows where the first feature is ``offset``, and each class on its own side."""
    plane = [(float(offset), float(a)) for a, _ in on]
    off = [(float(offset + (away if up else -away)), float(a)) for away, a, up in beside]
    X = np.array(plane * 2 + off)
    m = len(plane)
    y = np.array([1] * m + [0] * m + [int(up) for _, _, up in beside])
    coef, shift = scaled([factor, -factor * offset])
    proof = certificate(
        X,
        y,
        status="quasi-separable",
        rows=np.array([0, m]),
        weights=(factor, factor),
        coef=np.array([coef, 0.0]),
        intercept=shift,
        direction=(factor, 0, -factor * offset),
        overlap=Overlap(np.array([0, m]), (factor, factor), 1),
        diverging=np.array([1, 0], np.int8),
    )
    assert agree(proof, X, y) is None
    worse = replace(proof, direction=(-factor, 0, factor * offset))
    assert DIRECTION in agree(worse, X, y)


@given(st.lists(st.tuples(small, small), min_size=4, max_size=9, unique=True), small, small, small)
def test_a_planted_separator(points, a, b, c):
    values = [2 * (a * x + b * z) + 2 * c + 1 for x, z in points]
    y = np.array([int(value > 0) for value in values])
    if not (a or b) or len(set(y)) < 2:
        return
    X = np.array(points, dtype=float)
    norm = 2 * np.hypot(a, b)
    low = min(map(abs, values)) / norm * (1 - 1e-12)
    nearest = np.sort([int(np.flatnonzero(y == label)[0]) for label in (0, 1)])
    high = np.linalg.norm(X[nearest[0]] - X[nearest[1]]) / 2 * (1 + 1e-12)
    w = np.array([2 * a, 2 * b]) / norm
    proof = certificate(
        X,
        y,
        status="separable",
        margin=(low, high),
        rows=nearest,
        weights=(11, 13),
        coef=w,
        intercept=(2 * c + 1) / norm,
        diverging=np.sign(w).astype(np.int8),
        mistakes=0,
    )
    assert agree(proof, X, y) is None
    assert "lower end" in agree(replace(proof, margin=(low * 1.001, high * 1.001)), X, y)
    assert UPPER in agree(replace(proof, margin=(low * 1e-9, high * 0.999)), X, y)
