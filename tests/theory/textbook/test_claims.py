"""Both sides of every claim along a run, and the first step at which the theorem fails."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import RUNS, seeds, some_rows

from rosenblatt import audit, claims, criteria, textbook, theory, toys
from rosenblatt.theory.textbook.trace import Trace

examples = thorough(40)
few = thorough(25)

# Every algorithm that moves by η y x, at mistakes only; those above the line have no offset.
THROUGH_ORIGIN = {
    "origin": lambda X, y, eta, w: textbook.origin_perceptron(X, y, min(eta, 1.0), start=w),
    "online": lambda X, y, eta, w: textbook.online_perceptron(X, y, eta, start=w),
}
WITH_OFFSET = {
    "perceptron": lambda X, y, eta, w: textbook.perceptron(X, y, eta, start=w, max_epochs=50),
    "augmented": lambda X, y, eta, w: textbook.augmented_perceptron(
        X, y, eta, start=w, max_updates=500
    ),
    "worst": lambda X, y, eta, w: textbook.augmented_perceptron(
        X, y, eta, pick="worst", tie=0, start=w, max_updates=500
    ),
    "correction": lambda X, y, eta, w: textbook.sample_correction(X, y, eta, start=w),
    "descent": lambda X, y, eta, w: textbook.sample_descent(X, y, eta=eta, start=w),
}
ALL = {**THROUGH_ORIGIN, **WITH_OFFSET}


def start_of(kind, size, seed):
    drawn = np.random.default_rng(seed).standard_normal(size)
    return {"zero": np.zeros(size), "near": drawn / 10, "far": 30 * drawn}[kind]


def a_run(seed, name, eta, start):
    """A run on separable rows, the rows' known separator, and its offset."""
    offset = 0.2 if name in WITH_OFFSET else 0.0
    toy = toys.separable(20, 3, margin=0.15, offset=offset, seed=seed)
    w = start_of(start, 3 + (name in WITH_OFFSET), seed)
    return ALL[name](toy.X, toy.y, eta, w), toy


@examples
@given(
    seed=seeds,
    name=st.sampled_from(sorted(ALL)),
    eta=st.sampled_from([1.0, 0.25, 0.1]),
    start=st.sampled_from(["zero", "near", "far"]),
)
def test_L0_5_L1_4_L3_4_and_L4_6_every_claim_holds_on_separable_rows(seed, name, eta, start):
    run, toy = a_run(seed, name, eta, start)
    found = claims.check(run, toy.u, toy.b)
    assert found.holds, found.failure
    u = np.array({None: [*toy.u], -1: [*toy.u, toy.b], 0: [toy.b, *toy.u]}[run.offset])
    u /= math.sqrt(float(u @ u))
    gamma, R = min(run.y * (run.X @ u)), max(math.hypot(*row) for row in run.X)
    near = partial(pytest.approx, rel=1e-9, abs=1e-9)
    assert (found.gamma, found.R, found.eta) == (near(gamma), near(R), run.eta)
    assert found.u == near(u)
    assert found.t.tolist() == list(range(run.mistakes + 1))
    w, alpha = run.weights, R**2 / gamma
    for t in range(run.mistakes + 1):
        assert found.projection[t] == near(u @ w[t])
        assert found.least[t] == near(u @ w[0] + t * run.eta * gamma)
        assert found.sqnorm[t] == near(w[t] @ w[t])
        assert found.most[t] == near(w[0] @ w[0] + t * run.eta**2 * R**2)
        assert found.distance[t] == near(sum((w[t] / run.eta - alpha * u) ** 2))
        assert found.farthest[t] == near(found.distance[0] - t * R**2)
        assert u @ w[t] >= found.least[t] - 1e-9
        assert w[t] @ w[t] <= found.most[t] + 1e-9
        assert sum((w[t] / run.eta - alpha * u) ** 2) <= found.farthest[t] + 1e-6
    assert found.mistakes == run.mistakes <= found.bound + 1e-9
    Z = run.y[:, np.newaxis] * run.X
    assert found.bound == pytest.approx(theory.start_bound(w[0], u, Z, run.eta), rel=1e-9)
    if start == "zero":
        assert found.bound == pytest.approx(theory.mistake_bound(R, gamma), rel=1e-9)


