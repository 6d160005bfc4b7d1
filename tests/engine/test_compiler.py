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
import pytest

import rosenblatt
from rosenblatt import engine, rules
from rosenblatt.engine import compiler, jit

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

RUN = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np
from my_rule import Mine
from rosenblatt import rules
from rosenblatt.engine import jit, loops, matrices, multiclass, rows, state
from rosenblatt.theory.penalties import NoPenalty
jit.CALL_LIMIT = 0.0
X = np.array([[1.0, 2.0], [3.0, -1.0]])
memory = state.empty(2, 1)
rule = rules.complete(Mine())
spec = multiclass.UpdateSpec(rule, None, np.ones(1), 0.0, True, 1.0)
examples = loops.Examples(matrices.as_rows(X), np.array([1.0, -1.0]), np.ones(2))
loops.epoch(examples, np.arange(2), memory, spec)
kinds = loops.BinaryLoop, rows.Dense, type(rule), NoPenalty
loop = jit.specialised(loops._epoch, kinds, loops.count_steps)
hits = sum(loop.dispatcher.stats.cache_hits.values())
print(hits, memory.W.ravel().tolist())
"""

RULE = """
from typing import NamedTuple
SCALE = {scale}
class Mine(NamedTuple):
    eta: float = 1.0
    def step(self, score, y, sqnorm):
        return SCALE * self.eta * y if y * score <= 0.0 else 0.0
"""


def run(folder, cache, **environment):
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(folder)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    hits, _, weights = done.stdout.partition(" ")
    return int(hits), weights.strip()


def test_a_second_process_hits_the_cache_and_an_edited_rule_misses_it(tmp_path):
    rule, cache = tmp_path / "my_rule.py", tmp_path / "cache"
    rule.write_text(RULE.format(scale=1.0))
    first = run(tmp_path, cache)
    second = run(tmp_path, cache)
    assert (first[0], second[0]) == (0, 1), "compiled once, loaded once"
    assert first[1] == second[1]
    rule.write_text(RULE.format(scale=10.0))
    os.utime(rule, ns=(1, 1))  # an older time stamp must not help
    edited = run(tmp_path, cache)
    assert edited[0] == 0, "an edited rule is compiled anew"
    assert edited[1] != first[1], "and the new rule is what ran"


def test_a_rule_of_one_program_does_not_disturb_another(tmp_path):
    """numba's cache index names every class; a process without one of them must not stumble."""
    (tmp_path / "my_rule.py").write_text(RULE.format(scale=1.0))
    cache = tmp_path / "cache"
    run(tmp_path, cache)
    elsewhere = RUN.replace("from my_rule import Mine", "from rosenblatt.rules import PA as Mine")
    done = subprocess.run(
        [sys.executable, "-c", elsewhere, "."],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_rule_of_one_program_does_not_disturb_several_classes_in_another(tmp_path):
    """The methods of a scheme are cached with the class of the rule in their name."""
    (tmp_path / "my_rule.py").write_text(RULE.format(scale=1.0))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import numpy as np; from rosenblatt import Perceptron; from rosenblatt.engine import jit\n"
        "jit.CALL_LIMIT = 0.0\n"
        "X, y = np.eye(3), [0, 1, 2]\n"
        "{}\nPerceptron(rule=rule, max_iter=2, tol=None).fit(X, y)"
    )
    for line, folder in (
        ("from my_rule import Mine; rule = Mine()", tmp_path),
        ("rule = 'pa1'", "."),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code.format(line), str(folder)],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


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
        self.specialised = {  # specialised(function, kinds)
            call.args[0].id
            for call in calls
            if isinstance(call.func, ast.Name) and call.func.id == "specialised"
        }

    def compiled(self):
        """The names of its compiled functions."""
        for name in self.definitions:
            item = getattr(self.module, name)
            if isinstance(item, jit.Compiled) or item in SUBROUTINES or name in self.specialised:
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


def test_an_edit_of_inlined_code_compiles_its_callers_anew(tmp_path):
    """Methods of arguments count, too: the scorer calls those of its row."""
    package, code = (
        tmp_path / "rosenblatt",
        """
    import numpy as np
    from rosenblatt.engine import jit, rows, scoring, state
    from rosenblatt.engine.text import collisions
    jit.CALL_LIMIT = 0.0
    row = rows.CSR(np.ones(1), np.zeros(1, np.uint32), np.array([0, 1]))
    weights = state.empty(1, 1)
    weights.W[:] = 5.0
    scorer = scoring.RowScorer(row, weights, 1, average=False, tie=0.0)
    table = np.array([7, 9, 0, 0], np.int32)
    new = collisions.new_hashes(np.ones(1, np.int32), table, 1)
    scores = scorer.scores(row)
    functions = scoring._write_scores, collisions._new_hashes
    hits = [sum(f.dispatcher.stats.cache_hits.values()) for f in functions]
    print(hits, scores, new)
    """,
    )
    shutil.copytree(Path(rosenblatt.__file__).parent, package)

    def output():
        return subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={
                **os.environ,
                "PYTHONPATH": str(tmp_path),
                "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    assert [output(), output()] == ["[0, 0] [5.] [0]", "[1, 1] [5.] [0]"]
    for name, old, new in [
        ("rows.py", "return (a + b) + (c + e), ", "return 2.0 * ((a + b) + (c + e)), "),
        ("text/murmur.py", "return abs(h) & (1 << bits) - 1", "return 0 * h"),
    ]:
        file = package / "engine" / name
        assert old in file.read_text(encoding="utf-8")
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert output() == "[0, 0] [10.] []"


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
