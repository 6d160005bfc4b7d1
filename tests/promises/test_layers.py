"""Imports go down only, in no circle, and heavy packages stay in the layers they belong to."""

import ast
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(rosenblatt.__file__).parent
TESTS = Path(__file__).resolve().parents[1]

# A folder's layer is its line here; a folder imports from lower lines, and from itself.
LAYERS = [
    {"utils", "_core"},
    {"theory"},
    {"_core"},  # compiled
    {"engine"},
    {"streams", "proofs"},
    {"learning"},
    {"exports"},
    {"estimators"},
    {"studies", "cluster"},
    {"plots", "teach", "serve"},
    {"cli"},
]
CLI = ["display", "options", "inputs", "training", "report", "demo", "commands"]
CORE = {"engine"}  # the folders that call the compiled core
HEAVY = {
    "numba": {"engine"},
    "sklearn": {"estimators", "studies", "cluster", "plots"},
    "dask": {"cluster", "estimators"},
    "distributed": {"cluster"},
    "joblib": {"cluster", "estimators"},
    "ray": {"cluster"},
    "scipy": {"streams", "proofs", "learning", "estimators", "studies", "cli", "plots"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
    "apsw": {"serve"},
    "onnx": {"exports"},
}
# Not names in the library: they say nothing, or several things. Public names stay, by file.
VAGUE = set("told given found place some held made asked known whole way thing".split())  # noqa: SIM905
PUBLIC_VAGUE = {
    "streams/core/hashed_names.py": {"known"},
    "streams/core/stream.py": {"whole"},
    "theory/textbook/lecture2.py": {"held"},
}
# Folders of plug-ins, however many there are: each file is listed by what it declares. The tests of
# all its files, or None where each has its own.
REGISTRIES = {
    "cli/commands": None,
    "plots/displays": None,
    "serve/http/endpoints": None,
    "exports/formats": None,
    "streams/registry": None,
    "theory/budgets": "engine/kernel/test_budgets.py",
    "theory/kernels": "theory/test_kernels.py",
    "theory/rules": "theory/test_rules.py",
}
SMALL = 80  # lines; a longer file has a twin, or its tests are named here
TESTED_IN = {
    "estimators/encoded_rows.py": "estimators/test_row_model.py",
    "streams/frames/notes.py": "estimators/test_row_model.py",
    "streams/features/hashing_encoder.py": "streams/features/test_encoding.py",
    "streams/features/vocabulary.py": "streams/features/test_encoding.py",
    "learning/models/encoders.py": "estimators/test_row_model.py",
    "cli/demo/tour.py": "cli/commands/test_demo.py",
    "cli/display/confusion.py": "cli/commands/test_evaluate.py",
    "cli/display/errors.py": "promises/test_every_bad_input.py",
    "cli/display/model_facts.py": "cli/commands/test_inspect.py",
    "cli/inputs/data.py": "cli/commands/test_train.py",
    "cli/inputs/evaluation.py": "cli/inputs/test_predictions.py",
    "cli/inputs/hashed_names.py": "streams/core/test_hashed_names.py",
    "cli/inputs/models.py": "cli/commands/test_inspect.py",
    "cli/options/learning.py": "cli/options/test_conflicts.py",
    "cli/options/predictions.py": "cli/inputs/test_predictions.py",
    "cli/options/shared.py": "cli/options/test_names.py",
    "cli/options/train.py": "cli/commands/test_train.py",
    "cli/training/run.py": "cli/commands/test_train.py",
    "cli/training/on_cluster.py": "cluster/test_command.py",
    "cluster/executors/calls.py": "cluster/executors/test_on_joblib.py",
    "cluster/executors/on_dask.py": "cluster/test_by_force.py",
    "cli/training/cluster_progress.py": "cluster/test_command.py",
    "cluster/rounds.py": "cluster/test_by_force.py",
    "cluster/tables.py": "cluster/test_collections.py",
    "streams/io/positions.py": "cluster/test_sources.py",
    "streams/io/sources.py": "streams/io/test_paths.py",
    "cluster/tasks.py": "cluster/test_estimator.py",
    "engine/kernel/products.py": "engine/kernel/test_expansion.py",
    "plots/step_curves.py": "plots/displays/test_steps.py",
    "plots/step_lines.py": "plots/displays/test_steps.py",
    "theory/rule_kinds.py": "theory/test_rules.py",
    "theory/declaration.py": "theory/test_rules.py",
    "engine/multiclass.py": "engine/linear/test_loops.py",
    "engine/rows.py": "engine/linear/test_loops.py",
    "engine/steps.py": "engine/linear/test_loops.py",
    "engine/text/categories.py": "engine/text/test_delimited.py",
    "learning/decisions/deciding.py": "learning/decisions/test_sets.py",
    "learning/dual.py": "learning/test_explain.py",
    "learning/kernel/classifier.py": "learning/kernel/test_estimators.py",
    "learning/kernel/gram.py": "theory/test_kernels.py",
    "learning/kernel/learners.py": "learning/kernel/test_estimators.py",
    "estimators/base.py": "promises/test_sklearn.py",
    "estimators/models.py": "estimators/test_row_model.py",
    "exports/addends.py": "exports/formats/test_onnx.py",
    "exports/dialects.py": "exports/formats/test_sql.py",
    "exports/code/c99.py": "exports/formats/test_c.py",
    "exports/code/c_hashed.py": "exports/formats/test_c.py",
    "exports/terms.py": "exports/test_plan.py",
    "estimators/kernel.py": "learning/kernel/test_estimators.py",
    "estimators/linear.py": "learning/linear/test_estimators.py",
    "learning/linear/base.py": "learning/linear/test_estimators.py",
    "learning/linear/classifier.py": "learning/linear/test_estimators.py",
    "learning/linear/learners.py": "learning/linear/test_estimators.py",
    "learning/linear/shards.py": "cluster/test_estimator.py",
    "learning/shards.py": "learning/linear/test_estimators.py",
    "learning/models/online_names.py": "learning/online/test_estimator.py",
    "learning/online/base.py": "learning/online/test_estimator.py",
    "learning/problem.py": "learning/linear/test_estimators.py",
    "learning/tuning/held_out.py": "learning/tuning/test_side_by_side.py",
    "learning/support.py": "learning/kernel/test_estimators.py",
    "plots/checks.py": "plots/test_contract.py",
    "plots/displays/class_regions.py": "plots/displays/test_voted_regions.py",
    "plots/displays/growth.py": "plots/displays/test_orders.py",
    "plots/displays/progressive.py": "plots/test_contract.py",
    "plots/style.py": "plots/test_contract.py",
    "proofs/check/data.py": "proofs/test_certification.py",
    "proofs/check/record.py": "proofs/check/test_verify.py",
    "proofs/search/faces.py": "proofs/test_certification.py",
    "proofs/search/finder.py": "proofs/test_certification.py",
    "proofs/search/integers.py": "proofs/test_certification.py",
    "proofs/search/rational.py": "proofs/test_certification.py",
    "serve/clients/methods.py": "serve/test_client.py",
    "serve/clients/transports.py": "serve/test_async_client.py",
    "serve/config.py": "serve/test_service.py",
    "serve/changes.py": "serve/test_history.py",
    "serve/encoded/files.py": "serve/encoded/test_live.py",
    "serve/errors.py": "serve/http/test_problems.py",
    "serve/erasure/deletion.py": "serve/erasure/test_purge.py",
    "serve/store/kept.py": "serve/test_service.py",
    "serve/http/endpoints/learn.py": "serve/http/test_v1.py",
    "serve/http/endpoints/models.py": "serve/http/test_v1.py",
    "serve/live.py": "serve/test_history.py",
    "serve/roles.py": "serve/shipping/test_standby.py",
    "serve/schema.py": "serve/test_service.py",
    "serve/served.py": "serve/test_service.py",
    "serve/shipping/base.py": "serve/shipping/test_restore.py",
    "serve/shipping/claim.py": "serve/shipping/test_shipper.py",
    "serve/shipping/records.py": "serve/shipping/test_restore.py",
    "serve/shipping/unshipped.py": "serve/shipping/test_standby.py",
    "serve/store/search.py": "serve/http/endpoints/test_lists.py",
    "serve/store/pages.py": "serve/store/test_check.py",
    "serve/telemetry/logs.py": "promises/test_security.py",
    "serve/store/tables.py": "serve/test_budgets.py",
    "theory/textbook/__init__.py": "theory/textbook/test_lectures.py",
    "streams/aligning.py": "streams/test_reopening.py",
    "streams/compatibility.py": "streams/test_reopening.py",
    "streams/core/format.py": "streams/registry/test_registry.py",
    "streams/frames/columns.py": "streams/frames/test_table_reader.py",
    "streams/io/parsing.py": "streams/io/test_files.py",
    "streams/registry/delimited.py": "streams/test_opening.py",
    "streams/registry/svmlight.py": "streams/test_opening.py",
    "streams/registry/vowpal_wabbit.py": "streams/test_opening.py",
    "theory/monomials.py": "estimators/test_lifts.py",
    "theory/rule_checks.py": "theory/test_rules.py",
    "theory/penalties.py": "engine/linear/test_loops.py",
    "theory/textbook/failures.py": "theory/textbook/test_claims.py",
    "theory/textbook/sides.py": "theory/textbook/test_claims.py",
    "theory/textbook/lecture0.py": "theory/textbook/test_lectures.py",
    "theory/textbook/lecture1.py": "theory/textbook/test_lectures.py",
    "theory/textbook/lecture2.py": "theory/textbook/test_lectures.py",
    "theory/textbook/lecture3.py": "theory/textbook/test_kernels_and_votes.py",
    "theory/textbook/recorder.py": "theory/textbook/test_lectures.py",
    "theory/textbook/step.py": "theory/textbook/test_trace.py",
    "serve/http/app.py": "serve/http/test_v1.py",
    "serve/telemetry/counters.py": "serve/telemetry/test_metrics.py",
    "serve/telemetry/observed.py": "serve/telemetry/test_metrics.py",
    "utils/atomic.py": "learning/models/test_disk.py",
}
LAYER_OF = {folder: layer for layer, folders in enumerate(LAYERS) for folder in folders}
FILES = [path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT]
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in FILES
}


