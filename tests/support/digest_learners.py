"""Runs of the learners for :mod:`digests`: rules, outputs, schemes, online rows, kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from digest_data import STORAGE, integers, labels, named_rows, rows, weights

import rosenblatt
from rosenblatt import rules
from rosenblatt.engine.mixing import mix_shards
from rosenblatt.engine.shuffle import epoch_order, shuffled
from rosenblatt.learning import interface
from rosenblatt.learning.kernel.learners import KernelPerceptron, VotedPerceptron
from rosenblatt.learning.linear.learners import (
    Adaline,
    AveragedPerceptron,
    LMSRegressor,
    PassiveAggressiveClassifier,
    Perceptron,
)
from rosenblatt.theory.budgets import NAMES as SCHEMES

Parts = tuple[str, Callable[[], Any], tuple[str, ...]]

LIBM_RULES = (
    *(name for name, rule in rules.DECLARATIONS.items() if rule.log_odds),
    "cw", "scw", "alma", "pnorm", "winnow",
)  # fmt: skip
"""Rules whose names begin so take logarithms, exponentials, hyperbolic functions or powers."""

PROBLEMS = {
    "binary": (2, {}),
    "ovr": (3, {}),
    "joint": (3, {"multi_class": "joint"}),
}
"""Classes, and parameters."""


def runs() -> Iterator[Parts]:
    """Yield names, functions and needs."""
    for name, compute in [*_linear(), *_in_parts(), *_online(), *_others()]:
        rule = name.split("/")[1]
        yield name, compute, ("libm",) if rule.startswith(LIBM_RULES) else ()
    yield from _kernels()


def state_of(model: Any, X: Any) -> Any:
    """Return all that a model learned, and what it says of the rows."""
    learned = interface.learned(model)
    history = getattr(model, "history_", None)
    columns = () if history is None else history.dtype.names
    return {
        "state": learned.state,
        "dual": None if learned.dual is None else _dual(learned.dual),
        "scaling": None if learned.scaling is None else tuple(learned.scaling.moments),
        "history": {name: np.array(history[name]) for name in columns if name not in _LEFT_OUT},
        "weights": model.coef_ if hasattr(model, "coef_") else model.dual_coef_,
        "intercept": model.intercept_,
        "classes": getattr(model, "classes_", None),
        "predicted": model.predict(X),
        "scores": model.decision_function(X) if hasattr(model, "decision_function") else None,
    }


_LEFT_OUT = ("seconds", "norm")  # the clock; a product by BLAS


def _dual(dual: Any) -> Any:
    return dual.slots, dual.steps, dual.budget, dual.support.matrix()


# --- linear learners -----------------------------------------------------------------------------


def _data(storage: str, classes: int) -> tuple[Any, Any]:
    X = rows(classes)
    return STORAGE[storage](X), labels(X, classes)


def fitted(storage: str, classes: int, parameters: dict[str, Any], extra: dict[str, Any]) -> Any:
    """Fit two epochs, and return what was learned."""
    X, y = _data(storage, classes)
    given = {"max_iter": 2, "tol": None, "random_state": 3} | parameters
    model = rosenblatt.Perceptron(**given).fit(X, y, **extra)
    return state_of(model, X)


def _linear() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield fits: all rules on all storage, then all schemes of some rules."""
    for rule in rules.NAMES:
        for storage in STORAGE:
            for problem, (classes, parameters) in PROBLEMS.items():
                if _is_possible(rule, problem):
                    given = {"rule": rule, "eta0": 0.25, **parameters}
                    yield (
                        f"fit/{rule}/{storage}/{problem}",
                        partial(fitted, storage, classes, given, {}),
                    )
        for storage in ("dense64", "csr32"):
            for problem in ("binary", "ovr"):
                if _is_possible(rule, problem) and _output(rule) == "average":
                    classes, parameters = PROBLEMS[problem]
                    given = {"rule": rule, "eta0": 0.25, "output": "average", **parameters}
                    name = f"average/{rule}/{storage}/{problem}"
                    yield name, partial(fitted, storage, classes, given, {})
    for scheme, (parameters, extra) in SCHEME.items():
        for rule in SCHEME_RULES:
            for storage in STORAGE:
                for problem, (classes, shape) in PROBLEMS.items():
                    if not _takes(rule, scheme, problem):
                        continue
                    given = {"rule": rule, **parameters, **shape}
                    name = f"{scheme}/{rule}/{storage}/{problem}"
                    yield name, partial(fitted, storage, classes, given, extra)
    for classes in (8, 9, 17, 26, 33):
        for storage in STORAGE:
            for rule in ("perceptron", "pa1", "adagrad"):
                for joint in ("ovr", "joint"):
                    if _is_possible(rule, joint):
                        given = {"rule": rule, "multi_class": joint, "output": "average"}
                        name = f"many classes/{rule}/{storage}/{joint}-{classes}"
                        yield name, partial(fitted, storage, classes, given, {})


def _output(rule: str) -> str:
    """Return the output of most runs; a blended rule has the last weights alone."""
    return "last" if rules.DECLARATIONS[rule].kind == "blended" else "average"


