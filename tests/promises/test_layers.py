"""Imports go down only, in no circle, and heavy packages stay in the layers they belong to."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(rosenblatt.__file__).parent
TESTS = Path(__file__).resolve().parents[1]

# A folder's layer is its line here; a folder imports from lower lines, and from itself.
LAYERS = [
    {"utils"},
    {"theory"},
    {"engine"},
    {"streams", "proofs"},
    {"learning"},
    {"cli", "plots"},
]
CLI = ["display", "options", "inputs", "training", "report", "demo", "commands"]
HEAVY = {
    "numba": {"engine"},
    "llvmlite": {"engine"},
    "sklearn": {"streams", "proofs", "learning", "cli", "plots"},
    "scipy": {"streams", "proofs", "learning", "cli", "plots"},
}
LAYER_OF = {folder: layer for layer, folders in enumerate(LAYERS) for folder in folders}
FILES = [path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT]
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in FILES
}


def folder(path):
    return path.relative_to(ROOT).parts[0]


def imports(path):
    """Every module that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [name for name in inner if name in MODULES]
            yield from modules
            if len(modules) < len(inner):
                yield node.module


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_only(path):
    own = folder(path)
    assert own in LAYER_OF, f"{path}: give its folder a layer in test_layers.py"
    for name in imports(path):
        top, *rest = name.split(".")
        if top == "rosenblatt" and rest:
            assert rest[0] in LAYER_OF, f"{path} imports {name}: import from the layer's own folder"
            lower = LAYER_OF[rest[0]] < LAYER_OF[own] or rest[0] == own
            assert lower, f"{path} imports {name}, which is no lower layer"
        if top in HEAVY:
            assert own in HEAVY[top], f"{path}: {top} does not belong in {own}/"


@pytest.mark.parametrize("path", sorted((ROOT / "cli").glob("*/*.py")), ids=lambda path: path.stem)
def test_imports_inside_the_command_go_down_only(path):
    own = CLI.index(path.parent.name)
    for name in imports(path):
        if name.startswith("rosenblatt.cli."):
            assert CLI.index(name.split(".")[2]) <= own, f"{path} imports {name} from above"


def test_no_circle_of_imports():
    graph = {
        name: {other for other in imports(path) if other in MODULES and other != name}
        for name, path in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1]
        pytest.fail("circle: " + ", ".join(f"{b} imports {a}" for a, b in pairwise(circle)))


@pytest.mark.parametrize(
    "path", [ROOT, *sorted({file.parent for file in FILES})], ids=lambda p: p.name
)
def test_folders_and_files_stay_small(path):
    files = sorted(path.glob("*.py"))
    assert len([file for file in files if file.name != "__init__.py"]) <= 14
    for file in files:
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 500, f"{file} is too long"


def test_import_loads_nothing_heavy():
    heavy = ("numba", "sklearn", "scipy", "numpy")
    code = f"import sys, rosenblatt; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there():
    listed = {"__version__", *rosenblatt._PUBLIC, *rosenblatt._PUBLIC_MODULES}
    assert set(rosenblatt.__all__) == listed
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'perceptrn'"):
        rosenblatt.perceptrn  # noqa: B018


@pytest.mark.parametrize("name", sorted(rosenblatt._PUBLIC_MODULES))
def test_public_modules_are_imported_in_three_forms(name):
    public = next(n for n in dir(getattr(rosenblatt, name)) if not n.startswith("_"))
    for code in (
        f"import rosenblatt; module = rosenblatt.{name}",
        f"from rosenblatt import {name} as module",
        f"from rosenblatt.{name} import {public}; import rosenblatt.{name} as module",
    ):
        namespace = {}
        exec(code, namespace)
        home = f"rosenblatt.{rosenblatt._PUBLIC_MODULES[name]}"
        assert namespace["module"] is sys.modules[home]