@few
@given(seed=seeds, name=st.sampled_from(["perceptron", "augmented"]))
def test_L2_3_with_an_offset_the_bound_is_that_of_the_longer_rows(seed, name):
    run, toy = a_run(seed, name, 1.0, "zero")
    found = audit(run, toy.u, toy.b)
    rho, R = theory.margin(toy.X, toy.y, toy.u, toy.b), theory.radius(toy.X)
    assert found.bound == pytest.approx(theory.offset_bound(R, rho, toy.b), rel=1e-9)
    # The lecture's inequalities are the claims times √(1 + b*²): u and b* as they are, and ρ.
    scale = math.hypot(1.0, toy.b)
    t, w, b = found.t, *(np.array(part) for part in zip(*map(run.line, found.t), strict=True))
    assert w @ toy.u + b * toy.b == pytest.approx(scale * found.projection)
    assert (w @ toy.u + b * toy.b >= t * rho - 1e-9).all()
    assert ((w**2).sum(axis=1) + b**2 <= t * (R**2 + 1) + 1e-9).all()


@few
@given(seed=seeds, name=st.sampled_from(sorted(ALL)))
def test_without_u_the_widest_margin_is_taken(seed, name):
    run, toy = a_run(seed, name, 1.0, "zero")
    widest, known = audit(run), audit(run, toy.u, toy.b)
    assert widest.holds
    assert widest.gamma >= known.gamma * (1 - 1e-6)
    assert run.mistakes <= widest.bound <= known.bound * (1 + 1e-5)


@pytest.mark.parametrize("power", [-900, -3, 40, 1000])
def test_u_may_have_any_length(power):
    run, toy = a_run(3, "perceptron", 0.5, "near")
    one, other = (
        claims.check(run, toy.u, toy.b),
        claims.check(run, *(2.0**power * part for part in (toy.u, toy.b))),
    )
    np.testing.assert_array_equal(one.projection, other.projection)
    assert (one.gamma, one.bound, str(one)) == (other.gamma, other.bound, str(other))


# Where an assumption fails.


def first_failure(run, u):
    """Look at every step, in plain Python: what the module's first lines assume, in their order."""
    for t, step in enumerate(run):
        x, y = run.X[step.row].tolist(), int(run.y[step.row])
        if y * sum(a * b for a, b in zip(u, x, strict=True)) <= 0:
            return t, "margin"
        move = [a - b for a, b in zip(step.after.tolist(), step.before.tolist(), strict=True)]
        if any(move) and move != pytest.approx([run.eta * y * a for a in x], abs=1e-9):
            return t, "move"
        if any(move) and y * step.score > 0:
            return t, "mistake"
    return None


@thorough(150)
@given(
    seed=seeds,
    name=st.sampled_from([name for name in sorted(RUNS) if name != "squares"]),
    u=st.lists(st.integers(-3, 3), min_size=12, max_size=12),
)
def test_the_first_step_at_which_anything_fails_is_named(seed, name, u):
    X, y = some_rows(seed)
    run = RUNS[name](X, y, 0.5)
    u = u[: run.X.shape[1]]
    b = 0 if run.offset is None else u.pop(run.offset)
    if not (any(u) or b):
        return
    full = u if run.offset is None else [b, *u] if run.offset == 0 else [*u, b]
    expected = first_failure(run, full)
    if expected is None and (run.y * (run.X @ full) <= 0).any():  # a row never looked at
        expected = len(run) - 1 if len(run) else 0, "margin"
    found = claims.check(run, u, b)
    assert (found.failure and found.failure[:2]) == expected
    assert found.holds == (expected is None)


def test_other_objects_than_runs_are_refused():
    votes = textbook.voted_perceptron([[1.0]], [1])
    for check in (audit, lambda run: claims.check(run, [1.0])):
        with pytest.raises(TypeError, match=r"run must be a Trace; pass its \.run; got Votes"):
            check(votes)
        with pytest.raises(TypeError, match=r"as rosenblatt\.textbook records it; got list"):
            check([])


def test_the_margin_assumption_includes_rows_not_used():
    run = textbook.augmented_perceptron([[1.0], [2.0], [9.0]], [1, 1, -1], max_updates=1)
    found = claims.check(run, [0.0], 1.0)
    assert run.order.tolist() == [2]
    found = claims.check(run, [-1.0], 5.0)
    assert found.holds
    found = claims.check(run, [-1.0], 1.5)
    assert found.failure[:2] == (0, "margin")
    assert "row 1, not used so far" in found.failure.why


def test_a_margin_that_is_too_narrow():
    run = textbook.online_perceptron([[3.0], [1.0], [2.0]], [1, 1, -1])
    assert claims.check(run, [1.0]).failure == (2, "margin", "row 2 has y (u·x) = -2, not above 0")
    found = claims.check(textbook.online_perceptron([[3.0], [1.0]], [1, 1]), [1.0], gamma=1.5)
    assert found.failure == (1, "margin", "row 1 has y (u·x) = 1, below γ = 1.5")
    assert (found.gamma, found.bound) == (1.5, 4.0)
    assert claims.check(textbook.online_perceptron([[3.0]], [1]), [1.0], gamma=2.6).holds


