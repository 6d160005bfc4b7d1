"""The disk cache: hits in a second process, no stale code, and life without a cache folder."""

import os
import subprocess
import sys
import textwrap

import numba
import pytest

from rosenblatt import rules
from rosenblatt.engine import intrinsics, jit

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

RUN = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np
from my_rule import Mine
from rosenblatt import rules
from rosenblatt.engine import jit, loops, matrices, multiclass, rows, state
from rosenblatt.theory.penalties import NoPenalty
X = np.array([[1.0, 2.0], [3.0, -1.0]])
memory = state.empty(2, 1)
rule = rules.complete(Mine())
spec = multiclass.UpdateSpec(rule, None, np.ones(1), 0.0, True, 1.0)
examples = loops.Examples(matrices.as_rows(X), np.array([1.0, -1.0]), np.ones(2))
loops.epoch(examples, np.arange(2), memory, spec)
loop = jit.specialised(loops._binary_epoch, (rows.Dense, type(rule), NoPenalty))
hits = sum(loop.stats.cache_hits.values()) if hasattr(loop, "stats") else -1
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


def test_a_rule_that_others_do_not_have_never_stands_in_their_way(tmp_path):
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


def test_no_cache_folder_is_no_failure(tmp_path):
    """A read-only container: numba finds nowhere to write, and the loops compile all the same."""
    code = """
    from numba.core import caching
    caching.CacheImpl._locator_classes = []
    from rosenblatt.engine.jit import compiled
    double = compiled(lambda x: 2 * x)
    print(double(21))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "42"


def test_the_fingerprint_follows_the_code():
    source = "class R:\n    def step(self, score, y, sqnorm):\n        return {} * y\n"
    made = []
    for number in (1.0, 2.0):
        namespace = {"__name__": "__main__"}
        exec(source.format(number), namespace)
        made.append(namespace["R"])
    assert jit.fingerprint(made[0]) != jit.fingerprint(made[1])
    assert jit.fingerprint(rules.PA) != jit.fingerprint(rules.PA1)
    assert jit.fingerprint(rules.PA) == jit.fingerprint(rules.PA)


def test_prefetch_is_a_hint():
    @numba.njit
    def ask(array):
        intrinsics.prefetch(array, 0)
        intrinsics.prefetch(array, 10**6)
        return array[0]

    import numpy as np

    assert ask(np.array([7.0])) == 7.0
