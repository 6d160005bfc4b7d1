"""The formulas of every rule as its paper prints them, in numbers of as many digits as are set.

Single steps take a score, a label and ‖x‖² or a variance; steps that rescale take whole vectors; a
run takes rows. ``search_rules.py`` compares the library with them.
"""

from decimal import Decimal, localcontext
from functools import partial

from weightwise_papers import LOSSES, ROWS, Logistic

D = Decimal


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


def normal_herd(rule, s, y, v):
    """Crammer and Lee 2010; the diagonal is that of the inverse, "project"."""
    if y * s >= 1:
        return D(0), D(0)
    C = D(rule.C)
    share = (C * C * v + 2 * C) / (1 + C * v) ** 2
    return max(D(0), 1 - y * s) / (v + 1 / C) * y, grown(share, v)


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
    f.__name__: f
    for f in (arow, normal_herd, cw, cw_stdev, scw1, scw2, adagrad, adagrad_logistic, sop, narow)
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


# --- weightwise rules: what a weight keeps becomes, and the weight that follows ------------------


def scinol_before(kept, x):
    """Kempka, Kotłowski and Warmuth 2019, algorithm 2: M, and the weight to predict with."""
    G, S, M, eta = kept or (D(0), D(0), D(0), D(1))
    M = max(M, abs(x))
    root = (S + M * M).sqrt()
    theta = G / root if root else D(0)
    return (G, S, M, eta), theta.copy_sign(1).min(1).copy_sign(theta) * eta / (2 * root or 1)


def scinol(kept, w, x, s, y, h, of=Logistic):
    """The sums with the slope g of a loss, times h; η keeps its half, whatever g is."""
    G, S, M, eta = kept
    g = h * of.slope(s, y)
    return G - g * x, S + (g * x) ** 2, M, max(eta - g * x * w, eta / 2)


def kt_before(kept, x):
    """Orabona and Pál 2016, algorithm 1, in one dimension: (1 + Σ c w) Σ c/t in units of M."""
    theta, A, reward, M = kept or (D(0), D(0), D(0), D(0))
    M = max(M, abs(x))
    return (theta, A, reward, M), (1 + reward) * theta / (M * (M + A)) if M else D(0)


def kt(kept, w, x, s, y, h, of=Logistic):
    """The sums with the slope g of a loss, times h; with |g| > 1, 1 + R and M have limits."""
    theta, A, reward, M = kept
    g = h * of.slope(s, y)
    least = (1 + reward) * M / (M + A) - 1 if M else reward
    return theta - g * x, A + abs(g * x), max(reward - g * x * w, least), max(M, abs(g * x))


def ftrl_before(rule, kept, x):
    """McMahan et al. 2013, algorithm 1: the weight of z and n."""
    z, n = kept or (D(0), D(0))
    alpha, beta, l1, l2 = map(D, rule)
    if abs(z) <= l1:
        return (z, n), D(0)
    return (z, n), -(((beta + n.sqrt()) / alpha + l2) ** -1) * (z - D(1).copy_sign(z) * l1)


def ftrl(rule, kept, w, x, s, y, h):
    """The same: g = (p − y) x, σ = (√(n + g²) − √n)/α, of labels 0 and 1."""
    z, n = kept
    g = -h * y / (1 + min(y * s, D(5000)).exp()) * x
    sigma = ((n + g * g).sqrt() - n.sqrt()) / D(rule.alpha)
    return z + g - sigma * w, n + g * g


def pnorm_before(rule, kept, x):
    """Grove, Littlestone and Schuurmans 2001: sgn(θ)|θ|^(p − 1), without the factor of all."""
    (theta,) = kept or (D(0),)
    with localcontext(prec=50):  # a power of 1200 digits takes long
        return (theta,), (abs(theta) ** (D(rule.p) - 1)).copy_sign(theta) if theta else D(0)


def pnorm(rule, kept, w, x, s, y, h):
    """On a mistake, θ ← θ + y x."""
    return (kept[0] + (h * y * x if y * s <= 0 else 0),)


def winnow_before(rule, kept, x):
    """Littlestone 1988, balanced; EG± of Kivinen and Warmuth 1997, unnormalised: w = u − v."""
    u, v = kept or (D(1), D(1))
    return (u, v), (u - v) / 2


