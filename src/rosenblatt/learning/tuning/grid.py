"""What is tried: rules, learning rates, scaling and outputs, and every combination of them."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.learning.evaluation.ranking import METRICS
from rosenblatt.streams.core.batch import slice_rows
from rosenblatt.theory.rules import DECLARATIONS
from rosenblatt.utils.arrays import Matrix
from rosenblatt.utils.checks import check_choice

RATES: dict[str, tuple[float, ...]] = {
    "perceptron": (1.0,),  # the rate multiplies its weights, and changes no prediction
    "pa1": (0.01, 0.1, 1.0),
    "arow": (0.1, 1.0, 10.0),
    "logistic": (0.01, 0.1, 1.0),
    "adagrad_logistic": (0.1, 1.0),
    "kt": (),
    "scinol": (),
    "auto": (),
}
"""Rules that are tried where none are named, with their learning rates."""

OTHER_RATES = (0.1, 1.0)
"""Learning rates of a rule that is named and not in :data:`RATES`."""

OUTPUTS = ("last", "average")

MAX_CANDIDATES = 500
"""More are refused: their weights and scores are all in memory."""

_ROWS = 1000  # first rows whose columns are measured
_FACTOR = 2.0


class Candidate(NamedTuple):
    """The settings of one learner.

    Attributes
    ----------
    rule : str
    eta0 : float or None
        None for a rule without a learning rate.
    scale : bool
    output : {"last", "average"}
    interactions : bool
        Whether its rows have the products of features that were asked for.
    """

    rule: str
    eta0: float | None = None
    scale: bool = False
    output: str = "last"
    interactions: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the learner."""
        rate = {} if self.eta0 is None else {"eta0": self.eta0}
        return {"rule": self.rule, **rate, "scale": self.scale, "output": self.output}

    @property
    def arguments(self) -> list[str]:
        """The options of ``rosenblatt train``, without those of reading.

        Examples
        --------
        >>> Candidate("pa1", 0.1, scale=True, output="average").arguments
        ['--rule', 'pa1', '--eta0', '0.1', '--scale', '--average']
        """
        return [
            *("--rule", self.rule),
            *(() if self.eta0 is None else ("--eta0", f"{self.eta0!r}".removesuffix(".0"))),
            *(("--scale",) if self.scale else ()),
            *(("--average",) if self.output == "average" else ()),
        ]

    def __str__(self) -> str:
        words = self.arguments[1:]
        return " ".join([*words, *(("--interactions",) if self.interactions else ())])


