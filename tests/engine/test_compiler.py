"""The disk cache: hits in a second process, no stale code, no failure without a cache folder."""

import ast
import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numba
import numpy as np
import pytest
from engine_modes import in_both

import rosenblatt
from rosenblatt import engine, rules
from rosenblatt.engine import compiler, jit

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

RUN = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np
from my_rule import Mine
from rosenblatt import rules
from rosenblatt.engine import jit, matrices, multiclass, state
from rosenblatt.engine.linear import loops
jit.CALL_LIMIT = 0.0
X = matrices.as_rows(np.array([[1.0, 2.0], [3.0, -1.0]]))
rule = rules.complete(Mine())
hits, weights = 0, []
for columns in map(int, sys.argv[2:]):
    memory = state.empty(2, columns)
    scheme, y = None, np.array([1.0, -1.0])
    if columns > 1:
        scheme, y = multiclass.OneVsRest(), np.array([0, 1])
    spec = multiclass.UpdateSpec(rule, scheme, np.ones(columns), 0.0, True, 1.0)
    loops.epoch(loops.Examples(X, y, np.ones(2)), np.arange(2), memory, spec)
    loop = loops.loop_of(memory, spec)
    kinds = loops.kinds(loop, X, spec)
    loop = jit.specialised(type(loop).learn_rows, kinds, loops.call_steps)
    hits += sum(loop.dispatcher.stats.cache_hits.values())
    weights.append(memory.W.tolist())
print(hits, weights)
"""

RULE = """
from typing import NamedTuple
SCALE = {scale}
class Mine(NamedTuple):
    eta: float = 1.0
    def step(self, score, y, sqnorm):
        return SCALE * self.eta * y if y * score <= 0.0 else 0.0
"""


BOTH = "1", "3"  # columns: two classes, and several


def run(code, folder, cache, *columns):
    """The hits of a cache and the weights, in a process that finds ``my_rule`` in the folder."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), *columns],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    hits, _, weights = done.stdout.partition(" ")
    return int(hits), weights.strip()


@pytest.fixture(scope="module")
def compiled_rule(tmp_path_factory):
    """The folder of a rule, a cache with its loops, and their weights."""
    folder, cache = tmp_path_factory.mktemp("rule"), tmp_path_factory.mktemp("cache")
    (folder / "my_rule.py").write_text(RULE.format(scale=1.0))
    hits, weights = run(RUN, folder, cache, *BOTH)
    assert hits == 0
    return folder, cache, weights


def test_a_second_process_hits_the_cache(compiled_rule):
    folder, cache, weights = compiled_rule
    assert run(RUN, folder, cache, *BOTH) == (2, weights)


def test_a_rule_of_one_program_does_not_disturb_another(compiled_rule, tmp_path):
    """numba's cache index names every class; a process without one of them must not stumble."""
    elsewhere = RUN.replace("from my_rule import Mine", "from rosenblatt.rules import PA as Mine")
    assert run(elsewhere, tmp_path, compiled_rule[1], "1")[0] == 0


def test_an_edited_rule_is_compiled_anew(compiled_rule):
    folder, cache, _ = compiled_rule
    before = run(RUN, folder, cache, "1")
    rule = folder / "my_rule.py"
    rule.write_text(RULE.format(scale=10.0))
    os.utime(rule, ns=(1, 1))  # an older time stamp must not help
    try:
        edited = run(RUN, folder, cache, "1")
    finally:
        rule.write_text(RULE.format(scale=1.0))
    assert (before[0], edited[0]) == (1, 0)
    assert edited[1] != before[1], "the new rule is what ran"


