"""The field's learners: as they come, in one pass and in ten, and at their best."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
import wabbit
from made import Split
from measure import peer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from field.answers import Answer, Learner, Rows, log_loss, of_probabilities
from field.ours import BEST_WORK, PASSES, held_back

RIVER_WORK = 1_500_000  # numbers times classes: beyond, river's rows of dicts take hours
COSTS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
WIDE = 2_000  # columns and more: standardising would make sparse rows dense
FEW_ROWS = 4_000  # below, C is chosen by five folds, else by one held-back quarter
WABBITS = {"vw": (), "vw --coin": ("--coin",), "vw --ftrl": ("--ftrl",)}
FEW_COSTS = 2_000_000  # beyond, three values of C
RATES = (0.1, 0.5, 2.0)

river, liblinear = peer("river.linear_model"), peer("liblinear.liblinearutil")


# --- Vowpal Wabbit -------------------------------------------------------------------------------


def vw_probabilities(rows: Rows, split: Split, name: str, options: tuple[str, ...]) -> Any:
    """Return probabilities of the test rows; the text is written once under this name."""
    K = rows.classes
    train, test = rows.folder / f"{name}.train", rows.folder / f"{name}.test"
    if not train.exists():
        labels = split.y + 1 if K > 2 else 2 * split.y - 1
        wabbit.write(train, split.X, labels)
        wabbit.write(test, split.X_test, np.ones(split.X_test.shape[0], int))
    model, said = rows.folder / "model", rows.folder / "said"
    kind = ["--oaa", str(K), "--probabilities"] if K > 2 else []
    bits = (24 if K > 2 else 20) if split.X.shape[1] > WIDE else 18
    given = wabbit.arguments(train, model, *kind, *options, loss="logistic", bits=bits)
    wabbit.module.Workspace(arg_list=given).finish()
    again = ["--probabilities"] if K > 2 else ["--link", "logistic"]
    given = ["-d", str(test), "-t", "-i", str(model), "-p", str(said), "--quiet", *again]
    wabbit.module.Workspace(arg_list=given).finish()
    if K == 2:
        p = np.loadtxt(said, ndmin=1)
        return np.column_stack([1 - p, p])
    lines = said.read_text().splitlines()
    return np.array([[float(cell.partition(":")[2]) for cell in line.split()] for line in lines])


def passes_of(rows: Rows, passes: int) -> tuple[str, ...]:
    """Return the options for so many passes."""
    if passes == 1:
        return ()
    cache = rows.folder / "cache"
    return ("--passes", str(passes), "--holdout_off", "-k", "--cache_file", str(cache))


def vw(options: tuple[str, ...], passes: int) -> Learner:
    """Return Vowpal Wabbit with the logistic loss and these options."""

    def learn(rows: Rows) -> Answer:
        given = (*options, *passes_of(rows, passes))
        found = vw_probabilities(rows, rows.split, "all", given)
        return of_probabilities(found, range(rows.classes), rows.classes)

    return learn


def vw_best(rows: Rows) -> Answer | None:
    """Return the answer of the update, rate and passes with the least held-back log loss."""
    if rows.work > BEST_WORK:
        return None
    split = rows.split
    kept, back = held_back(split.y, rows.seed)
    part = Split(split.X[kept], split.y[kept], split.X[back], split.y[back])
    tried = []
    for update in WABBITS.values():
        for rate in RATES if update != ("--coin",) else RATES[:1]:
            for passes in (1, PASSES):
                options = (*update, *(() if update == ("--coin",) else ("-l", str(rate))))
                given = (*options, *passes_of(rows, passes))
                found = vw_probabilities(rows, part, "part", given)
                tried.append((log_loss(found, part.y_test), options, passes))
    _, options, passes = min(tried, key=lambda one: one[0])
    return vw(options, passes)(rows)


# --- river ---------------------------------------------------------------------------------------


def river_one_pass(rows: Rows) -> Answer | None:
    """Return StandardScaler | LogisticRegression of river, one against the rest.

    Of sparse rows LogisticRegression alone: the scaler sees no zeros, so that a word that is always
    1 where it is present has no deviation, and is set to 0.
    """
    if rows.work > RIVER_WORK:
        return None
    from river import linear_model, multiclass, preprocessing

    model: Any = linear_model.LogisticRegression()
    if rows.classes > 2:
        model = multiclass.OneVsRestClassifier(model)
    if not sp.issparse(rows.split.X):
        model = preprocessing.StandardScaler() | model
    for x, y in zip(dicts(rows.split.X), rows.split.y.tolist(), strict=True):
        model.learn_one(x, bool(y) if rows.classes == 2 else y)
    found = np.zeros((len(rows.split.y_test), rows.classes))
    for i, x in enumerate(dicts(rows.split.X_test)):
        for k, p in model.predict_proba_one(x).items():
            found[i, int(k)] = p
    return of_probabilities(found, range(rows.classes), rows.classes)


def dicts(X: Any) -> list[dict[int, float]]:
    """Return the rows as dicts; dense ones with all columns, sparse ones without zeros."""
    if not sp.issparse(X):
        return [dict(enumerate(row)) for row in X.tolist()]
    X = sp.csr_array(X)
    return [
        dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
        for a, b in pairwise(X.indptr)
    ]


# --- scikit-learn and LIBLINEAR ------------------------------------------------------------------


def sgd(passes: int) -> Learner:
    """Return SGDClassifier with the log loss, averaged."""

    def learn(rows: Rows) -> Answer:
        X, y = rows.split.X, rows.split.y
        model = SGDClassifier(
            loss="log_loss", average=True, max_iter=passes, tol=None, random_state=rows.seed
        ).fit(X, y)
        return said_by(model, rows)

    return learn


def sklearn(make: Callable[[], Any], limit: int = 10**9) -> Learner:
    """Return the learner of an estimator, fitted to its own end."""

    def learn(rows: Rows) -> Answer | None:
        if rows.work > limit:
            return None
        return said_by(make().fit(rows.split.X, rows.split.y), rows)

    return learn


def said_by(model: Any, rows: Rows) -> Answer:
    X = rows.split.X_test
    if hasattr(model, "predict_proba"):
        return of_probabilities(model.predict_proba(X), model.classes_, rows.classes)
    return Answer(model.predict(X))


def standardised(split: Split) -> Split:
    """Return the split with columns of mean 0 and variance 1; wide sparse rows as they are."""
    if split.X.shape[1] >= WIDE:
        return split
    X, X_test = (Z.toarray() if sp.issparse(Z) else Z for Z in (split.X, split.X_test))
    scaler = StandardScaler().fit(X)
    return split._replace(X=scaler.transform(X), X_test=scaler.transform(X_test))


def tuned(rows: Rows) -> Answer:
    """Return LogisticRegression on standardised columns, C by the log loss on training rows."""
    split = standardised(rows.split)
    X, y, K = split.X, split.y, rows.classes
    folds = [held_back(y, rows.seed + i) for i in range(5 if len(y) < FEW_ROWS else 1)]
    costs = COSTS if rows.work < FEW_COSTS else COSTS[1::2]
    steps = 300 if rows.work < BEST_WORK else 100

    def loss(C: float) -> float:
        losses = []
        for kept, back in folds:
            model = LogisticRegression(C=C, max_iter=steps).fit(X[kept], y[kept])
            found = of_probabilities(model.predict_proba(X[back]), model.classes_, K)
            losses.append(log_loss(found.probabilities, y[back]))
        return float(np.mean(losses))

    model = LogisticRegression(C=min(costs, key=loss), max_iter=3 * steps).fit(X, y)
    return said_by(model, rows._replace(split=split))


def liblinear_default(rows: Rows) -> Answer | None:
    """Return LIBLINEAR's L2 logistic regression, ``-s 0``; one against the rest."""
    split, options = rows.split, "-s 0 -B 1 -q"
    X, X_test = sp.csr_matrix(split.X, dtype=float), sp.csr_matrix(split.X_test, dtype=float)
    model = liblinear.train(split.y.astype(float), X, options)
    _, _, found = liblinear.predict([], X_test, model, "-b 1 -q")
    return of_probabilities(np.array(found), np.array(model.get_labels(), int), rows.classes)


ONE_PASS: dict[str, Learner] = {"sklearn SGD averaged": sgd(1)}
TEN: dict[str, Learner] = {
    "sklearn SGD averaged": sgd(PASSES),
    "sklearn LogisticRegression": sklearn(LogisticRegression),
    "sklearn LinearSVC": sklearn(LinearSVC),
}
BEST: dict[str, Learner] = {"LogisticRegression, tuned": tuned}
if wabbit.module is not None:
    ONE_PASS = {name: vw(options, 1) for name, options in WABBITS.items()} | ONE_PASS
    TEN = {name: vw(options, PASSES) for name, options in WABBITS.items()} | TEN
    BEST["vw, best"] = vw_best
if river is not None:
    ONE_PASS["river"] = river_one_pass
if liblinear is not None:
    TEN["LIBLINEAR -s 0"] = liblinear_default