def folder(path):
    return path.relative_to(ROOT).parts[0]


@cache
def nodes(path):
    """The syntax of a file: all nodes."""
    return parsed(path.read_text(encoding="utf-8"))


def parsed(text):
    return list(ast.walk(ast.parse(text)))


def imports(path):
    """Modules that a file imports, at the top or inside a function."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [name for name in inner if name in MODULES]
            yield from modules
            if len(modules) < len(inner):
                yield node.module


def import_faults(path):
    """What is wrong with the imports of a file of a layer."""
    own = folder(path)
    if own not in LAYER_OF:
        yield f"{path}: give its folder a layer in test_layers.py"
        return
    for name in imports(path):
        top, *rest = name.split(".")
        if name.startswith("rosenblatt._core"):
            if own not in CORE:
                yield f"{path}: the core does not belong in {own}/"
        elif top == "rosenblatt" and rest:
            if rest[0] not in LAYER_OF:
                yield f"{path} imports {name}: import from the layer's own folder"
            elif not (LAYER_OF[rest[0]] < LAYER_OF[own] or rest[0] == own):
                yield f"{path} imports {name}, which is no lower layer"
        if top in HEAVY and own not in HEAVY[top]:
            yield f"{path}: {top} does not belong in {own}/"


def test_imports_go_down_only():
    assert [fault for path in FILES for fault in import_faults(path)] == []


def test_a_bad_import_is_found(monkeypatch):
    path = ROOT / "streams" / "opening.py"
    for line, fault in [
        ("import rosenblatt.cli.main", "which is no lower layer"),
        ("from rosenblatt._core import text", "the core does not belong in streams/"),
        ("def late():\n    from sklearn import svm", "sklearn does not belong in streams/"),
        ("from rosenblatt.front import load", "import from the layer's own folder"),
    ]:
        monkeypatch.setattr(sys.modules[__name__], "nodes", lambda _, line=line: parsed(line))
        (found,) = import_faults(path)
        assert fault in found


def test_imports_inside_the_command_go_down_only():
    assert [
        f"{path} imports {name} from above"
        for path in sorted((ROOT / "cli").glob("*/*.py"))
        for name in imports(path)
        if name.startswith("rosenblatt.cli.")
        and CLI.index(name.split(".")[2]) > CLI.index(path.parent.name)
    ] == []


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


def lines(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def test_folders_and_files_stay_small():
    folders = [ROOT, *sorted({file.parent for file in FILES})]
    files = {path: sorted(path.glob("*.py")) for path in folders}
    large = {path.relative_to(ROOT).as_posix() for path in folders if len(files[path]) > 15}
    assert large <= set(REGISTRIES)  # all others: 14, and __init__.py
    tests = TESTS.rglob("*.py")
    assert [file for file in [*ROOT.rglob("*.py"), *tests] if lines(file) > 500] == []


def test_a_proof_is_checked_by_code_that_did_not_find_it():
    for path in sorted((ROOT / "proofs" / "check").glob("*.py")):
        for name in imports(path):
            assert not name.startswith(("rosenblatt.proofs.search", "rosenblatt.engine")), path


def missing_tests(path):
    """What is wrong with the place of a file's tests."""
    name = path.relative_to(ROOT)
    twin = TESTS / name.with_name(f"test_{path.stem}.py")
    if str(name) in TESTED_IN:
        if not (TESTS / TESTED_IN[str(name)]).exists():
            yield f"{name}: {TESTED_IN[str(name)]} does not exist"
        if twin.exists():
            yield f"{name} has its twin: take it from the table TESTED_IN"
    elif tests := REGISTRIES.get(name.parent.as_posix()):
        if not (TESTS / tests).exists():
            yield f"{name}: {tests} does not exist"
    elif lines(path) >= SMALL and not twin.exists():
        yield f"test {name} in {twin}, or name its tests in the table TESTED_IN"


