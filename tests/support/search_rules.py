"""Every rule of a paper against the formulas of that paper, on random numbers of every size.

The formulas stand in ``rule_papers.py`` once more, as they are printed, and are computed with 1200
digits. A step compares numbers up to 1e±150, and weights; a run learns a few rows of any
size, and of weights, with the estimator. ``python tests/support/search_rules.py SECONDS [SEED]``
searches for longer, prints the cases tried and what it found, and keeps that in
``corpus/rules.jsonl``.
"""

import random
import sys
import time
import warnings
from decimal import Decimal, localcontext

import numpy as np
import scipy.sparse as sp
from corpus import Corpus
from rule_papers import (
    FULL,
    PAPERS,
    RESCALING,
    WEIGHTWISE,
    Run,
    dot,
    moved,
    weighted,
    weighted_vector,
)

from rosenblatt import Perceptron, rules

D = Decimal
LIMIT = D("1e290")
NEAR = D("1e-9")  # relative distance from a threshold within which rounding decides


NEAR_RUN = D("1e-8")  # the same of a run, where rounding adds up


def step_numbers(rule, score, y, other, weight=1.0):
    """The numbers that a rule returns for a score, a label and ‖x‖² or a variance."""
    numbers = (
        rule.step(score, y, other) if weight == 1.0 else rule.weighted_step(score, y, other, weight)
    )
    return numbers if isinstance(numbers, tuple) else (numbers,)


# --- the search ----------------------------------------------------------------------------------


def size(rng, largest=150):
    """A positive number of any size, or an ordinary one."""
    return 10.0 ** rng.uniform(-largest, largest) if rng.random() < 0.5 else rng.uniform(0.01, 10)


def random_fields(rng, name):
    """Random parameters of a rule, in their ranges."""
    kind, narrow = type(rules.by_name(name, 1.0, 0.0)), {"alpha": (0.05, 1), "mu": (0.01, 2)}
    fields = {}
    for field in kind._fields:
        if field in narrow:
            fields[field] = rng.uniform(*narrow[field])
        elif field != "tie":
            fields[field] = rng.uniform(0.01, 5) if field in ("phi", "b") else size(rng, 20)
    return fields


def rule_of(case):
    """The rule of a case."""
    return rules.complete(type(rules.by_name(case["rule"], 1.0, 0.0))(**case["fields"]))


def thresholds(name, rule, n):
    """Values of y·score where the formula changes: rounding decides next to them."""
    limits = [D(0), D(1), D(rule._asdict().get("beta", 1)), D(rule._asdict().get("c", 1))]
    if "phi" in rule._fields:
        limits += [D(rule.phi) * n, D(rule.phi) * n.sqrt()]
    if "b" in rule._fields:
        limits.append(max(D(1), D(rule.b) * n))
    return limits


def agree(found, expected, scale):
    """Whether a number agrees, relative to itself or to the numbers that it is a difference of."""
    return abs(D(found) - expected) <= D("1e-9") * abs(expected) + D("1e-11") * scale


def draw_step(rng, name):
    score, y, other = rng.choice([-1, 1]) * size(rng), rng.choice([-1.0, 1.0]), size(rng)
    return {"fields": random_fields(rng, name), "score": score, "y": y, "other": other}


def step_fault(case):
    """Compare one step; return a message, "", or None where rounding decides."""
    name, rule = case["rule"], rule_of(case)
    score, y, other = case["score"], case["y"], case["other"]
    s, m, n = D(score), D(score) * D(y), D(other)
    if any(abs(m - limit) <= NEAR * max(abs(m), limit) for limit in thresholds(name, rule, n)):
        return None
    weight = case.get("weight", 1.0)
    expected = weighted(name, rule, s, D(y), n, D(weight))
    if any(abs(e) > LIMIT or 0 < abs(e) < 1 / LIMIT for e in expected):
        return None
    if name == "lms" and abs(expected[0]) * n > LIMIT:  # the score after overshooting is no float
        return None
    found = step_numbers(rule, score, y, other, weight)
    scales = [D(0)] * 2
    if "phi" in rule._fields:  # the step is a difference of such numbers
        phi = D(rule.phi)
        scales[0] = (abs(m) + phi * n.sqrt() + phi * n) / n
        scales[1] = scales[0] * phi + scales[0] ** 2 * phi**2
    if not all(map(agree, found, expected, scales)):
        return f"{rule}.step({score!r}, {y}, {other!r}, {weight}) = {found}, not {expected}"
    return ""


def draw_share(rng, name):
    return draw_step(rng, name) | {
        "weight": rng.choice([2.0, rng.uniform(0.01, 1), 10.0 * rng.random()])
    }


