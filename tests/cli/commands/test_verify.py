"""``rosenblatt verify``: proofs that hold, and proofs that do not."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command import TABLE

from rosenblatt import audit, certify, textbook
from rosenblatt.proofs import Certificate, Certificates

pytestmark = pytest.mark.usefixtures("wide")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with separable rows."""
    monkeypatch.chdir(tmp_path)
    Path("apart.csv").write_text(TABLE)
    return tmp_path


def test_a_written_proof_is_verified(folder, call):
    status, out, _ = call("certify", "apart.csv", "--proof", "apart.json")
    assert status == 0
    assert "rosenblatt verify apart.json apart.csv" in out
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
    Path("other.csv").write_text(TABLE.replace("3,1", "3,2"))
    status, out, err = call("verify", "apart.json", "other.csv")
    assert status == 1
    assert out.splitlines()[-1] == "✗ the data has the proof's digest"
    assert err.startswith("error: apart.json does not hold for other.csv: the data has the proof")
    assert "were read in another way: give the same reading options as to certify" in err
    for option in ("--target", "--schema", "--impute"):
        assert option in err
    status, out, _ = call("verify", "apart.json", "other.csv", "--json")
    record = json.loads(out)
    keys = "verified status numbers computed failed claims seconds"
    assert set(record) == set(keys.split())
    assert (status, record["verified"]) == (1, False)
    assert record["failed"].startswith("the data has the proof's digest: ")
    assert [claim["holds"] for claim in record["claims"]][-2:] == [True, False]


def test_the_failed_class_is_named(folder, call):
    call("certify", "sklearn:iris", "--proof", "iris.json")
    proofs = Certificate.load("iris.json")
    wrong = replace(proofs["versicolor"], diverging=np.ones(4, np.int8))
    Certificates({**proofs, "versicolor": wrong}).save("iris.json")
    status, out, err = call("verify", "iris.json", "sklearn:iris")
    assert status == 1
    assert out.splitlines()[1] == "✗ versicolor: diverging has the signs of the direction"
    assert "diverging has the signs" in err


def test_a_missing_class_fails(folder, call):
    call("certify", "sklearn:iris", "--proof", "iris.json")
    proofs = dict(Certificate.load("iris.json"))
    del proofs["versicolor"]
    Certificates(proofs).save("iris.json")
    status, out, err = call("verify", "iris.json", "sklearn:iris")
    assert status == 1
    assert out.splitlines() == ["✗ every class has its certificate"]
    assert "'versicolor' has none" in err


def test_options_must_be_the_same_as_for_certify(folder, call):
    args = ("--target", "a")
    Path("two.csv").write_text("a,b\n1,5\n2,6\n")
    assert call("certify", "two.csv", *args, "--proof", "two.json")[0] == 0
    assert call("verify", "two.json", "two.csv", *args)[0] == 0
    status, _, err = call("verify", "two.json", "two.csv")
    assert status == 1
    assert "were read in another way" in err


def test_an_edited_proof_fails(folder, call):
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
def test_other_files_are_bad_data(folder, call, text, problem):
    Path("bad.json").write_text(text)
    status, out, err = call("verify", "bad.json", "apart.csv")
    assert (status, out) == (3, "")
    assert err.startswith("error: bad.json: ")
    assert problem in err
    assert call("verify", "none.json", "apart.csv")[0] == 3
    assert call("verify", ".", "apart.csv")[0] == 3


# --- which numbers --------------------------------------------------------------------------------

NEAREST = "numbers binary64, the floats nearest to those of the text: "


@pytest.fixture
def tenths(folder):
    """A file of decimals that touch, whose nearest floats are separable, and a proof of these."""
    Path("tenths.csv").write_text("a,b,label\n0.1,0.2,n\n0.3,0.4,n\n0.2,0.3,y\n")
    certify([[0.1, 0.2], [0.3, 0.4], [0.2, 0.3]], ["n", "n", "y"]).save("floats.json")


@pytest.mark.usefixtures("tenths")
def test_a_proof_about_floats_says_so_on_a_file_of_decimals(call):
    assert "inseparable" in call("certify", "tenths.csv", "--json")[1]
    status, out, _ = call("verify", "floats.json", "tenths.csv")
    assert status == 0
    assert f"{NEAREST}the proof is about floats" in " ".join(out.split())
    record = json.loads(call("verify", "floats.json", "tenths.csv", "--json")[1])
    assert (record["verified"], record["status"]) == (True, "separable")
    assert (record["numbers"], record["computed"]) == ("binary64", "the proof is about floats")


