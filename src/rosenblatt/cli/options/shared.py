"""Options and arguments that several subcommands share."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import rich_click as click
from click.core import ParameterSource

from rosenblatt.cli.display import terminal
from rosenblatt.streams.core.format import PACKINGS, Format
from rosenblatt.streams.registry import FORMAT_NAMES, FORMATS
from rosenblatt.streams.registry.sklearn_sets import DATASETS, PREFIX

F = TypeVar("F", bound=Callable[..., Any])

HELP = {
    "rich_help_config": {
        "theme": "default-slim",
        "text_markup": "rich",
        "max_width": 100,
        "show_arguments": True,
        "padding_helptext_first_line": (0, 0, 1, 0),
        "style_helptext": "",
        "text_paragraph_linebreaks": "\n\n",
        "options_table_help_sections": ["help", "default"],
    }
}
"""Layout of the help pages."""


def _suffixes(*formats: Format) -> str:
    return " ".join(suffix for one in formats for suffix in one.suffixes)


_FOLDERS = [one for one in FORMATS.values() if one.has_folders]
_TEXTS = [one for one in FORMATS.values() if one.open_lines is not None]
_FILES = [one for one in FORMATS.values() if one not in (*_FOLDERS, *_TEXTS)]

DATA_HELP = (
    f"A file ({_suffixes(*_TEXTS)}, also {' '.join(PACKINGS)}; {_suffixes(*_FILES)}), a folder "
    f"with a subfolder of texts or mail for each label (or {_suffixes(*_FOLDERS)} .tar.gz), a "
    "quoted glob pattern ('day-*.svm'), a URL (https://…, s3://…), - for standard input, or "
    f"{', '.join(PREFIX + name for name in DATASETS)}."
)

_reading = partial(click.option, panel="Reading")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SourceOptions:
    """Values of :func:`reading_options` as the command line gives them."""

    target: str | None
    format: str | None
    interactions: tuple[str, ...]
    schema: str | None
    sample_weight: str | None
    text: tuple[str, ...]
    bits: int | None
    index_base: str | None
    on_bad_row: str
    bad_rows: str | None
    header: bool | None
    names: str | None
    separator: str | None
    decimal: str | None
    quotes: bool | None
    missing: str | None
    impute: str | None


def add_options(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return a decorator that adds options to a command, in their order on its help page."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


PANELS = ("Start", "Learn and predict", "Models and data", "Proofs", "Service")
"""Panels of subcommands, in the order of the help page."""


class Command(click.RichCommand):
    """A subcommand that refuses an option of one value that is given with two.

    Parameters
    ----------
    panel : str, optional
        One of :data:`PANELS`; none for a hidden command.
    rank : int
        Place within the panel, from 1.
    example, caption : str
        A command line, and what it is for in a few words.
    """

    def __init__(
        self,
        *args: Any,
        panel: str | None = None,
        rank: int = 0,
        example: str = "",
        caption: str = "",
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings, panel=panel, hidden=panel is None)
        self.rank, self.example, self.caption = rank, example, caption

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments twice: first to collect all values of each option."""
        if ctx.resilient_parsing:  # the shell completes a command line
            return super().parse_args(ctx, args)
        parser = click.Command(None).make_parser(ctx)
        single: list[click.Option] = []
        for param in map(copy, self.get_params(ctx)):
            if isinstance(param, click.Option) and not (param.multiple or param.count):
                param.multiple = True
                single.append(param)
            param.add_to_parser(parser, ctx)
        values, _, _ = parser.parse_args(list(args))
        for option in single:
            distinct = list(dict.fromkeys(values.get(option.name, ())))
            if len(distinct) > 1:
                raise click.UsageError(_refuse_two(option, *distinct[:2]), ctx)
        return super().parse_args(ctx, args)


def _refuse_two(option: click.Option, first: Any, second: Any) -> str:
    name = max(option.opts, key=len)
    if isinstance(first, bool):
        return f"{name} and {max(option.secondary_opts, key=len)} exclude each other: give one."
    return f"{name} takes one value, got {first} and {second}: give one."


def is_on_command_line(ctx: click.Context, name: str) -> bool:
    """Return whether the command line gives a parameter, so that it is not the default."""
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def reading_arguments(ctx: click.Context) -> list[str]:
    """Return the reading options of the command line, as arguments for another command."""
    words = []
    for option in ctx.command.params:
        name = option.name or ""
        if name not in SourceOptions.__dataclass_fields__ or not is_on_command_line(ctx, name):
            continue
        value = ctx.params[name]
        if isinstance(value, bool):
            words.append(option.opts[0] if value else option.secondary_opts[0])
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [option.opts[0], str(one)]
    return words


def order_panels(function: F) -> F:
    """Put arguments and plain options before the other panels of the help page."""
    for panel in ("Options", "Arguments"):
        function = click.option_panel(panel)(function)
    return function


