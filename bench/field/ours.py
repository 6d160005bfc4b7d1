"""Our learners: as they come, in one pass and in ten, and at their best."""

from __future__ import annotations

from typing import Any

import numpy as np

import rosenblatt
from field.answers import Answer, Learner, Rows, log_loss, of_probabilities

PASSES = 10
BEST_WORK = 8_000_000  # numbers times classes: beyond, nothing of ours or of VW's is tuned
RULES: dict[str, dict[str, Any]] = {
    "auto": {"rule": "auto"},
    "perceptron": {"probabilities": True},
    "averaged": {"output": "average", "probabilities": True},
    "arow": {"rule": "arow", "probabilities": True},
    "adagrad_logistic": {"rule": "adagrad_logistic"},
    "kt": {"rule": "kt"},
    "coin": {"rule": "coin"},
    "scinol": {"rule": "scinol"},
    "nag": {"rule": "nag"},
}
GRID: tuple[dict[str, Any], ...] = (
    {"rule": "auto"},
    {"rule": "kt"},
    {"rule": "scinol"},
    *({"rule": "adagrad_logistic", "eta0": eta0} for eta0 in (0.03, 0.1, 0.3, 1.0)),
    *({"rule": "logistic", "eta0": eta0, "output": "average", "scale": True} for eta0 in (0.1, 1)),
)
"""What our best is chosen from, each in one pass and in ten."""


def fitted(X: Any, y: Any, params: dict[str, Any], passes: int, seed: int) -> Any:
    """Return a Perceptron of these parameters after so many passes; Classifier for auto's ten."""
    if params == {"rule": "auto"} and passes > 1:
        return rosenblatt.Classifier(max_iter=passes, random_state=seed).fit(X, y)
    model = rosenblatt.Perceptron(max_iter=passes, tol=None, random_state=seed, **params)
    if passes == 1:
        return model.partial_fit(X, y, classes=np.unique(y))
    return model.fit(X, y)


def as_it_comes(params: dict[str, Any], passes: int) -> Learner:
    """Return the learner of a rule, nothing tuned."""

    def learn(rows: Rows) -> Answer:
        split = rows.split
        model = fitted(split.X, split.y, params, passes, rows.seed)
        return of_probabilities(model.predict_proba(split.X_test), model.classes_, rows.classes)

    return learn


def best(rows: Rows) -> Answer | None:
    """Return the answer of the setting of GRID with the least log loss on held-back rows."""
    if rows.work > BEST_WORK:
        return None
    split = rows.split
    kept, back = held_back(split.y, rows.seed)
    tried = []
    for params in GRID:
        for passes in (1, PASSES):
            model = fitted(split.X[kept], split.y[kept], params, passes, rows.seed)
            found = model.predict_proba(split.X[back])
            said = of_probabilities(found, model.classes_, rows.classes)
            tried.append((log_loss(said.probabilities, split.y[back]), params, passes))
    _, params, passes = min(tried, key=lambda one: one[0])
    return as_it_comes(params, passes)(rows)


def held_back(y: Any, seed: int, share: float = 0.25) -> tuple[Any, Any]:
    """Return the training rows to learn from, and those by which a setting is chosen."""
    rng = np.random.default_rng(seed)
    back = np.zeros(len(y), bool)
    for k in np.unique(y):  # of each class a quarter, but one row at least is learned
        rows = rng.permutation(np.flatnonzero(y == k))
        back[rows[: min(round(share * len(rows)), len(rows) - 1)]] = True
    return np.flatnonzero(~back), np.flatnonzero(back)


ONE_PASS: dict[str, Learner] = {name: as_it_comes(params, 1) for name, params in RULES.items()}
TEN: dict[str, Learner] = {
    name: as_it_comes(RULES[name], PASSES)
    for name in ("auto", "averaged", "arow", "adagrad_logistic", "kt", "scinol", "nag")
}