def test_a_row_beyond_the_radius():
    run = textbook.online_perceptron([[1.0], [3.0]], [1, 1])
    found = claims.check(run, [1.0], R=2.0)
    assert found.failure == (1, "radius", "row 1 has ‖x‖ = 3, above R = 2")
    assert claims.check(run, [1.0], R=3.0, gamma=0.5).holds


def by_hand(weights, score):
    """A run over the rows (1), (1), (2), all +1, with these weights and scores."""
    n, moved = 3, len(weights) - 1
    run = textbook.online_perceptron([[1.0], [1.0], [2.0]], [1, 1, 1], tie=0)
    used = np.minimum(np.arange(n), moved)
    return replace(run, weights=np.array(weights), used=used, score=np.array(score))


def test_a_correction_where_there_was_no_mistake():
    run = by_hand([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
    assert claims.check(run, [1.0]).failure == (
        1,
        "mistake",
        "w changes although row 1 is right, y (w·x) = 1",
    )


def test_scores_are_those_of_the_exact_run_not_the_recorded_ones():
    run = by_hand([[0.0], [1.0], [2.0], [4.0]], [0.0, -1.0, -1.0])
    run = replace(run, used=np.array([0, 1, 2]))
    found = claims.check(run, [1.0], R=2.0)
    assert found.sqnorm.tolist() == [0.0, 1.0, 4.0, 16.0]
    assert found.most.tolist() == [0.0, 4.0, 8.0, 12.0]
    why = (
        "w changes although row 1 is right, y (w·x) = 1; its recorded score, -1 times y, is rounded"
    )
    assert found.failure == (1, "mistake", why)


def test_updates_by_another_vector():
    toy = toys.separable(20, 2, margin=0.2, seed=1)
    batch = textbook.batch_descent(toy.X, toy.y)
    assert audit(batch).failure[:2] == (19, "move")
    squares = textbook.sample_descent(toy.X, toy.y, criteria.LeastSquares(), 0.1)
    assert audit(squares).failure == (0, "move", "w changes by a vector other than η y x of row 0")
    kernel = textbook.kernel_perceptron(toy.X, toy.y, lambda x, z: (x @ z + 1.0) ** 2)
    assert audit(kernel).failure[:2] == (int(kernel.mistake.argmax()), "move")
    run = textbook.perceptron(toy.X, toy.y)
    assert audit(run).holds
    first = int(run.mistake.argmax())
    assert audit(replace(run, eta=2.0)).failure[:2] == (first, "move")
    weights = run.weights.copy()
    weights[2] += 1e-6
    assert audit(replace(run, weights=weights)).failure[:2] == (
        int(np.flatnonzero(run.mistake)[1]),
        "move",
    )


def test_rows_of_zeros_have_no_margin():
    run = textbook.origin_perceptron([[1.0], [0.0]], [1, 1])
    assert audit(run).failure[:2] == (1, "margin")
    nothing = textbook.origin_perceptron([[0.0]], [1])
    assert claims.check(nothing, [1.0], gamma=1.0).failure[:2] == (0, "margin")


# In print.


def test_the_table_by_hand():
    toy = toys.two_points()
    text = str(claims.check(textbook.augmented_perceptron(toy.X, toy.y, 0.5), [-2.0, 2.0]))
    assert text.splitlines() == [
        "t    u·w_t  ≥ least  ‖w_t‖²  ≤ most  cos θ_t  ≥ least",
        "0        0        0       0       0        –        0",
        "1  0.35355  0.35355     1.5     1.5  0.28867  0.28867",
        "2  0.70710  0.70710     0.5       3        1  0.40824",
        "(u·w_t, cos θ_t and least are rounded down, ‖w_t‖² and most up)",
        "R ≤ 2.44949, γ ≥ 0.707106, of this u",
        "(of the rows with the constant 1; certify's margin is of those without)",
        "2 corrections; the theorem allows 12.",
    ]
    run = textbook.origin_perceptron([[3.0, 1.0], [-1.0, -4.0]], [1, -1])
    assert str(audit(run)).splitlines()[-2:] == [
        "R ≤ 4.12311, γ ≥ 3.05085, the largest of any u",
        "1 correction; the theorem allows 1.",
    ]


def test_rows_after_a_run_are_refused_with_what_to_call():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X, toy.y)
    with pytest.raises(ValueError, match=r"got u of shape \(2, 2\).*call audit\(run\)"):
        audit(run, toy.X, toy.y)
    with pytest.raises(ValueError, match="u must"):
        audit(run, [1.0, 2.0, 3.0])


def test_the_bound_has_one_rounding():
    toy = toys.separable(100, 20, margin=0.1, seed=3)
    run = textbook.origin_perceptron(toy.X, toy.y)
    best, known = audit(run), audit(run, toy.u)
    assert best.bound < known.bound
    assert best.maximal > known.maximal
    assert (best.allowed, known.allowed) == (28, 99)  # floors of 28.3 and 99.99
    assert f"the theorem allows {best.allowed}." in str(best)
    assert "the largest of any u" in str(best)
    assert "of this u" in str(known)
    exact = audit(textbook.augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1]))
    assert exact.allowed == 12
    assert theory.most_mistakes(11.999999999999998) == theory.most_mistakes(12.4) == 12
    assert theory.most_mistakes(math.inf) == math.inf


