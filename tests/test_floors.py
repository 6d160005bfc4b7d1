"""Imports go down only, and what is heavy stays where it belongs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(rosenblatt.__file__).parent

FLOORS = {
    0: {
        "inputs",
        "trace",
        "scores",
        "signals",
        "textbook",
        "cycling",
        "criteria",
        "claims",
        "arithmetic",
        "votes",
        "tables",
        "rules",
        "penalties",
        "schemes",
        "kernels",
        "theory",
        "toys",
        "retina",
        "monomials",
    },
    1: {
        "jit",
        "rows",
        "single",
        "state",
        "loops",
        "hulls",
        "expansion",
        "overlaps",
        "budgets",
        "moves",
        "corrals",
        "matrices",
        "orders",
        "schemes",
        "svmtext",
        "vwtext",
        "csvtext",
        "coding",
        "vwfaults",
        "crossings",
        "seen",
        "scanning",
        "hashing",
        "decimals",
        "lanes",
    },
    2: {
        *(
            "checks",
            "training",
            "learner",
            "classifier",
            "primal",
            "dual",
            "unfolding",
            "budgeted",
            "memory",
            "scoring",
            "ledger",
            "remembered",
            "explaining",
            "grams",
            "support",
            "linear",
            "progressive",
            "drift",
            "turns",
            "validation",
            "judging",
            "auditing",
            "regression",
            "models",
            "comparing",
            "headers",
            "disk",
            "encoding",
            "given",
            "growing",
            "resumed",
            "riverside",
            "online",
            "lifts",
        ),
        "streams",
        "studies",
        "proofs",
    },
    3: {"cli", "plots", "__main__"},
}
FLOOR_OF = {name: floor for floor, names in FLOORS.items() for name in names}
HEAVY = {"numba": {1}, "llvmlite": {1}, "sklearn": {2, 3}, "scipy": {2, 3}}


def modules():
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def room(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path):
    """Every module that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module
            if node.module == "rosenblatt":
                yield from (f"rosenblatt.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_only(path):
    assert room(path) in FLOOR_OF, f"{path}: say in test_floors.py which floor it stands on"
    floor = FLOOR_OF[room(path)]
    for name in imports(path):
        top, *rest = name.split(".")
        if top == "rosenblatt" and rest and rest[0] in FLOOR_OF:
            assert FLOOR_OF[rest[0]] <= floor, f"{path} imports {name} from a floor above"
            if floor == 3 and FLOOR_OF[rest[0]] == 3:
                siblings = {room(path), rest[0]}
                assert len(siblings) == 1 or "__main__" in siblings, f"{path} imports {name}"
        if top in HEAVY:
            assert floor in HEAVY[top], f"{path}: {top} does not belong on floor {floor}"


def test_import_loads_nothing_heavy():
    heavy = ("numba", "sklearn", "scipy", "numpy")
    code = f"import sys, rosenblatt; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there():
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'perceptrn'"):
        rosenblatt.perceptrn  # noqa: B018
