"""Update rules with a full covariance matrix: they learn which features vary together.

The rules of :mod:`rosenblatt.theory.confidence` with a variance keep the diagonal of Σ. These keep
all of it, as their papers define it, from Σ = I on. With v = xᵀ Σ x, and (τ, β) as those
of the diagonal rule::

    w <- w + tau * Σ x
    Σ <- Σ − β Σ x (Σ x)ᵀ / (1 + β v)

which is (Σ⁻¹ + β x xᵀ)⁻¹ by the formula of Sherman and Morrison. The intercept is the weight of one
more feature, x = 1. A class keeps (d + 1)² numbers, and a step costs as many multiplications, so
they are for a few hundred features: :data:`MAX_FEATURES` at most. Of named features, later ones
are ignored, as above ``max_features``.
"""

from __future__ import annotations

from rosenblatt.theory.confidence import AROW
from rosenblatt.theory.confidence_weighted import CW, SCW1, SCW2, CWStdev
from rosenblatt.theory.rule_kinds import has_full_covariance

MAX_FEATURES = 2_048
"""Largest number of features of a rule with a full covariance: 34 MB for each class."""


class FullAROW(AROW):
    """AROW with a full covariance: τ = y ℓ/(v + r), β = 1/r, with v = xᵀ Σ x.

    Crammer, Kulesza and Dredze 2009, figure 1, as it is printed. The bound of
    :class:`rosenblatt.rules.AROW` is proved for this form.

    Parameters
    ----------
    r : float > 0, default=1.0
        Regularisation: a larger r means smaller steps, and variances that fall slower.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(rule="arow_full", max_iter=1, tol=None, shuffle=False)
    >>> model.fit([[1.0, 1.0], [1.0, 0.0]], [1, -1]).predict([[0.0, 1.0], [1.0, 0.0]]).tolist()
    [1, -1]
    """

    __slots__ = ()
    full_covariance = True


class FullCW(CW):
    """Confidence-weighted learning with a full covariance; τ and β are those of the diagonal rule.

    Dredze, Crammer and Pereira 2008, algorithm 1 (variance), before its diagonal approximation.

    Parameters
    ----------
    phi : float > 0, default=0.6
        φ, the normal quantile of the confidence.

    Examples
    --------
    >>> FullCW(phi=1.0).step(0.0, 1.0, 1.0)
    (0.5, 1.0)
    """

    __slots__ = ()
    full_covariance = True


class FullCWStdev(CWStdev):
    """CW by the standard deviation, with a full covariance: the CW of LIBOL.

    Crammer, Dredze and Pereira 2008 ("exact convex"), as it is printed; τ and β are those of
    :class:`rosenblatt.rules.CWStdev`.

    Parameters
    ----------
    phi : float > 0, default=0.6
        φ, the normal quantile of the confidence.

    Examples
    --------
    >>> FullCWStdev().step(10.0, 1.0, 1.0)
    (0.0, 0.0)
    """

    __slots__ = ()
    full_covariance = True


class FullSCW1(SCW1):
    """SCW-I with a full covariance; τ and β are those of :class:`rosenblatt.rules.SCW1`.

    Wang, Zhao and Hoi 2012, proposition 1, as it is printed.

    Parameters
    ----------
    C, phi : float > 0
        As of :class:`rosenblatt.rules.SCW1`.

    Examples
    --------
    >>> FullSCW1().step(10.0, 1.0, 1.0)
    (0.0, 0.0)
    """

    __slots__ = ()
    full_covariance = True


class FullSCW2(SCW2):
    """SCW-II with a full covariance; τ and β are those of :class:`rosenblatt.rules.SCW2`.

    Wang, Zhao and Hoi 2012, proposition 2, as it is printed.

    Parameters
    ----------
    C, phi : float > 0
        As of :class:`rosenblatt.rules.SCW2`.

    Examples
    --------
    >>> FullSCW2().step(10.0, 1.0, 1.0)
    (0.0, 0.0)
    """

    __slots__ = ()
    full_covariance = True


FULL_COVARIANCE_RULES = (FullAROW, FullCW, FullCWStdev, FullSCW1, FullSCW2)
"""The rules of this module, all for classification, with labels −1 and +1."""


def check_features(rule: object, d: int) -> None:
    """Refuse more features than a rule with a full covariance may have.

    Raises
    ------
    ValueError
        There are more than :data:`MAX_FEATURES`.
    """
    if has_full_covariance(rule) and d > MAX_FEATURES:
        diagonal = type(rule).__mro__[1].__name__
        raise ValueError(
            f"{type(rule).__name__} keeps (d + 1)² numbers for each class, and is for at most "
            f"{MAX_FEATURES:,} features; got {d:,}. {diagonal} keeps d."
        )
