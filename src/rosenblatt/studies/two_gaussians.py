"""Learned lines and quadrics compared with the Bayes boundary of two Gaussians."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.estimators.lifts import PolynomialLift
from rosenblatt.estimators.linear import Perceptron
from rosenblatt.studies.common import angles, shown_as_table
from rosenblatt.utils.arrays import ArrayLike, NDArray
from rosenblatt.utils.checks import Floats, Ints, check_array, check_float, check_int, check_vector
from rosenblatt.utils.shown import Text, join
from rosenblatt.utils.tables import format_cell, text_table


class TwoGaussians(NamedTuple):
    """Two equally likely classes with Gaussian densities p(x|c) = N(μ_c, Σ_c).

    Attributes
    ----------
    means : array of shape (2, d)
        μ of the class −1, then of the class +1.
    covariances : array of shape (2, d, d)
        Σ of the two, positive definite.

    Examples
    --------
    >>> pair = TwoGaussians(np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([np.eye(2)] * 2))
    >>> pair.line
    (array([2., 0.]), 0.0)
    >>> round(pair.error(*pair.line), 4)
    0.1587
    """

    means: Floats
    covariances: Floats

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Draw n rows, alternately of the classes +1 and −1, and their labels.

        Parameters
        ----------
        n : int
        rng : numpy.random.Generator
        """
        y = np.where(np.arange(n) % 2 == 0, 1, -1)
        second = (y > 0).astype(int)
        roots = np.linalg.cholesky(self.covariances)
        normal = rng.standard_normal((n, self.means.shape[1]))
        return self.means[second] + np.einsum("nij,nj->ni", roots[second], normal), y

    def score(self, X: ArrayLike) -> Floats:
        """Return log p(x|+1) − log p(x|−1), a quadric: positive if the class +1 is more likely."""
        X = check_array(X, "X", "(n, d)", 2)
        logs = []
        for mean, covariance in zip(self.means, self.covariances, strict=True):
            deviation = X - mean
            squares = np.einsum("ni,ni->n", deviation, np.linalg.solve(covariance, deviation.T).T)
            logs.append(-0.5 * (squares + np.linalg.slogdet(covariance).logabsdet))
        difference: Floats = logs[1] - logs[0]
        return difference

    @property
    def line(self) -> tuple[Floats, float]:
        """Bayes line w = Σ⁻¹(μ₊ − μ₋), b = −w·(μ₊ + μ₋)/2, if Σ₋ = Σ₊.

        Raises
        ------
        ValueError
            If the covariances differ: the boundary is a quadric then.
        """
        if not np.array_equal(*self.covariances):
            raise ValueError("covariances must be equal for a line, got two that differ")
        w = np.linalg.solve(self.covariances[0], self.means[1] - self.means[0])
        return w, float(-w @ self.means.sum(axis=0) / 2)

    def error(self, w: ArrayLike, b: float) -> float:
        """Error probability of the line w·x + b = 0: the mean of Φ(∓(w·μ + b)/√(w·Σw)).

        Raises
        ------
        ValueError
            If `w` has another shape, or is zero.
        """
        w, b = check_vector(w, "w", self.means.shape[1]), check_float(b, "b")
        if not w.any():
            raise ValueError("w must have a direction, got the zero vector")
        spreads = np.sqrt(np.einsum("i,cij,j->c", w, self.covariances, w))
        return float(ndtr(np.array([1, -1]) * (self.means @ w + b) / spreads).mean())


