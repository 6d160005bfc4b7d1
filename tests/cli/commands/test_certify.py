"""The commands certify and verify, and train --certify: output, files and refusals."""

import json
import os
import re
import signal
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command import TABLE, joined, spawn
from profiles import share
from real_data import real_data
from sklearn.datasets import dump_svmlight_file

from rosenblatt import certify
from rosenblatt.proofs import Certificate, Certificates
from rosenblatt.streams import open_stream

pytestmark = pytest.mark.usefixtures("wide")

TOUCHING = "a,b,kind\n0,1,yes\n0,2,no\n1,5,yes\n0,3,yes\n0,0,no\n"
MIXED = "a,kind\n0,yes\n1,no\n2,yes\n3,no\n"
TWINS = "+1 1:1 2:2\n-1 1:1 2:2\n+1 2:1\n-1 1:3\n"
KEYS = (
    "status numbers computed margin radius mistake_bound rows ids equal_rows weights diverging "
    "features coef intercept mistakes epochs converged examples n_features classes positive "
    "negative fit_intercept verified seconds"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a file of each status."""
    monkeypatch.chdir(tmp_path)
    Path("apart.csv").write_text(TABLE)
    Path("touching.csv").write_text(TOUCHING)
    Path("mixed.csv").write_text(MIXED)
    Path("twins.svm").write_text(TWINS)
    return tmp_path


# --- screen ---------------------------------------------------------------------------------------


def test_separable_rows_have_a_margin_and_a_bound(folder, call):
    status, out, err = call("certify", "apart.csv")
    assert (status, err) == (0, "")
    assert out.startswith("Separable. A hyperplane separates the classes, with a margin of ")
    assert "yes (positive, 2 rows), no (negative, 2 rows)" in out
    assert "in any order of the rows (Novikoff: (R² + 1)/γ², γ ≥ " in out
    assert "Support rows" in out
    assert "no finite maximum-likelihood estimate: use a penalty" in out
    assert "verified      in exact arithmetic, in " in out


def test_quasi_separable_rows_have_diverging_coefficients(folder, call):
    status, out, _ = call("certify", "touching.csv")
    assert status == 0
    assert out.startswith("Quasi-separable. No hyperplane has every row strictly on its own side")
    assert "a → +∞" in out
    assert "all other coefficients that the rows determine stay finite" in out
    advice = "use a penalty (Firth's, say), or reconsider the feature"
    assert f"no finite maximum-likelihood estimate: {advice}" in joined(out)
    assert "1 row strictly on the right side, 4 rows on it, none on the wrong side" in out
    assert "Novikoff" not in out


def test_the_words_of_the_table_of_classes_are_explained(folder, call):
    Path("three.csv").write_text("a,kind\n-1,A\n0,A\n0,B\n1,B\n5,C\n")
    out = call("certify", "three.csv")[1]
    assert "quasi-separable  a hyperplane has no row on the wrong side, but some rows on it" in out
    assert "diverging        coefficients that a logistic regression drives to ±∞" in out
    Path("mixed3.csv").write_text("a,kind\n0,A\n1,B\n2,C\n3,A\n4,B\n5,C\n")
    out = call("certify", "mixed3.csv")[1]
    assert "3 inseparable" in out
    assert "no row on the wrong side" not in out
    assert "logistic" not in out


def test_inseparable_rows_have_a_zero_combination(folder, call):
    status, out, _ = call("certify", "mixed.csv")
    assert status == 0
    assert out.startswith("Inseparable. The classes overlap")
    assert "the maximum-likelihood estimate exists" in out
    assert "rows that prove it  Σ λ y (x, 1) = 0, λ > 0; row numbers start at 0" in out
    assert "margin        none" in out


def test_equal_rows_of_opposite_classes(folder, call):
    out = call("certify", "twins.svm")[1]
    heading, *table = out[out.index("Two equal rows") :].splitlines()
    assert heading == "Two equal rows of opposite classes  row numbers start at 0"
    assert [line.split()[:4] for line in table[1:]] == [list("0111"), ["1", "2", "-1", "1"]]


def test_features_without_names_are_numbered_from_the_index_base(folder, call):
    for base in (0, 1):
        twins = "".join(f"{y} {base + 1}:{x}\n" for y in ("+1", "-1") for x in (0, 1))
        Path("plain.svm").write_text(f"+1 {base}:1\n{twins}")
        assert f"x{base} → +∞" in call("certify", "plain.svm", "--index-base", base)[1]


def test_no_intercept_means_a_hyperplane_through_the_origin(folder, call):
    Path("far.csv").write_text("a,kind\n1,no\n3,yes\n")
    assert call("certify", "far.csv")[1].startswith("Separable. A hyperplane separates")
    status, out, _ = call("certify", "far.csv", "--no-intercept")
    assert status == 0
    assert out.startswith("Inseparable. ")
    assert "hyperplane through the origin" in joined(out)
    assert "Σ λ y x = 0" in out
    record = json.loads(call("certify", "far.csv", "--no-intercept", "--json")[1])
    assert (record["fit_intercept"], record["intercept"]) == (False, 0.0)


def test_the_tolerance_reaches_the_search(folder, call):
    record = json.loads(call("certify", "sklearn:wine", "--tol", "0.5", "--json")[1])
    assert record["verified"]
    for tol in ("0", "1"):
        assert call("certify", "apart.csv", "--tol", tol)[0] == 2


def test_several_classes_are_certified_one_vs_rest(folder, call):
    status, out, _ = call("certify", "sklearn:iris")
    assert status == 0
    assert out.startswith("3 classes, each against the rest: 1 separable, 2 inseparable.")
    lines = {line.split()[0]: line for line in out.splitlines() if line}
    assert "margin 0.8176" in lines["setosa"]
    assert "rows with Σ λ y (x, 1) = 0" in lines["versicolor"]


@pytest.mark.parametrize(
    ("data", "columns"),
    [
        (data, columns)
        for turn, data in enumerate(["touching.csv", "apart.csv", "mixed.csv", "sklearn:iris"])
        for columns in share(["40", "80", "120"], 3, turn)
    ],
)
def test_output_fits_narrow_terminals(folder, call, monkeypatch, columns, data):
    monkeypatch.setenv("COLUMNS", columns)
    for args in (("certify", data, "--proof", "p"), ("verify", "p", data)):
        status, out, _ = call(*args)
        assert status == 0
        lines = [line for line in out.splitlines() if not line.startswith("next ")]
        assert max(map(len, lines)) <= min(int(columns), 100)
        if args[0] == "certify":  # a wrapped command could not be pasted
            assert re.search(rf"^next +rosenblatt verify p {data}$", out, re.M)


# --- JSON -----------------------------------------------------------------------------------------


def test_json_of_two_classes(folder, call):
    record = json.loads(call("certify", "apart.csv", "--json")[1])
    assert set(record) == {*KEYS.split(), "bad_rows"}
    proof = certify(*open_stream("apart.csv").read())
    assert record["status"] == "separable"
    assert record["margin"] == list(proof.margin)
    assert record["mistake_bound"] == proof.mistake_bound
    assert [int(weight) for weight in record["weights"]] == list(proof.weights)
    assert record["features"] == ["a", "b"]
    assert record["classes"] == ["no", "yes"]
    assert (record["positive"], record["negative"]) == ("yes", "no")
    assert (record["examples"], record["n_features"], record["verified"]) == (4, 2, True)


def test_json_has_no_infinity(folder, call):
    record = json.loads(call("certify", "mixed.csv", "--json")[1], parse_constant=pytest.fail)
    assert record["mistake_bound"] is None
    assert record["coef"] is None
    assert record["margin"] == [0.0, 0.0]
    assert record["diverging"] == [0]


def test_json_of_several_classes(folder, call):
    record = json.loads(call("certify", "sklearn:iris", "--json")[1])
    assert set(record) == {"status", "verified", "seconds", "classes", "bad_rows"}
    assert (record["status"], record["verified"]) == ("inseparable", True)
    assert list(record["classes"]) == ["setosa", "versicolor", "virginica"]
    setosa = record["classes"]["setosa"]
    assert set(setosa) == set(KEYS.split()) - {"classes"}
    assert (setosa["status"], setosa["negative"]) == ("separable", None)


# --- undecided ------------------------------------------------------------------------------------


def test_undecided_has_its_own_exit_status(folder, call, rng):
    dump_svmlight_file(rng.standard_normal((400, 200)), rng.integers(0, 2, 400), "long.svm")
    status, out, err = call("certify", "long.svm", "--time-limit", 0, "--proof", "p")
    assert (status, err) == (4, "")
    assert out.startswith("Undecided. A separating hyperplane was neither found nor excluded")
    status, out, _ = call("certify", "long.svm", "--time-limit", 0, "--json")
    assert (status, json.loads(out)["status"]) == (4, "undecided")
    assert json.loads(out)["verified"]
    assert call("verify", "p", "long.svm")[0] == 0  # what it does claim holds


def test_one_undecided_class_makes_the_status_undecided(folder, call, monkeypatch):
    proofs = certify(*open_stream("sklearn:iris").read())
    empty = {"rows": np.zeros(0, np.int64), "weights": (), "overlap": None}
    late = replace(proofs["virginica"], status="undecided", margin=(0.0, np.inf), **empty)
    undecided = Certificates({**proofs, "virginica": late})
    monkeypatch.setattr(
        "rosenblatt.cli.inputs.proofs.find_proof", lambda X, y, **options: undecided
    )
    status, out, _ = call("certify", "sklearn:iris")
    assert status == 4
    assert "1 separable, 1 inseparable, 1 undecided" in out
    record = json.loads(call("certify", "sklearn:iris", "--json")[1])
    assert record["status"] == "undecided"
    assert record["classes"]["virginica"]["margin"] == [0.0, None]


# --- the proof ------------------------------------------------------------------------------------


def test_the_proof_path_is_checked_before_the_search(folder, call, monkeypatch):
    def never(*args, **options):
        raise AssertionError("no search is expected")

    monkeypatch.setattr("rosenblatt.cli.inputs.proofs.find_proof", never)
    Path("folder").mkdir()
    for path, problem in (
        ("none/p", "there is no folder"),
        ("folder", "is a folder"),
        ("apart.csv", "is the input data"),
        ("mixed.csv", "is no proof, so it is not overwritten"),
        ("/proc/p", "cannot be written"),
    ):
        status, _, err = call("certify", "apart.csv", "--proof", path)
        assert status == 1
        assert err.startswith(f"error: {path}: ")
        assert problem in err
    assert Path("apart.csv").read_text() == TABLE
    assert Path("mixed.csv").read_text() == MIXED


def test_a_proof_may_be_replaced(folder, call):
    assert call("certify", "apart.csv", "--proof", "p")[0] == 0
    assert call("certify", "mixed.csv", "--proof", "p")[0] == 0
    assert Certificate.load("p").status == "inseparable"


def test_a_proof_that_does_not_hold_is_a_failure(folder, call, monkeypatch):
    wrong = replace(certify(*open_stream("apart.csv").read()), margin=(9.0, 9.5))
    monkeypatch.setattr("rosenblatt.cli.inputs.proofs.find_proof", lambda X, y, **options: wrong)
    for command in (("certify", "apart.csv"), ("train", "apart.csv", "-m", "m", "--certify")):
        status, out, err = call(*command, "--json")
        record = json.loads(out)
        assert not record.get("certificate", record)["verified"]
        assert status == 1
        assert "the proof does not hold: every row " in err


# --- the data -------------------------------------------------------------------------------------


def test_a_pipe_can_be_certified_and_verified(folder, call):
    out = call("certify", "-", "--json", stdin=TABLE)[1]
    assert json.loads(out)["status"] == "separable"
    call("certify", "apart.csv", "--proof", "p")
    assert call("verify", "p", "-", stdin=TABLE)[0] == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,y\n1,0.5\n2,1.5\n", "hold 0.5, a measurement, not a class"),
        ("a,y\n1,no\n2,no\n", "every label is no; separability takes two classes"),
        ("a,y\n1,no\nx,yes\n", "bad.csv:3:1: column 'a': found 'x'"),
        ("", "no rows"),
    ],
)
def test_bad_data_is_refused_by_certify_and_verify(folder, call, text, problem):
    Path("bad.csv").write_text(text)
    call("certify", "apart.csv", "--proof", "p")
    for command in (("certify",), ("verify", "p")):
        status, out, err = call(*command, "bad.csv")
        assert (status, out) == (3, "")
        assert problem in err


def test_rows_without_features_are_bad_data(folder, call):
    Path("bare.svm").write_text("1\n-1\n")
    status, _, err = call("certify", "bare.svm", "--format", "svmlight")
    assert status == 3
    assert "no features" in err


def test_usage(folder, call):
    for args, hint in (
        (["certify", "apart.csv", "--time-limit", "-1"], "not in the range"),
        (["certify", "twins.svm", "--target", "a"], "--target does not go with"),
        (["certify", "apart.csv", "extra"], "certify --help"),
        (["verify", "p", "d", "extra"], "verify --help"),
    ):
        status, out, err = call(*args)
        assert (status, out) == (2, "")
        assert hint in err


def test_ctrl_c_prints_one_line(folder):
    os.mkfifo("rows.csv")
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    process = spawn("certify", "rows.csv", "--proof", "p", **pipes)
    with Path("rows.csv").open("w") as rows:
        rows.write(TABLE)
        rows.flush()
        for _ in range(600):  # until it waits for more
            if "pipe" in Path(f"/proc/{process.pid}/wchan").read_text():
                break
            threading.Event().wait(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "interrupted: stopped."
    assert not Path("p").exists()


# --- train --certify ------------------------------------------------------------------------------


def test_train_certify_adds_a_certificate(folder, call):
    args = ("train", "apart.csv", "-m", "m", "--certify", "--json")
    status, out, err = call(*args)
    record = json.loads(out)["certificate"]
    assert status == 0
    wanted = {"status", "numbers", "computed", "margin", "mistake_bound", "mistakes"}
    wanted |= {"verified", "seconds"}
    assert set(record) == wanted
    assert (record["status"], record["verified"]) == ("separable", True)
    assert re.search("certificate +separable: a plain perceptron makes at most", err)
    assert "verified in exact arithmetic" in err


def test_train_certify_of_inseparable_rows(folder, call):
    for data, status in (("mixed.csv", "inseparable"), ("touching.csv", "quasi-separable")):
        err = call("train", data, "-m", "m", "--certify")[2]
        assert f"{status}: every epoch of a perceptron makes a mistake" in err
        assert ("; a hyperplane has no row" in joined(err)) == (status == "quasi-separable")


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_train_certify_has_the_verdict_of_certify_on_decimals(folder, call, suffix):
    """The second point is the middle of the others in decimals, and not in floats."""
    rows = [(0.1, 0.3, "no"), (0.2, 0.6, "yes"), (0.3, 0.9, "no"), (0.5, 0.1, "yes")]
    if suffix == "csv":
        text = "a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in rows)
    else:
        text = "".join(json.dumps({"a": a, "b": b, "y": y}) + "\n" for a, b, y in rows)
    Path(data := f"d.{suffix}").write_text(text)
    alone = json.loads(call("certify", data, "--target", "y", "--json")[1])
    train = ("train", data, "--target", "y", "-m", "m", "--certify", "--report", "r.html")
    status, out, err = call(*train, "--epochs", 20, "--json")
    record = json.loads(out)["certificate"]
    assert (status, record["status"], record["numbers"]) == (0, "quasi-separable", "decimal")
    assert {key: record[key] for key in ("status", "margin", "numbers", "computed")} == {
        key: alone[key] for key in ("status", "margin", "numbers", "computed")
    }
    assert "about the decimals that are written, exactly" in joined(err)
    assert "the classes are quasi-separable" in Path("r.html").read_text()


def test_train_certify_of_a_margin_below_the_rounding_of_floats(folder, call):
    """The floats of these rows are equal: no bound on the run follows from the decimals."""
    Path("d.csv").write_text("a,b,y\n0.1,1,no\n0.10000000000000000001,1,yes\n0.3,2,no\n")
    train = ("train", "d.csv", "--target", "y", "-m", "m", "--certify", "--report", "r.html")
    status, out, _ = call(*train, "--rule", "perceptron", "--epochs", 9, "--json")
    assert (status, json.loads(out)["certificate"]["status"]) == (0, "separable")
    page = Path("r.html").read_text()
    assert "the floats that were learned are off the decimals by about as much" in page
    assert "✗" not in page


def test_train_certify_of_several_classes(folder, call):
    args = ("train", "sklearn:iris", "-m", "m", "--certify", "--json")
    _, out, err = call(*args)
    record = json.loads(out)["certificate"]
    assert record["status"] == "inseparable"
    assert record["classes"]["setosa"]["status"] == "separable"
    assert "each class against the rest: 1 separable, 2 inseparable" in err


def test_train_without_certify_has_no_certificate(folder, call):
    _, out, err = call("train", "apart.csv", "-m", "m", "--json")
    assert json.loads(out)["certificate"] is None
    assert "certificate" not in err


@pytest.mark.parametrize("more", [(), ("--shuffle",)])
def test_train_certify_refuses_pipes(folder, call, more):
    status, _, err = call("train", "-", "-m", "m", "--certify", *more, stdin=TABLE)
    assert status == 2
    assert "--certify reads DATA again, but standard input can be read only once" in err
    assert not Path("m").exists()


@pytest.mark.parametrize(
    "data", ["apart.csv", "touching.csv", "mixed.csv", "twins.svm", "sklearn:iris", "sklearn:wine"]
)
def test_convergence_and_certificate_agree(folder, call, data):
    train = ("train", data, "-m", "m", "--rule", "perceptron", "--epochs", 200)
    record = json.loads(call(*train, "-q", "--json", "--certify")[1])
    if record["converged"]:
        assert record["certificate"]["status"] == "separable"
    if data in ("apart.csv", "touching.csv", "mixed.csv", "twins.svm"):
        assert record["converged"] == (data == "apart.csv")


# --- real data ------------------------------------------------------------------------------------


def test_endometrial_cancer(folder, call):
    data = real_data("separation", "endometrial.csv")
    status, out, _ = call("certify", data, "--proof", "p")
    assert status == 0
    assert "NV → +∞" in out
    assert "13 rows strictly on the right side, 66 rows on it" in out
    record = json.loads(call("certify", data, "--json")[1])
    assert (record["status"], record["verified"]) == ("quasi-separable", True)
    assert record["features"] == ["NV", "PI", "EH"]
    assert record["diverging"] == [1, 0, 0]
    assert call("verify", "p", data)[0] == 0


def test_adult_has_two_equal_rows(folder, call):
    out = call("certify", real_data("a1a", "a1a.xz"), "--format", "svmlight")[1]
    assert "Two equal rows of opposite classes" in out
    assert out.startswith("Quasi-separable. ")
