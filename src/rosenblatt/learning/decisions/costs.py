"""Costs of the two errors of a classifier, and the threshold that they set."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from rosenblatt.utils.checks import check_number


class Costs(NamedTuple):
    """What wrong predictions cost; right ones cost nothing. The positive class is the second.

    To predict it costs (1 − p) false_positive on average, and not to, p false_negative, where p is
    its probability. So it is predicted from p = false_positive/(false_positive + false_negative)
    on. Only the ratio of the costs matters for predictions.

    Attributes
    ----------
    false_positive : float > 0
        Of a row predicted as the second class that is of the first.
    false_negative : float > 0
        Of a row predicted as the first class that is of the second.

    References
    ----------
    Elkan, "The foundations of cost-sensitive learning", 2001, equation 2.

    Examples
    --------
    >>> Costs(1.0, 4.0).threshold, Costs(1.0, 4.0).swapped()
    (0.2, Costs(false_positive=4.0, false_negative=1.0))
    """

    false_positive: float
    false_negative: float

    @classmethod
    def of(cls, false_positive: Any, false_negative: Any) -> Self:
        """Return checked costs.

        Raises
        ------
        ValueError
            A cost is no positive number.
        """
        for name, value in zip(cls._fields, (false_positive, false_negative), strict=True):
            check_number(value, name, 0, open_low=True, open_high=True)
        return cls(float(false_positive), float(false_negative))

    @property
    def threshold(self) -> float:
        """The least probability from which the second class is predicted, in [0, 1]."""
        return 1.0 / (1.0 + self.false_negative / self.false_positive)

    def swapped(self) -> Self:
        """Return the costs for the other class as the positive one."""
        return type(self)(self.false_negative, self.false_positive)