REPEATED = {
    rule.declaration.name
    for rule in rules.RULES.values()
    if rule.declaration.kind == "plain" and rule.declaration.twice.startswith("yes")
}
"""Rules of which an example of weight 2 is the example twice."""


def draw_weight(rng, name):
    fields, weight = random_fields(rng, name), rng.randint(2, 5)
    if name == "lms":
        fields["eta"] = min(fields["eta"], 3.0)
    score, y, other = rng.uniform(-5, 5), rng.choice([-1.0, 1.0]), rng.uniform(0.01, 10)
    return {"fields": fields, "score": score, "y": y, "other": other, "weight": weight}


def weight_fault(case):
    """Compare a step of a whole weight with so many steps."""
    name, rule = case["rule"], rule_of(case)
    score, y, other = case["score"], case["y"], case["other"]
    weight = case["weight"]
    tau, s, largest = D(0), D(score), D(0)
    for _ in range(weight):
        s = D(score) + tau * D(other)
        if any(abs(D(y) * s - t) < NEAR for t in thresholds(name, rule, D(other))):
            return None
        tau += PAPERS[name](rule, s, D(y), D(other))
        largest = max(largest, abs(tau))
    found = rule.weighted_step(score, y, other, float(weight))
    if largest >= LIMIT:
        return None
    if not agree(found, tau, D(100) * largest):
        return f"{rule}.weighted_step({score!r}, {y}, {other!r}, {weight}) = {found}, not {tau}"
    return ""


def parallel(w, x):
    """Whether vectors are so nearly parallel that a step that depends on the angle is unsure."""
    return dot(w, x) ** 2 > D("0.998") * dot(w, w) * dot(x, x)


def draw_rescaling(rng, name):
    long = size(rng)
    short = size(rng, 70) if 1e-70 < long < 1e70 else size(rng, 5) / long
    x, w = ([length * rng.gauss(0, 1) for _ in range(3)] for length in (long, short))
    y, k = rng.choice([-1.0, 1.0]), rng.randint(1, 1000)
    case = {"fields": random_fields(rng, name), "x": x, "w": w, "y": y}
    weight = rng.choice([1.0, rng.uniform(0.01, 5)])
    return case | {"k": k, "t": k + rng.randint(0, 1000), "weight": weight}


def rescaling_fault(case):
    """Compare the vector after one step."""
    name, rule, t, k = case["rule"], rule_of(case), case["t"], case["k"]
    x, w, y = case["x"], case["w"], case["y"]
    xs, ws = [D(p) for p in x], [D(p) for p in w]
    s, xx, ww = dot(ws, xs), dot(xs, xs), dot(ws, ws)
    m, both = D(y) * s, (xx * ww).sqrt()
    limits = [D(0), D(1), xx * ww]
    if name == "alma":
        alpha = D(rule.alpha)
        limits.append((1 - alpha) / alpha / D(k).sqrt() * xx.sqrt())
    if any(abs(m - limit) <= NEAR * max(both, limit) for limit in limits):
        return None
    if parallel(ws, xs):
        return None
    weight = case.get("weight", 1.0)
    expected = weighted_vector(name, rule, ws, xs, D(y), t, k, D(weight))
    numbers = float(s), y, float(xx), float(ww), t - 1, k - 1
    factor, tau = (
        rule.rescale(*numbers) if weight == 1.0 else rule.weighted_rescale(*numbers, weight)
    )
    found = moved(ws, xs, D(factor), D(tau))
    scale = (abs(D(factor)) * ww.sqrt() + abs(D(tau)) * xx.sqrt()) * D(100)
    if not all(agree(f, e, scale) for f, e in zip(found, expected, strict=True)):
        return f"{rule}: w = {w}, x = {x}, y = {y}, t = {t}, k = {k}: {found}, not {expected}"
    return ""


def draw_run(rng, name):
    n, d = rng.randint(2, 10), rng.randint(1, 4)
    exponents = [rng.choice([0, 0, rng.uniform(-150, 150)])] * d
    if rng.random() < 0.3:
        exponents = [rng.uniform(-150, 150) for _ in range(d)]
    X = [[rng.gauss(0, 1) * 10.0**e for e in exponents] for _ in range(n)]
    y = [-1.0, 1.0] + [rng.choice([-1.0, 1.0]) for _ in range(n - 2)]
    kind = type(rules.by_name(name, 1.0, 0.0))
    small = {f: rng.uniform(0.1, 0.9) for f in kind._fields if f not in ("tie", "epsilon")}
    small |= {"p": rng.uniform(2, 6)} if "p" in small else {}
    weights = [rng.choice([0.5, 1.0, 2.0, rng.uniform(0.1, 4)]) for _ in y]
    case = {"fields": small, "X": X, "y": y, "intercept": rng.random() < 0.7}
    case["form"] = rng.choice(["dense", "sparse", "rows"])
    return case | ({"weights": weights} if rng.random() < 0.5 else {})