@shown_as_table
class Gaussians(NamedTuple):
    """Lines learned from two Gaussians of equal covariance, compared with the Bayes line.

    Attributes
    ----------
    pair : TwoGaussians
    names : tuple of str
        Names of the k learners.
    sizes : array of shape (s,)
        Numbers of training rows.
    error : array of shape (k, s, repeats)
        Exact error probability of each line.
    angle : array of shape (k, s, repeats)
        Angle between its w and the Bayes direction, in degrees.
    stopped : array of shape (s, repeats)
        Whether the perceptron converged within `max_iter` epochs.
    bayes : float
        Φ(−Δ/2), the minimal error.

    Examples
    --------
    >>> from rosenblatt import studies
    >>> found = studies.gaussians(sizes=(20,), repeats=2)
    >>> found.error.shape == (len(found.names), 1, 2), bool((found.error >= found.bayes).all())
    (True, True)
    """

    pair: TwoGaussians
    names: tuple[str, ...]
    sizes: Ints
    error: Floats
    angle: Floats
    stopped: NDArray[np.bool_]
    bayes: float

    def table(self) -> Text:
        """Tables by sample size: the median error and the median angle of each learner."""
        sizes = [format_cell(float(n)) for n in self.sizes]
        converged = 100 * self.stopped.mean(axis=1)
        errors = zip(sizes, converged, *100 * np.median(self.error, axis=2), strict=True)
        angles = zip(sizes, *np.median(self.angle, axis=2), strict=True)
        heads = ["rows", "converged, %", *(f"{name}, %" for name in self.names)]
        error = join([text_table(heads, errors), f"Bayes error {100 * self.bayes:.3g} %"])
        heads = ["rows", *(f"{name}, °" for name in self.names)]
        return join([error, text_table(heads, angles)], "\n\n")


@shown_as_table
class Quadric(NamedTuple):
    """Boundaries learned from Gaussians of unequal covariance, compared with the Bayes quadric.

    Attributes
    ----------
    pair : TwoGaussians
    names : tuple of str
        Names of the k learners.
    models : tuple of estimators
        Learners fitted on `X` and `y`.
    X, y : array of shape (n, d), array of shape (n,)
    error : array of shape (k,)
        Error of each learner on new rows.
    bayes : float
        Error of the Bayes rule on these rows.

    Examples
    --------
    >>> from rosenblatt import studies
    >>> found = studies.unequal_gaussians(n=100)
    >>> len(found.names) == len(found.error)
    True
    """

    pair: TwoGaussians
    names: tuple[str, ...]
    models: tuple[Any, ...]
    X: Floats
    y: Ints
    error: Floats
    bayes: float

    def table(self) -> Text:
        """Table of the learners and the Bayes rule."""
        errors = [*self.error.tolist(), self.bayes]
        rows = [[name, 100 * e] for name, e in zip((*self.names, "Bayes"), errors, strict=True)]
        return text_table(["learner", "error, %"], rows)


def gaussians(
    separation: float = 2.0,
    *,
    correlation: float = 0.6,
    sizes: Sequence[int] = (10, 30, 100, 300, 1000, 3000),
    repeats: int = 20,
    seed: int = 0,
    max_iter: int = 50,
) -> Gaussians:
    """Learn lines from two Gaussians of equal covariance in the plane, and compare with Bayes.

    The means are ±(a, 0), the variances 1 and the correlation is `correlation`, so the Bayes line
    has w ∝ (1, −correlation), which differs from the direction between the means.

    Parameters
    ----------
    separation : float, default 2.0
        Mahalanobis distance Δ > 0 of the means; the Bayes error is Φ(−Δ/2).
    correlation : float, default 0.6
        Correlation of the columns, in (−1, 1).
    sizes : sequence of int, default (10, 30, 100, 300, 1000, 3000)
        Numbers of training rows, each >= 2.
    repeats : int, default 20
        Samples of each size, >= 1.
    seed : int, default 0
        Random seed, >= 0.
    max_iter : int, default 50
        Maximal number of epochs, >= 1.

    Returns
    -------
    Gaussians
        Results of the perceptron's last, averaged and pocket weights, and of logistic regression.

    Notes
    -----
    Lecture row L4.4. Gaussians have unbounded support, so large samples are not separable and the
    perceptron does not converge on them.

    Examples
    --------
    >>> study = gaussians(sizes=(10, 100), repeats=5)
    >>> round(study.bayes, 4), bool((study.error >= study.bayes).all())
    (0.1587, True)
    """
    separation = check_float(separation, "separation", above=0.0)
    correlation = check_float(correlation, "correlation")
    if not -1.0 < correlation < 1.0:
        raise ValueError(f"correlation must lie between -1 and 1, got {correlation:g}")
    a = separation * math.sqrt(1.0 - correlation**2) / 2.0
    covariance = np.array([[1.0, correlation], [correlation, 1.0]])
    pair = TwoGaussians(np.array([[-a, 0.0], [a, 0.0]]), np.array([covariance, covariance]))
    sizes = [check_int(n, "sizes", minimum=2) for n in sizes]
    rng = np.random.default_rng(check_int(seed, "seed", minimum=0))
    params: dict[str, Any] = {"tol": None, "max_iter": check_int(max_iter, "max_iter", minimum=1)}
    learners = {
        "perceptron": Perceptron(**params),
        "averaged": Perceptron(output="average", **params),
        "pocket": Perceptron(output="pocket", **params),
        "logistic": LogisticRegression(C=1e6, max_iter=1000),  # practically without penalty
    }
    shape = len(learners), len(sizes), check_int(repeats, "repeats", minimum=1)
    error, angle, stopped = np.empty(shape), np.empty(shape), np.empty(shape[1:], bool)
    for index in np.ndindex(*shape[1:]):
        X, y = pair.draw(sizes[index[0]], rng)
        for k, learner in enumerate(learners.values()):
            model = learner.fit(X, y)
            error[k, *index] = pair.error(model.coef_[0], float(model.intercept_[0]))
            angle[k, *index] = angles(model.coef_, pair.line[0])[0]
        stopped[index] = learners["perceptron"].converged_
    bayes = pair.error(*pair.line)
    return Gaussians(pair, tuple(learners), np.array(sizes), error, angle, stopped, bayes)


