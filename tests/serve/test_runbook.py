"""docs/howto/runbook.md: its commands run against a real service."""

import shutil

import pytest
from bash_page import ROOT, check_blocks


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_the_commands_of_the_runbook_run_and_print_what_follows(tmp_path):
    check_blocks((ROOT / "docs" / "howto" / "runbook.md").read_text("utf-8"), tmp_path)