def _is_possible(rule: str, problem: str) -> bool:
    return not (rule == "minover" and problem == "joint")


SCHEME_RULES = ("perceptron", "margin", "pa1", "logistic", "arow", "alma", "cw_full")

SCHEME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "pocket": ({"output": "pocket", "max_iter": 3}, {}),
    "l2": ({"penalty": "l2", "alpha": 1e-2}, {}),
    "l1": ({"penalty": "l1", "alpha": 1e-2, "output": "average"}, {}),
    "elasticnet": ({"penalty": "elasticnet", "alpha": 1e-2}, {}),
    "in order": ({"shuffle": False, "max_iter": 3}, {}),
    "weights": ({"output": "average"}, {"sample_weight": weights(53)}),
    "balanced": ({"class_weight": "balanced"}, {}),
    "no intercept": ({"fit_intercept": False}, {}),
    "tie": ({"tie": 1, "eta0": 0.5}, {}),
    "shards": ({"shards": 3, "output": "average"}, {}),
    "scale": ({"scale": True}, {}),
    "held out": ({"early_stopping": True, "max_iter": 4}, {}),
    "to the end": ({"max_iter": 12, "tol": 1e-3}, {}),
    "expansion": ({"expansion": True, "output": "average"}, {}),
}
"""Parameters of the learner, and of ``fit``, by name."""


def _takes(rule: str, scheme: str, problem: str) -> bool:
    plain = rule in ("perceptron", "margin", "pa1", "logistic")
    if not _is_possible(rule, problem):
        return False
    if scheme in ("l2", "l1", "elasticnet", "expansion"):
        return plain
    if scheme == "tie":
        return problem != "joint"
    return True


# --- rows in parts -------------------------------------------------------------------------------


def in_parts(storage: str, classes: int, parameters: dict[str, Any], size: int) -> Any:
    """Learn batches of ``size`` rows by ``partial_fit``, and return what was learned."""
    X, y = _data(storage, classes)
    model = Perceptron(eta0=0.25, **parameters)
    for start in range(0, len(y), size):
        stop = min(start + size, len(y))
        model.partial_fit(X[start:stop], y[start:stop], classes=np.arange(classes))
    return state_of(model, X)


def _in_parts() -> Iterator[tuple[str, Callable[[], Any]]]:
    for rule in rules.NAMES:
        for storage in ("dense64", "csr32"):
            for problem, (classes, parameters) in PROBLEMS.items():
                if rule != "minover" and _is_possible(rule, problem):
                    given = {"rule": rule, "output": _output(rule), **parameters}
                    for size in (1, 20):
                        name = f"parts of {size}/{rule}/{storage}/{problem}"
                        yield name, partial(in_parts, storage, classes, given, size)


# --- rows that are dicts -------------------------------------------------------------------------


def online(parameters: dict[str, Any], classes: int, way: str) -> Any:
    """Predict and learn dicts, and return predictions, scores and what was learned."""
    batch = named_rows(classes)
    kinds = ["oak", "elm", "ash", "fir"]
    y = [kinds[k] for k in integers(5, (len(batch),), classes).tolist()]
    model = rosenblatt.OnlinePerceptron(**parameters)
    seen: list[Any] = []
    if way == "one":
        for x, label in zip(batch, y, strict=True):
            seen += [model.predict_one(x), [*model.score_one(x).items()]]
            model.learn_one(x, label, 0.5 if label == "elm" else 1.0)
    else:
        for start in range(0, len(y), 9):
            model.learn_many(batch[start : start + 9], y[start : start + 9])
            seen += model.predict_many(batch).tolist()
    inner = model._fitted()
    names = [repr(name) for name in model.feature_names_]
    return seen, names, model.ignored_, interface.learned(inner).state, inner.coef_


def _online() -> Iterator[tuple[str, Callable[[], Any]]]:
    for rule in rules.NAMES:
        for problem, (classes, parameters) in PROBLEMS.items():
            if rule == "minover" or rule.endswith("_full") or not _is_possible(rule, problem):
                continue
            given = {"rule": rule, "output": _output(rule), **parameters}
            for way in ("one", "many"):
                name = f"online {way}/{rule}/dicts/{problem}"
                yield name, partial(online, given, classes, way)
    for name, given in {
        "last": {},
        "limit": {"max_features": 7},
        "l2": {"penalty": "l2"},
        "weights": {"class_weight": {"oak": 3.0}},
        "no intercept": {"fit_intercept": False},
    }.items():
        for way in ("one", "many"):
            yield f"online {way}/perceptron/{name}", partial(online, given, 4, way)


# --- other learners ------------------------------------------------------------------------------


def other(model: Any, storage: str, classes: int) -> Any:
    """Fit another learner."""
    X, y = _data(storage, classes)
    return state_of(model.fit(X, y), X)


def regression(model: Any, storage: str, size: int | None) -> Any:
    """Fit numbers: at once, or in parts."""
    X = rows(5)
    y = (integers(6, (len(X),), 99) - 49) / 7.0
    X = STORAGE[storage](X)
    if size is None:
        return state_of(model.fit(X, y, sample_weight=weights(len(y))), X)
    for start in range(0, len(y), size):
        model.partial_fit(X[start : start + size], y[start : start + size])
    return state_of(model, X)


