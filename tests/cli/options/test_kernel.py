"""Kernel models in the command: options, models, progress bars, Ctrl-C."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import interrupt_at, spawn
from forked import Piped, command
from sklearn.datasets import load_digits

import rosenblatt
from rosenblatt import KernelPerceptron, kernels
from rosenblatt.cli.inputs.data import count_lines
from rosenblatt.cli.options.kernel import BATCH
from rosenblatt.cli.options.names import BUDGET_SCHEMES, kernels_with
from rosenblatt.models import describe
from rosenblatt.streams.core import options as stream_options

XOR = "0 1:-1 2:-1\n1 1:-1 2:1\n1 1:1 2:-1\n0 1:1 2:1\n"
VOTED = ["--kernel", "poly", "--degree", "4", "--coef0", "1", "--vote"]
TERMINAL = {"TERM": "xterm", "COLUMNS": "80"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a small file."""
    monkeypatch.chdir(tmp_path)
    Path("xor.svm").write_text(XOR)
    return tmp_path


def unnamed(path):
    """Load a model without its column names."""
    model = rosenblatt.load(path).classifier
    vars(model).pop("feature_names_in_", None)
    return model


# --- usage ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--kernel rbf --degree 4", "--degree goes with --kernel poly; got --kernel rbf"),
        (
            "--gamma 1",
            f"--gamma goes with --kernel {' or '.join(kernels_with('gamma'))}; --kernel is missing",
        ),
        ("--kernel linear --coef0 1", "--coef0 goes with --kernel poly or sigmoid"),
        ("--vote --gamma auto", "got --kernel linear"),
        ("--budget 5", "the linear learner stores no rows"),
        ("--kernel rbf --budget 0", "0 is not in the range"),
        ("--kernel rbf --budget 5 --average", "drops rows that --average needs"),
        ("--vote --budget 5", "drops rows that --vote needs"),
        ("--average --vote", "exclude each other"),
        ("--kernel rbf --penalty l2", "a kernel model has none"),
        ("--kernel rbf --budget-scheme random", "give --budget N"),
        ("--kernel rbf --budget 5 --budget-scheme forgetron --rule pa", "--rule perceptron only"),
        ("--expansion --penalty l1", "a penalty changes the weights, too"),
        ("--expansion --vote", "always stores its rows"),
        ("--expansion --rule arow", "w is no sum of rows"),
        ("--rule scw1 --penalty l1", "it changes weights its own way"),
        ("--rule adagrad --kernel rbf", "a kernel model is a sum of rows"),
        ("--kernel rbf --gamma -1", "neither a number above 0 nor 'scale' nor 'auto'"),
        ("--kernel rbf --gamma wide", "neither a number above 0"),
        ("--kernel poly --coef0 nan", "not a finite number"),
        ("--kernel poly --degree 0", "0 is not in the range"),
        ("--kernel gauss", "'rbf'"),
    ],
)
def test_conflicting_options_are_refused(folder, call, options, why):
    status, out, err = call("train", "xor.svm", "-m", "m", *options.split())
    assert (status, out) == (2, "")
    assert why in " ".join(err.split())
    assert not Path("m").exists()


# --- train ----------------------------------------------------------------------------------------


def test_train_equals_the_estimator_without_shuffling(folder, call):
    args = ("train", "sklearn:digits", "-m", "m", "--epochs", 2, "--json", *VOTED)
    status, out, err = call(*args)
    record = json.loads(out)
    X, y = load_digits(return_X_y=True)
    gamma = 1.0 / (64 * X[:BATCH].var())
    same = KernelPerceptron("poly", degree=4, coef0=1.0, gamma=gamma, output="vote", shuffle=False)
    for _ in range(2):
        same.partial_fit(X, y)
    model = unnamed("m")
    assert status == 0
    assert model.gamma == pytest.approx(gamma, rel=1e-12)
    assert np.array_equal(model.dual_coef_, same.dual_coef_)
    assert np.array_equal(model.predict(X), same.predict(X))
    assert (record["kernel"], record["support"]) == ("poly", len(same.support_))
    assert record["norm"] == pytest.approx(record["progress"][-1]["norm"])
    assert record["mistakes"] == same.mistakes_
    for word in ("perceptron, voted", "c = 1, d = 4", f"{record['support']:,} rows of 1,797"):
        assert word in err
    assert "epoch 2" in err


def test_xor_needs_a_polynomial_kernel(folder, call):
    def errors(*options):
        args = ("train", "xor.svm", "-m", "m", "-q", "--epochs", 50, *options)
        assert call(*args) == (0, "", "")
        return json.loads(call("evaluate", "m", "xor.svm", "--json")[1])["errors"]

    assert errors("--kernel", "poly", "--degree", 2, "--coef0", 1, "--gamma", 1) == 0
    assert errors("--kernel", "rbf", "--gamma", 1) == 0
    assert errors("--kernel", "linear") > 0


