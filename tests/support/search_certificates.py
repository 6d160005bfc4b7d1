"""Search for a false certificate: certify against an exact simplex and all supports of few rows.

    python tests/support/search_certificates.py SECONDS [SEED]

Rows of integers and floats, dense and sparse, float32 and decimals too, with duplicates, collinear
rows, offsets up to 1e15, scales from 1e-150 to 1e150, and numbers of any of these sizes in one
table. The oracle shares no code with the library: its numbers are the rationals that the floats and
decimals are. What it finds is kept in ``corpus/certificates.jsonl``.
"""

import sys
import time
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

import flint
import numpy as np
import scipy.sparse as sp
from corpus import Corpus

from rosenblatt import certify

TOL = 1e-6
OFFSETS = [0.0, 0.0, 0.0, 1.0, 1e3, 1e7, 1e9, 1e12, 1e15]
EXPONENTS = [0, 0, 0, 0, -3, 3, -20, 20, -70, 70, -150, 150]


def exact_rows(X, signs, intercept):
    """The rows z = y (x, 1), or y x, as rationals."""
    dense = X.toarray() if sp.issparse(X) else np.asarray(X)
    rows = [[Fraction(v) for v in row] + [Fraction(1)] * intercept for row in dense.tolist()]
    return [
        [flint.fmpq(int(s) * v.numerator, v.denominator) for v in row]
        for row, s in zip(rows, signs, strict=True)
    ]


def status_by_simplex(Z):
    """The status of rows z, from the most of them that a v has strictly on their own side."""
    return status_of(most_strict_rows(Z), len(Z))


def status_of(strict, n):
    if strict == n:
        return "separable"
    return "inseparable" if strict == 0 else "quasi-separable"


def most_strict_rows(Z):
    """Maximise the sum of t with t <= Z v and 0 <= t <= 1: t is 1 where some v is strict, else 0.

    A dense tableau of rationals and Bland's rule; the origin is feasible.
    """
    n, p, zero = len(Z), len(Z[0]), flint.fmpq(0)
    # columns: v+, v-, t, the slacks of t - z.v <= 0 and of t <= 1, the right side
    tableau = []
    for i, z in enumerate(Z):
        unit = [flint.fmpq(int(i == j)) for j in range(n)]
        tableau.append([*(-v for v in z), *z, *unit, *unit, *([zero] * n), zero])
        tableau.append([*([zero] * (2 * p)), *unit, *([zero] * n), *unit, flint.fmpq(1)])
    basis = [b for i in range(n) for b in (2 * p + n + i, 2 * p + 2 * n + i)]
    gains = [zero] * (2 * p) + [flint.fmpq(1)] * n + [zero] * (2 * n + 1)
    while True:
        entering = next((j for j, gain in enumerate(gains[:-1]) if gain > 0), None)
        if entering is None:
            break
        leaving = min(
            (row[-1] / row[entering], basis[r], r)
            for r, row in enumerate(tableau)
            if row[entering] > 0
        )[2]
        pivot = tableau[leaving][entering]
        tableau[leaving] = [v / pivot for v in tableau[leaving]]
        for r, row in enumerate([*tableau, gains]):
            if r != leaving and row[entering] != 0:
                factor = row[entering]
                row[:] = [a - factor * b for a, b in zip(row, tableau[leaving], strict=True)]
        basis[leaving] = entering
    return int(-gains[-1])


