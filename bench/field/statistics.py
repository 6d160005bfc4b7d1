"""Ranks over sets, and whether they differ: Friedman's test and Nemenyi's critical difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

Values = Mapping[str, Mapping[str, float]]
"""Of each set the values of its learners: smaller is better."""


class Ranks(NamedTuple):
    """The mean rank of each learner, 1 is the best.

    ``p`` is that of Friedman's test, that all learners are the same; two learners differ with 95 %
    confidence if their mean ranks are ``difference`` apart or more.
    """

    sets: int
    means: dict[str, float]
    p: float
    difference: float


def everywhere(values: Values) -> list[str]:
    """Return the learners that all sets have, in the order of the first one."""
    first = next(iter(values.values()), {})
    return [name for name in first if all(name in of for of in values.values())]


def ranks(values: Values) -> Ranks:
    """Return the ranks of the learners that all sets have: three at least, over three sets.

    Equal values share their ranks. The critical difference is q √(k (k + 1)/(6 N)) for k learners
    and N sets, with q the 95 % quantile of the studentised range divided by √2 (Demšar 2006).

    Examples
    --------
    >>> found = ranks({s: {"a": 1.0, "b": 2.0, "c": 3.0} for s in "stuvw"})
    >>> found.means, round(found.p, 4), round(found.difference, 2)
    ({'a': 1.0, 'b': 2.0, 'c': 3.0}, 0.0067, 1.48)
    """
    names = everywhere(values)
    table = np.array([[of[name] for name in names] for of in values.values()])
    means = rankdata(table, axis=1).mean(axis=0)
    k, n = len(names), len(table)
    q = studentized_range.ppf(0.95, k, math.inf) / math.sqrt(2)
    p = float(friedmanchisquare(*table.T).pvalue)
    by_name = dict(zip(names, map(float, means), strict=True))
    return Ranks(n, by_name, p, float(q) * math.sqrt(k * (k + 1) / (6 * n)))
