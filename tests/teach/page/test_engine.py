"""The engine in JavaScript takes the steps of the textbook, look for look, in a real browser."""

from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from math import floor, gcd, isclose, isfinite

import browser as machine
import numpy as np
import pytest
from profiles import scaled

from rosenblatt import certify, cycling, textbook, theory
from rosenblatt.textbook import append_one

ENGINE = """async ({origin, cases}) => {
  const load = name => import(`${origin}/engine/${name}.js`);
  const [conventions, runs, found, beyond] = await Promise.all(
    ["conventions", "run", "separability", "beyond"].map(load));
  return cases.map(({points, labels, order, limit, ...given}) => {
    const source = conventions.SOURCES[given.source] ?? {};
    delete given.source;
    const chosen = conventions.completeConventions({...source, ...given});
    const run = runs.runPerceptron(points, labels, chosen, order, limit);
    const separability = found.separate(points, labels, chosen);
    return {
      conventions: chosen,
      run: {...run, whole: null},
      separability: {...separability, hull: null},
      claims: found.claimsOf(run, separability),
      broken: run.rows.map((_, t) => runs.brokenBy(run, t)),
      survived: beyond.survivedOf(run),
      pocket: beyond.pocketOf(beyond.errorsOf(run)),
      widest: beyond.widestBand(points, labels),
    };
  });
}"""
EPOCHS = 25


WORST = """async ({origin, points, labels}) => {
  const load = name => import(`${origin}/engine/${name}.js`);
  const [{worstOrder}, {DEFAULTS}] = await Promise.all(["orders", "conventions"].map(load));
  return worstOrder(points, labels, DEFAULTS);
}"""


@pytest.fixture(scope="module")
def engine(modules):
    """The engine as a function of cases."""

    def call(cases):
        return modules.evaluate(ENGINE, {"origin": machine.ORIGIN, "cases": cases})

    return call


def cases(count, seed, **given):
    """Random cases of a few integer points in the plane, many with scores of exactly 0.

    So many are drawn in a thorough run.
    """
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(scaled(count)):
        n, reach = int(rng.integers(2, 10)), int(rng.choice([1, 2, 8]))
        points = rng.integers(-reach, reach + 1, (n, 2))
        labels = rng.choice([-1, 1], n)
        if rng.random() < 0.6:  # separable by a line, more often than chance allows
            w = rng.integers(-3, 4, 2)
            labels = np.where(points @ w + rng.integers(-2, 3) > 0, 1, -1)
        labels[:2] = 1, -1
        case = {"points": points.tolist(), "labels": labels.tolist(), "limit": EPOCHS * n}
        drawn.append(case | given)
    return drawn


def assert_same_run(ours, run, whole=True):
    """All looks and all weights are equal, bit for bit; of a longer run, its beginning."""
    looks = len(run) if whole else len(ours["rows"])
    assert ours["rows"] == run.order[:looks].tolist()
    assert ours["used"] == run.used[:looks].tolist()
    assert ours["scores"] == run.score[:looks].tolist()
    assert ours["wrong"] == run.mistake[:looks].tolist()
    updates = len(ours["weights"]) if not whole else len(run.weights)
    assert ours["weights"] == run.weights[:updates].tolist()
    assert ours["stored"] == run.X.tolist()
    for t, label in enumerate(run.prediction[:looks].tolist()):
        assert ours["predictions"][t] == label or ours["conventions"]["tie"] == 0


