"""The lessons that come with the lecture page, and the numbers of their prose."""

import re
from fractions import Fraction
from math import isclose

LESSONS = {
    "proof": 14,
    "lecture25": 14,
    "online": 13,
    "kernels": 13,
    "ece146": 14,
    "notebook": 11,
    "beyond": 11,
}
"""Each with the number of its states."""


def value(fact):
    """A fact as a fraction, or as a tuple of them."""
    if not isinstance(fact, str):
        return fact
    numbers = [Fraction(part) for part in re.findall(r"-?[\d./]+", fact.replace("−", "-"))]
    return tuple(numbers) if fact.startswith("(") else numbers[0]


def near(fact, exact):
    """Whether a fact is a number, to the three decimals that the page shows."""
    if isinstance(exact, (list, tuple)):
        return len(value(fact)) == len(exact) and all(
            isclose(a, b, abs_tol=5.1e-4) for a, b in zip(value(fact), exact, strict=True)
        )
    return isclose(value(fact), exact, abs_tol=5.1e-4)