class Grid(NamedTuple):
    """Lists of settings; None is the list that is tried by default.

    Attributes
    ----------
    rules : tuple of str, optional
        By default those of :data:`RATES`, of a metric of probabilities those that give some.
    eta0 : tuple of float, optional
        Learning rates of all rules that have one; by default :data:`RATES`.
    scale : tuple of bool, optional
        By default both where :func:`columns_differ`, else False.
    outputs : tuple of str
    """

    rules: tuple[str, ...] | None = None
    eta0: tuple[float, ...] | None = None
    scale: tuple[bool, ...] | None = None
    outputs: tuple[str, ...] = OUTPUTS

    def check(self, metric: str) -> None:
        """Refuse lists that cannot be tried, or leave nothing to choose.

        Raises
        ------
        ValueError
            The message names the list.
        """
        rules = self.tried_rules(metric)
        for rule in rules:
            check_choice(rule, "rules", tuple(DECLARATIONS))
            if DECLARATIONS[rule].kind == "choosing":
                raise ValueError(f"rules has {rule!r}, which chooses its row among all rows.")
        if not rules:
            raise ValueError("rules must have at least one name, or be None for a few good ones.")
        if METRICS[metric].needs_probabilities and not any(map(gives_probabilities, rules)):
            raise ValueError(
                f"metric={metric!r} is of probabilities, and {', '.join(rules)} give none: rank by "
                "'error', or try 'logistic'."
            )
        if self.eta0 and not any(DECLARATIONS[rule].rate for rule in rules):
            raise ValueError(f"eta0 has no effect on {', '.join(rules)}: leave it out.")
        least, most = (len(self.candidates(metric, differ=differ)) for differ in (False, True))
        if most > MAX_CANDIDATES:
            raise ValueError(
                f"{most:,} candidates are too many: at most {MAX_CANDIDATES} are tried side by "
                "side. Shorten the lists."
            )
        if least == most == 1:
            raise ValueError("there is one candidate, and nothing to choose: give longer lists.")

    def tried_rules(self, metric: str) -> tuple[str, ...]:
        """Return the rules, each once."""
        if self.rules is not None:
            return tuple(dict.fromkeys(self.rules))
        needs = METRICS[metric].needs_probabilities
        return tuple(rule for rule in RATES if gives_probabilities(rule) or not needs)

    def candidates(
        self, metric: str, *, differ: bool, interactions: bool = False
    ) -> list[Candidate]:
        """Return every combination, of simple settings first.

        Parameters
        ----------
        metric : str
        differ : bool
            Whether scaling is tried where the grid does not say.
        interactions : bool
            Of all candidates.

        Examples
        --------
        >>> grid = Grid(rules=("kt", "pa1"), eta0=(0.1, 1.0), outputs=("last",))
        >>> [str(one) for one in grid.candidates("error", differ=False)]
        ['kt', 'pa1 --eta0 0.1', 'pa1 --eta0 1']
        """
        tried, scales = self.tried_rules(metric), self.scale or ((False, True)[: 1 + differ])
        return [
            Candidate(rule, rate, scale, output, interactions)
            for rule in tried
            for rate, scale, output in product(
                self._rates(rule),
                (False,) if is_blended(rule) else dict.fromkeys(scales),
                ("last",) if is_blended(rule) else dict.fromkeys(self.outputs),
            )
        ]

    def _rates(self, rule: str) -> tuple[float | None, ...]:
        if not DECLARATIONS[rule].rate:
            return (None,)
        return tuple(dict.fromkeys(self.eta0 or RATES.get(rule, OTHER_RATES)))


def is_blended(rule: str) -> bool:
    """Return whether a rule is a blend of learners: in any units, with one output."""
    return DECLARATIONS[rule].kind == "blended"


def gives_probabilities(rule: str) -> bool:
    """Return whether the scores of a rule are log odds."""
    return bool(DECLARATIONS[rule].log_odds)


def default_metric(rules: tuple[str, ...] | None) -> str:
    """Return ``log_loss`` where all rules give probabilities or none are named, else ``error``.

    Examples
    --------
    >>> default_metric(None), default_metric(("logistic",)), default_metric(("logistic", "pa1"))
    ('log_loss', 'log_loss', 'error')
    """
    return "log_loss" if all(map(gives_probabilities, rules or ())) else "error"


def columns_differ(X: Matrix) -> bool:
    """Return whether scaling may matter, by the first thousand rows.

    It may where the root mean square of the nonzero values of one column is at least twice that of
    another; in dense rows also where a column's mean exceeds its standard deviation, since scaling
    centres the columns, too.

    Examples
    --------
    >>> columns_differ(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    False
    >>> columns_differ(np.array([[1.0, -9.0], [-1.0, 9.0]])), columns_differ(np.array([[9.0], [8]]))
    (True, True)
    """
    X = slice_rows(X, slice(_ROWS))
    width = X.shape[1]
    if hasattr(X, "indptr"):
        counts = np.bincount(X.indices, X.data != 0.0, width)
        squares = np.bincount(X.indices, np.square(X.data), width)
    else:
        counts, squares = np.count_nonzero(X, axis=0), np.square(X).sum(axis=0)
        means, deviations = X.mean(axis=0), X.std(axis=0)
        if ((deviations > 0.0) & (np.abs(means) > deviations)).any():
            return True
    sizes = np.sqrt(squares[counts > 0] / counts[counts > 0])
    return len(sizes) > 1 and bool(sizes.max() >= _FACTOR * sizes.min())
