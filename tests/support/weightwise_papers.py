"""The formulas of weightwise rules whose weights move together, as their papers print them.

Each function learns a row: it takes the rule, what each weight keeps (``()`` before the first row),
the row, its label and its weight, and returns what is kept, the score before and the weights after.
"""

from decimal import Decimal, localcontext
from functools import partial

D = Decimal
DIGITS = 400  # numbers from 1e-290 on are still seen beside 1; 1,200 digits take ten times as long


def exp(x):
    with localcontext() as context:
        context.prec = DIGITS
        return x.exp()


def ln(x):
    with localcontext() as context:
        context.prec = DIGITS
        return (+x).ln()


class Logistic:
    @staticmethod
    def loss(s, y):
        return ln(1 + exp(-y * s))

    @staticmethod
    def slope(s, y):
        """The derivative by s."""
        return -y / (1 + exp(min(y * s, D(5000))))

    @staticmethod
    def unhurried(s, y, change):
        """How far infinitely many small steps lead, of which a whole one would be this change.

        Karampatziakis and Langford 2011, table 1: d + e^z (e^d − 1) = (1 + e^z) change.
        """
        z = y * s
        slow, fast = 1 / (1 + exp(z)), 1 / (1 + exp(-z))
        d = min(change, ln(1 + change / fast))
        for _ in range(200):
            e = exp(d)
            step = (slow * d + fast * (e - 1) - change) / (slow + fast * e)
            d -= step
            if abs(step) < d * D("1e-60"):
                break
        return d


class Hinge:
    @staticmethod
    def loss(s, y):
        return max(D(0), 1 - y * s)

    @staticmethod
    def slope(s, y):
        return -y if y * s < 1 else D(0)

    @staticmethod
    def unhurried(s, y, change):
        return min(change, 1 - y * s)


class SquaredHinge:
    @staticmethod
    def loss(s, y):
        return max(D(0), 1 - y * s) ** 2 / 2

    @staticmethod
    def slope(s, y):
        return -y * max(D(0), 1 - y * s)

    @staticmethod
    def unhurried(s, y, change):
        """Error times 1 − e^(−η h p), where a whole step is the error times η h p."""
        error = abs(1 - y * s)
        return error * (1 - exp(-change / error))


class Squared:
    @staticmethod
    def loss(s, y):
        return (y - s) ** 2 / 2

    @staticmethod
    def slope(s, y):
        return s - y

    unhurried = SquaredHinge.unhurried  # |y − s| = |1 − y s|


LOSSES = {"": Logistic, "_hinge": Hinge, "_squared_hinge": SquaredHinge, "_squared": Squared}
"""By what follows the name of a rule."""


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), D(0))


def scinol1_weight(G, S, M, beta, t):
    root = (S + M * M).sqrt()
    theta = G / root if root else D(0)
    size = beta / (2 * root or 1) * (exp(abs(theta) / 2) - 1)
    return size.copy_sign(theta) if theta else D(0)


def scinol1(of, rule, kept, x, y, h):
    """Kempka, Kotłowski and Warmuth 2019, algorithm 1, with ε = 1; h times the gradient."""
    seen = []
    for own, p in zip(kept, x, strict=True):
        G, S, M, beta, t = own or (D(0), D(0), D(0), D(1), 0)
        M, t = max(M, abs(p)), t + 1
        seen.append((G, S, M, min(beta, (S + M * M) / (p * p * t)) if p else beta, t))
    s = dot([scinol1_weight(*own) for own in seen], x)
    g = h * of.slope(s, y)
    kept = [
        (G - g * p, S + (g * p) ** 2, M, beta, t)
        for (G, S, M, beta, t), p in zip(seen, x, strict=True)
    ]
    return kept, s, [scinol1_weight(*own) for own in kept]


def nag(of, rule, kept, x, y, h):
    """Ross, Mineiro and Langford 2013, algorithm 2, of which a part is taken."""
    _, _, _, t, N = kept[0] or (D(0), D(0), D(0), 0, D(0))
    seen = []
    for own, p in zip(kept, x, strict=True):
        w, G, M = own[:3] or (D(0), D(0), D(0))
        seen.append((w * M / abs(p) if abs(p) > M else w, G, max(M, abs(p))))
    t += 1
    N += sum((p / M) ** 2 for (_, _, M), p in zip(seen, x, strict=True) if p)
    s = dot([w for w, _, _ in seen], x)
    g = h * of.slope(s, y)
    sums = [G + (g * p) ** 2 for (_, G, _), p in zip(seen, x, strict=True)]
    steps = [
        -D(rule.eta) * (t / N).sqrt() * g * p / (M * G.sqrt()) if p and G else D(0)
        for (_, _, M), G, p in zip(seen, sums, x, strict=True)
    ]
    change = dot(steps, x).copy_abs()
    part = of.unhurried(s, y, change) / change if change else D(1)
    after = [w + part * step for (w, _, _), step in zip(seen, steps, strict=True)]
    own = zip(after, sums, (M for _, _, M in seen), strict=True)
    return [(w, G, M, t, N) for w, G, M in own], s, after


def coin_weight(theta, S, W, M):
    return W * theta / (M * M + S) if M else D(0)


def coin_after(own, x, g, h):
    """Chen, Langford and Orabona 2022, a bet for the time h, in one dimension and units of M."""
    theta, S, W, M = own
    if not x or not g:
        return own
    H, c = M * M + S, g * x
    power = h - (H + c * theta) / c**2 * ln(1 + h * c**2 / H)
    return theta - h * c, S + h * c**2, W * exp(power), M


def coin(of, rule, kept, x, y, h):
    """The same for each weight, for the part of the time that is enough on a straight line."""
    seen = [own or (D(0), D(0), D(1), D(0)) for own in kept]
    seen = [(*own[:3], max(own[3], abs(p))) for own, p in zip(seen, x, strict=True)]
    before = [coin_weight(*own) for own in seen]
    s = dot(before, x)
    g = of.slope(s, y)

    def at(time):
        return [coin_after(own, p, h * g, time) for own, p in zip(seen, x, strict=True)]

    change = (dot([coin_weight(*own) for own in at(D(1))], x) - s) * D(-1).copy_sign(-g)
    enough = of.loss(s, y) / abs(g) if g else D(0)  # of the score: there the line is at zero
    kept = at(min(D(1), enough / change) if change > 0 else D(1))
    return kept, s, [coin_weight(*own) for own in kept]


ROWS = {
    f"{learn.__name__}{name}": partial(learn, of)
    for learn in (scinol1, nag, coin)
    for name, of in LOSSES.items()
}
