"""Names copied for the help pages equal those that the library defines."""

import re

import pytest

from rosenblatt import kernels, rules
from rosenblatt.cli.options import names
from rosenblatt.cli.options.names import BUDGET_SCHEMES, KERNELS, RULES
from rosenblatt.streams.registry import FORMAT_NAMES, FORMATS, WRITTEN_FORMATS
from rosenblatt.theory import budgets


def test_rules():
    assert RULES == rules.NAMES
    with pytest.raises(ValueError, match=re.escape(str(sorted(RULES)))):
        rules.by_name("", 0.5, 0.0)


def test_a_rule_is_offered_with_what_it_declares():
    assert set(RULES) - set(names.OFFERED) == {"minover"}
    assert names.WITHOUT_RATE["cw_full"] == "scw1_full"
    assert names.rates() == (
        "μ of nlms, C of pa1, pa2, normal_herd, scw1, scw2 and alma, r of arow, a of sop, "
        "b of narow"
    )


@pytest.mark.parametrize(
    ("command", "formats"), [("train", FORMAT_NAMES), ("convert", WRITTEN_FORMATS)]
)
def test_the_help_has_every_format_and_suffix(call, command, formats):
    status, out, _ = call(command, "--help")
    words = set(re.findall(r"[.\w]+", out))
    assert status == 0
    assert set(formats) <= {word.rstrip(".") for word in words}
    assert {suffix for name in formats for suffix in FORMATS[name].suffixes} <= words


def test_kernels_and_budget_schemes():
    assert {type(kernels.by_name(name)) for name in KERNELS} == {
        type(kernels.by_name(name)) for name in kernels.NAMES
    }
    assert set(BUDGET_SCHEMES) == set(budgets.NAMES)
    assert set(names.PERCEPTRON_SCHEMES) == {"forgetron", "projectron++"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--rule", "pa1", "--rule", "arow"), "--rule takes one value, got pa1 and arow: give one"),
        (("-m", "a", "--model=b"), "--model takes one value, got a and b: give one"),
        (("--header", "--no-header"), "--header and --no-header exclude each other: give one"),
    ],
)
def test_an_option_of_one_value_is_refused_with_two(call, options, says):
    status, _, err = call("train", "sklearn:iris", "-m", "a", *options)
    assert status == 2
    assert says in " ".join(err.split())


def test_an_option_may_be_repeated_with_its_value_and_if_it_takes_several(call, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,kind\nhello,there,yes\ngood,bye,no\n")
    texts = ("--text", "word:1", "--text", "char:2", "--target", "kind", "--target", "kind")
    assert call("validate", path, *texts, "-q", "-q")[0] == 0
