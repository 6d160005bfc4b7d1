"""The examples of docstrings run, and print what follows them."""

import doctest
import importlib
import re
from pathlib import Path

import pytest
from service_runs import in_a_thread

import rosenblatt

PACKAGE = Path(rosenblatt.__file__).parent
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if re.search(r"^\s*>>> ", path.read_text("utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module(name):
    module = importlib.import_module(name)
    found = in_a_thread(doctest.testmod, module, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0
    assert found.failed == 0
