"""Options as fields of a class: their panels, defaults and values."""

import click
import pytest

from rosenblatt.cli.options.declared import Options, argument, command, option


class Common(Options, panel="Reading"):
    """Options that two commands share."""

    target: str | None = option("--target COLUMN", "The labels.")
    header: bool | None = option("--header/--no-header", "A line of names.", default=None)


class Own(Common, panel="Output"):
    """Options of one command."""

    data: str = argument("DATA", "The rows.")
    top: int = option("-t --top K", "How many.", click.IntRange(min=0), default=5)
    csv: str | None = option("--csv [FILE]", "A table.", flag_value="-")
    cost: tuple[float, float] | None = option("--cost A B", "Two numbers.", float)
    kind: str = option("--kind NAME", "Kind.", ("a", "b"), default="b", panel="Options")
    quiet: bool = option("-q --quiet", "No notes.")


@pytest.fixture
def own():
    """A command of Own, and the options that it was called with."""
    seen = []

    @command(Own, "Start", 3)
    def own(options: Own) -> None:
        """Do it.

        Examples
        --------
            own rows.csv  # try it
        """
        seen.append(options)

    return own, seen


def values(own, *args):
    """Return the options of one call."""
    one, seen = own
    one.main(args, standalone_mode=False)
    return seen[-1]


def test_values_and_defaults_are_fields(own):
    options = values(own, "rows.csv")
    assert (options.data, options.top, options.kind, options.quiet) == ("rows.csv", 5, "b", False)
    assert options.target is options.header is options.csv is None
    assert options.on_command_line == {"data"}
    options = values(own, "-t", "7", "rows.csv", "--csv", "--no-header", "-q", "--kind", "a")
    assert (options.top, options.csv, options.header, options.kind) == (7, "-", False, "a")
    assert options.on_command_line == {"data", "top", "csv", "header", "quiet", "kind"}
    assert values(own, "d", "--target", "-1").target == "-1"
    assert values(own, "d", "--target", "--header").target == "--header"
    assert options.replaced(top=9).top == 9
    assert options.top == 7


def test_wrong_values_and_conflicts_are_refused(own):
    for args, problem in (
        (("d", "-t", "-1"), "not in the range"),
        (("d", "--kind", "c"), "'a', 'b'"),
        (("d", "--top", "1", "-t", "2"), "--top takes one value, got 1 and 2"),
        (("d", "--csv", "--csv", "a"), "--csv takes one value, got none and a"),
        (("d", "--cost", "1", "2", "--cost", "1", "3"), "got 1 2 and 1 3"),
        (("d", "--header", "--no-header"), "--header and --no-header exclude each other"),
        (("d", "e"), "extra argument"),
    ):
        with pytest.raises(click.UsageError, match=problem):
            values(own, *args)


def test_the_page_lists_arguments_and_panels_in_order(own, capsys):
    own[0].main(["--help"], standalone_mode=False)
    out = capsys.readouterr().out
    titles = ["Arguments", "Options", "Output", "Reading"]
    assert [line for line in out.splitlines() if line in titles] == titles
    assert "  -t, --top K       How many. [default: 5]" in out
    assert "      --csv [FILE]  A table." in out
    assert "  --header/--no-header  A line of names.\n" in out
