"""The commands certify and verify, and train --certify: what they say, write and refuse."""

import json
import os
import signal
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command import spawn
from real_data import real_data
from sklearn.datasets import dump_svmlight_file

from rosenblatt import certify
from rosenblatt.cli.display import certificates
from rosenblatt.proofs import Certificate, Certificates
from rosenblatt.streams import open_stream

APART = "a,b,kind\n1,2,yes\n-1,0,no\n3,1,yes\n-2,0,no\n"
TOUCHING = "a,b,kind\n0,1,yes\n0,2,no\n1,5,yes\n0,3,yes\n0,0,no\n"
MIXED = "a,kind\n0,yes\n1,no\n2,yes\n3,no\n"
TWINS = "+1 1:1 2:2\n-1 1:1 2:2\n+1 2:1\n-1 1:3\n"
KEYS = (
    "status margin radius mistake_bound rows weights diverging features coef intercept mistakes "
    "epochs converged examples n_features classes positive negative fit_intercept verified seconds"
)


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """A screen of 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    Path("apart.csv").write_text(APART)
    Path("touching.csv").write_text(TOUCHING)
    Path("mixed.csv").write_text(MIXED)
    Path("twins.svm").write_text(TWINS)
    return tmp_path


def told(text):
    """What is printed, without its line breaks."""
    return " ".join(text.split())


# --- the answer ----------------------------------------------------------------------------------


def test_separable_rows_have_a_margin_and_a_bound(folder, call):
    status, out, err = call("certify", "apart.csv")
    assert (status, err) == (0, "")
    assert out.startswith("Separable. A hyperplane puts every row on its side, with a margin of ")
    assert "yes (positive, 2 rows), no (negative, 2 rows)" in out
    assert "in any order of the rows (Novikoff)" in out
    assert "Support rows" in out
    assert "no finite maximum-likelihood estimate: use a penalty" in out
    assert "verified      in exact arithmetic, in " in out


def test_quasi_separable_rows_send_an_estimate_to_infinity(folder, call):
    status, out, _ = call("certify", "touching.csv")
    assert status == 0
    assert out.startswith("Quasi-separable. No hyperplane puts every row strictly on its own side")
    assert "a → +∞" in out
    assert "all others stay finite" in out
    advice = "use a penalty (Firth's, say), or reconsider the feature"
    assert f"no finite maximum-likelihood estimate: {advice}" in out
    assert "1 row strictly on the right side, 4 rows on it, none on the wrong side" in out
    assert "Novikoff" not in out


def test_inseparable_rows_cancel(folder, call):
    status, out, _ = call("certify", "mixed.csv")
    assert status == 0
    assert out.startswith("Inseparable. The classes overlap")
    assert "the maximum-likelihood estimate exists" in out
    assert "rows that prove it  Σ λ y (x, 1) = 0, λ > 0; row numbers start at 0" in out
    assert "margin        none" in out


def test_equal_rows_of_opposite_classes_are_called_so(folder, call):
    out = call("certify", "twins.svm")[1]
    heading, *table = out[out.index("Two equal rows") :].splitlines()
    assert heading == "Two equal rows of opposite classes  row numbers start at 0"
    assert [line.split()[:3] for line in table[1:]] == [["0", "1", "1"], ["1", "-1", "1"]]


def test_a_feature_without_a_name_counts_from_the_index_base(folder, call):
    for base in (0, 1):
        twins = "".join(f"{y} {base + 1}:{x}\n" for y in ("+1", "-1") for x in (0, 1))
        Path("plain.svm").write_text(f"+1 {base}:1\n{twins}")
        assert f"x{base} → +∞" in call("certify", "plain.svm", "--index-base", base)[1]


def test_without_an_intercept_the_plane_holds_the_origin(folder, call):
    Path("far.csv").write_text("a,kind\n1,no\n3,yes\n")
    assert call("certify", "far.csv")[1].startswith("Separable. A hyperplane puts")
    status, out, _ = call("certify", "far.csv", "--no-intercept")
    assert status == 0
    assert out.startswith("Inseparable. ")
    assert "hyperplane through the origin" in told(out)
    assert "Σ λ y x = 0" in out
    record = json.loads(call("certify", "far.csv", "--no-intercept", "--json")[1])
    assert (record["fit_intercept"], record["intercept"]) == (False, 0.0)


def test_a_wider_tolerance_is_passed_on(folder, call):
    record = json.loads(call("certify", "sklearn:wine", "--tol", "0.5", "--json")[1])
    assert record["verified"]
    for tol in ("0", "1"):
        assert call("certify", "apart.csv", "--tol", tol)[0] == 2


def test_several_classes_are_each_asked_against_the_rest(folder, call):
    status, out, _ = call("certify", "sklearn:iris")
    assert status == 0
    assert out.startswith("3 classes, each against the rest: 1 separable, 2 inseparable.")
    lines = {line.split()[0]: line for line in out.splitlines() if line}
    assert "margin 0.8176" in lines["setosa"]
    assert "rows with Σ λ y x = 0" in lines["versicolor"]


@pytest.mark.parametrize("columns", ["40", "80", "120"])
@pytest.mark.parametrize("data", ["touching.csv", "apart.csv", "mixed.csv", "sklearn:iris"])
def test_every_screen_is_wide_enough(folder, call, monkeypatch, columns, data):
    monkeypatch.setenv("COLUMNS", columns)
    for args in (("certify", data, "--proof", "p"), ("verify", "p", data)):
        status, out, _ = call(*args)
        assert status == 0
        assert max(map(len, out.splitlines())) <= min(int(columns), 100)


def test_many_rows_are_told_by_the_heaviest():
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2
    proof = certify(X, y)
    many = replace(proof, rows=np.arange(40), weights=tuple(range(1, 41)))
    assert certificates.row_table(many, y).row_count == 12
    assert (
        certificates.omitted_rows(many, saved=True) == "… and 28 with smaller weights, in the proof"
    )
    exact = replace(proof, rows=np.arange(2), weights=(10**20, 10**5000))
    assert certificates.row_table(exact, y).row_count == 2
    assert "--proof FILE" in certificates.omitted_rows(exact, saved=False)


# --- what programs read --------------------------------------------------------------------------


def test_one_object(folder, call):
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


def test_an_object_for_each_class(folder, call):
    record = json.loads(call("certify", "sklearn:iris", "--json")[1])
    assert set(record) == {"status", "verified", "seconds", "classes", "bad_rows"}
    assert (record["status"], record["verified"]) == ("inseparable", True)
    assert list(record["classes"]) == ["setosa", "versicolor", "virginica"]
    setosa = record["classes"]["setosa"]
    assert set(setosa) == set(KEYS.split()) - {"classes"}
    assert (setosa["status"], setosa["negative"]) == ("separable", None)


# --- undecided -----------------------------------------------------------------------------------


def test_undecided_has_a_status_of_its_own(folder, call, rng):
    dump_svmlight_file(rng.standard_normal((400, 200)), rng.integers(0, 2, 400), "long.svm")
    status, out, err = call("certify", "long.svm", "--time-limit", 0, "--proof", "p")
    assert (status, err) == (4, "")
    assert out.startswith("Undecided. Whether a hyperplane separates the classes is open")
    status, out, _ = call("certify", "long.svm", "--time-limit", 0, "--json")
    assert (status, json.loads(out)["status"]) == (4, "undecided")
    assert json.loads(out)["verified"]
    assert call("verify", "p", "long.svm")[0] == 0  # what it does claim holds


def test_one_undecided_class_is_enough(folder, call, monkeypatch):
    proofs = certify(*open_stream("sklearn:iris").read())
    empty = {"rows": np.zeros(0, np.int64), "weights": (), "overlap": None}
    late = replace(proofs["virginica"], status="undecided", margin=(0.0, np.inf), **empty)
    known = Certificates({**proofs, "virginica": late})
    monkeypatch.setattr("rosenblatt.proofs.certify", lambda X, y, **asked: known)
    status, out, _ = call("certify", "sklearn:iris")
    assert status == 4
    assert "1 separable, 1 inseparable, 1 undecided" in out
    record = json.loads(call("certify", "sklearn:iris", "--json")[1])
    assert record["status"] == "undecided"
    assert record["classes"]["virginica"]["margin"] == [0.0, None]


# --- the proof -----------------------------------------------------------------------------------


def test_a_proof_is_written_and_holds(folder, call):
    status, out, _ = call("certify", "apart.csv", "--proof", "apart.json")
    assert status == 0
    assert "rosenblatt verify apart.json DATA" in out
    proof = Certificate.load("apart.json")
    assert proof.feature_names == ("a", "b")
    status, out, err = call("verify", "apart.json", "apart.csv")
    assert (status, err) == (0, "")
    assert "✓ the certificate is well-formed" in out
    assert "Every claim holds: Separable. " in out
    assert "✗" not in out


def test_proofs_of_several_classes_are_one_line_each(folder, call):
    call("certify", "sklearn:iris", "--proof", "iris.json")
    status, out, _ = call("verify", "iris.json", "sklearn:iris")
    assert status == 0
    assert [line.split(", ")[0] for line in out.splitlines()[:3]] == [
        "✓ setosa: separable",
        "✓ versicolor: inseparable",
        "✓ virginica: inseparable",
    ]
    record = json.loads(call("verify", "iris.json", "sklearn:iris", "--json")[1])
    assert (record["verified"], record["failed"]) == (True, None)
    assert {claim["class"] for claim in record["claims"]} == {"setosa", "versicolor", "virginica"}


def test_a_proof_of_other_data_does_not_hold(folder, call):
    call("certify", "apart.csv", "--proof", "apart.json")
    Path("other.csv").write_text(APART.replace("3,1", "3,2"))
    status, out, err = call("verify", "apart.json", "other.csv")
    assert status == 1
    assert out.splitlines()[-1] == "✗ the data has the proof's digest"
    assert err.startswith("error: apart.json does not hold for other.csv: the data are those of")
    assert "read otherwise: give --target" in err
    status, out, _ = call("verify", "apart.json", "other.csv", "--json")
    record = json.loads(out)
    assert set(record) == {"verified", "status", "failed", "claims", "seconds"}
    assert (status, record["verified"]) == (1, False)
    assert record["failed"].startswith("the data has the proof's digest: ")
    assert [claim["holds"] for claim in record["claims"]][-2:] == [True, False]


def test_the_class_that_fails_is_named(folder, call):
    call("certify", "sklearn:iris", "--proof", "iris.json")
    proofs = Certificate.load("iris.json")
    wrong = replace(proofs["versicolor"], diverging=np.ones(4, np.int8))
    Certificates({**proofs, "versicolor": wrong}).save("iris.json")
    status, out, err = call("verify", "iris.json", "sklearn:iris")
    assert status == 1
    assert out.splitlines()[1] == "✗ versicolor: diverging has the signs of the direction"
    assert "diverging has the signs" in err


def test_a_class_may_not_be_dropped(folder, call):
    call("certify", "sklearn:iris", "--proof", "iris.json")
    proofs = dict(Certificate.load("iris.json"))
    del proofs["versicolor"]
    Certificates(proofs).save("iris.json")
    status, out, err = call("verify", "iris.json", "sklearn:iris")
    assert status == 1
    assert out.splitlines() == ["✗ every class has its certificate"]
    assert "'versicolor' has none" in err


def test_the_same_options_read_the_same_rows(folder, call):
    args = ("--target", "a")
    Path("two.csv").write_text("a,b\n1,5\n2,6\n")
    assert call("certify", "two.csv", *args, "--proof", "two.json")[0] == 0
    assert call("verify", "two.json", "two.csv", *args)[0] == 0
    status, _, err = call("verify", "two.json", "two.csv")
    assert status == 1
    assert "read otherwise" in err


def test_an_edited_proof_is_found_out(folder, call):
    call("certify", "apart.csv", "--proof", "apart.json")
    fields = json.loads(Path("apart.json").read_text())
    for changed in ({"margin": [9.0, 9.5]}, {"radius": 0.5}, {"positive": "no", "negative": "yes"}):
        Path("edited.json").write_text(json.dumps(fields | changed))
        status, _, err = call("verify", "edited.json", "apart.csv")
        assert status == 1
        assert "edited.json does not hold for apart.csv: " in err


@pytest.mark.parametrize(
    ("text", "problem"),
    [("[]", "must be an object"), ("{", "no JSON text"), ('{"format": "x"}', "format must be")],
)
def test_what_is_no_proof_is_bad_data(folder, call, text, problem):
    Path("bad.json").write_text(text)
    status, out, err = call("verify", "bad.json", "apart.csv")
    assert (status, out) == (3, "")
    assert err.startswith("error: bad.json: ")
    assert problem in err
    assert call("verify", "none.json", "apart.csv")[0] == 3
    assert call("verify", ".", "apart.csv")[0] == 3


def test_a_proof_that_cannot_be_written_is_known_before_the_search(folder, call, monkeypatch):
    def never(*args, **asked):
        raise AssertionError("nothing should be searched for")

    monkeypatch.setattr("rosenblatt.proofs.certify", never)
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
    assert Path("apart.csv").read_text() == APART
    assert Path("mixed.csv").read_text() == MIXED


def test_a_proof_may_be_replaced(folder, call):
    assert call("certify", "apart.csv", "--proof", "p")[0] == 0
    assert call("certify", "mixed.csv", "--proof", "p")[0] == 0
    assert Certificate.load("p").status == "inseparable"


def test_a_proof_that_does_not_hold_is_no_answer(folder, call, monkeypatch):
    wrong = replace(certify(*open_stream("apart.csv").read()), margin=(9.0, 9.5))
    monkeypatch.setattr("rosenblatt.proofs.certify", lambda X, y, **asked: wrong)
    for command in (("certify", "apart.csv"), ("train", "apart.csv", "-m", "m", "--certify")):
        status, out, err = call(*command, "--json")
        record = json.loads(out)
        assert not record.get("certificate", record)["verified"]
        assert status == 1
        assert "the proof does not hold: every row " in err


# --- the data ------------------------------------------------------------------------------------


def test_a_pipe_passes_once_and_that_is_enough(folder, call):
    out = call("certify", "-", "--json", stdin=APART)[1]
    assert json.loads(out)["status"] == "separable"
    call("certify", "apart.csv", "--proof", "p")
    assert call("verify", "p", "-", stdin=APART)[0] == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,y\n1,0.5\n2,1.5\n", "hold 0.5, a measurement, not a class"),
        ("a,y\n1,no\n2,no\n", "every label is no; to separate takes two classes"),
        ("a,y\n1,no\nx,yes\n", "bad.csv:3:1: column 'a': found 'x'"),
        ("", "no rows"),
    ],
)
def test_bad_data_is_refused_by_both(folder, call, text, problem):
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
        (["verify", "p"], "Missing argument 'DATA'"),
    ):
        status, out, err = call(*args)
        assert (status, out) == (2, "")
        assert hint in err


def test_ctrl_c_ends_it_in_one_line(folder):
    os.mkfifo("rows.csv")
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    process = spawn("certify", "rows.csv", "--proof", "p", **pipes)
    with Path("rows.csv").open("w") as rows:
        rows.write(APART)
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


# --- train --certify -----------------------------------------------------------------------------


def test_train_adds_the_verdict(folder, call):
    args = ("train", "apart.csv", "-m", "m", "--certify", "--json")
    status, out, err = call(*args)
    found = json.loads(out)["certificate"]
    assert status == 0
    wanted = {"status", "margin", "mistake_bound", "mistakes", "verified", "seconds"}
    assert set(found) == wanted
    assert (found["status"], found["verified"]) == ("separable", True)
    assert "certificate    separable: a plain perceptron makes at most" in err
    assert "verified in exact arithmetic" in err


def test_train_says_so_where_no_pass_can_end_without_a_mistake(folder, call):
    for data, status in (("mixed.csv", "inseparable"), ("touching.csv", "quasi-separable")):
        err = call("train", data, "-m", "m", "--certify")[2]
        assert f"{status}: no pass ever ends without a mistake" in err


def test_train_tells_each_class(folder, call):
    args = ("train", "sklearn:iris", "-m", "m", "--certify", "--json")
    _, out, err = call(*args)
    found = json.loads(out)["certificate"]
    assert found["status"] == "inseparable"
    assert found["classes"]["setosa"]["status"] == "separable"
    assert "each class against the rest: 1 separable, 2 inseparable" in err


def test_train_without_it_has_no_certificate(folder, call):
    _, out, err = call("train", "apart.csv", "-m", "m", "--json")
    assert json.loads(out)["certificate"] is None
    assert "certificate" not in err


@pytest.mark.parametrize("more", [(), ("--shuffle",)])
def test_rows_that_pass_once_cannot_be_read_again(folder, call, more):
    status, _, err = call("train", "-", "-m", "m", "--certify", *more, stdin=APART)
    assert status == 2
    assert "--certify reads DATA again, but standard input can be read only once" in err
    assert not Path("m").exists()


@pytest.mark.parametrize(
    "data", ["apart.csv", "touching.csv", "mixed.csv", "twins.svm", "sklearn:iris", "sklearn:wine"]
)
def test_a_run_that_converged_and_a_certificate_agree(folder, call, data):
    args = ("train", data, "-m", "m", "-q", "--json", "--certify", "--epochs", 200)
    record = json.loads(call(*args)[1])
    if record["converged"]:
        assert record["certificate"]["status"] == "separable"
    if data in ("apart.csv", "touching.csv", "mixed.csv", "twins.svm"):
        assert record["converged"] == (data == "apart.csv")


# --- real data -----------------------------------------------------------------------------------


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
