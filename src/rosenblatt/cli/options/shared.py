"""Options that several subcommands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import rich_click as click

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
"""How help looks."""

RULES = (
    "perceptron",
    "margin",
    "relaxation",
    "pa",
    "pa1",
    "pa2",
    "lms",
    "nlms",
    "logistic",
    "hinge",
)
"""The names that ``rosenblatt.rules`` knows; written here, since help must not wait for it."""

FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz", "folder")
"""The names that ``rosenblatt.streams.core.options`` knows."""

DATA_HELP = (
    "A file (.svm .svmlight .libsvm .vw .csv .tsv .jsonl, also .gz .bz2 .xz .zst; .parquet "
    ".arrow .feather .npy .npz), a folder with a folder of texts or mail for each label (or .mbox "
    ".tar .tar.gz), a quoted pattern of files ('day-*.svm'), an address (https://…, s3://…), - for "
    "standard input, or sklearn:digits, sklearn:breast_cancer, sklearn:iris, sklearn:wine."
)


def order_panels(function: F) -> F:
    """Help tells the arguments and the plain options first, then what is in panels of its own."""
    for panel in ("Options", "Arguments"):
        function = click.option_panel(panel)(function)
    return function


def data_argument(function: F) -> F:
    """DATA, where rows come from."""
    return click.argument("data", metavar="DATA", help=DATA_HELP)(function)


def model_argument(function: F) -> F:
    """MODEL, a file that ``train`` wrote."""
    text = "A file that rosenblatt train or rosenblatt.save wrote."
    return click.argument("model", metavar="MODEL", help=text)(function)


def reading_options(function: F) -> F:
    """How to read DATA where it does not say so itself."""
    for option in (
        click.option(
            "--bad-rows",
            metavar="FILE",
            help="Where skipped rows go, a JSON object each with the place, the problem and the "
            "row. By default bad-rows.jsonl in the current folder.",
            panel="Reading",
        ),
        click.option(
            "--on-bad-row",
            type=click.Choice(["stop", "skip"]),
            metavar="NAME",
            default="stop",
            show_default=True,
            help="A row that cannot be read: stop there, or skip it: it goes to --bad-rows.",
            panel="Reading",
        ),
        click.option(
            "--index-base",
            type=click.Choice(["0", "1"]),
            metavar="0|1",
            help="Index of the first feature in svmlight text. By default, the data shows it.",
            panel="Reading",
        ),
        click.option(
            "--bits",
            type=click.IntRange(1, 30),
            metavar="N",
            help="Names and texts are hashed to 2^N features: by default 18 in Vowpal Wabbit text "
            "and where there are texts, else only on demand.",
            panel="Reading",
        ),
        click.option(
            "--text",
            multiple=True,
            metavar="SPEC",
            help="Texts as n-grams: word:1-2 (the default), char:3-5, char_wb:3-5. Again for more "
            "of them.",
            panel="Reading",
        ),
        click.option(
            "--schema",
            metavar="COLUMN:KIND,…",
            help="What columns of a table, or keys of JSON lines, hold: number, category, text, "
            "label, id, weight or skip; * stands for all others. By default, the first rows tell.",
            panel="Reading",
        ),
        click.option(
            "--interactions",
            multiple=True,
            metavar="A*B",
            help="Pairs of features too: of Vowpal Wabbit's namespaces A and B, or products of a "
            "table's columns. May be given again.",
            panel="Reading",
        ),
        click.option(
            "--format",
            type=click.Choice(FORMATS),
            metavar="NAME",
            help=f"{', '.join(FORMATS)}. By default, the suffix or the first lines tell.",
            panel="Reading",
        ),
        click.option(
            "--target",
            metavar="COLUMN",
            help="The table's column with the labels. By default target, label, class or y, else "
            "the last one.",
            panel="Reading",
        ),
    ):
        function = option(function)
    return function


def json_option(text: str) -> Callable[[F], F]:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help=text, panel="Output")


def quiet_option(function: F) -> F:
    """``--quiet``."""
    return click.option("-q", "--quiet", is_flag=True, help="No notes.", panel="Output")(function)
