"""Every rule by its name against the formulas of its paper, on random numbers of every size.

The formulas are written here once more, as they are printed: with four hundred digits for single
steps, and as vectors and matrices for runs. A step compares numbers up to 1e±100; a run learns a
few rows with the estimator. ``python tests/support/search_rules.py SECONDS [SEED]`` searches for
longer, prints the cases tried and what it found, and keeps that in ``corpus/rules.jsonl``.
"""

import random
import sys
import time
import warnings
from decimal import Decimal, localcontext

import numpy as np
from corpus import Corpus

from rosenblatt import Perceptron, rules

D = Decimal
LIMIT = D("1e290")
NEAR = D("1e-9")  # relative distance from a threshold within which rounding decides


def step_numbers(rule, score, y, other, weight=1.0):
    """The numbers that a rule returns for a score, a label and ‖x‖² or a variance."""
    numbers = (
        rule.step(score, y, other) if weight == 1.0 else rule.weighted_step(score, y, other, weight)
    )
    return numbers if isinstance(numbers, tuple) else (numbers,)


# --- single steps of rules that see one example --------------------------------------------------


def perceptron(rule, s, y, n):
    return D(rule.eta) * y if y * s <= 0 else D(0)


def margin(rule, s, y, n):
    return D(rule.eta) * y if y * s <= D(rule.beta) else D(0)


def relaxation(rule, s, y, n):
    short = D(rule.beta) - y * s
    return D(rule.eta) * y * short / n if short > 0 else D(0)


def pa(rule, s, y, n):
    return y * max(D(0), 1 - y * s) / n


def pa1(rule, s, y, n):
    return y * min(D(rule.C), max(D(0), 1 - y * s) / n)


def pa2(rule, s, y, n):
    return y * max(D(0), 1 - y * s) / (n + 1 / (2 * D(rule.C)))


def lms(rule, s, y, n):
    return D(rule.eta) * (y - s)


def nlms(rule, s, y, n):
    return D(rule.mu) * (y - s) / (D(rule.epsilon) + n)


def logistic(rule, s, y, n):
    return D(rule.eta) * y / (1 + min(y * s, D(5000)).exp())


def hinge(rule, s, y, n):
    return D(rule.eta) * y if y * s <= 1 else D(0)


def minover(rule, s, y, n):
    return D(rule.eta) * y if y * s < D(rule.c) else D(0)


# --- single steps of rules with a confidence: the step, and the growth of the inverse variance ---


def grown(share, v):
    """Σ − βΣxxᵀΣ is (Σ⁻¹ + xxᵀ β/(1 − βv))⁻¹."""
    return share / (1 - share * v)


def arow(rule, s, y, v):
    """Crammer, Kulesza and Dredze 2009, figure 1."""
    if y * s >= 1:
        return D(0), D(0)
    beta = 1 / (v + D(rule.r))
    return max(D(0), 1 - y * s) * beta * y, grown(beta, v)


def cw(rule, s, y, v):
    """Dredze, Crammer and Pereira 2008, algorithm 1: Σ⁻¹ ← Σ⁻¹ + 2αφ diag(x)."""
    phi, m = D(rule.phi), y * s
    a = 1 + 2 * phi * m
    inside = a * a - 8 * phi * (m - phi * v)
    alpha = max(D(0), (-a + inside.sqrt()) / (4 * phi * v))
    return alpha * y, 2 * alpha * phi


def spread(alpha, phi, v):
    """β of Wang, Zhao and Hoi 2012, proposition 1, and of Crammer, Dredze and Pereira 2008."""
    u = (-alpha * v * phi + (alpha**2 * v**2 * phi**2 + 4 * v).sqrt()) ** 2 / 4
    return grown(alpha * phi / (u.sqrt() + v * alpha * phi), v)


def cw_stdev(rule, s, y, v, C=None):
    """Crammer, Dredze and Pereira 2008, and SCW-I with its bound C."""
    phi, m = D(rule.phi), y * s
    psi, zeta = 1 + phi**2 / 2, 1 + phi**2
    alpha = (-m * psi + (m**2 * phi**4 / 4 + v * phi**2 * zeta).sqrt()) / (v * zeta)
    alpha = max(D(0), alpha if C is None else min(C, alpha))
    return alpha * y, spread(alpha, phi, v)


def scw1(rule, s, y, v):
    return cw_stdev(rule, s, y, v, D(rule.C))


def scw2(rule, s, y, v):
    """Wang, Zhao and Hoi 2012, proposition 2."""
    phi, m = D(rule.phi), y * s
    n = v + 1 / (2 * D(rule.C))
    gamma = phi * (phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2)).sqrt()
    alpha = max(D(0), (-(2 * m * n + phi**2 * m * v) + gamma) / (2 * (n**2 + n * v * phi**2)))
    return alpha * y, spread(alpha, phi, v)


