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
        assert run["bound"] is None or (run["separated"] and run["mistakes"] <= run["bound"])
        assert run["least"] is None or 0.0 < run["least"] <= run["most"] <= run["radius"]


def test_demo_does_not_replace_other_files(folder, call):
    Path("digits.rosenblatt").write_text("mine")
    assert call("demo")[0] == 1
    assert call("demo", "--folder", "none")[0] == 1
    assert Path("digits.rosenblatt").read_text() == "mine"