def test_no_cache_folder_is_no_failure(tmp_path):
    """A read-only container: numba finds nowhere to write, and the loops compile all the same."""
    code = """
    from numba.core import caching
    caching.CacheImpl._locator_classes = []
    from rosenblatt.engine.compiler import dispatcher
    double = dispatcher(lambda x: 2 * x)
    print(double(21))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "42"


SUBROUTINES = jit.load_compiler().counterparts


class Source:
    """The source of a module: its functions and classes, and what it imports from this library."""

    def __init__(self, name):
        self.name, self.module = name, importlib.import_module(name)
        tree = ast.parse(Path(self.module.__file__).read_text(encoding="utf-8"))
        kinds = ast.FunctionDef, ast.ClassDef
        self.definitions = {node.name: node for node in tree.body if isinstance(node, kinds)}
        self.imports = {
            alias.asname or alias.name: node.module
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module.startswith("rosenblatt.")
            for alias in node.names
        }
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self.specialised = {  # the names of specialised(function, kinds), or (method, kinds)
            getattr(call.args[0], "id", None) or call.args[0].attr
            for call in calls
            if isinstance(call.func, ast.Name) and call.func.id == "specialised"
        }

    def compiled(self):
        """The names of its compiled functions, and of classes with a compiled method."""
        for name in self.definitions:
            item = getattr(self.module, name)
            names = {name, *vars(item)} if isinstance(item, type) else {name}
            if isinstance(item, jit.Compiled) or item in SUBROUTINES or names & self.specialised:
                yield name

    def read_by(self, name):
        """The names that a definition reads, without annotations and decorators."""
        node = self.definitions[name]
        parts = node.body
        if isinstance(node, ast.ClassDef):
            parts = [line for part in parts for line in getattr(part, "body", ())]
        for part in parts:
            yield from (name.id for name in ast.walk(part) if isinstance(name, ast.Name))


SOURCES = {
    info.name: Source(info.name)
    for info in pkgutil.walk_packages(engine.__path__, "rosenblatt.engine.")
}


def modules_read(module, name, visited):
    """The modules whose functions and classes a definition reads, directly or through others."""
    if (module, name) in visited or module not in SOURCES:
        return
    visited.add((module, name))
    source = SOURCES[module]
    if name in source.definitions:
        yield module
        for other in source.read_by(name):
            yield from modules_read(source.imports.get(other, module), other, visited)


@pytest.mark.parametrize("module", SOURCES)
def test_a_digest_covers_every_module_whose_code_is_inlined(module):
    source = SOURCES[module]
    for name in source.compiled():
        covered = compiler.inlined_modules(getattr(source.module, name))
        missing = set(modules_read(module, name, set())) - covered
        assert not missing, f"{module}.{name} inlines code of {missing}"


def test_an_edit_of_inlined_code_compiles_its_callers_anew(compiled_rule, tmp_path):
    """Methods of arguments count, too: a loop calls those of its rows."""
    # An editable install finds its own package first; the copy is wanted.
    code = (
        "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if 'Scikit' not in str(f)]" + RUN
    )
    folder, _, weights = compiled_rule
    package = shutil.copytree(Path(rosenblatt.__file__).parent, tmp_path / "rosenblatt")
    shutil.copy(folder / "my_rule.py", tmp_path)
    own = tmp_path / "cache"
    assert run(code, tmp_path, own, "1")[0] == 0
    assert run(code, tmp_path, own, "1")[0] == 1
    file = package / "engine" / "rows.py"
    old, new = "self.X[i, j]) * tau", "self.X[i, j]) * (2.0 * tau)"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    hits, edited = run(code, tmp_path, own, "1")
    assert hits == 0
    assert edited not in weights, "the new code is what ran"


def test_the_fingerprint_follows_the_code():
    source = "class R:\n    def step(self, score, y, sqnorm):\n        return {} * y\n"
    classes = []
    for number in (1.0, 2.0):
        namespace = {"__name__": "__main__"}
        exec(source.format(number), namespace)
        classes.append(namespace["R"])
    assert compiler.fingerprint(classes[0]) != compiler.fingerprint(classes[1])
    assert compiler.fingerprint(rules.PA) != compiler.fingerprint(rules.PA1)
    assert compiler.fingerprint(rules.PA) == compiler.fingerprint(rules.PA)


METHODS = """
from typing import NamedTuple
class Static(NamedTuple):
    limit: float = 3.0
    @staticmethod
    def pick(a, b=2.0):
        return b
    def step(self, score, y, sqnorm):
        return self.pick(5.0) * y if y * score <= 0.0 else 0.0
class Either(NamedTuple):
    eta: float = 1.0
    def up(self, y):
        return self.eta * y
    def down(self, y):
        return 0.5 * self.eta * y
    def step(self, score, y, sqnorm):
        f = self.up if y > 0.0 else self.down
        return f(y) if y * score <= 0.0 else 0.0
class Helper(NamedTuple):
    eta: float = 1.0
    def size(self, y):
        return self.eta * y
    def step(self, score, y, sqnorm):
        return self.size(y) if y * score <= 0.0 else 0.0
"""


@pytest.mark.filterwarnings("ignore:numba cannot compile")
@pytest.mark.parametrize("name", ["Static", "Either", "Helper"])
def test_a_users_rule_has_its_plain_steps_whatever_its_methods(tmp_path, monkeypatch, name):
    (tmp_path / "rules_with_methods.py").write_text(METHODS)
    monkeypatch.syspath_prepend(tmp_path)
    rule = rules.complete(getattr(importlib.import_module("rules_with_methods"), name)())
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.tile([-1, 1], 20)

    def weights():
        return rosenblatt.Perceptron(rule=rule, max_iter=2, tol=None).fit(X, y).coef_

    np.testing.assert_array_equal(*in_both(weights))


def test_scipy_linalg_is_imported_by_those_who_call_it():
    """numba's look for BLAS imports nothing; a compiled product of a user still finds it."""
    program = """
import sys
import rosenblatt.engine.compiler
assert "scipy.linalg" not in sys.modules and "scipy.linalg.cython_blas" not in sys.modules
import numba
import numpy as np
product = numba.njit(lambda A, b: np.dot(A, b))
assert product(np.eye(2) * 3.0, np.array([1.0, 2.0])).tolist() == [3.0, 6.0]
import scipy.linalg.cython_blas
assert scipy.linalg.cython_blas.__file__
"""
    subprocess.run([sys.executable, "-c", program], check=True)
