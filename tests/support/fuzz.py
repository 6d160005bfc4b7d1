"""Fuzzing of what reads hostile bytes, guided by the branches that are taken: ``make fuzz``.

Run: python tests/support/fuzz.py [TARGET …] [--seconds 600]. Targets of the core take that of
``make sanitize``, with a counter at each branch; those of files and of the service count the
branches of Python. atheris (libFuzzer) makes the inputs. Each target compares what is read with
plain Python, or lets errors of its own kind pass. Inputs that took a new branch are kept in
``build/fuzz/TARGET``, where the next run begins; one that fails is written to
``build/fuzz/TARGET-…``, and ``--again FILE`` tries it without the fuzzer.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import fuzz_core
import fuzz_files
import fuzz_service
import sanitize

FOLDER = sanitize.ROOT / "build" / "fuzz"
TARGETS = fuzz_core.TARGETS | fuzz_files.TARGETS | fuzz_service.TARGETS


def write_seeds(name):
    """Write the first inputs of a target; return its folder."""
    corpus = FOLDER / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(TARGETS[name].seeds()):
        Path(corpus, f"seed{number}").write_bytes(data)
    return corpus


def child(name, seconds):
    """Fuzz one target in this process, whose libraries :func:`main` loaded."""
    import atheris

    target, corpus, of_core = TARGETS[name], write_seeds(name), name in fuzz_core.TARGETS
    with tempfile.TemporaryDirectory() as folder:
        if of_core:
            count_branches_of_the_core()
        else:
            with atheris.instrument_imports(include=["rosenblatt"]):
                for data in target.seeds():  # all that they need is imported
                    target.check(data, folder)

        def test_one(data):
            if len(data) > 1:
                target.check(data, folder)

        arguments = [f"-max_total_time={seconds}", f"-max_len={target.most}", "-timeout=20"]
        arguments += ["-rss_limit_mb=0", f"-artifact_prefix={FOLDER}/{name}-", str(corpus)]
        atheris.Setup([sys.argv[0], *arguments], test_one, enable_python_coverage=not of_core)
        atheris.Fuzz()


def count_branches_of_the_core():
    """Let libFuzzer read the counters that the core has at its branches."""
    import ctypes

    from atheris import core_with_libfuzzer

    import rosenblatt._core

    core = ctypes.CDLL(rosenblatt._core.__file__)
    fuzzer = ctypes.CDLL(core_with_libfuzzer.__file__)
    table = (ctypes.c_uint8 * 2**16).in_dll(core, "branch_counters")
    start = ctypes.addressof(table)
    fuzzer.__sanitizer_cov_8bit_counters_init(
        ctypes.c_void_p(start), ctypes.c_void_p(start + 2**16)
    )


def environment_of_the_core():
    """Build the core with checks and counters; return the variables of a process that has it."""
    first = sanitize.runtimes()
    sanitize.BUILD = FOLDER / "core"
    sanitize.PACKAGE = FOLDER / "package"
    sanitize.build("-DCOUNT_BRANCHES=ON")
    sanitize.link()
    return sanitize.STOPS | {"LD_PRELOAD": first, "PYTHONPATH": str(sanitize.PACKAGE)}


def main():
    """Fuzz each target for its time; return whether something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--again", type=Path, metavar="FILE")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.targets[0], options.seconds)
    if options.again is not None:
        with tempfile.TemporaryDirectory() as folder:
            TARGETS[options.again.name.partition("-")[0]].check(options.again.read_bytes(), folder)
        return False
    of_core = fuzz_core.TARGETS.keys() & set(options.targets)
    added = environment_of_the_core() if of_core else {}
    failed = []
    for name in options.targets:
        command = [sys.executable, __file__, name, "--child", "--seconds", str(options.seconds)]
        environment = os.environ | (added if name in of_core else {})
        if subprocess.run(command, env=environment).returncode:
            failed.append(name)
    print(f"Found something in: {', '.join(failed)}." if failed else "Nothing was found.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