def unequal_gaussians(
    n: int = 1000, *, n_new: int = 20_000, seed: int = 0, max_iter: int = 20
) -> Quadric:
    """Learn from two Gaussians of unequal covariance, whose Bayes boundary is a quadric.

    The class +1, N((0, 0), I/4), is narrow and lies within the class −1, N((0.8, 0), diag(2, 1)).

    Parameters
    ----------
    n : int, default 1000
        Number of training rows, >= 2.
    n_new : int, default 20,000
        Number of test rows, >= 1.
    seed : int, default 0
        Random seed, >= 0.
    max_iter : int, default 20
        Number of epochs, >= 1.

    Returns
    -------
    Quadric
        Results of averaged weights on the rows, on their monomials up to degree 2, and with a
        kernel.

    Notes
    -----
    Lecture rows L4.4, L2.9 and L2.10: log p(x|+1) − log p(x|−1) is linear in the monomials of
    degree 2, so a line in their space can be the Bayes boundary.

    Examples
    --------
    >>> study = unequal_gaussians(n=300, n_new=5000)
    >>> line, lift, kernel = study.error
    >>> bool(study.bayes < lift < line and study.bayes < kernel < line)
    True
    """
    covariances = np.array([np.diag([2.0, 1.0]), 0.25 * np.eye(2)])
    pair = TwoGaussians(np.array([[0.8, 0.0], [0.0, 0.0]]), covariances)
    rng = np.random.default_rng(check_int(seed, "seed", minimum=0))
    X, y = pair.draw(check_int(n, "n", minimum=2), rng)
    X_new, y_new = pair.draw(check_int(n_new, "n_new", minimum=1), rng)
    params: dict[str, Any] = {"output": "average", "tol": None}
    params["max_iter"] = check_int(max_iter, "max_iter", minimum=1)
    models = {
        "line": Perceptron(**params),
        "monomials of degree 2": make_pipeline(PolynomialLift(2, coef0=1), Perceptron(**params)),
        "kernel (⟨x, x'⟩ + 1)²": KernelPerceptron("poly", degree=2, gamma=1, coef0=1, **params),
    }
    error = [1.0 - model.fit(X, y).score(X_new, y_new) for model in models.values()]
    bayes = float((y_new * pair.score(X_new) <= 0.0).mean())
    return Quadric(pair, tuple(models), tuple(models.values()), X, y, np.array(error), bayes)