SOURCES = {
    "lecture25": textbook.origin_perceptron,
    "online": textbook.online_perceptron,
    "kernels": lambda X, y: textbook.perceptron(X, y, max_epochs=EPOCHS),
    "ece146": lambda X, y: textbook.augmented_perceptron(X, y, max_updates=EPOCHS * len(X)),
    "notebook": lambda X, y: textbook.sample_correction(
        X, y, start=[0.75, 0.25, 0.5], max_epochs=EPOCHS
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_the_run_of_a_source_is_the_textbooks(engine, source):
    drawn = cases(40, seed=1, source=source)
    kinds = set()
    for case, ours in zip(drawn, engine(drawn), strict=True):
        run = SOURCES[source](case["points"], case["labels"])
        kinds.add(ours["run"]["status"])
        ended = ours["run"]["status"] in ("converged", "ended")
        assert_same_run(ours["run"], run, whole=ended)
        assert ours["run"]["status"] == "converged" or not run.converged
        assert ended or not run.converged
        if ended:
            assert run.converged == (ours["run"]["status"] == "converged")
            assert len(run) == len(ours["run"]["rows"])
        for t in range(len(ours["broken"])):
            if run.tie in (-1, 1):
                assert ours["broken"][t] == run.broken(t).tolist()
    assert len(kinds) > 1


@pytest.mark.parametrize("tenths", [5, 1, 30])
def test_other_rates_and_starts_are_the_textbooks(engine, tenths):
    """A run of decimals is exact: a tenth of the textbook's run in whole numbers."""
    drawn = cases(25, seed=3, eta=tenths / 10, start=[1.5, -2.0, 0.3])
    for case, ours in zip(drawn, engine(drawn), strict=True):
        run = textbook.perceptron(
            case["points"], case["labels"], tenths, start=[15, -20, 3], max_epochs=EPOCHS
        )
        for name in ("weights", "scores"):
            ours["run"][name] = (np.rint(np.multiply(ours["run"][name], 10))).tolist()
        assert_same_run(ours["run"], run, whole=run.converged)
        assert run.converged == (ours["run"]["status"] == "converged")


@pytest.mark.parametrize("offset", ["last", "none"])
@pytest.mark.parametrize("tie", [-1, 0, 1])
def test_a_cycle_has_the_period_of_the_exact_search(engine, offset, tie):
    drawn = cases(30, seed=6, offset=offset, tie=tie, stop="quiet")
    periods = set()
    for case, ours in zip(drawn, engine(drawn), strict=True):
        cycle = cycling.find_cycle(
            case["points"],
            case["labels"],
            fit_intercept=offset == "last",
            tie=tie,
            max_epochs=EPOCHS,
        )
        found = ours["run"]["cycle"] or {"first": None, "period": None}
        assert (found["first"], found["period"]) == (cycle.first, cycle.period)
        names = {"cycles": "cycles", "converged": "converged", "not converged": "open"}
        assert ours["run"]["status"] == names[cycle.status]
        periods.add(cycle.period)
    assert len(periods) > scaled(5)


@pytest.mark.parametrize("offset", ["last", "none"])
def test_separability_is_that_of_certify(engine, offset):
    drawn = cases(200, seed=7, offset=offset)
    kinds = set()
    for case, ours in zip(drawn, engine(drawn), strict=True):
        X, y, found = np.array(case["points"]), np.array(case["labels"]), ours["separability"]
        proof = certify(X, y, fit_intercept=offset == "last")
        assert found["separable"] == (proof.status == "separable")
        certificate = found["certificate"]
        if found["separable"]:
            assert certificate is None
            continue
        kinds.add(certificate["kind"])
        Z = y[:, np.newaxis] * (append_one(X).astype(int) if offset == "last" else X)
        rows, multipliers = certificate["rows"], certificate["multipliers"]
        assert all(type(m) is int and m > 0 for m in multipliers)
        assert gcd(*multipliers) == 1
        assert len(set(rows)) == len(rows) <= Z.shape[1] + 1
        assert not np.any(np.array(multipliers) @ Z[rows])
        if len(proof.rows) == len(rows) and set(proof.rows.tolist()) == set(rows):
            assert dict(zip(rows, multipliers, strict=True)) == dict(
                zip(proof.rows.tolist(), proof.weights, strict=True)
            )
    pictures = {"last": {"pair", "segment", "triangle", "crossing"}, "none": {"pair", "cone"}}
    assert pictures[offset] <= kinds


@pytest.mark.parametrize("source", ["notebook", "ece146", "lecture25"])
@pytest.mark.parametrize("start", [None, [0, 0, 0], [0.25, 0.5, 0.75], [-3, 5, 2], [9, 9, 9]])
@pytest.mark.parametrize("eta", [1, 0.5, 3])
def test_L4_6_the_bound_from_any_start_is_the_theorys(engine, source, start, eta):
    drawn = cases(12, seed=14, source=source, start=start, eta=eta)
    compared = 0
    for _case, ours in zip(drawn, engine(drawn), strict=True):
        found, run = ours["separability"], ours["run"]
        if not found["separable"]:
            assert found["bound"] is found["limit"] is found["meeting"] is None
            continue
        Z = np.array(run["labels"])[:, np.newaxis] * np.array(run["stored"])
        w0, u, gamma = np.array(run["weights"][0]), np.array(found["u"]), found["gamma"]
        assert isclose((Z @ u).min(), gamma, rel_tol=1e-9)
        bound = theory.start_bound(w0, u, Z, eps=eta)
        assert found["bound"] == theory.most_mistakes(bound) or isclose(
            bound, round(bound), rel_tol=1e-9
        )
        assert isclose(found["limit"], bound, rel_tol=1e-9)
        assert len(run["weights"]) - 1 <= found["bound"]
        t = found["meeting"]
        floor = u @ w0 + t * eta * gamma
        ceiling = w0 @ w0 + t * (eta * theory.radius(Z)) ** 2
        assert isclose(floor, ceiling**0.5, rel_tol=1e-6, abs_tol=1e-9)
        assert t <= bound * (1 + 1e-9) + 1e-9
        assert not start or any(start) or isclose(t, bound, rel_tol=1e-9)
        compared += 1
    assert compared > scaled(12) / 4


def test_a_bound_that_is_a_whole_number_is_exact(engine):
    (ours,) = engine([{"points": [[1, 2], [2, 1]], "labels": [1, -1]}])
    assert ours["separability"]["bound"] == 12


def test_votes_and_pocket_are_those_of_the_textbook(engine):
    drawn = cases(30, seed=9, tie=1, stop="quiet")
    for case, ours in zip(drawn, engine(drawn), strict=True):
        X, n = append_one(case["points"]), len(case["points"])
        votes = textbook.voted_perceptron(
            X, case["labels"], epochs=len(ours["run"]["rows"]) // n, tie=1
        )
        assert ours["survived"] == votes.survived.tolist()
        assert ours["run"]["weights"] == votes.run.weights.tolist()
        assert ours["pocket"] == votes.run.pocket


def test_the_widest_band_is_the_maximal_margin(engine):
    drawn = cases(40, seed=10)
    for case, ours in zip(drawn, engine(drawn), strict=True):
        if not ours["separability"]["separable"]:
            assert ours["widest"] is None
            continue
        X, y, widest = np.array(case["points"]), np.array(case["labels"]), ours["widest"]
        low, high = certify(X, y).margin
        margins = y * (X @ widest["w"] + widest["b"])
        assert low * (1 - 1e-9) <= margins.min() / np.hypot(*widest["w"]) <= high * (1 + 1e-9)
        assert widest["support"] == np.flatnonzero(np.isclose(margins, margins.min())).tolist()


def lifted(x, z):
    return float(textbook.radial_lift([x])[0] @ textbook.radial_lift([z])[0])


KERNELS = [lambda x, z: (1.0 + x @ z) ** 2, lambda x, z: (1.0 + x @ z) ** 3, lifted]


DUAL = """async ({origin, cases}) => {
  const load = name => import(`${origin}/engine/${name}.js`);
  const [dual, {completeConventions}] = await Promise.all(["dual", "conventions"].map(load));
  const kernels = [dual.POLYNOMIALS[2], dual.POLYNOMIALS[3], dual.LIFT, dual.LINEAR];
  return cases.map(({points, labels, order, limit, ...given}) => kernels.map(kernel => {
    const run = dual.runDual(points, labels, completeConventions(given), order, kernel, limit);
    const alphas = run.rows.map((_, t) => dual.alphaAt(run, t + 1));
    const curve = dual.curveAt(run, points, run.rows.length);
    const b = dual.offsetOf(run, dual.alphaAt(run, run.rows.length));
    return {rows: run.rows, scores: run.scores, wrong: run.wrong, alphas, status: run.status,
      cycle: run.cycle, b, at: curve(0.5, -2)};
  }));
}"""


def test_a_run_with_a_kernel_is_the_textbooks_look_for_look(modules):
    drawn = [case | {"limit": 10_000} for case in cases(12, seed=11)]
    found = modules.evaluate(DUAL, {"origin": machine.ORIGIN, "cases": drawn})
    compared = 0
    for case, runs in zip(drawn, found, strict=True):
        for kernel, ours in zip(KERNELS, runs, strict=False):
            run = textbook.kernel_perceptron(case["points"], case["labels"], kernel, max_epochs=100)
            looks = len(ours["rows"])
            if not run.converged:
                continue
            compared += 1
            assert ours["status"] == "converged"
            assert (ours["rows"], ours["wrong"]) == (run.order.tolist(), run.mistake.tolist())
            assert ours["scores"] == run.score.tolist()
            assert ours["alphas"][-1] == np.abs(run.w).tolist()
            assert ours["b"] == run.b
            sums = [
                a * y * kernel(np.array(x), np.array([0.5, -2.0]))
                for a, y, x in zip(ours["alphas"][-1], case["labels"], case["points"], strict=True)
            ]
            assert isclose(ours["at"], sum(sums) + run.b, abs_tol=1e-9)
            assert looks == len(run)
    assert compared > scaled(18)


BOUNDS = """async ({origin, cases}) => {
  const load = name => import(`${origin}/engine/${name}.js`);
  const [dual, {nearestInGram}, {fractionText}, {DEFAULTS}] = await Promise.all(
    ["dual", "nearest", "fractions", "conventions"].map(load));
  const kernels = [dual.POLYNOMIALS[2], dual.POLYNOMIALS[5], dual.LIFT, dual.LINEAR];
  const text = value => value && fractionText(value);
  return cases.map(({points, labels}) => kernels.map(kernel => {
    const run = dual.runDual(points, labels, DEFAULTS, "cyclic", kernel);
    const signed = run.whole.rows.map(
      (cells, i) => cells.map((cell, j) => BigInt(cell) * BigInt(labels[i] * labels[j])));
    const {rows, multipliers} = nearestInGram(signed);
    const {radius2, gamma2, bound} = dual.dualTheorem(run);
    return {rows, multipliers: multipliers.map(String), radius2: text(radius2),
      gamma2: text(gamma2), bound: bound && Number(bound), mistakes: run.weights.length - 1};
  }));
}"""
GRAMS = [
    lambda P: (1 + P) ** 2,
    lambda P: (1 + P) ** 5,
    lambda P: P + np.outer(P.diagonal(), P.diagonal()),
    lambda P: P,
]


def test_the_bound_of_a_kernel_is_that_of_its_gram_matrix(modules, engine):
    """A mixture p of the y Φ(x) with y Φ(x)·p ≥ p·p for all of them is the nearest one to 0."""
    drawn = cases(60, seed=15)
    for k, case in enumerate(drawn):
        unit = [1, 1, 0.5, 0.1][k % 4]
        case["points"] = np.round(np.array(case["points"]) * unit, 1).tolist()
    found = modules.evaluate(BOUNDS, {"origin": machine.ORIGIN, "cases": drawn})
    bounded = without = 0
    for case, of_line, kernels in zip(drawn, engine(drawn), found, strict=True):
        X = np.array([[Fraction(str(value)) for value in x] for x in case["points"]])
        y = np.array(case["labels"], object)
        for gram, ours in zip(GRAMS, kernels, strict=True):
            G = (gram(X @ X.T) + 1) * np.outer(y, y)
            weights = np.zeros(len(y), object)
            weights[ours["rows"]] = [*map(int, ours["multipliers"])]
            assert weights[ours["rows"]].min() > 0
            total, heights = weights.sum(), G @ weights
            square = weights @ heights / Fraction(total) ** 2
            assert (heights >= square * total).all()
            assert Fraction(ours["radius2"]) == G.diagonal().max()
            if square == 0:
                assert ours["gamma2"] is ours["bound"] is None
                without += 1
                continue
            assert Fraction(ours["gamma2"]) == square
            assert ours["mistakes"] <= ours["bound"] == floor(G.diagonal().max() / square)
            bounded += 1
        assert kernels[-1]["bound"] == of_line["separability"]["bound"]
    assert bounded > scaled(100)
    assert without > scaled(20)


def test_the_linear_kernel_takes_the_steps_of_the_line(engine, modules):
    """With every convention, and where w comes back: the dual form is the same run."""
    choices = [
        {"pick": pick, "stop": stop, "tie": tie, "eta": eta}
        for pick, stop, tie, eta in (
            ("every", "right", -1, 1),
            ("every", "quiet", 0, 0.25),
            ("every", "pass", 1, 3),
            ("first", "right", -1, 1),
            ("worst", "right", 1, 0.5),
            ("next", "right", 0, 1),
        )
    ]
    drawn = [case | given for case in cases(8, seed=13) for given in choices]
    drawn += [{"points": [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]], "labels": [1, -1, 1]}]
    duals = modules.evaluate(DUAL, {"origin": machine.ORIGIN, "cases": drawn})
    cycles = 0
    for ours, (*_, dual) in zip(engine(drawn), duals, strict=True):
        run = ours["run"]
        for name in ("rows", "scores", "wrong", "status", "cycle"):
            assert dual[name] == run[name]
        cycles += run["cycle"] is not None
    assert cycles > scaled(3)


def test_sklearns_conventions_give_its_weights(engine):
    from sklearn.linear_model import Perceptron

    drawn = cases(40, seed=12, source="sklearn")
    for case, ours in zip(drawn, engine(drawn), strict=True):
        epochs = len(ours["run"]["epochStarts"])
        model = Perceptron(shuffle=False, max_iter=epochs, tol=None)
        model.fit(np.array(case["points"], float), case["labels"])
        assert ours["run"]["weights"][-1] == [*model.coef_[0].tolist(), model.intercept_[0]]


def test_decimals_are_taken_as_they_are_written(engine):
    case = {"points": [[0.1, 0], [0.3, 0], [0.2, 0]], "labels": [1, 1, -1], "limit": 30}
    (ours,) = engine([case])
    certificate = ours["separability"]["certificate"]
    assert dict(zip(certificate["rows"], certificate["multipliers"], strict=True)) == {
        0: 1,
        1: 1,
        2: 2,
    }


def test_conventions_that_do_not_exist_are_refused(engine):
    for wrong in ({"tie": 2}, {"eta": 0}, {"start": [1]}, {"pick": "best"}, {"unknown": 1}):
        with pytest.raises(Exception, match=r"must be|no convention"):
            engine([{"points": [[0, 1]], "labels": [1], **wrong}])


def mistakes_of(points, labels, order):
    rows = list(order)
    return textbook.perceptron(np.array(points)[rows], np.array(labels)[rows]).mistakes


def test_the_worst_of_all_orders_of_a_few_points_is_exact(modules):
    points, labels = [[2, 1], [-1, -2], [1, -1], [-3, 0], [0, 3]], [1, -1, 1, -1, 1]
    worst = modules.evaluate(WORST, {"origin": machine.ORIGIN, "points": points, "labels": labels})
    every = [mistakes_of(points, labels, order) for order in permutations(range(5))]
    assert (worst["tried"], worst["mistakes"], worst["cut"]) == (120, max(every), False)
    assert mistakes_of(points, labels, worst["order"]) == max(every) > min(every)


def test_the_worst_of_drawn_orders_is_one_of_theirs(modules):
    points = [[k, (3 * k) % 8 - 4] for k in range(-4, 4)]
    labels = [1 if x + y > 0 else -1 for x, y in points]
    worst = modules.evaluate(WORST, {"origin": machine.ORIGIN, "points": points, "labels": labels})
    assert worst["tried"] == 300
    assert mistakes_of(points, labels, worst["order"]) == worst["mistakes"]


def numbers_of(value):
    """All numbers of a result."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for part in value for number in numbers_of(part)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


EXTREMES = [
    [[1e9, -1e9], [-1e9, 1e9 - 1]],
    [[1e-20, 2e-20], [2e-20, 1e-20]],
    [[1.2345678901234567e-20, 1e9], [1e9, 1.2345678901234567e-20], [-1e9, 1e-20]],
    [[0, 0], [1e-20, 0]],
]


@pytest.mark.parametrize("eta", [1e-20, 1e9])
@pytest.mark.parametrize("points", EXTREMES)
def test_numbers_within_the_limits_stay_numbers(engine, points, eta):
    labels = [1, -1, 1][: len(points)]
    start = [1e9, -1e9, 1e-20] if eta > 1 else None
    case = {"points": points, "labels": labels, "eta": eta, "start": start, "limit": 200}
    (ours,) = engine([case])
    assert ours["separability"]["separable"]
    assert ours["separability"]["gamma"] > 0
    assert ours["widest"]["margin"] > 0
    found = numbers_of([ours["separability"], ours["claims"], ours["widest"], ours["run"]])
    assert len(found) > 40
    assert all(map(isfinite, found))


def test_the_widest_band_does_not_depend_on_the_unit(engine):
    points, labels = np.array([[3.0, 1.0], [1.0, 2.0], [-1.0, -2.0]]), [1, 1, -1]
    units = [1.0, 1e-12, 1e8]
    found = engine([{"points": (points * u).tolist(), "labels": labels} for u in units])
    margins = [ours["widest"]["margin"] / unit for ours, unit in zip(found, units, strict=True)]
    np.testing.assert_allclose(margins, margins[0], rtol=1e-9)


def test_rates_and_starts_beyond_the_limits_are_refused(engine):
    for wrong in ({"eta": 1e300}, {"eta": 1e-300}, {"start": [0, 1e308, 0]}):
        with pytest.raises(Exception, match=r"must be 0, or from 1e-20 to 1000000000 in size"):
            engine([{"points": [[0, 1]], "labels": [1], **wrong}])


def test_page_and_certify_agree_on_decimals(engine):
    """Points in tenths, most of which are no binary floats: both take what is written."""
    rng = np.random.default_rng(31)
    drawn = []
    while len(drawn) < scaled(60):
        tenths, labels = rng.integers(-5, 6, (rng.integers(2, 7), 2)), rng.integers(0, 2, 7)
        if len(set(labels[: len(tenths)].tolist())) == 2:
            drawn.append((tenths.tolist(), np.where(labels[: len(tenths)], 1, -1).tolist()))
    found = engine(
        [
            {
                "points": [[x / 10, y / 10] for x, y in tenths],
                "labels": labels,
                "order": list(range(len(labels))),
                "limit": 10,
            }
            for tenths, labels in drawn
        ]
    )
    statuses = set()
    for (tenths, labels), page in zip(drawn, found, strict=True):
        exact = certify([[Decimal(x) / 10, Decimal(y) / 10] for x, y in tenths], labels)
        assert page["separability"]["separable"] == (exact.status == "separable")
        statuses.add(exact.status)
    assert len(statuses) > 1
