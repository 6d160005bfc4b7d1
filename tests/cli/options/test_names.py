"""Names copied for the help pages equal those that the library defines."""

import re

import pytest

from rosenblatt import kernels, rules
from rosenblatt.cli.display.model_facts import _FORMULAS
from rosenblatt.cli.options.names import BUDGET_SCHEMES, FORMATS, KERNELS, RULES
from rosenblatt.engine.kernel import budgets
from rosenblatt.streams.core.options import FORMAT_NAMES


def test_rules():
    for name in RULES:
        rules.by_name(name, 0.5, 0.0)
    with pytest.raises(ValueError, match=re.escape(str(sorted(RULES)))):
        rules.by_name("", 0.5, 0.0)


def test_formats():
    assert FORMATS == FORMAT_NAMES


def test_kernels_and_budget_schemes():
    for name in KERNELS:
        assert type(kernels.by_name(name)).__name__ in _FORMULAS
    for name in BUDGET_SCHEMES:
        budgets.by_name(name)
