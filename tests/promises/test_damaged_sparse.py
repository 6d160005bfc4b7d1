"""A damaged sparse matrix is refused by every public function that takes sparse rows.

SciPy checks no arrays that were set later, and its loops would end the process: the functions run
in a process of their own, which says which of them is done.
"""

import functools
import inspect
import subprocess
import sys
from itertools import chain

import numpy as np
import scipy.sparse as sp

import rosenblatt
from rosenblatt import (
    Adaline,
    AssociationCells,
    AveragedPerceptron,
    Classifier,
    KernelPerceptron,
    LMSRegressor,
    OnlineClassifier,
    OnlinePerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    PolynomialLift,
    RadialLift,
    RowEncoder,
    RowModel,
    VotedPerceptron,
    certify,
    theory,
)

GOOD = np.arange(1.0, 13.0).reshape(4, 3) % 5
LABELS = np.array([0, 1, 0, 1])
SIGNS = 2 * LABELS - 1
U = np.array([1.0, -2.0, 0.5])

LEARNERS = {
    "Adaline": Adaline,
    "AveragedPerceptron": AveragedPerceptron,
    "Classifier": Classifier,
    "KernelPerceptron": KernelPerceptron,
    "LMSRegressor": LMSRegressor,
    "OnlineClassifier": OnlineClassifier,
    "OnlinePerceptron": OnlinePerceptron,
    "PassiveAggressiveClassifier": PassiveAggressiveClassifier,
    "Perceptron": Perceptron,
    "Perceptron, scaled": lambda: Perceptron(scale=True),
    "Perceptron, as a sum": lambda: Perceptron(expansion=True),
    "Perceptron, four epochs": lambda: Perceptron(max_iter=4, tol=None),
    "VotedPerceptron": VotedPerceptron,
}
LIFTS = {
    "AssociationCells": lambda: AssociationCells(5),
    "PolynomialLift": lambda: PolynomialLift(2),
    "PolynomialLift, with 1": lambda: PolynomialLift(2, coef0=1.0),
    "RadialLift": RadialLift,
}


@functools.cache
def calls():
    """Return every call with sparse rows, by name; what can be built before is built here."""
    proof, proofs = certify(GOOD, LABELS), certify(GOOD, [0, 1, 2, 1])
    found = {
        "certify": lambda X: certify(X, LABELS),
        "certify, three classes": lambda X: certify(X, [0, 1, 2, 1]),
        "Certificate.verify": lambda X: proof.verify(X, LABELS),
        "Certificates.verify": lambda X: proofs.verify(X, [0, 1, 2, 1]),
        "theory.radius": theory.radius,
        "theory.margins": lambda X: theory.margins(X, SIGNS, U),
        "theory.margin": lambda X: theory.margin(X, SIGNS, U),
        "theory.slack": lambda X: theory.slack(X, SIGNS, U, 1.0),
        "theory.start_bound": lambda X: theory.start_bound(U, abs(U), X),
    }
    for name, kind in {**LEARNERS, **LIFTS}.items():
        for method in ("fit", "partial_fit", "fit_transform", "learn_many"):
            if hasattr(kind(), method):
                labels = () if name in LIFTS else (LABELS,)
                found[f"{name}.{method}"] = lambda X, kind=kind, method=method, labels=labels: (
                    getattr(kind(), method)(X, *labels)
                )
        fitted, labels = kind(), () if name in LIFTS else (LABELS,)
        if "probabilities" in fitted.get_params():  # for the methods of models that have some
            fitted.set_params(probabilities=True)
        getattr(fitted, "fit", getattr(fitted, "learn_many", None))(sp.csr_array(GOOD), *labels)
        if hasattr(fitted, "predict_proba") and hasattr(fitted, "calibrate_sets"):
            fitted.calibrate_sets(sp.csr_array(GOOD), *labels)
        for method, function in inspect.getmembers(fitted, inspect.ismethod):
            if method == "trace" and name != "Perceptron":
                continue  # refused, whatever the rows
            if method in ("calibrate_sets", "predict_set") and not hasattr(fitted, "predict_proba"):
                continue  # so is this
            if takes_rows(function) and method not in ("fit", "partial_fit", "fit_transform"):
                labels = (LABELS,) if "y" in inspect.signature(function).parameters else ()
                found[f"{name}, fitted: {method}"] = lambda X, function=function, labels=labels: (
                    function(X, *labels)
                )
    rows = [{"c": word} for word in "abda"]
    encoder = RowEncoder().fit(rows)
    model = RowModel([("rows", RowEncoder()), ("model", Perceptron())]).fit(rows, LABELS)
    for name, function in {
        "RowEncoder, fitted: transform": encoder.transform,
        "RowEncoder, fitted: partial_fit": encoder.partial_fit,
        "RowModel, fitted: predict": model.predict,
        "RowModel, fitted: partial_fit": lambda X: model.partial_fit(X, LABELS),
    }.items():
        found[name] = lambda X, function=function: function(with_names(X, encoder.names_))
    four = Perceptron().fit(GOOD, [0, 1, 2, 3])
    found["Perceptron.coef_"] = lambda X: setattr(four, "coef_", X)
    return found