def adagrad(rule, s, y, v):
    return (D(rule.eta) * y, D(1)) if y * s < 1 else (D(0), D(0))


def adagrad_logistic(rule, s, y, v):
    p = 1 / (1 + min(y * s, D(5000)).exp())
    return D(rule.eta) * y * p, p * p


def sop(rule, s, y, v):
    return (y, D(1)) if y * s <= 0 else (D(0), D(0))


def narow(rule, s, y, v):
    """Orabona and Crammer 2010: β = 1/(χ + r), r = χ/(bχ − 1) where χ > 1/b, else ∞."""
    b = D(rule.b)
    beta = (v + v / (b * v - 1)) ** -1 if b * v > 1 else D(0)
    margin = y * s * (1 - beta * v)
    return (y, grown(beta, v)) if margin < 1 else (D(0), D(0))


PLAIN = {
    f.__name__: f
    for f in (perceptron, margin, relaxation, pa, pa1, pa2, lms, nlms, logistic, hinge, minover)
}
CONFIDENT = {
    f.__name__: f for f in (arow, cw, cw_stdev, scw1, scw2, adagrad, adagrad_logistic, sop, narow)
}
FULL = {f"{name}_full": CONFIDENT[name] for name in ("arow", "cw", "cw_stdev", "scw1", "scw2")}


# --- steps of rules that rescale the weights: whole vectors, as in the papers --------------------


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), D(0))


def moved(w, x, c, tau):
    return [c * p + tau * q for p, q in zip(w, x, strict=True)]


def ogd(rule, w, x, y, t, k):
    return moved(w, x, 1, D(rule.eta) * y / D(t).sqrt() if y * dot(w, x) < 1 else D(0))


def pegasos(rule, w, x, y, t, k):
    eta = 1 / (D(rule.lam) * t)
    return moved(w, x, 1 - eta * D(rule.lam), eta * y if y * dot(w, x) < 1 else D(0))


def alma(rule, w, x, y, t, k):
    norm = dot(x, x).sqrt()
    unit, alpha = [p / norm for p in x], D(rule.alpha)
    if y * dot(w, unit) > (1 - alpha) / alpha / D(k).sqrt():
        return w
    w = moved(w, unit, 1, D(rule.C) * y / D(k).sqrt())
    return moved(w, x, 1 / max(D(1), dot(w, w).sqrt()), 0)


def relaxed(w, x, y):
    """The least v with y⟨v, x⟩ ≥ 1 and ⟨v, w⟩ ≥ ‖w‖²: the first is tight, or both are."""
    xx, ww, wx = dot(x, x), dot(w, w), dot(w, x)
    alone = [y * p / xx for p in x]
    if dot(alone, w) >= ww:
        return alone
    area = xx * ww - wx * wx
    return moved(w, x, (xx * ww - y * wx) / area, ww * (y - wx) / area)


def romma(rule, w, x, y, t, k):
    return relaxed(w, x, y) if y * dot(w, x) <= 0 else w


def aromma(rule, w, x, y, t, k):
    return relaxed(w, x, y) if y * dot(w, x) < 1 else w


RESCALING = {f.__name__: f for f in (ogd, pegasos, alma, romma, aromma)}
PAPERS = PLAIN | CONFIDENT | FULL | RESCALING


# --- the search ----------------------------------------------------------------------------------


def size(rng, largest=100):
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
    expected = PAPERS[name](rule, s, D(y), n)
    expected = expected if isinstance(expected, tuple) else (expected,)
    if any(abs(e) > LIMIT or 0 < abs(e) < 1 / LIMIT for e in expected):
        return None
    found = step_numbers(rule, score, y, other)
    scales = [D(0)] * 2
    if "phi" in rule._fields:  # the step is a difference of such numbers
        phi = D(rule.phi)
        scales[0] = (abs(m) + phi * n.sqrt() + phi * n) / n
        scales[1] = scales[0] * phi + scales[0] ** 2 * phi**2
    if not all(map(agree, found, expected, scales)):
        return f"{rule}.step({score!r}, {y}, {other!r}) = {found}, not {expected}"
    return ""


REPEATED = ("margin", "relaxation", "pa", "pa1", "pa2", "lms", "nlms", "logistic", "hinge")
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