def test_vote_without_kernel_is_linear(folder, call):
    digests = []
    for options in (["--vote"], ["--vote", "--kernel", "linear"]):
        assert call("train", "sklearn:wine", "-m", "m", "-q", "--shuffle", *options)[0] == 0
        digests.append(describe("m")["sha256"])
    assert digests[0] == digests[1]
    assert rosenblatt.load("m").classifier.output == "vote"


@pytest.mark.parametrize("scheme", BUDGET_SCHEMES)
def test_a_budget_is_kept(folder, call, scheme):
    args = ("--kernel", "rbf", "--shuffle", "--budget", 20, "--budget-scheme", scheme)
    status, out, err = call("train", "sklearn:digits", "-m", "m", "--json", *args)
    assert status == 0
    assert json.loads(out)["support"] == 20
    assert f"20 rows of 1,797 examples, at most 20 by {scheme}" in err
    assert len(rosenblatt.load("m").support_) == 20


def test_sparse_rows_that_widen(folder, call, monkeypatch):
    monkeypatch.setattr(stream_options, "BATCH_BYTES", 30)
    Path("wide.svm").write_text(XOR + "1 9:1\n0 3:1\n")
    args = ("--kernel", "intersection", "--average", "--epochs", 3, "--json", "-q")
    record = json.loads(call("train", "wide.svm", "-m", "m", *args)[1])
    assert (record["features"], record["average"]) == (9, True)
    assert call("predict", "m", "wide.svm")[1].count("\n") == 6


def test_the_linear_learner_with_expansion(folder, call):
    plain = json.loads(call("train", "sklearn:wine", "-m", "m", "--json", "-q")[1])
    assert plain["kernel"] is plain["support"] is None
    status, out, err = call("train", "sklearn:wine", "-m", "m", "--json", "--expansion")
    model = rosenblatt.load("m").classifier
    assert status == 0
    assert json.loads(out)["support"] == len(model.support_)
    assert np.allclose(model.dual_coef_ @ model.support_vectors_, model.coef_)
    line = f"{len(model.support_)} rows of 178 examples updated the weights"
    assert line in err
    assert line in call("inspect", "m")[1]


def test_overflowing_kernel_values_give_no_model(folder, call):
    args = ("--kernel", "poly", "--degree", 400, "--gamma", 9)
    status, out, err = call("train", "sklearn:digits", "-m", "m", *args)
    assert (status, out) == (1, "")
    last = err.splitlines()[-1]
    assert last.startswith("error: The kernel overflows float64")
    assert "smaller gamma or degree" in last
    assert not Path("m").exists()


# --- predict, evaluate, inspect -------------------------------------------------------------------


def test_scores_of_a_vote_are_shares(folder, call):
    assert call("train", "sklearn:digits", "-m", "m", "-q", *VOTED)[0] == 0
    X, y = load_digits(return_X_y=True)
    model = unnamed("m")
    answers = [
        json.loads(line)
        for line in call("predict", "m", "sklearn:digits", "--scores", "--json")[1].splitlines()
    ]
    scores = np.array([list(answer["scores"].values()) for answer in answers])
    assert np.abs(scores).max() <= 1.0
    assert np.allclose(scores, model.decision_function(X), atol=1e-12)
    record = json.loads(call("evaluate", "m", "sklearn:digits", "--json")[1])
    assert record["errors"] == np.count_nonzero(model.predict(X) != y)


def test_inspect_shows_kernel_and_support(folder, call):
    assert call("train", "sklearn:digits", "-m", "m", "-q", *VOTED)[0] == 0
    model = rosenblatt.load("m").classifier
    record = json.loads(call("inspect", "m", "--json", "--top", 2)[1])
    kernel = {"name": "poly", "degree": 4, "gamma": model.gamma_, "coef0": 1.0}
    assert record["kernel"] == kernel
    assert record["support"] == len(model.support_)
    assert record["weights"] == {}
    assert record["norm"] == model._norm()
    assert record["norm"] ** 2 == pytest.approx(
        sum(r["norm"] ** 2 for r in record["rows"].values())
    )
    slots = {number: s for s, number in enumerate(model.support_.tolist())}
    for k, side in enumerate(record["rows"].values()):
        coefs = model.dual_coef_[k]
        assert side["rows"] == np.count_nonzero(coefs)
        assert side["positive"][0][1] == coefs.max()
        assert side["negative"][0][1] == coefs.min()
        for number, coefficient, epoch in side["positive"] + side["negative"]:
            assert epoch == 1
            assert coefs[slots[number]] == coefficient
    out = call("inspect", "m", "--top", 2)[1]
    for word in (
        "Heaviest rows",
        "of 1,797 examples",
        "predictions are votes of the weights of all steps",
    ):
        assert word in out
    assert "Features of the largest" not in out


