"""``rosenblatt demo``: screen, JSON, and the model file."""

import json
import re
from pathlib import Path


def test_demo_fits_80_columns_and_writes_a_model(folder, call):
    status, out, err = call("demo")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    for word in ("test error", "baseline error", "Heaviest features", "Novikoff", "predicted as"):
        assert word in out
    assert call("evaluate", "digits.rosenblatt", "sklearn:digits")[0] == 0
    steps = re.findall(r"^    .*?rosenblatt (.+?)(?: \| head)?$", out, re.M)
    assert len(steps) == 7
    for step in steps:
        assert call(*step.split())[0] == 0, step


def test_demo_as_json(folder, call):
    status, out, err = call("demo", "--json", "--seed", 1)
    record = json.loads(out)
    assert (status, err) == (0, "")
    assert record["digits"]["held_out"]["error"] < 0.1
    assert record["breast_cancer"]["held_out"]["error"] < 0.1
    assert any(theorem["separated"] for theorem in record["theorem"])
    for run in record["theorem"]:
        proof = record["certificates"][run["question"]]
        assert (proof["status"] == "separable") == (run["bound"] is not None)
        assert proof["margin"][0] == (run["least"] or 0.0)
        assert run["bound"] is None or run["mistakes"] <= run["bound"]
        assert run["least"] is None or 0.0 < run["least"] <= run["most"] <= run["radius"]


def test_demo_certifies_first_and_explains_the_runs_by_their_margins(folder, call):
    _, out, _ = call("demo")
    text = " ".join(out.split())
    assert out.index("Certificates of separability") < out.index("The mistake bound")
    assert text.count("separable, maximal margin γ ≥ ") == 2
    runs = json.loads(call("demo", "--json")[1])["theorem"]
    shown = [*map(float, re.findall(r"maximal margin γ ≥ (\S+),", text))]
    certified = re.search(r"γ, certified ≥ (\S+) ≥ (\S+) ", text)
    most = re.search(r"at least γ (\S+) (\S+) ", text)
    for k, run in enumerate(runs):
        assert shown[k] == float(certified[k + 1])
        assert run["least"] * 0.99 < shown[k] <= run["least"]
        assert run["most"] <= float(most[k + 1]) < run["most"] * 1.01
    assert re.search(r"“0 or not” converged, within the \d+ mistakes that the bound allows\.", text)
    narrow = r"“malignant or not” is separable, but by a narrow margin: ([\d,]+) mistakes may come"
    assert int(re.search(narrow, text)[1].replace(",", "")) > 1_000_000
    assert "no bound" not in text


def test_demo_does_not_replace_other_files(folder, call):
    Path("digits.rosenblatt").write_text("mine")
    assert call("demo")[0] == 1
    assert call("demo", "--folder", "none")[0] == 1
    assert Path("digits.rosenblatt").read_text() == "mine"
