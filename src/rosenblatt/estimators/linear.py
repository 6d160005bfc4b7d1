"""Linear classifiers and the linear regressor with scikit-learn's interface.

The other classifiers are presets of :class:`Perceptron`.
"""

from __future__ import annotations

from rosenblatt.estimators.base import LinearClassifier, Regressor
from rosenblatt.learning.linear import learners


class Perceptron(LinearClassifier, learners.Perceptron):
    """Linear classifier that learns one example at a time: w ← w + τ x.

    A drop-in for ``sklearn.linear_model.Perceptron``: every parameter of it with the same meaning
    and default, the same fitted attributes, and on dense data of two classes, or of more without
    shuffling, the same ``coef_`` to the last bit. Differences: several classes are learned in one
    pass over the rows, so they share one shuffled order; the intercept is not damped on sparse
    data; an epoch without an update ends the fit; ``n_iter_`` with a penalty and ``tol`` may
    differ, since the criterion uses the exact norms of the weights; float32 with an L2 penalty
    agrees up to rounding; ``coef_`` cannot be edited in place, only assigned.

    Parameters
    ----------
    rule : str or NamedTuple, default="perceptron"
        "perceptron", "margin", "relaxation", "pa", "pa1", "pa2", "lms", "nlms", "logistic",
        "hinge"; with a confidence for each weight "arow", "cw", "cw_stdev", "scw1", "scw2",
        "normal_herd", "adagrad", "adagrad_logistic", "sop", "narow"; with a covariance matrix
        "arow_full", "cw_full", "cw_stdev_full", "scw1_full", "scw2_full"; with numbers of its own
        for each weight "coin", "ftrl", "kt", "nag", "pnorm", "scinol", "scinol1", "winnow", and for
        other losses "coin_hinge", "kt_hinge", "nag_hinge", "scinol_hinge", "scinol1_hinge",
        "coin_squared_hinge", "kt_squared_hinge", "nag_squared_hinge", "scinol_squared_hinge",
        "scinol1_squared_hinge", "coin_squared", "kt_squared", "nag_squared", "scinol_squared",
        "scinol1_squared"; with a rescaling "ogd", "pegasos", "alma", "romma", "aromma"; "minover",
        which learns in each epoch the one row with the least y·score; "auto", with nothing to
        choose; or a rule object of your own, see :mod:`rosenblatt.rules`. A rule object has its own
        learning rate. "logistic", "adagrad_logistic", "auto", "coin", "ftrl", "kt", "nag", "scinol"
        and "scinol1" have :meth:`predict_proba` without ``probabilities``, too; those of the first
        two need a small ``eta0``, such as 0.1 or 0.01, and columns of like scale.
    output : {"last", "average", "pocket"}, default="last"
        Weights to predict with: after the last example; the average over all examples, which
        generalises better; or the pocket, the weights with the fewest training errors so far (after
        Gallant 1990). On n rows of d features with n² d ≤ 2²¹ (of K > 2 classes, n² d K) the pocket
        judges the weights after every update. On larger sets, and with shards, it judges two weight
        vectors in each epoch: the one with the longest run of right predictions, and the last;
        others that the run passed may make fewer errors. The true minimum, of all weights, is
        NP-hard to find: :func:`rosenblatt.theory.fewest_mistakes`.
    multi_class : {"ovr", "joint"}, default="ovr"
        One-vs-rest, or one joint arg max, which moves the right class up and the wrong one down;
        "coin", "kt", "nag", "scinol" and "scinol1" move all classes, by the softmax.
        Two classes need one weight vector either way.
    tie : {0, -1, 1}, default=0
        Meaning of a score of exactly zero: a mistake for both labels, or the prediction −1
        (``classes_[0]``) or +1 (``classes_[1]``). The ``tie`` of a rule object has precedence; a
        joint model needs 0.
    penalty : {None, "l2", "l1", "elasticnet"}, default=None
        Not with "minover" or a rule that has a confidence, numbers of its own or a rescaling.
    alpha : float ≥ 0, default=1e-4
        Strength of the penalty.
    l1_ratio : float in [0, 1], default=0.15
        Share of L1 in "elasticnet".
    fit_intercept : bool, default=True
    max_iter : int ≥ 1, default=1000
        Largest number of epochs of ``fit``.
    tol : float ≥ 0 or None, default=1e-3
        ``fit`` ends when the criterion has not fallen by ``tol`` for ``n_iter_no_change`` epochs.
    shuffle : bool, default=True
        Shuffle the rows before each epoch.
    verbose : int, default=0
        1 prints a line per epoch.
    eta0 : float > 0, default=1.0
        Learning rate of a rule given by name (C for "pa1" and "pa2", μ for "nlms").
    n_jobs : int or None, default=None
        Threads for ``shards``; the result does not depend on it.
    random_state : int, RandomState or None, default=0
    early_stopping : bool, default=False
        Hold out ``validation_fraction`` of the rows, and stop when their score stalls.
    validation_fraction : float in (0, 1), default=0.1
    n_iter_no_change : int ≥ 1, default=5
    class_weight : dict, "balanced" or None, default=None
    warm_start : bool, default=False
        ``fit`` continues the last fit: weights, averages and counters.
    shards : int ≥ 1, default=1
        Iterative parameter mixing (McDonald, Hall and Mann 2010): each shard of the rows trains
        its own copy of the weights, and the copies are averaged after every epoch. The result
        depends on the data, the seed and ``shards`` only.
    expansion : bool, default=False
        Record every step and its row, so that w is Σ coefficient · row (lecture row L2.6), and
        :meth:`explain` ranks the rows behind a prediction. Not with a penalty, shards or the
        pocket.
    scale : bool, default=False
        Learn scaled rows: of dense X, z = (x − mean)/std of each column; of sparse X, z = x/rms
        with the root mean square of the column's values that are not zero, so that zeros stay
        zeros and one-hot columns are unchanged. :meth:`fit` scales by all rows that it learns,
        :meth:`partial_fit` each row by the rows up to and including it; every row counts once,
        whatever its weight. ``coef_``, ``intercept_``, ``coef_init`` and all predictions are in
        the units of X, in float64; penalties and ``history_["norm"]`` are of the weights of z.
        Not with ``expansion``.
    probabilities : bool, default=False
        Learn, beside the weights, a calibration of the scores, so that there is
        :meth:`predict_proba` for every rule: a two-parameter sigmoid of the score (Platt 1999), of
        K > 2 classes the softmax of a_k s_k/r_k + b_k, learned from the score of each row before
        the row is learned (:mod:`rosenblatt.theory.calibration`). Weights and predictions are as
        without it. One pass, or a stream, calibrates best; several epochs on few rows of many
        columns make it too sure. Not with ``output="pocket"`` and "minover".

    Attributes
    ----------
    coef_ : ndarray of shape (1, d) or (K, d)
    intercept_ : ndarray of shape (1,) or (K,)
    classes_ : ndarray of shape (K,)
    n_iter_ : int
        Epochs of the last fit.
    t_ : float
        Examples learned so far, plus one.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Where X has column names.
    converged_ : bool
        True if the last epoch made no mistake and no update: the last weights (not their average)
        separate the training rows. False with a penalty or a least-squares rule, where the weights
        change in every step.
    mistakes_, updates_, errors_ : int
        See the properties of the same names.
    support_, support_vectors_, dual_coef_, moves_
        With ``expansion=True``: the numbers of the support rows, the rows, their coefficients
        (``coef_`` is ``dual_coef_ @ support_vectors_``), and the log of all steps.
    history_ : structured ndarray
        One row per epoch: epoch, mistakes, updates, errors, criterion, norm, seconds.

    Notes
    -----
    Threads may share a model. Calls that learn wait for each other. A prediction beside a ``fit``
    uses the last fit until it ends; one beside a ``partial_fit``, or beside another prediction,
    waits, and sees whole batches: threads that are to predict in parallel need a copy each.

    References
    ----------
    Rosenblatt 1958; Novikoff 1962; Freund and Schapire 1999; Platt 1999; lecture rows L0.1, L2.7,
    L3.5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Perceptron().fit(X, y == 0)
    >>> model.converged_, model.mistakes_
    (True, 7)

    Columns of very different sizes need ``scale``:

    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> [round(Perceptron(scale=scale).fit(X, y).score(X, y), 2) for scale in (False, True)]
    [0.65, 1.0]
    """


