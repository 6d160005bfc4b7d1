"""The compiled core: the same bits by every instruction set, which the linker never mixes."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import instruction_sets
import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import _core
from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import loops
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.theory import rules
from rosenblatt.theory.penalties import ElasticNet, NoPenalty
from rosenblatt.theory.rule_kinds import is_plain, own_fields

CPU = Path("/proc/cpuinfo")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "ROSENBLATT_CPU"}


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
    )


def bits_of_loops():
    """A digest of what every rule learns in an epoch."""
    rng = np.random.default_rng(0)
    total = hashlib.sha256()
    for K, scheme in ((1, None), (11, "ovr"), (27, "ovr"), (5, "joint")):
        for name in rules.NAMES:
            if name == "minover" and scheme == "joint":
                continue
            rule = rules.by_name(name, 0.3, 0.0)
            for dtype in (np.float32, np.float64):
                X = (rng.normal(size=(60, 21)) * (rng.random((60, 21)) < 0.7)).astype(dtype)
                y = rng.integers(0, max(K, 2), 60)
                y = np.where(y == 1, 1.0, -1.0) if scheme is None else y
                penalty = ElasticNet(0.01, 0.5, 0.3) if is_plain(rule) else NoPenalty()
                for rows in (as_rows(X), as_rows(sp.csr_array(X))):
                    for kept, used in ((False, NoPenalty()), (True, penalty)):
                        own = own_fields(type(rule))
                        memory = state.empty(
                            21, K, dtype, own, average=kept, pocket=kept, truncated=True
                        )
                        how = UpdateSpec(
                            rule, None if scheme is None else multiclass.SCHEMES[scheme],
                            np.ones(K), 0.0, True, 1.0, used, kept, kept,
                        )  # fmt: skip
                        weight = rng.integers(1, 4, 60) / 2.0 if kept else np.ones(60)
                        loops.epoch(loops.Examples(rows, y, weight), np.arange(60), memory, how)
                        for array in state.arrays_of(memory).values():
                            total.update(array.tobytes())
                        total.update(state.frobenius_norm(memory.W).hex().encode())
    return total.hexdigest()


BITS = [
    f"{__name__}.bits_of_loops",
    "tests.engine.kernel.test_expansion.bits_of_fits",
    "tests.engine.kernel.test_gaussian.bits_of_values",
    "tests.engine.test_hulls.bits_of_descents",
    "tests.engine.test_scoring.bits_of_scores",
]


def test_promise_1_every_instruction_set_gives_the_same_bits():
    digests = instruction_sets.results(BITS)
    for function, *of_sets in zip(BITS, *digests.values(), strict=True):
        assert len({*of_sets}) == 1, function


@pytest.mark.skipif(not CPU.is_file(), reason="needs Linux")
def test_every_build_has_the_widest_set_of_its_processor():
    flags = {*re.findall(r"\w+", CPU.read_text())}
    narrow = "avx2" if "avx2" in flags else "baseline"
    wide = {"avx512f", "avx512dq", "avx512vl", "avx512bw"} <= flags
    assert _core.instruction_sets[0] == "baseline"
    assert _core.instruction_sets[-1] == ("avx512" if wide else narrow)


def test_the_widest_set_is_used_and_an_unknown_one_is_an_error():
    code = "from rosenblatt._core import instruction_set; print(instruction_set)"
    assert run(code).stdout.strip() == _core.instruction_sets[-1]
    assert run(code, ROSENBLATT_CPU="").stdout.strip() == _core.instruction_sets[-1]
    names = ", ".join(_core.instruction_sets)
    error = f"ImportError: ROSENBLATT_CPU is mmx; this processor and build have: {names}.\n"
    assert run(code, ROSENBLATT_CPU="mmx").stderr.endswith(error)
    command = (
        "from rosenblatt.cli.main import main; import sys; sys.argv[1:] = ['--version']; main()"
    )
    message = error.replace("ImportError", "error")
    assert run(command, ROSENBLATT_CPU="mmx").stderr == message


@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump")
@pytest.mark.skipif("avx512" not in _core.instruction_sets, reason="needs AVX-512")
def test_wide_registers_are_used_by_functions_of_their_sets_alone():
    """A function that two sets share would be compiled for one of them, and crash on the other."""
    listing = subprocess.run(
        ["objdump", "-dC", "--no-show-raw-insn", _core.__file__], capture_output=True, text=True
    ).stdout
    wide, name = {"zmm": set(), "ymm": set()}, ""
    for line in listing.splitlines():
        if label := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            name = label[1]
        for register in re.findall(r"%([zy]mm)[0-9]", line):
            wide[register].add(name)
    assert any("avx2::" in function for function in wide["ymm"])
    assert any("avx512::" in function for function in wide["zmm"])
    assert [f for f in wide["zmm"] if "avx512::" not in f] == []
    assert [f for f in wide["ymm"] if not ("avx2::" in f or "avx512::" in f)] == []


IN_A_DAEMON = """
import threading, time
from rosenblatt import OnlinePerceptron
model = OnlinePerceptron().learn_many([{"a": 1.0}, {"b": 1.0}], ["x", "y"])
model.predict_one({"a": 1.0})
threading.Thread(target=lambda model: time.sleep(60), args=(model,), daemon=True).start()
"""


def test_a_process_ends_in_silence_while_a_thread_holds_a_model():
    done = run(IN_A_DAEMON)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
