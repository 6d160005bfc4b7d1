"""Options that take several numbers."""

import click
import pytest

from rosenblatt.cli.options.declared import Options, command, option
from rosenblatt.cli.options.lists import Numbers, default_of, listed


class Given(Options):
    """One option of each kind."""

    rate: object = listed(option("--rate X", "Rate.", click.FloatRange(0, 9), default=2.0))
    count: object = listed(option("--count N", "", click.IntRange(1)), "How many.")


def values(*args):
    """What a command line gives the fields."""
    got = []

    @command(Given, "Start", 1)
    def show(options):
        got.extend([options.rate, options.count])

    show.main(list(args), standalone_mode=False)
    return got


def test_lists_and_repeated_options_are_one_tuple():
    assert values() == [(), ()]
    assert values("--rate", "1,2", "--rate", "3", "--rate", " 2 , 1e-1") == [(1, 2, 3, 0.1), ()]
    assert values("--count", "5") == [(), (5,)]


def test_a_number_is_checked_as_that_of_the_option():
    for text in ("10", "1,,2", "", "x"):
        with pytest.raises(click.BadParameter):
            values("--rate", text)
    with pytest.raises(click.BadParameter):
        values("--count", "1.5")


def test_the_help_has_the_list_and_the_default():
    rate, count = Given.declared["rate"], Given.declared["count"]
    assert (rate.metavar, rate.help) == ("X,…", "Rate. A list, as 0.1,1,10, compares them.")
    assert count.help == "How many."
    assert (default_of("rate", Given()), default_of("count", Given())) == (2.0, None)
    assert Numbers(click.INT).convert((1, 2), None, None) == (1, 2)