def with_names(X, names):
    """Return rows that seem to be of a stream: with the names of their columns."""
    X.columns = tuple(names)
    return X


def takes_rows(function):
    """Return whether the first argument of a public function or method is X."""
    if function.__name__.startswith("_"):
        return False
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]
    return parameters[:1] == ["X"]


def damaged(kind, seed):
    """Return matrices of a format, each damaged in one way; the arrays are plainly wrong."""
    rng, huge = np.random.default_rng(seed), 2**30
    for name in ("indptr", "indices"):
        for value in (huge, -huge, -1, 2**31 - 1):
            X = sp.csr_array(GOOD).asformat(kind)
            array = getattr(X, name)
            array[rng.integers(1, len(array))] = value
            if name == "indptr" and X.indptr[-1] == -1:
                X.indptr[-1] = huge
            yield f"{kind}, {name} {value}", X
    for name in ("data", "indices", "indptr"):
        X = sp.csr_array(GOOD).asformat(kind)
        setattr(X, name, getattr(X, name)[: rng.integers(1, 3)].copy())
        yield f"{kind}, short {name}", X


def damaged_lists(seed):
    """Return matrices of other formats, each damaged in one way."""
    rng, huge = np.random.default_rng(seed), 2**30
    X = sp.coo_array(GOOD)
    X.coords[rng.integers(2)][rng.integers(X.nnz)] = huge
    yield "coordinates", X
    X = sp.lil_array(GOOD)
    X.rows[1] = [0, huge, 2][: len(X.rows[1])]
    yield "list", X
    X = sp.lil_array(GOOD)
    X.data[1] = [1.0] * 1000
    yield "a long list", X
    X = sp.lil_array(GOOD)
    X.data[1] = X.data[1][:-1]
    yield "a short list", X


def refuse_all(name):
    """Call a function with every damaged matrix; print what was accepted, or another error."""
    function, only_csr = calls()[name], name.startswith("theory.")
    function(sp.csr_array(GOOD))  # what is whole is taken
    seed = sum(name.encode())  # other places for each function
    kinds = ("csr",) if only_csr else ("csr", "csc", "bsr")
    for fault, X in chain(*(damaged(kind, seed) for kind in kinds), damaged_lists(seed)):
        try:
            function(X)
        except ValueError as error:
            if not only_csr and "damaged sparse matrix" not in str(error):
                print(f"{name}: {fault}: {error}")
        else:
            print(f"{name}: {fault} was accepted")
    print("done", name)


if __name__ == "__main__":
    for each in calls():
        refuse_all(each)


def test_a_damaged_matrix_is_refused():
    run = subprocess.run(
        [sys.executable, "-u", __file__], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-2000:] + run.stdout[-500:]
    assert run.stdout.splitlines() == [f"done {name}" for name in calls()]


TAKES_NO_SPARSE_ROWS = {"audit"}


def test_every_public_taker_of_rows_is_called():
    names = " ".join(calls())
    for name in rosenblatt.__all__:
        if name in TAKES_NO_SPARSE_ROWS:
            continue
        thing = getattr(rosenblatt, name)
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, callable):
                if (
                    not method.startswith("_")
                    and inspect.isfunction(function)
                    and takes_rows(function)
                ):
                    assert name in names, f"{name}.{method}"
        elif inspect.isfunction(thing) and takes_rows(thing):
            assert name in names, name