def largest_sqmargin(Z, signs, intercept):
    """The largest squared margin of rows z, over all sets of rows as the support; 0 without one."""
    d, best = len(Z[0]) - intercept, flint.fmpq(0)
    for k in range(1, d + 2 + intercept):
        for chosen in combinations(range(len(Z)), k):
            part = [Z[i][:d] for i in chosen]
            system = [
                [sum((p * q for p, q in zip(a, c, strict=True)), flint.fmpq(0)) for c in part]
                + [flint.fmpq(int(signs[i]))] * intercept
                for a, i in zip(part, chosen, strict=True)
            ]
            right = [[1]] * k
            if intercept:
                system.append([flint.fmpq(int(signs[i])) for i in chosen] + [flint.fmpq(0)])
                right = [*right, [0]]
            try:
                answer = flint.fmpq_mat(system).solve(flint.fmpq_mat(right)).entries()
            except ZeroDivisionError:
                continue
            if min(answer[:k]) < 0:
                continue
            w = [
                sum((a * z[j] for a, z in zip(answer, part, strict=False)), flint.fmpq(0))
                for j in range(d)
            ]
            v = [*w, answer[k]] if intercept else w
            if all(sum(a * b for a, b in zip(v, z, strict=True)) >= 1 for z in Z):
                best = max(best, 1 / sum(a * a for a in w))
    return best


def case_of(rng):
    """Random rows and labels, and what they are."""
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    kind = str(rng.choice(["small", "integers", "floats", "collinear", "ones", "mixed", "sizes"]))
    if kind == "small":
        X = rng.integers(-2, 3, (n, d)).astype(float)
    elif kind == "integers":
        X = rng.integers(-100, 101, (n, d)).astype(float)
    elif kind == "ones":
        X = rng.integers(0, 2, (n, d)).astype(float)
    elif kind == "collinear":
        X = np.outer(rng.integers(-5, 6, n), rng.integers(-3, 4, d)).astype(float)
    else:
        X = rng.normal(size=(n, d))
    if kind == "mixed":
        X *= 10.0 ** rng.integers(-8, 9, d)
    sizes = rng.integers(-150, 151, (n, d)) if kind == "sizes" else np.zeros((n, d), int)
    if rng.random() < 0.3:
        X[rng.integers(n)] = X[rng.integers(n)]
    y = rng.integers(0, 2, n)
    if rng.random() < 0.6:  # mostly separable
        scores = X @ rng.normal(size=d)
        y = (scores > np.median(scores)).astype(int)
    y[0], y[-1] = 0, 1
    offset, exponent = float(rng.choice(OFFSETS)), int(rng.choice(EXPONENTS))
    shift = offset * rng.integers(-2, 3, d) if rng.random() < 0.5 else np.full(d, offset)
    form = str(rng.choice(["dense", "sparse", "float32", "decimal"]))
    if form == "decimal":
        powers = np.clip(exponent + sizes, -150, 150)
        cells = shifted_decimals(X, shift, powers, int(rng.integers(0, 17)))
    else:
        most = 20 if form == "float32" else 150
        X = (X + shift) * 10.0 ** np.clip(exponent + sizes, -most, most)
        X = X.astype(np.float32) if form == "float32" else X
        cells = X.tolist()
    case = {"numbers": kind, "form": form, "offset": offset, "exponent": exponent}
    return case | {"X": cells, "y": y.tolist()}


def shifted_decimals(X, shift, exponents, digits):
    """The texts of (X + shift) 10**exponents, with X rounded to decimals."""
    with localcontext() as context:
        context.prec = 100
        return [
            [str((Decimal(f"{v:.{digits}f}") + int(s)).scaleb(e)) for v, s, e in row]
            for row in (
                zip(row, shift.tolist(), powers, strict=True)
                for row, powers in zip(X.tolist(), exponents.tolist(), strict=True)
            )
        ]


def arrays_of(case):
    """The rows of a case in their form, and the labels."""
    form, y = case["form"], np.array(case["y"])
    if form == "decimal":
        return np.array([[Decimal(v) for v in row] for row in case["X"]], object), y
    X = np.array(case["X"], np.float32 if form == "float32" else np.float64)
    return sp.csr_array(X) if form == "sparse" else X, y


def fault(case, intercept):
    """The status of the rows of a case, and what is false in their certificate, or ""."""
    X, y = arrays_of(case)
    Z = exact_rows(X, np.where(y == 1, 1, -1), intercept)
    strict = most_strict_rows(Z)
    status = status_of(strict, len(Z))
    try:
        return status, fault_of_proof(X, y, intercept, Z, strict)
    except Exception as error:  # any error is a finding
        return status, f"{type(error).__name__}: {error}"


