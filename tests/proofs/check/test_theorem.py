"""The verifier of audits: it accepts what is so, and refuses every number that is changed."""

import random
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from profiles import scaled
from search_audits import case_of, run_of

from rosenblatt import audit, textbook, toys
from rosenblatt.proofs.check import theorem
from rosenblatt.proofs.check.theorem import verify_theorem


def a_record(**options):
    toy = toys.two_points()
    return audit(textbook.augmented_perceptron(toy.X, toy.y, 0.5, **options)).record


CLAIMS = [
    "the audit is well-formed",
    "R is the length of the longest row",
    "a unit vector u has y (u·x) >= γ > 0 on 2 rows",
    "no unit vector has a larger γ",
    "2 corrections w ← w + η y x, each at y (w·x) <= 0",
    "claim 1, u·w_t >= u·w_0 + t η γ, after each correction",
    "claim 2, ‖w_t‖² <= ‖w_0‖² + t η² R², after each correction",
    "claim 3, ‖w_t/η - α u‖² <= ‖w_0/η - α u‖² - t R², after each correction",
    "the bound is ‖w_0/η - α u‖²/R², α = R²/γ",
    "the theorem allows 12 corrections, 2 were made",
]


def test_every_claim_is_listed():
    check = verify_theorem(a_record())
    assert check
    assert [claim.text for claim in check.claims] == CLAIMS


@pytest.mark.parametrize(
    ("changes", "failed"),
    [
        ({"radius2": Fraction(7)}, "R is the length of the longest row: R² is 6, not 7"),
        ({"gamma2": Fraction(2, 3)}, "a unit vector u has y (u·x) >= γ > 0 on 2 rows: γ² is 1/2"),
        ({"bound": Fraction(11)}, "the bound is ‖w_0/η - α u‖²/R², α = R²/γ: it is 12, not 11"),
        ({"allowed": 11}, "the bound is ‖w_0/η - α u‖²/R², α = R²/γ: its floor is 12"),
        ({"weights": (1, 2)}, "a unit vector u has y (u·x) >= γ > 0 on 2 rows"),
        ({"weights": (1, 0)}, "the audit is well-formed: weights must be > 0"),
        ({"rows": np.array([0, 0])}, "the audit is well-formed: rows must be different"),
        (
            {"order": np.array([1, 1])},
            "2 corrections w ← w + η y x, each at y (w·x) <= 0: row 1 is",
        ),
        ({"order": np.array([1, 2])}, "the audit is well-formed: order must have rows from 0 to 1"),
        ({"y": np.array([1, 1])}, "a unit vector u"),
        ({"y": np.array([1, 2])}, "the audit is well-formed: y must have 2 signs, -1 or 1"),
        ({"start": np.array([0.0, 9.0, 0.0])}, "2 corrections"),
        ({"offset": 1}, "the audit is well-formed: offset must be 0, -1 or null; found 1"),
        ({"offset": -1}, "the audit is well-formed: X must have the constant 1 in column -1"),
        ({"tie": 2}, "the audit is well-formed: tie must be -1, 0 or 1; found 2"),
        ({"eta": 0.0}, "the audit is well-formed: eta must be a finite number > 0"),
        ({"direction": (0, -1, 1)}, "the audit is well-formed: direction must be null if"),
        ({"X": np.array([[1.0, 1.0, np.nan]] * 2)}, "the audit is well-formed: X must have"),
    ],
    ids=str,
)
def test_what_is_not_so_is_refused(changes, failed):
    check = verify_theorem(replace(a_record(), **changes))
    assert not check
    assert check.failed.startswith(failed)


def test_a_direction_need_not_be_the_best_but_its_gamma_must_be_its():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X, toy.y)
    record = audit(run, [-2.0, 1.0]).record
    assert record is None  # it does not separate them: row 0 is on the line
    record = audit(run, [-3.0, 2.0]).record
    check = verify_theorem(record)
    assert check
    assert "no unit vector has a larger γ" not in [claim.text for claim in check.claims]
    assert not verify_theorem(replace(record, gamma2=Fraction(1, 2)))
    claimed = replace(record, direction=None, rows=np.array([0]), weights=(1,))
    assert not verify_theorem(claimed)


def test_lambda_that_is_not_optimal_is_refused():
    run = textbook.origin_perceptron([[2.0, 0.0], [2.0, 3.0]], [1, 1])
    record = audit(run).record
    assert (record.rows.tolist(), record.gamma2) == ([0], 4)
    other = replace(record, rows=np.array([0, 1]), weights=(3, 1))
    assert verify_theorem(other).failed.startswith("a unit vector u has y (u·x) >= γ > 0")
    z2, least = 8 * 8 + 3 * 3, 16  # of z = Σ λ y x = (8, 3)
    other = replace(other, gamma2=Fraction(least**2, z2))
    assert verify_theorem(other).failed.startswith("no unit vector has a larger γ")


