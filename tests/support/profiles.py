"""How much a random or repeated test tries: some in the usual run, more with the profile thorough.

``pytest --hypothesis-profile=thorough`` chooses that.
"""

import math

import pytest
from hypothesis import settings

USUAL, THOROUGH = 15, 50
"""The examples of a test that does not say how many it needs, in each of the profiles."""


def is_thorough():
    """Return whether this is the run of every night."""
    return settings.default.max_examples >= THOROUGH


def scaled(number):
    """Return what is left of a number of the thorough run in this one, at least 1."""
    return math.ceil(number * settings.default.max_examples / THOROUGH)


def share(cases, every, turn):
    """Return one of so many cases, beginning with another at each turn; all in a thorough run.

    So many turns that follow one another meet all cases.
    """
    start, step = (0, 1) if is_thorough() else (turn % every, every)
    return list(cases)[start::step]


def thorough(number):
    """Return the settings of a test that tries so many examples in a thorough run."""
    return settings(max_examples=scaled(number))


def by_night(reason):
    """Return the mark of a test of the thorough run alone; the reason names what is left by day."""
    return pytest.mark.skipif(not is_thorough(), reason=f"by night: {reason}")