def test_every_file_has_its_tests():
    """Tests of a/b/c.py are in tests/a/b/test_c.py, or the table says where they are."""
    assert [fault for path in FILES for fault in missing_tests(path)] == []


def test_the_table_of_tests_names_files_that_exist():
    assert [name for name in TESTED_IN if not (ROOT / name).exists()] == []


def names_bound(path):
    """Names that a module binds: definitions, parameters, variables, attributes, imports."""
    for node in nodes(path):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.AsyncFunctionDef(name=name) | ast.ExceptHandler(name=name):
                yield name
            case ast.MatchAs(name=name) | ast.MatchStar(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name) | ast.alias(asname=name):
                yield name


def vague_names(path):
    bound = {name.strip("_") for name in names_bound(path) if name}
    return bound & VAGUE - PUBLIC_VAGUE.get(path.relative_to(ROOT).as_posix(), set())


def test_names_are_not_vague():
    vague = {path: vague_names(path) for path in FILES}
    assert {str(path): names for path, names in vague.items() if names} == {}


def test_the_docstring_of_a_field_stands_under_it():
    """A string after another one documents nothing: one of them has lost its field."""
    lost = [
        f"{path.relative_to(ROOT)}:{second.lineno}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef)
        for first, second in pairwise(node.body)
        if is_string(first) and is_string(second)
    ]
    assert lost == []


def is_string(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_import_loads_nothing_heavy():
    heavy = ("numba", "sklearn", "scipy", "numpy")
    code = f"import sys, rosenblatt; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_service_does_without_scikit_learn():
    code = "import sys, rosenblatt.serve.server; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


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