def test_ties_are_named():
    run = textbook.online_perceptron([[1.0], [1.0]], [1, 1], tie=-1)
    record = audit(run).record
    text = verify_theorem(replace(record, tie=1)).claims[4].text
    assert text.endswith("each at y (w·x) <= 0 (1 at 0, right with sgn(0) = +1)")


@pytest.mark.parametrize("as_data", [np.array, sp.csr_array])
def test_the_data_is_compared(as_data):
    record = a_record()
    X, labels = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array(["yes", "no"])
    assert verify_theorem(record, as_data(X), labels)
    for data, y, why in (
        (X[:, :1], labels, "the audit has 2 rows of 2; got (2, 1)"),
        (X[::-1], labels, "row 0 is another"),
        (X, labels[::-1], "row 0 is another"),
    ):
        failed = verify_theorem(record, as_data(data), y).failed
        assert failed == f"the rows and labels are those of the data: {why}"


def test_data_of_many_rows_is_compared_to_its_end():
    """More rows than are compared in one go."""
    X, y = np.arange(1.0, 4101.0)[:, np.newaxis], np.ones(4100, np.int64)
    X[0], y[0] = -1.0, -1
    record = audit(textbook.online_perceptron(X, y), [1.0]).record
    assert verify_theorem(record, X, y)
    X[4098] += 1.0
    assert verify_theorem(record, X, y).failed.endswith("those of the data: row 4098 is another")


def test_what_takes_minutes_is_refused(monkeypatch):
    record = a_record()
    long = replace(record, weights=(1, 2**theorem.MOST_BITS))
    assert "at most 1,048,576 bits; found 1,048,577" in verify_theorem(long).failed
    numbers = record.X.size + len(record.order) * record.X.shape[1]
    many = replace(record, order=np.zeros(2_100_000, np.int64))  # of short numbers, in few columns
    assert numbers < 100
    assert "the check would take minutes" in theorem.fault(many)
    monkeypatch.setattr(theorem, "MOST_WORK", 100)
    assert "the check would take minutes" in verify_theorem(record).failed
    monkeypatch.setattr(theorem, "MOST_NUMBERS", 11)
    assert "11 numbers of rows and corrections at most" in verify_theorem(record).failed


def test_random_tampering_is_refused_or_is_another_true_audit():
    """A changed number is refused, unless it is a start, order or tie for which all holds."""
    refused, seeds = 0, random.Random(7)
    names = [field.name for field in fields(theorem.AuditRecord) if field.name != "tie"]
    while refused < scaled(150):
        r = random.Random(seeds.randrange(2**63))
        try:
            run = run_of(case_of(r))
        except ValueError:
            continue
        record = audit(run).record
        if record is None:
            continue
        name = r.choice(names)
        changed = replace(record, **{name: tampered(r, getattr(record, name))})
        check = verify_theorem(changed)
        if check:  # then every claim is true: the rows, the order or the start are another run's
            assert name in ("X", "y", "start", "order", "offset", "eta", "weights", "rows")
            assert audit_of(changed)
        else:
            refused += 1


def tampered(r, value):
    """Another value of the type."""
    if isinstance(value, np.ndarray) and value.size:
        changed, at = value.copy(), tuple(r.randrange(size) for size in value.shape)
        changed[at] = r.choice([-changed[at], changed[at] + 1, 0, changed[at] * 2])
        return changed
    if isinstance(value, tuple) and value:
        at = r.randrange(len(value))
        return (*value[:at], value[at] + r.choice([-1, 1]), *value[at + 1 :])
    if isinstance(value, Fraction):
        return value + r.choice([1, -1, Fraction(1, 10**30)])
    if isinstance(value, int):
        return value + r.choice([1, -1])
    return {None: 0}.get(value, 2.0) if not isinstance(value, np.ndarray) else np.array([0])


def audit_of(record):
    """Compute everything again in plain fractions."""
    Z = [
        [int(s) * Fraction(v) for v in x] for s, x in zip(record.y, record.X.tolist(), strict=True)
    ]

    def dot(v, w):
        return sum((a * b for a, b in zip(v, w, strict=True)), Fraction(0))

    u = [Fraction(v) for v in record.direction or []]
    if not u:
        chosen = [Z[i] for i in record.rows]
        u = [dot(record.weights, column) for column in zip(*chosen, strict=True)]
        level = min(dot(u, z) for z in Z)
        assert level * sum(record.weights) == dot(u, u)
    gamma = min(dot(u, z) for z in Z)
    assert gamma > 0
    assert record.gamma2 == gamma**2 / dot(u, u)
    assert record.radius2 == max(dot(z, z) for z in Z)
    eta, v = Fraction(record.eta), [Fraction(value) for value in record.start.tolist()]
    target = [record.radius2 * a / gamma for a in u]  # α u, α = R²/γ, for u of any length
    far = [a / eta - b for a, b in zip(v, target, strict=True)]
    assert record.bound == dot(far, far) / record.radius2
    for i in record.order:
        assert dot(v, Z[i]) <= 0
        v = [a + eta * b for a, b in zip(v, Z[i], strict=True)]
    return record.bound >= len(record.order)