class AveragedPerceptron(Perceptron, learners.AveragedPerceptron):
    """:class:`Perceptron` with ``output="average"``: predict with the mean of all weights.

    The average generalises better than the last weights and needs one more vector (Freund and
    Schapire 1999; Collins 2002; lecture row L3.7). Parameters and attributes are those of
    :class:`Perceptron`; ``coef_`` is the average.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = AveragedPerceptron(max_iter=5, tol=None).fit(X[:1000], y[:1000])
    >>> float(model.score(X[1000:], y[1000:])) > 0.9
    True
    """


class Classifier(LinearClassifier, learners.Classifier):
    """Linear classifier with nothing to choose, in any units, and with probabilities.

    Logistic regression learned one example at a time: three learners of second order, and a blend
    that finds which of them to trust, with the formulas of :class:`rosenblatt.rules.Auto`. Columns
    are centred and scaled as they come; several classes are learned together; the probabilities are
    calibrated as they are learned. To multiply a column by a number changes no prediction.

    ``fit`` makes passes until one gains nothing: every tenth row is held back as the judge, and
    learned in the end. ``partial_fit`` is one pass over its rows, each predicted before it is
    learned; it follows a drift.

    Parameters
    ----------
    max_iter : int ≥ 1, default=10
        Largest number of passes of ``fit``. With 1 no row is held back.
    shuffle : bool, default=True
        Shuffle the rows before each pass.
    random_state : int, RandomState or None, default=0
    class_weight : dict, "balanced" or None, default=None
        They move the scores by their logarithms, and so the probabilities, on purpose; the rows
        weigh alike.
    verbose : int, default=0
        1 prints a line per pass.
    warm_start : bool, default=False
        ``fit`` continues the last fit, with new rows: rows that were learned are poor judges.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, t_, n_features_in_, feature_names_in_
        As in :class:`Perceptron`.
    converged_ : bool
        True where ``fit`` ended because a pass had gained nothing.
    history_ : structured ndarray
        One row per pass: ``criterion`` is the mean log loss of the rows that judge it.

    References
    ----------
    See :class:`rosenblatt.rules.Auto`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = Classifier().fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2), model.predict_proba(X[1:2]).round(2).tolist()
    (0.96, [[1.0, 0.0, 0.0]])
    """


