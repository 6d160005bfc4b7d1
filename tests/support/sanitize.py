"""The compiled core under AddressSanitizer and UBSan: ``make sanitize`` runs it.

It builds the core with both into ``build/sanitize``, beside links to the package, and runs there
the tests of the core's bounds, and some of the runs of ``digests.py``, whose bits must be the same.
A read or write beyond an array, a use of freed memory, an overflow or a float cast beyond the range
of an integer ends the process with a report. The compiler is that of ``CXX``, or ``c++``.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "sanitize"
PACKAGE = BUILD / "package"
COMPILER = os.environ.get("CXX") or "c++"
TOOLS = Path(sys.executable).parent
RUNTIMES = ("libasan.so", "libubsan.so", "libstdc++.so")
"""What must be loaded before Python: their functions take the place of malloc and of throw."""
STOPS = {
    "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps what it has to the end
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "PYTHONMALLOC": "malloc",  # else bytes objects lie side by side, with nothing between them
}
TESTS = (
    "tests/promises/test_core_bounds.py",
    "tests/engine/serving",
    "tests/engine/json",
    "tests/engine/linear/test_user_rules.py",  # exceptions leave the loops
)
SITE = """\
import sys
sys.meta_path[:] = [f for f in sys.meta_path if not type(f).__name__.startswith("ScikitBuild")]
"""
"""Python runs this at its start: an editable install would find the core that it has built."""
EVERY = 13  # a prime: every rule, storage and format has its turn
RUN = f"""\
import sys
import pytest
sys.path.insert(0, "tests/support")
if status := pytest.main(["-qs", "-p", "no:cacheprovider", *{TESTS}]):
    sys.exit(status)
import digests
sys.exit(digests.main(["--every", "{EVERY}"]))
"""
"""Tests and digests in one process: its imports take five seconds with the checks."""


def tool(name):
    """The path of a tool of the build, beside this Python or on the path."""
    return shutil.which(name, path=f"{TOOLS}:{os.environ['PATH']}") or name


def build(*options):
    """Build the core, with more options of cmake/CMakeLists.txt."""
    nanobind = [sys.executable, "-m", "nanobind", "--cmake_dir"]
    folder = subprocess.run(nanobind, check=True, capture_output=True, text=True).stdout.strip()
    configure = [
        tool("cmake"), "-S", str(ROOT / "cmake"), "-B", str(BUILD), "-G", "Ninja", "-Wno-dev",
        f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", f"-DPython_EXECUTABLE={sys.executable}",
        f"-Dnanobind_DIR={folder}", "-DCMAKE_BUILD_TYPE=None", "-DSANITIZE=ON", "-DSETS=baseline",
        *options,
    ]  # fmt: skip
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([tool("cmake"), "--build", str(BUILD)], check=True)


def link():
    """Put links to the package and to the core with the checks into one folder."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    home = PACKAGE / "rosenblatt"
    home.mkdir(parents=True)
    for path in (ROOT / "src" / "rosenblatt").iterdir():
        if path.suffix not in {".so", ".pyd"}:
            (home / path.name).symlink_to(path)
    (core,) = BUILD.glob("_core*.so")
    assert b"__asan_report" in core.read_bytes(), "the core has no checks"
    (home / core.name).symlink_to(core)
    (PACKAGE / "sitecustomize.py").write_text(SITE)
    found = [sys.executable, "-c", "import rosenblatt; print(rosenblatt.__path__[0])"]
    environment = os.environ | {"PYTHONPATH": str(PACKAGE)}
    done = subprocess.run(found, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == str(home), f"the core without checks would run: {done.stdout}"


def runtimes():
    """The libraries to load first, with colons between them."""
    paths = []
    for name in RUNTIMES:
        found = subprocess.run(
            [COMPILER, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
        if not os.path.isabs(found):
            sys.exit(f"{COMPILER} has no {name}: `make sanitize` needs g++.")
        paths.append(os.path.realpath(found))
    return ":".join(paths)


def run():
    """Run the tests and the digests with the checks; return the exit status."""
    first = {"LD_PRELOAD": runtimes(), "PYTHONPATH": str(PACKAGE)}
    command = [sys.executable, "-c", RUN]
    return subprocess.run(command, cwd=ROOT, env=os.environ | STOPS | first).returncode


def main():
    """Build, link and run; return the exit status."""
    runtimes()  # before the time of building is spent
    build()
    link()
    return run()


if __name__ == "__main__":
    sys.exit(main())