def winnow(rule, kept, w, x, s, y, h):
    """On a mistake u ← u e^(η y x), v ← v e^(−η y x), from e^−40 to e^40."""
    if y * s > 0:
        return kept
    step = D(rule.eta) * h * y * x
    factor, most = step.copy_abs().min(100).copy_sign(step).exp(), D(40).exp()
    return tuple(min(max(u, 1 / most), most) for u in (kept[0] * factor, kept[1] / factor))


OF_FIELDS = {
    "ftrl": (ftrl_before, ftrl),
    "pnorm": (pnorm_before, pnorm),
    "winnow": (winnow_before, winnow),
}
"""The weight of what is kept, and what is kept after a row, with the fields of the rule."""
WEIGHTWISE = dict(OF_FIELDS)
for loss, of in LOSSES.items():
    WEIGHTWISE[f"kt{loss}"] = kt_before, partial(kt, of=of)
    WEIGHTWISE[f"scinol{loss}"] = scinol_before, partial(scinol, of=of)
WEIGHTWISE |= ROWS
PAPERS = PLAIN | CONFIDENT | FULL | RESCALING | WEIGHTWISE
OF_NO_PAPER = {"auto"}
"""Rules of the library's own: the formulas of a blended rule stand in ``blend_twin.py``."""


# --- what a weight h does, as docs/howto/rules.md has it -----------------------------------------


def times(name, rule, s, y, v, h):
    """The numbers of a step, times h."""
    return tuple(h * number for number in pair(PAPERS[name](rule, s, y, v)))


def part(name, rule, s, y, v, h):
    return times(name, rule, s, y, v, min(h, D(1)))


def repeated(name, rule, s, y, n, h):
    """Whole steps, each from where the last one ended, and a part of one."""
    tau = D(0)
    while h > 0:
        tau += min(h, D(1)) * PAPERS[name](rule, s + tau * n, y, n)
        h -= 1
    return (tau,)


def with_field(field, power):
    """The step with a parameter times h, or over h."""

    def step(name, rule, s, y, v, h):
        changed = Changed(rule, field, D(getattr(rule, field)) * h**power)
        return pair(PAPERS[name](changed, s, y, v))

    return step


class Changed:
    """A rule with another number in one field."""

    def __init__(self, rule, field, value):
        self.rule, self.field, self.value = rule, field, value

    def __getattr__(self, name):
        return self.value if name == self.field else getattr(self.rule, name)


def closed(name, rule, s, y, n, h):
    """The part of the error, or of the hinge, that h steps remove: 1 − (1 − a step's part)^h."""
    single = PAPERS[name](rule, s, y, n)
    goal = D(rule.beta) if name == "relaxation" else D(1)
    left = goal - y * s
    if single == 0:
        return (D(0),)
    share = y * single * n / left
    if share >= 1:  # overshoots, or ends at the margin
        return (
            (single * min(h, D(1)),) if name == "relaxation" else repeated(name, rule, s, y, n, h)
        )
    return (y * left / n * (1 - (1 - share) ** h),)


WEIGHTED = {
    **dict.fromkeys(
        ("perceptron", "minover", "adagrad", "adagrad_logistic", "sop", "narow"), times
    ),
    **dict.fromkeys(("pa", "cw", "cw_stdev", "cw_full", "cw_stdev_full"), part),
    **dict.fromkeys(("margin", "hinge", "logistic"), repeated),
    **dict.fromkeys(("pa2", "relaxation", "lms", "nlms"), closed),
    **dict.fromkeys(
        ("pa1", "scw1", "scw2", "scw1_full", "scw2_full", "normal_herd"), with_field("C", 1)
    ),
    **dict.fromkeys(("arow", "arow_full"), with_field("r", -1)),
}


def weighted(name, rule, s, y, v, h):
    """The numbers of a step of an example of weight h."""
    return pair(PAPERS[name](rule, s, y, v)) if h == 1 else WEIGHTED[name](name, rule, s, y, v, h)


def pair(numbers):
    return numbers if isinstance(numbers, tuple) else (numbers,)


