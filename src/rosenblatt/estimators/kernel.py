"""Kernel classifiers with scikit-learn's interface."""

from __future__ import annotations

from typing import Any

from rosenblatt.estimators.base import Classifier
from rosenblatt.learning.kernel import learners


class KernelPerceptron(Classifier, learners.KernelPerceptron):
    """Kernel classifier that learns one example at a time: w ← w + τ Φ(x), for any kernel.

    Φ(x) is never computed: w is a sum of the examples that caused updates (support rows), and a
    score is f(x) = Σ_s c_s k(x_s, x) + b. Predictions, mistakes and steps are those of
    :class:`Perceptron` on the features Φ(x) in the same order. Training is exact, block by block:
    one matrix product gives the scores of a thousand rows, then the rows are learned one by one.
    Products have the dtype of X (float32 takes half the time of float64), sums are float64.

    Parameters
    ----------
    kernel : str, kernel or callable, default="rbf"
        "linear", "poly" (γ⟨x, x'⟩ + c)^d, "rbf" exp(−γ‖x − x'‖²), "laplace" exp(−γ‖x − x'‖₁),
        "sigmoid" tanh(γ⟨x, x'⟩ + c), "cosine", "intersection" Σ min(x_j, x'_j); an object of
        :mod:`rosenblatt.kernels`, which has its own parameters; "precomputed" (X is the square
        matrix of kernel values); or a function of two matrices that returns the kernel values of
        their rows.
    degree : int ≥ 1, default=3
        d of "poly".
    gamma : "scale", "auto" or float > 0, default="scale"
        γ; "scale" is 1/(d · X.var()), "auto" 1/d, of the first batch or fit.
    coef0 : float, default=0.0
        c of "poly" and "sigmoid".
    rule : str or NamedTuple, default="perceptron"
        As in :class:`Perceptron`, with k(x, x) for ‖x‖².
    output : {"last", "average", "vote"}, default="last"
        Predict with the weights after the last example; with their average over all examples; or
        by the vote of all weights, each weighted by the number of examples it survived.
    multi_class : {"ovr", "joint"}, default="ovr"
    tie : {0, -1, 1}, default=0
    fit_intercept : bool, default=True
        Learn an intercept b: the kernel k + 1.
    max_iter : int ≥ 1, default=1000
    tol : float ≥ 0 or None, default=1e-3
    shuffle : bool, default=True
    verbose : int, default=0
    eta0 : float > 0, default=1.0
    random_state : int, RandomState or None, default=0
    n_iter_no_change : int ≥ 1, default=5
    class_weight : dict, "balanced" or None, default=None
    warm_start : bool, default=False
        All as in :class:`Perceptron`.
    cache_size : float ≥ 0, default=200
        Megabytes for the scores of all rows, 8 bytes per row and weight vector: with this cache, a
        later epoch computes the steps since the last one only. Without it, every epoch computes
        the kernel values of all rows with all support rows.
    budget : int ≥ 1 or None, default=None
        Largest number of support rows; with output="last" only.
    budget_scheme : {"projectron", "projectron++", "forgetron", "random"}, default="projectron"
        Treatment of one more row when the budget is full: project it onto the support rows (the
        most accurate; B² numbers and products), shrink w and remove the oldest row, or remove a
        random row; see ``rosenblatt.theory.budgets``.
    budget_eta : float > 0, default=0.1
        η of "projectron++": a row that errs is stored if its distance from the span of the support
        rows exceeds η, and one that is right by a margin below 1 moves w only if its hinge exceeds
        the distance divided by η. A larger η stores fewer rows.
    probabilities : bool, default=False
        As in :class:`Perceptron`; with output="last" only.

    Attributes
    ----------
    support_ : ndarray of shape (S,), int64
        Numbers of the support rows: rows of ``fit``, or counted over all calls of ``partial_fit``.
        Equal rows share one number.
    support_vectors_ : ndarray or sparse matrix of shape (S, d)
    dual_coef_ : ndarray of shape (1, S) or (K, S)
        Coefficients to predict with; for "vote", those of the last weights.
    intercept_ : ndarray of shape (1,) or (K,)
    classes_, n_features_in_, feature_names_in_, n_iter_, t_, converged_, history_, mistakes_, \
updates_, errors_
        As in :class:`Perceptron`; ``history_`` has ‖w‖ in the feature space of Φ.
    gamma_ : float
        γ as a number.

    References
    ----------
    Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999; Orabona, Keshet and Caputo
    2009, algorithms 2 and 3; lecture rows L2.6, L2.10, L3.7, L3.9.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["off", "on", "on", "off"]
    >>> model = KernelPerceptron("poly", degree=2, gamma=1, coef0=1).fit(X, y)
    >>> model.predict(X).tolist(), model.converged_
    (['off', 'on', 'on', 'off'], True)
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags


class VotedPerceptron(KernelPerceptron, learners.VotedPerceptron):
    """Voted perceptron: :class:`KernelPerceptron` with the linear kernel and ``output="vote"``.

    f(x) = Σ_v c_v sign(⟨w_v, x⟩ + b_v), where c_v is the number of examples that w_v survived
    (Freund and Schapire 1999; lecture row L3.7). The log of all steps replaces the vectors w_v.
    Parameters and attributes are those of :class:`KernelPerceptron`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = VotedPerceptron(max_iter=5, tol=None).fit(X[:1000], y[:1000])
    >>> float(model.score(X[1000:], y[1000:])) > 0.9
    True
    """