def rational(value):
    ratio = Fraction(value)
    return flint.fmpq(ratio.numerator, ratio.denominator)


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), flint.fmpq(0))


def fault_of_claims(proof, Z, intercept, strict):
    """What the rows z contradict in the numbers of a certificate, recomputed here."""
    d = len(Z[0]) - intercept
    longest, radius = max(dot(z[:d], z[:d]) for z in Z), rational(proof.radius)
    least = max(radius - rational(1e-321), flint.fmpq(0)) if longest else radius
    if not least * least <= longest * rational(1.001) <= radius * radius * rational(1.001):
        return f"radius {proof.radius}, but its square is {longest}"
    if proof.status != "separable":
        chosen = [Z[i] for i in proof.rows.tolist()]
        if any(dot(proof.weights, column) != 0 for column in zip(*chosen, strict=True)):
            return "the weighted sum of its rows is not 0"
    if proof.status == "inseparable":
        return ""
    hyperplane = proof.direction or [*proof.coef.tolist(), proof.intercept]
    v = [rational(value) for value in hyperplane[: len(Z[0])]]
    along = [dot(z, v) for z in Z]
    if min(along) < 0 or sum(value > 0 for value in along) != strict:
        return f"its hyperplane leaves {along} of {strict} rows that are not on it"
    low = rational(proof.margin[0])
    if min(along) ** 2 < low * low * dot(v[:d], v[:d]):
        return f"its hyperplane has less than the margin {proof.margin[0]}"
    return ""


def fault_of_proof(X, y, intercept, Z, strict):
    """What is false in the certificate of rows of which so many can be strict at once."""
    signs, status = np.where(y == 1, 1, -1), status_of(strict, len(Z))
    proof = certify(X, y, fit_intercept=intercept, tol=TOL)
    if proof.status != status:
        return f"{proof.status}, but it is {status}"
    if not proof.verification or not proof.verify(X, y):
        return f"it fails: {proof.verify(X, y)!r}"
    if why := fault_of_claims(proof, Z, intercept, strict):
        return why
    if proof.mistakes > proof.mistake_bound:
        return f"{proof.mistakes} mistakes, bound {proof.mistake_bound}"
    if status != "separable":
        return "" if proof.margin == (0.0, 0.0) else f"margin {proof.margin}"
    low, high = (Fraction(end) ** 2 for end in proof.margin)
    square = largest_sqmargin(Z, signs, intercept)
    exact = Fraction(int(square.p), int(square.q))
    if not low <= exact <= high:
        return f"margin {proof.margin}, but it is {float(exact) ** 0.5}"
    if proof.margin[1] - proof.margin[0] > TOL * proof.margin[1]:
        return f"margin {proof.margin} is wider than {TOL}"
    if not proof.determined:
        return "its support is not proved"
    rows = proof.rows.tolist()
    alone = largest_sqmargin([Z[i] for i in rows], signs[rows], intercept)
    return "" if alone == square else f"rows {rows} do not determine the margin"


def search(seconds, seed=0, cases=None, corpus=None):
    """Try random data; return the number of certificates by status, and the faults."""
    end, tried, counts, faults = time.monotonic() + seconds, 0, {}, []
    while time.monotonic() < end and tried != cases:
        case = case_of(np.random.default_rng([seed, tried]))
        for intercept in (True, False):
            status, why = fault(case, intercept)
            counts[status] = counts.get(status, 0) + 1
            if why:
                faults.append(f"seed [{seed}, {tried}] intercept={intercept}: {why}: {case}")
            if corpus:
                of_what = ("numbers", "form", "offset", "exponent")
                shows = [f"{status}: {name} {case[name]}" for name in of_what]
                corpus.keep([faults[-1]] if why else shows, case)
        tried += 1
    return counts, faults


if __name__ == "__main__":
    chosen = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    counts, faults = search(float(sys.argv[1]), chosen, corpus=Corpus("certificates"))
    print("\n".join(faults))
    print(f"{sum(counts.values()):,} certificates, {len(faults)} faults: {counts}")
    sys.exit(bool(faults))