def draw_rescaling(rng, name):
    long, short = size(rng, 40), size(rng, 40)
    x, w = ([length * rng.gauss(0, 1) for _ in range(3)] for length in (long, short))
    y, k = rng.choice([-1.0, 1.0]), rng.randint(1, 1000)
    case = {"fields": random_fields(rng, name), "x": x, "w": w, "y": y}
    return case | {"k": k, "t": k + rng.randint(0, 1000)}


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
    if abs(s) > D("0.999") * both:  # nearly parallel: ill-conditioned
        return None
    expected = PAPERS[name](rule, ws, xs, D(y), t, k)
    factor, tau = rule.rescale(float(s), y, float(xx), float(ww), t - 1, k - 1)
    found = moved(ws, xs, D(factor), D(tau))
    scale = (abs(D(factor)) * ww.sqrt() + abs(D(tau)) * xx.sqrt()) * D(100)
    if not all(agree(f, e, scale) for f, e in zip(found, expected, strict=True)):
        return f"{rule}: w = {w}, x = {x}, y = {y}, t = {t}, k = {k}: {found}, not {expected}"
    return ""


def run_of(name, rule, X, y):
    """(w, b) after the rows, from the formulas: vectors, and matrices of variances."""
    Z = np.column_stack([X, np.ones(len(X))])
    d = Z.shape[1]
    w, V, sums, updates = np.zeros(d), np.eye(d), np.zeros(d), 0
    for t, (x, label) in enumerate(zip(Z, y, strict=True), 1):
        s = float(w @ x)
        if name in RESCALING:
            decimals = [D(float(p)) for p in w], [D(float(p)) for p in x]
            after = RESCALING[name](rule, *decimals, D(label), t, updates + 1)
            added = name != "pegasos" or label * s < 1
            updates += added and after != decimals[0]
            w = np.array([float(p) for p in after])
            if name in ("romma", "aromma") and t == 1:
                w = label * x / (x @ x)
            continue
        if name in PLAIN:
            w = w + float(PLAIN[name](rule, D(s), D(label), D(float(x @ x)))) * x
            continue
        formula = (CONFIDENT | FULL)[name]
        tau, beta = map(float, formula(rule, D(s), D(label), D(float(x @ V @ x))))
        if name.startswith("adagrad"):
            sums = sums + beta * x * x
            w = w + tau * np.divide(x, np.sqrt(sums), out=np.zeros(d), where=sums > 0)
        elif name in ("sop", "narow"):
            start = rule.a if name == "sop" else 1.0
            v = w * (start + sums) + tau * x
            sums = sums + beta * x * x
            w = v / (start + sums)
            V = np.diag(1 / (1 + sums))
        else:
            w = w + tau * V @ x
            inverse = np.linalg.inv(V) + beta * np.outer(x, x)
            V = np.linalg.inv(inverse if name in FULL else np.diag(np.diag(inverse)))
    return w


def draw_run(rng, name):
    n, d = rng.randint(2, 10), rng.randint(1, 4)
    X = [[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)]
    y = [-1.0, 1.0] + [rng.choice([-1.0, 1.0]) for _ in range(n - 2)]
    kind = type(rules.by_name(name, 1.0, 0.0))
    small = {f: rng.uniform(0.1, 0.9) for f in kind._fields if f not in ("tie", "epsilon")}
    return {"fields": small, "X": X, "y": y}


def run_fault(case):
    """Compare the weights after a pass over a few rows."""
    name, rule, X, y = case["rule"], rule_of(case), np.array(case["X"]), np.array(case["y"])
    model = Perceptron(rule=rule, shuffle=False, max_iter=1, tol=None).fit(X, y)
    found, expected = np.append(model.coef_[0], model.intercept_), run_of(name, rule, X, y)
    length = np.abs(expected).max()
    if length >= 1e6:
        return None
    if not np.allclose(found, expected, rtol=1e-6, atol=1e-7 * (1 + length)):
        return f"{rule}: X = {X.tolist()}, y = {y.tolist()}: {found}, not {expected}"
    return ""


def draw(rng, name):
    """Yield random cases of a rule: a step, a weight, a run."""
    rescaling = name in RESCALING
    kind = "rescaling" if rescaling else "step"
    yield {"rule": name, "of": kind} | (draw_rescaling if rescaling else draw_step)(rng, name)
    if name in REPEATED:
        yield {"rule": name, "of": "weight"} | draw_weight(rng, name)
    if rng.random() < 0.05 and name != "minover":
        yield {"rule": name, "of": "run"} | draw_run(rng, name)


FAULTS = {
    "step": step_fault,
    "weight": weight_fault,
    "rescaling": rescaling_fault,
    "run": run_fault,
}


def fault(case):
    """What is wrong with a case: a message, "", or None where rounding decides."""
    with localcontext() as context, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context.prec, context.Emax, context.Emin = 400, 10**9, -(10**9)
        return FAULTS[case["of"]](case)


def search(rounds, seed, corpus=None):
    """Return the number of cases compared, and what is wrong, in so many rounds of every rule."""
    rng, cases, wrong = random.Random(seed), 0, []
    for _ in range(rounds):
        for name in rules.NAMES:
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