def data_argument(function: F) -> F:
    """Add the argument DATA, the source of the rows."""
    return click.argument("data", metavar="DATA", help=DATA_HELP)(function)


def model_argument(function: F) -> F:
    """Add the argument MODEL, a model file."""
    text = "A file written by rosenblatt train or rosenblatt.save."
    return click.argument("model", metavar="MODEL", help=text)(function)


reading_options = add_options(
    _reading(
        "--target",
        metavar="COLUMN",
        help="Column with the labels. By default target, label, class or y, else the last column.",
    ),
    _reading(
        "--format",
        type=click.Choice(FORMAT_NAMES),
        metavar="NAME",
        help=f"{', '.join(FORMAT_NAMES)}. By default detected by suffix or by the first lines.",
    ),
    _reading(
        "--interactions",
        multiple=True,
        metavar="A*B",
        help="Add products of features: of the Vowpal Wabbit namespaces A and B, or of two "
        "columns of a table. Repeatable.",
    ),
    _reading(
        "--schema",
        metavar="COLUMN:KIND,…",
        help="Kinds of the columns of a table, or keys of JSON lines: number, category, text, "
        "label, id, weight or skip; * stands for all other columns. By default the kinds are "
        "inferred from the first rows.",
    ),
    _reading(
        "--sample-weight",
        metavar="COLUMN",
        help="Column with the weights of the rows; as --schema COLUMN:weight.",
    ),
    _reading(
        "--header/--no-header",
        default=None,
        help="Whether the first line of a table names the columns. By default it does; without, "
        "they are --names, or c1, c2, …",
    ),
    _reading(
        "--names",
        metavar="A,B,…",
        help="Columns of a table without a header line.",
    ),
    _reading(
        "--separator",
        metavar="CHAR",
        help="Character between the cells of a table, such as ';'; ' ' is any number of blanks. "
        "Default: a comma in CSV, a tab in TSV.",
    ),
    _reading(
        "--decimal",
        type=click.Choice([".", ","]),
        metavar=".|,",
        help="Mark before the decimals of a table's numbers. With a comma, the columns of CSV are "
        "separated by semicolons, unless --separator says otherwise. Default: a point.",
    ),
    _reading(
        "--quotes/--no-quotes",
        default=None,
        help="Whether a cell of a table may be in double quotes, as in CSV. By default it may; in "
        "TSV not if the first rows can only be read so.",
    ),
    _reading(
        "--impute",
        type=click.Choice(["mean", "zero", "indicator"]),
        metavar="mean|zero|indicator",
        help="Fill in the missing numbers of tables and JSON lines: null, the empty cell, NA, N/A, "
        "NaN, nan, NULL and ?. With the mean of the column so far (certify, verify: of the whole "
        "column), 0, or 0 beside a feature 'COLUMN is missing'. A missing category is no feature "
        "(certify, verify: a category of its own).",
    ),
    _reading(
        "--missing",
        metavar="WORD,…",
        help="Further spellings of a missing cell, such as -999. Implies --impute mean.",
    ),
    _reading(
        "--text",
        multiple=True,
        metavar="SPEC",
        help="N-grams of texts: word:1-2 (the default), char:3-5, char_wb:3-5. Repeatable.",
    ),
    _reading(
        "--bits",
        type=click.IntRange(1, 30),
        metavar="N",
        help="Hash feature names, texts and the indices of svmlight text to 2^N columns. Default: "
        "18 for Vowpal Wabbit text and for texts; other data is not hashed.",
    ),
    _reading(
        "--index-base",
        type=click.Choice(["0", "1"]),
        metavar="0|1",
        help="Index of the first feature in svmlight text. Detected by default.",
    ),
    _reading(
        "--on-bad-row",
        type=click.Choice(["stop", "skip"]),
        metavar="NAME",
        default="stop",
        show_default=True,
        help="For a row that cannot be parsed: stop with an error, or skip it and write it to "
        "--bad-rows. Without this option, predict prints an empty line and goes on.",
    ),
    _reading(
        "--bad-rows",
        metavar="FILE",
        help="Write skipped rows to this file, one JSON object per row with file, line, "
        "column, problem and row. By default bad-rows.jsonl in the current folder.",
    ),
)
"""Options that say how to read DATA; :class:`SourceOptions` takes their values."""


def json_option(text: str) -> Callable[[F], F]:
    """Add the flag ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help=text, panel="Output")


def quiet_option(text: str = "Print no notes.") -> Callable[[F], F]:
    """Add the flag ``--quiet``."""
    return click.option(
        "-q", "--quiet", is_flag=True, callback=_silence_log, help=text, panel="Output"
    )


def _silence_log(ctx: click.Context, param: click.Parameter, quiet: bool) -> bool:
    if quiet:
        terminal.log_as_notes(quiet=True)
    return quiet
