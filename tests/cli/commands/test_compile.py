"""``rosenblatt compile``: afterwards nothing of its kind is compiled any more."""

import json
import os
import subprocess
import sys

import pytest
from engine_modes import plain_python

from rosenblatt.cli.commands.compile import KINDS
from rosenblatt.cli.main import run

PROGRAM = """
from rosenblatt import OnlinePerceptron
from rosenblatt.engine import jit
with jit.compile_all():
    model = OnlinePerceptron()
    for i in range(4):
        model.learn_one({"x": 1.0, "y": i}, "ab"[i % 2]).predict_one({"x": 2.0})
"""


def test_nothing_is_compiled_for_a_rule_of_the_library(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": "cache"}
    command = "from rosenblatt.cli.main import main; main()"
    for program in ([command, "compile", "online", "--json"], [PROGRAM]):
        completed = subprocess.run(
            [sys.executable, "-c", *program],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        files = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.nb[ci]")}
        if len(program) > 1:
            record = json.loads(completed.stdout)
            assert list(record["seconds"]) == ["online"]
            assert record["folder"] == str(tmp_path / "cache")
            assert not files, "what the library's rules need is compiled with the package"
            before = files
    assert files == before


@pytest.mark.parametrize(
    ("kind", "rule"),
    [(kind, "perceptron") for kind in KINDS]
    + [("svmlight", rule) for rule in ("pa", "lms", "logistic")],
)
def test_the_runs_of_every_kind_and_rule_succeed(kind, rule):
    with plain_python():
        assert run(["compile", kind, "--rule", rule, "--json"]) == 0


def test_an_unknown_kind_is_refused(capsys):
    assert run(["compile", "parquet"]) == 2
    assert "svmlight" in capsys.readouterr().err