def test_inspect_of_a_linear_kernel_shows_features(folder, call):
    args = ("--kernel", "linear", "--average", "--shuffle", "-q")
    assert call("train", "sklearn:breast_cancer", "-m", "m", *args)[0] == 0
    model = rosenblatt.load("m").classifier
    record = json.loads(call("inspect", "m", "--json", "--top", 1)[1])
    coef = (model.dual_coef_ @ model.support_vectors_)[0]
    assert list(record["rows"]) == list(record["weights"]) == ["malignant"]
    name, weight = record["weights"]["malignant"]["positive"][0]
    assert name == model.feature_names_in_[coef.argmax()]
    assert weight == coef.max()
    out = call("inspect", "m")[1]
    assert out.index("Heaviest rows") < out.index("Features of the largest weights")
    assert f"row {record['rows']['malignant']['positive'][0][0]} " in out
    assert "predictions use the average over all steps" in out


def test_a_kernel_of_another_name_from_python(folder, call):
    X, y = load_digits(return_X_y=True)
    model = KernelPerceptron(kernels.RBF(0.001), max_iter=1, tol=None).fit(X[:200], y[:200])
    rosenblatt.save(model, "m")
    record = json.loads(call("inspect", "m", "--json")[1])
    assert record["kernel"] == {"name": "RBF", "gamma": 0.001}
    assert "γ = 0.001" in call("inspect", "m")[1]
    rosenblatt.save(KernelPerceptron("precomputed").fit(X[:50] @ X[:50].T, y[:50]), "m")
    assert json.loads(call("inspect", "m", "--json")[1])["kernel"] == {"name": "precomputed"}
    assert "precomputed" in call("inspect", "m")[1]


# --- batches, bars and interrupts -----------------------------------------------------------------


def test_count_lines_of_plain_files_only(folder):
    Path("xor.svm.gz").write_bytes(b"")
    counts = [count_lines(name) for name in ("xor.svm", "xor.svm.gz", "-", "sklearn:iris")]
    assert counts == [4, 0, 0, 0]


def test_evaluate_shows_a_transient_progress_bar(folder, call, monkeypatch):
    Path("many.svm").write_text(XOR * 2000)
    assert call("train", "xor.svm", "-m", "m", "-q", "--kernel", "rbf")[0] == 0
    monkeypatch.setattr("rosenblatt.cli.inputs.batches._QUIET_SECONDS", 0.0)
    monkeypatch.setattr("rosenblatt.cli.display.status_line._REFRESH_SECONDS", 0.0)
    main, other = os.openpty()
    with os.fdopen(other, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        assert call("evaluate", "m", "many.svm")[0] == 0
        terminal.flush()
        shown = os.read(main, 1 << 16).decode()
    os.close(main)
    assert "of 8,000" in shown
    assert shown.endswith("\x1b[2K")  # the line is wiped


def test_ctrl_c_saves_a_kernel_model(folder):
    process = spawn(
        *("train", "-", "-m", "m", "--kernel", "rbf", "--gamma", 1),
        env=TERMINAL,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    err = interrupt_at(process, XOR * 1000, "4,096")
    assert process.wait(timeout=60) == 130
    assert err.splitlines()[-1].startswith("interrupted: stopped after ")
    assert "rbf exp(−γ‖x − x'‖²), γ = 1" in err
    model = rosenblatt.load("m")
    assert model.t_ > 4096
    assert len(model.support_) == 4
    assert model.predict([[-1.0, 1.0], [1.0, 1.0]]).tolist() == [1, 0]
    assert describe("m")["notes"]["interrupted"] is True


def test_a_terminal_shows_a_bar_in_every_shuffled_epoch(folder):
    Path("many.svm").write_text(XOR * 5000)
    main, other = pty.openpty()
    args = ("many.svm", "-m", "m", "--kernel", "rbf", "--gamma", 1, "--shuffle", "--epochs", 2)
    at_once = "from rosenblatt.cli.display import status_line as s; s._REFRESH_SECONDS = 0.0\n"
    process = Piped(at_once + command("train", *args), env=os.environ | TERMINAL, stderr=other)
    os.close(other)
    shown = b""
    try:
        while piece := os.read(main, 1 << 16):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(main)
    assert process.wait(timeout=60) == 0
    assert re.search(r"epoch 1 of 2.*of 20,000", shown.decode())