def mixed(storage: str, mixing: str) -> Any:
    """Mix the states of three shards."""
    X, y = _data(storage, 3)
    empty = Perceptron(max_iter=1, tol=None, output="average").fit(X, y)
    shards = [
        Perceptron(max_iter=1, tol=None, output="average").fit(X[k:], y[k:]) for k in (1, 2, 3)
    ]
    states = [interface.learned(model).state for model in (empty, *shards)]
    return mix_shards(states[0], states[1:], mixing)


def _others() -> Iterator[tuple[str, Callable[[], Any]]]:
    given = {"max_iter": 3, "random_state": 1, "tol": None}
    for storage in STORAGE:
        for classes in (2, 4):
            for name, make in {
                "averaged": lambda: AveragedPerceptron(**given),
                "pa1": lambda: PassiveAggressiveClassifier(average=True, **given),
                "pa2": lambda: PassiveAggressiveClassifier(loss="squared_hinge", C=0.5, **given),
                "adaline": lambda: Adaline(**given),
                "adaline lms": lambda: Adaline(rule="lms", eta0=0.01, scale=True, **given),
            }.items():
                run = partial(_made, other, make, storage, classes)
                yield f"learner/{name}/{storage}/{classes}", run
        for rule in ("lms", "nlms"):
            for output in ("last", "average"):
                for scale in (False, True):
                    for size in (None, 1):
                        make = partial(LMSRegressor, rule=rule, output=output, scale=scale, **given)
                        run = partial(_made, regression, make, storage, size)
                        name = f"{output}-{'scaled' if scale else 'raw'}-{size or 'whole'}"
                        yield f"regression/{rule}/{storage}/{name}", run
        for mixing in ("uniform", "errors"):
            yield f"mixing/{mixing}/{storage}", partial(mixed, storage, mixing)
    for n in (1, 2, 7, 1000):
        order = np.arange(n)
        yield (
            f"shuffle/order/{n}",
            lambda n=n, order=order: (
                [epoch_order(n, seed, epoch) for seed in (0, 3) for epoch in (0, 1, 5)],
                [shuffled(order, seed) for seed in (None, 1, 2**31)],
            ),
        )


def _made(function: Callable[..., Any], make: Callable[[], Any], *arguments: Any) -> Any:
    return function(make(), *arguments)


# --- kernels -------------------------------------------------------------------------------------

KERNELS = {
    "linear": {},
    "poly": {"degree": 2, "coef0": 1.0, "gamma": 0.5},
    "rbf": {"gamma": 0.25},
    "laplace": {"gamma": 0.125},
    "sigmoid": {"gamma": 0.125},
    "cosine": {},
    "intersection": {},
}


def kernel(storage: str, classes: int, parameters: dict[str, Any], size: int | None) -> Any:
    """Fit a kernel learner on exact rows, at once or in parts."""
    X = rows(classes, exact=True)
    y, X = labels(rows(classes), classes), STORAGE[storage](X)
    model = KernelPerceptron(max_iter=3, tol=None, **parameters)
    if size is None:
        return state_of(model.fit(X, y), X)
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        model.partial_fit(X[part], y[part], classes=np.arange(classes))
    return state_of(model, X)


def voted(storage: str, classes: int) -> Any:
    """Fit a voted perceptron on exact rows."""
    X = rows(classes, exact=True)
    y, X = labels(rows(classes), classes), STORAGE[storage](X)
    return state_of(VotedPerceptron(max_iter=2, tol=None).fit(X, y), X)


def _kernels() -> Iterator[Parts]:
    needs = ("libm", "numpy exp", "blas")
    for storage in STORAGE:
        for name, given in KERNELS.items():
            for problem, (classes, shape) in PROBLEMS.items():
                for output in ("last", "average"):
                    run = partial(
                        kernel,
                        storage,
                        classes,
                        {"kernel": name, "output": output, **given, **shape},
                        None,
                    )
                    yield f"kernel/{name}/{storage}/{problem}-{output}", run, needs
        for rule in ("margin", "pa", "pa1", "pa2", "logistic", "hinge"):
            for classes in (2, 3):
                given = {"kernel": "rbf", "gamma": 0.25, "rule": rule}
                run = partial(kernel, storage, classes, given, None)
                yield f"kernel rule/{rule}/{storage}/{classes}", run, needs
        for size in (1, 20):
            given = {"kernel": "rbf", "gamma": 0.25, "output": "average"}
            run = partial(kernel, storage, 3, given, size)
            yield f"kernel/parts/{storage}/{size}", run, needs
        for scheme in SCHEMES:
            for classes in (2, 3):
                for name in ("rbf", "linear"):
                    given = {
                        "kernel": name, "budget": 6, "budget_scheme": scheme, **KERNELS[name],
                    }  # fmt: skip
                    run = partial(kernel, storage, classes, given, None)
                    yield f"budget/{scheme}/{storage}/{name}-{classes}", run, needs
        for classes in (2, 3):
            yield f"voted/linear/{storage}/{classes}", partial(voted, storage, classes), needs