@examples
@given(
    seed=seeds,
    name=st.sampled_from(sorted(ALL)),
    eta=st.sampled_from([1.0, 0.25]),
    start=st.sampled_from(["zero", "near", "far"]),
)
def test_L0_8_the_cosine_of_the_angle_to_u_grows_above_its_floor(seed, name, eta, start):
    run, toy = a_run(seed, name, eta, start)
    found = claims.check(run, toy.u, toy.b)
    for t, w in enumerate(run.weights):
        length = math.hypot(*w)
        if length == 0.0:
            assert math.isnan(found.cosine[t])
            continue
        cosine = sum(found.u * w) / length
        assert found.cosine[t] == pytest.approx(cosine, rel=1e-9, abs=1e-9)
        assert found.least_cosine[t] - 1e-9 <= cosine <= 1.0 + 1e-9
        assert found.projection[t] == pytest.approx(length * cosine, rel=1e-9, abs=1e-9)  # u·w
    if start == "zero":
        floor = np.sqrt(found.t) * found.gamma / found.R
        np.testing.assert_allclose(found.least_cosine, floor, rtol=1e-9)
        assert floor[-1] <= 1.0 + 1e-9  # or Claims 1 and 2 cannot both hold: t <= (R/γ)²
    assert claims.without_separator(run, None).cosine is None
    assert claims.without_separator(run, None).least_cosine is None


def test_the_table_where_the_theorem_does_not_apply():
    run = textbook.origin_perceptron([[1.0], [-1.0]], [1, 1])
    assert str(audit(run)).splitlines() == [
        "t  ‖w_t‖²  ≤ most",
        "0       0       0",
        "1       1       1",
        "2       0       2",
        "R = 1, γ = 0, no u separates the rows",
        "2 corrections. The theorem does not apply: at step 1 the rows so far prove it: no u "
        "separates rows 0, 1.",
    ]


def test_a_long_table_is_cut_in_the_middle():
    square = toys.xor()
    run = textbook.perceptron(square.X, square.y, max_epochs=20)
    lines = str(audit(run)).splitlines()
    assert len(lines) == 1 + 12 + 3
    assert set(lines[11].split()) == {"…"}
    assert lines[12].split()[0] == str(run.mistakes)


# Bad input.


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"u": [1.0]}, r"u must have shape \(2,\), got \(1,\)"),
        ({"u": [1.0, 0.0, 0.0]}, r"u must have shape \(2,\), got \(3,\)"),
        ({"u": [0.0, 0.0]}, "u must have a direction, got the zero vector"),
        ({"u": [1.0, math.nan]}, "u must be finite"),
        ({"u": "up"}, "u must be an array of real numbers"),
        ({"b": math.inf}, "b must be a finite number"),
        ({"gamma": 0.0}, "gamma must be a finite number > 0, got 0.0"),
        ({"R": -1.0}, "R must be a finite number >= 0, got -1.0"),
    ],
    ids=str,
)
def test_bad_input(options, says):
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X, toy.y)
    with pytest.raises(ValueError, match=says):
        claims.check(run, **{"u": [1.0, 0.0]} | options)


def test_a_run_without_an_offset_takes_none():
    run = textbook.origin_perceptron([[1.0]], [1])
    with pytest.raises(ValueError, match=r"b must be 0 for a run without an offset, got 1\.0"):
        audit(run, [1.0], 1.0)


def test_a_direction_may_be_all_offset():
    run = textbook.perceptron([[0.0], [1.0]], [-1, 1])
    assert claims.check(run, [0.0], -1.0).failure[:2] == (1, "margin")


def test_a_run_read_from_a_file_has_the_same_audit():
    run, _ = a_run(5, "augmented", 0.5, "near")
    assert str(audit(Trace.from_json(run.to_json()))) == str(audit(run))
