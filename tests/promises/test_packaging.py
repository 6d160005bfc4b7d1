"""An sdist holds what building needs, and the wheels of every system are built from it."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import wheels
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SYSTEMS = {
    "cp*-manylinux_x86_64", "cp*-manylinux_aarch64", "cp*-musllinux_x86_64",
    "cp*-musllinux_aarch64", "cp*-macosx_x86_64", "cp*-macosx_arm64", "cp*-win_amd64",
}  # fmt: skip


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The sdist as the build makes it, in a process of its own: it works in the current folder.

    That is a copy, since the build looks at each file below it, those of .venv, too.
    """
    folder = tmp_path_factory.mktemp("sdist")
    built = {".git", ".venv", "build", "_build", "__pycache__"}
    shutil.copytree(ROOT, folder / "copy", symlinks=True, ignore=lambda _, names: built & {*names})
    code = """
import functools, gzip, sys
gzip.GzipFile = functools.partial(gzip.GzipFile, compresslevel=1)  # what it holds is asked for
from scikit_build_core.build import build_sdist
build_sdist(sys.argv[1])
"""
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=folder / "copy", check=True)
    (found,) = folder.glob("*.tar.gz")
    return found


def test_the_sdist_holds_what_building_needs(sdist):
    assert wheels.missing_in_sdist(sdist) == []


def test_a_missing_source_is_found(sdist, monkeypatch):
    kept = wheels.sources()
    assert "src/core/module.cpp" in kept
    assert "src/rosenblatt/teach/page/main.js" in kept
    monkeypatch.setattr(wheels, "sources", lambda: [*kept, "src/core/another.h"])
    assert wheels.missing_in_sdist(sdist) == ["src/core/another.h"]


def test_what_is_wrong_with_a_wheel_is_found(tmp_path):
    wheel = tmp_path / "rosenblatt-1.0.0-cp312-cp312-linux_x86_64.whl"
    with wheels.zipfile.ZipFile(wheel, "w") as archive:
        for path in wheels.sources():
            if path.startswith("src/rosenblatt/"):
                archive.writestr(path.removeprefix("src/"), "")
    assert wheels.faults_of_wheel(wheel, (3, 11)) == ["extensions: []"]
    with wheels.zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("rosenblatt/_core.abi3.so", "")
        archive.writestr("core/module.cpp", "")
    assert wheels.faults_of_wheel(wheel, (3, 11)) == ["core/module.cpp does not belong here"]
    assert wheels.faults_of_wheel(wheel, (3, 12))[1:] == [
        f"{wheel.name} is not for the stable ABI of 3.12"
    ]


def test_wheels_are_built_for_every_system():
    matrix = WORKFLOW["jobs"]["wheels"]["strategy"]["matrix"]["include"]
    assert {entry["build"] for entry in matrix} == SYSTEMS
    assert len({entry["name"] for entry in matrix}) == len(SYSTEMS), "artifacts share a name"
    for entry in matrix:
        system = {"manylinux": "ubuntu", "musllinux": "ubuntu", "macosx": "macos", "win": "windows"}
        assert entry["runner"].startswith(system[entry["build"][4:].split("_")[0]])
        assert entry["runner"].endswith("arm") == ("aarch64" in entry["build"])


def test_wheels_are_built_from_the_sdist_and_tried():
    jobs = WORKFLOW["jobs"]
    assert jobs["wheels"]["needs"] == "sdist"
    (build,) = (
        step
        for step in jobs["wheels"]["steps"]
        if step.get("uses", "").startswith("pypa/cibuildwheel@v")
    )
    assert build["env"]["CIBW_BUILD"] == "${{ matrix.build }}"
    assert build["with"]["package-dir"] == "${{ steps.sdist.outputs.path }}"
    command = PROJECT["tool"]["cibuildwheel"]["test-command"].split()
    assert (ROOT / command[-1].removeprefix("{project}/")).is_file()


def test_every_job_of_the_workflow_runs():
    assert set(WORKFLOW) == {"name", True, "permissions", "jobs"}, "YAML reads `on` as True"
    assert set(WORKFLOW[True]) == {"workflow_dispatch", "push"}
    assert WORKFLOW["permissions"] == {"contents": "read"}
    for job in WORKFLOW["jobs"].values():
        assert job["runs-on"]
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
        (kept,) = (step for step in job["steps"] if "upload-artifact" in step.get("uses", ""))
        assert kept["with"]["if-no-files-found"] == "error"


def test_one_wheel_serves_every_python_from_3_12_on():
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"


def test_the_workflows_test_every_python_that_is_named():
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))["jobs"]
    tested = set(jobs["test"]["strategy"]["matrix"]["python"])
    tested |= {
        step["with"]["python-version"]
        for step in jobs["gate"]["steps"]
        if "setup-python" in step.get("uses", "")
    }
    named = {line.rpartition(":: ")[2] for line in PROJECT["project"]["classifiers"]}
    assert tested == {version for version in named if version.startswith("3.")}
