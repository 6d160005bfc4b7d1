"""Names copied for the help pages equal those that the library defines."""

import re

import pytest

from rosenblatt import kernels, rules
from rosenblatt.cli.display.model_facts import _FORMULAS
from rosenblatt.cli.options.names import BUDGET_SCHEMES, FORMATS, KERNELS, RULES, WRITTEN_FORMATS
from rosenblatt.engine.kernel import budgets
from rosenblatt.streams.core.options import FORMAT_NAMES
from rosenblatt.streams.writers import output


def test_rules():
    assert RULES == rules.NAMES
    with pytest.raises(ValueError, match=re.escape(str(sorted(RULES)))):
        rules.by_name("", 0.5, 0.0)


def test_formats():
    assert FORMATS == FORMAT_NAMES
    assert tuple(output.WRITTEN_FORMATS) == WRITTEN_FORMATS


def test_kernels_and_budget_schemes():
    assert {type(kernels.by_name(name)) for name in KERNELS} == {
        type(kernels.by_name(name)) for name in kernels.NAMES
    }
    assert {type(kernels.by_name(name)).__name__ for name in KERNELS} == set(_FORMULAS)
    assert set(BUDGET_SCHEMES) == set(budgets.NAMES)