@pytest.mark.usefixtures("tenths")
def test_a_proof_about_decimals_says_so(call):
    call("certify", "tenths.csv", "--proof", "decimals.json")
    _, out, _ = call("verify", "decimals.json", "tenths.csv")
    assert "numbers the decimals that are written, exactly" in " ".join(out.split())
    record = json.loads(call("verify", "decimals.json", "tenths.csv", "--json")[1])
    assert (record["numbers"], record["computed"]) == ("decimal", None)


def test_decimals_that_are_floats_need_no_word(folder, call):
    call("certify", "apart.csv", "--proof", "apart.json")
    assert "numbers" not in call("verify", "apart.json", "apart.csv")[1]
    record = json.loads(call("verify", "apart.json", "apart.csv", "--json")[1])
    assert (record["numbers"], record["computed"]) == ("binary64", None)


def test_an_audit_on_a_file_of_decimals_says_that_it_is_about_floats(folder, call):
    run = textbook.perceptron([[0.1], [0.3]], [-1, 1])
    audit(run).save("audit.json")
    Path("rows.csv").write_text("a,label\n0.1,n\n0.3,y\n")
    assert f"{NEAREST}the proof is about floats" in " ".join(
        call("verify", "audit.json", "rows.csv")[1].split()
    )
    record = json.loads(call("verify", "audit.json", "rows.csv", "--json")[1])
    assert (record["numbers"], record["computed"]) == ("binary64", "the proof is about floats")


# --- audits ---------------------------------------------------------------------------------------


def an_audit(folder, labels=(-1, 1, 1)):
    run = textbook.perceptron([[1.0, 2.0], [4.0, 1.0], [5.0, 2.0]], list(labels))
    audit(run).save(folder / "audit.json")


def test_an_audit_needs_no_data(folder, call):
    an_audit(folder)
    status, out, err = call("verify", "audit.json")
    assert (status, err) == (0, "")
    assert out.count("✓") == 10
    assert "✓ claim 1, u·w_t >= u·w_0 + t η γ, after each correction" in out
    assert "Every claim holds: the convergence theorem, on this run." in out
    record = json.loads(call("verify", "audit.json", "--json")[1])
    assert (record["verified"], record["status"], record["failed"]) == (True, "audit", None)
    assert len(record["claims"]) == 10


def test_an_audit_is_compared_with_data(folder, call):
    an_audit(folder)
    Path("rows.csv").write_text("a,b,label\n1,2,n\n4,1,y\n5,2,y\n")
    status, out, _ = call("verify", "audit.json", "rows.csv")
    assert status == 0
    assert "✓ the rows and labels are those of the data" in out
    Path("rows.csv").write_text("a,b,label\n1,2,n\n4,1,y\n5,3,y\n")
    status, out, err = call("verify", "audit.json", "rows.csv")
    assert status == 1
    assert out.splitlines()[-1] == "✗ the rows and labels are those of the data"
    assert "audit.json does not hold: the rows and labels" in err
    assert "row 2 is another" in err


def test_an_audit_that_does_not_hold(folder, call):
    an_audit(folder)
    fields = json.loads(Path("audit.json").read_text())
    Path("audit.json").write_text(json.dumps(fields | {"allowed": "1"}))
    status, _, err = call("verify", "audit.json")
    assert status == 1
    assert "audit.json does not hold: the bound is" in err
    Path("audit.json").write_text(json.dumps(fields | {"tie": 5}))
    status, _, err = call("verify", "audit.json")
    assert status != 0
    assert "audit.json: tie must be -1, 0 or 1; found 5" in err


def test_a_certificate_needs_its_data(folder, call):
    call("certify", "apart.csv", "--proof", "apart.json")
    status, _, err = call("verify", "apart.json")
    assert status == 2
    assert "Missing argument 'DATA'" in err


def test_a_damaged_audit_is_bad_data_and_lacks_no_argument(folder, call):
    an_audit(folder)
    text = Path("audit.json").read_text().replace('"allowed":', '"allowed": 9')
    Path("audit.json").write_text(text)
    status, _, err = call("verify", "audit.json")
    assert status == 3
    assert "audit.json" in err
    assert "Missing argument" not in err