def weighted_vector(name, rule, w, x, y, t, k, h):
    """The vector after an example of weight h, of a rule that rescales."""
    if name == "alma":
        return alma(Changed(rule, "C", D(rule.C) * h), w, x, y, t, k)
    if name in ("romma", "aromma") and not any(w):
        after = moved(w, x, 1, y / dot(x, x))
    else:
        after = RESCALING[name](rule, w, x, y, t, k)
    if name in ("romma", "aromma"):
        h = min(h, D(1))
    still = moved(w, x, 1 - 1 / D(t), 0) if name == "pegasos" else w
    return [a + h * (b - a) for a, b in zip(still, after, strict=True)]


# --- runs ----------------------------------------------------------------------------------------


class Run:
    """The weights of a rule, row after row, and the largest that each has been."""

    def __init__(self, name, rule, d):
        self.name, self.rule, self.t, self.updates = name, rule, 0, 0
        self.w, self.sums, self.largest = [D(0)] * d, [D(0)] * d, [D(0)] * d
        self.V = [[D(int(i == j)) for j in range(d)] for i in range(d)]
        self.kept = [()] * d

    def learn(self, x, y, h):
        """Learn a row; return its score and ‖x‖² or variance as they were before."""
        self.t += 1
        if self.name in WEIGHTWISE:
            return self._learn_weightwise(x, y, h)
        Vx = [dot(row, x) for row in self.V]
        s, n = dot(self.w, x), dot(x, x)
        if self.name in RESCALING:
            arguments = self.w, x, y, self.t, self.updates + 1, h
            before, self.w = self.w, weighted_vector(self.name, self.rule, *arguments)
            self.updates += self.w != before
        elif self.name in PLAIN:
            (tau,) = weighted(self.name, self.rule, s, y, n, h)
            self.w = moved(self.w, x, 1, tau)
        else:
            n = dot(x, Vx)
            tau, beta = weighted(self.name, self.rule, s, y, n, h)
            self._learn_with_confidence(x, Vx, n, tau, beta)
        self.largest = [max(a, abs(b)) for a, b in zip(self.largest, self.w, strict=True)]
        return s, n

    def _learn_weightwise(self, x, y, h):
        if self.name in ROWS:
            self.kept, s, self.w = ROWS[self.name](self.rule, self.kept, x, y, h)
            self.largest = [max(a, abs(b)) for a, b in zip(self.largest, self.w, strict=True)]
            return s, dot(x, x)
        before, after = WEIGHTWISE[self.name]
        if self.name in OF_FIELDS:
            before, after = (partial(function, self.rule) for function in (before, after))
        self.kept, w = zip(*map(before, self.kept, x), strict=True)
        s = dot(w, x)
        self.kept = [after(k, a, p, s, y, h) for k, a, p in zip(self.kept, w, x, strict=True)]
        self.kept, self.w = zip(*(before(k, D(0)) for k in self.kept), strict=True)
        self.largest = [max(a, abs(b)) for a, b in zip(self.largest, self.w, strict=True)]
        return s, dot(x, x)

    def _learn_with_confidence(self, x, Vx, v, tau, beta):
        d = range(len(x))
        if self.name.startswith("adagrad"):
            self.sums = [a + beta * p * p for a, p in zip(self.sums, x, strict=True)]
            roots = [a.sqrt() or D(1) for a in self.sums]
            self.w = [a + tau * p / r for a, p, r in zip(self.w, x, roots, strict=True)]
        elif self.name in ("sop", "narow"):
            start = D(self.rule.a) if self.name == "sop" else D(1)
            total = [
                w * (start + a) + tau * p for w, a, p in zip(self.w, self.sums, x, strict=True)
            ]
            self.sums = [a + beta * p * p for a, p in zip(self.sums, x, strict=True)]
            self.w = [q / (start + a) for q, a in zip(total, self.sums, strict=True)]
            self.V = [[1 / (1 + self.sums[i]) if i == j else D(0) for j in d] for i in d]
        else:
            self.w = moved(self.w, Vx, 1, tau)
            if self.name in FULL:
                share = beta / (1 + beta * v)
                self.V = [[self.V[i][j] - share * Vx[i] * Vx[j] for j in d] for i in d]
            else:
                for j in d:
                    self.V[j][j] = 1 / (1 / self.V[j][j] + beta * x[j] * x[j])

    def numbers(self):
        """All numbers that a machine keeps."""
        own = [number for kept in self.kept for number in kept]
        return [*self.w, *own, *self.sums, *(1 / self.V[j][j] for j in range(len(self.w)))]