class PassiveAggressiveClassifier(LinearClassifier, learners.PassiveAggressiveClassifier):
    """Passive-Aggressive classifier: a drop-in for the one that scikit-learn 1.10 removes.

    Every parameter of ``sklearn.linear_model.PassiveAggressiveClassifier`` with the same meaning
    and default, and on dense data of two classes, or of more without shuffling, the same ``coef_``
    to the last bit. As there, the intercept is updated, but its 1 is not counted in ‖x‖²
    (``Perceptron(rule="pa1")`` counts it, as in the paper).

    Parameters
    ----------
    C : float > 0, default=1.0
        The largest step (PA-I), or the aggressiveness (PA-II).
    fit_intercept, max_iter, tol, early_stopping, validation_fraction, n_iter_no_change, shuffle, \
verbose
        As in :class:`Perceptron`.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        PA-I or PA-II.
    n_jobs, random_state, warm_start, class_weight
        As in :class:`Perceptron`; ``random_state`` is None by default.
    average : bool, default=False
        Predict with the average of all weights.
    probabilities : bool, default=False
        As in :class:`Perceptron`.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, figure 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = X / X.max(axis=0)
    >>> model = PassiveAggressiveClassifier(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """


class Adaline(LinearClassifier, learners.Adaline):
    """Adaptive linear neuron: online least mean squares on the labels −1 and +1.

    w ← w + μ (y − ⟨w, x⟩ − b) x/(‖x‖² + 1) on every example, right or wrong: the rule of Widrow and
    Hoff, stable for 0 < μ < 2 for any scale of x. Without the division ("lms") it is stable for
    0 < η < 2/(‖x‖² + 1); lecture rows L2.11, L4.7.

    Parameters
    ----------
    rule : {"nlms", "lms"}, default="nlms"
        With or without the division.
    eta0 : float > 0, default=0.1
        μ of "nlms", η of "lms".
    output, multi_class, fit_intercept, max_iter, tol, shuffle, verbose, random_state, \
n_iter_no_change, class_weight, warm_start, scale, probabilities
        As in :class:`Perceptron`.

    References
    ----------
    Widrow and Hoff 1960.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = scale(X)
    >>> model = Adaline().fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """


class LMSRegressor(Regressor, learners.LMSRegressor):
    """Linear regression by (normalised) least mean squares: the adaptive filter.

    Plain: w ← w + η (y − ŷ) x. Normalised: the step is divided by ε + ‖x‖², which keeps it stable
    for 0 < μ < 2 for any scale of x; lecture rows L2.11, L4.7.

    Parameters
    ----------
    rule : {"nlms", "lms"} or rule object, default="nlms"
        "nlms" has ε = 0; for a signal with pauses take ``rules.NormalizedLMS(mu, epsilon)``.
    eta0 : float > 0, default=0.1
        μ of "nlms", η of "lms".
    output : {"last", "average"}, default="last"
    fit_intercept, max_iter, tol, shuffle, verbose, random_state, n_iter_no_change, warm_start, \
scale
        As in :class:`Perceptron`.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
    intercept_ : float
    n_iter_, t_, updates_, history_, n_features_in_
        As in :class:`Perceptron`; ``mistakes`` and ``errors`` in the history have no meaning
        for a regression.

    References
    ----------
    Widrow and Hoff 1960; Nagumo and Noda 1967.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.RandomState(0).randn(500, 3)
    >>> model = LMSRegressor(max_iter=50).fit(X, X @ [1.0, 2.0, 3.0])
    >>> model.coef_.round(3)
    array([1., 2., 3.])
    """
