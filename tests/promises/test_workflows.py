"""Workflows and forms are valid, and what they call is here."""

import re
import subprocess
import sys
from pathlib import Path

import publish
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def steps(workflow):
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def test_workflows_have_the_form_of_workflows():
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    dependabot = ROOT / ".github" / "dependabot.yml"
    for schema, files in (("github-workflows", WORKFLOWS), ("dependabot", [dependabot])):
        found = subprocess.run([*check, f"vendor.{schema}", *files], capture_output=True, text=True)
        assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_runs_is_here(workflow):
    for line in (step["run"] for step in steps(workflow) if "run" in step):
        for target in re.findall(r"\bmake ([a-z]+)", line):
            assert target in TARGETS, line
        for file in re.findall(r"(?<![\w/.])((?:\.ci|docs|tests)/[\w./-]+)", line):
            assert (ROOT / file).is_file(), line


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_no_workflow_keeps_credentials_or_may_write_without_need(workflow):
    for step in steps(workflow):
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False
    permissions = yaml.safe_load(workflow.read_text("utf-8"))["permissions"]
    assert permissions == {"contents": "write" if workflow.stem == "docs" else "read"}


def test_every_form_of_an_issue_asks_for_something():
    for form in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"):
        read = yaml.safe_load(form.read_text("utf-8"))
        assert {"name", "description", "body"} <= read.keys()
        assert any(part.get("validations", {}).get("required") for part in read["body"])


def test_sites_of_versions_stand_side_by_side(tmp_path):
    html, remote = tmp_path / "html", tmp_path / "remote.git"
    html.mkdir()
    (html / "index.html").write_text("main")
    subprocess.run(["git", "init", "--quiet", "--bare", remote], check=True)
    for name in ("main", "v1.9.0", "v1.10.1", "v1.10.2"):
        (html / "index.html").write_text(name)
        publish.publish(name, str(remote), html)
    site = tmp_path / "site"
    clone = ["git", "clone", "--quiet", "--branch", publish.BRANCH, remote, site]
    subprocess.run(clone, check=True)
    assert (site / "1.10" / "index.html").read_text() == "v1.10.2"
    assert (site / "dev" / "index.html").read_text() == "main"
    assert (site / "versions.json").read_text() == '["1.10", "1.9", "dev"]\n'
    assert "url=1.10/" in (site / "index.html").read_text()
    with pytest.raises(ValueError, match="neither main nor a tag"):
        publish.folder_of("v1.2")