def expected_run(case, rule):
    """The run of the formulas; None where rounding decides, or numbers leave the floats."""
    name, intercept = case["rule"], case.get("intercept", True)
    X = [[D(v) for v in row] + [D(1)] * intercept for row in case["X"]]
    run = Run(name, rule, len(X[0]))
    for x, y, h in zip(X, case["y"], case.get("weights", [1.0] * len(X)), strict=True):
        if name in RESCALING and any(run.w) and parallel(run.w, x):
            return None
        largest = run.largest
        s, n = run.learn(x, D(y), D(h))
        # a weight keeps the rounding of the largest that it was, a matrix that of the first, I
        rounding = D("1e-15") * sum(abs(a * b) for a, b in zip(largest, x, strict=True))
        if any(abs(D(y) * s - limit) * NEAR_RUN < rounding for limit in thresholds(name, rule, n)):
            return None
        if name in FULL and n * NEAR_RUN < D("1e-15") * sum(map(abs, x)) ** 2:
            return None
        if name == "pnorm" and max(run.largest) > D("1e150"):  # a power that the loops limit
            return None
        numbers = [abs(v) for v in (*run.numbers(), n) if v]
        if numbers and not 1 / LIMIT < min(numbers) <= max(numbers) < LIMIT:
            return None
    return run


def run_fault(case):
    """Compare the weights after a pass over a few rows."""
    rule, X, y = rule_of(case), np.array(case["X"]), np.array(case["y"])
    run, intercept = expected_run(case, rule), case.get("intercept", True)
    if run is None:
        return None
    model = Perceptron(rule=rule, shuffle=False, max_iter=1, tol=None, fit_intercept=intercept)
    X = sp.csr_array(X) if case.get("form") == "sparse" else X
    weights = np.array(case["weights"]) if "weights" in case else None
    if case.get("form") == "rows":
        for i in range(len(y)):
            h = None if weights is None else weights[i : i + 1]
            model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1], sample_weight=h)
    else:
        model.fit(X, y, sample_weight=weights)
    found = [*model.coef_[0].tolist(), *model.intercept_.tolist()][: len(run.w)]
    for a, b, largest in zip(found, run.w, run.largest, strict=True):
        if not abs(D(a) - b) <= D("1e-6") * largest:
            return f"{rule}: {found}, not {[float(v) for v in run.w]}"
    return ""


def draw(rng, name):
    """Yield random cases of a rule: a step, a weight, a run."""
    rescaling = name in RESCALING
    kind = "rescaling" if rescaling else "step"
    if name not in WEIGHTWISE:
        yield {"rule": name, "of": kind} | (draw_rescaling if rescaling else draw_step)(rng, name)
    if not rescaling and name not in WEIGHTWISE:
        yield {"rule": name, "of": "share"} | draw_share(rng, name)
    if name in REPEATED:
        yield {"rule": name, "of": "weight"} | draw_weight(rng, name)
    if rng.random() < 0.2 and name != "minover":
        yield {"rule": name, "of": "run"} | draw_run(rng, name)


FAULTS = {
    "step": step_fault,
    "share": step_fault,
    "weight": weight_fault,
    "rescaling": rescaling_fault,
    "run": run_fault,
}


def fault(case):
    """What is wrong with a case: a message, "", or None where rounding decides."""
    with localcontext() as context, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context.prec, context.Emax, context.Emin = 1200, 10**9, -(10**9)
        return FAULTS[case["of"]](case)


def search(rounds, seed, corpus=None):
    """Return the number of cases compared, and what is wrong, in so many rounds of every rule."""
    rng, cases, wrong = random.Random(seed), 0, []
    for _ in range(rounds):
        for name in PAPERS:
            for case in draw(rng, name):
                message = fault(case)
                cases += message is not None
                wrong += [f"{message}: {case}"] if message else []
                if corpus and message is not None:
                    corpus.keep([message or f"{case['of']}: {name}"], case)
    return cases, wrong


def main(seconds, seed):
    start, cases, faults, corpus = time.monotonic(), 0, [], Corpus("rules")
    while time.monotonic() - start < seconds:
        compared, wrong = search(100, seed, corpus)
        cases, faults, seed = cases + compared, faults + wrong, seed + 1
    print("\n".join(faults))
    print(f"{cases:,} cases, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    chosen = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**9)
    sys.exit(main(float(sys.argv[1]), chosen))
