"""Options and arguments that several subcommands share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rosenblatt.cli.options.declared import Options, argument, option
from rosenblatt.streams.core.format import PACKINGS, Format
from rosenblatt.streams.registry import FORMAT_NAMES, FORMATS
from rosenblatt.streams.registry.sklearn_sets import DATASETS, PREFIX


def _suffixes(*formats: Format) -> str:
    return " ".join(suffix for one in formats for suffix in one.suffixes)


_FOLDERS = [one for one in FORMATS.values() if one.has_folders]
_TEXTS = [one for one in FORMATS.values() if one.open_lines is not None]
_FILES = [one for one in FORMATS.values() if one not in (*_FOLDERS, *_TEXTS)]

DATA_HELP = (
    f"A file ({_suffixes(*_TEXTS)}, also {' '.join(PACKINGS)}; {_suffixes(*_FILES)}), a folder of "
    "such files (names KEY=VALUE of folders in it are columns), a folder with a subfolder of texts "
    f"or mail for each label (or {_suffixes(*_FOLDERS)} .tar.gz), a quoted glob pattern "
    "('day-*.svm'), a URL (https://…; s3://…, of a folder, too), - for standard input, or "
    f"{', '.join(PREFIX + name for name in DATASETS)}."
)


def data_argument() -> Any:
    """Declare the argument DATA, the source of the rows."""
    return argument("DATA", DATA_HELP)


def model_argument() -> Any:
    """Declare the argument MODEL, a model file."""
    return argument("MODEL", "A file written by rosenblatt train or rosenblatt.save.")


def json_option(text: str) -> Any:
    """Declare the flag ``--json``."""
    return option("--json", text, panel="Output")


def quiet_option(text: str = "Print no notes.") -> Any:
    """Declare the flag ``--quiet``."""
    return option("-q --quiet", text, panel="Output")


class SourceOptions(Options, panel="Reading"):
    """How to read DATA."""

    target: str | None = option(
        "--target COLUMN",
        "Column with the labels. By default target, label, class or y, else the last column.",
    )
    format: str | None = option(
        "--format NAME",
        f"{', '.join(FORMAT_NAMES)}. By default detected by suffix or by the first lines.",
        FORMAT_NAMES,
    )
    interactions: tuple[str, ...] = option(
        "--interactions A*B",
        "Add products of features: of the Vowpal Wabbit namespaces A and B, or of two "
        "columns of a table; A*B*C of three. Repeatable.",
        multiple=True,
    )
    keep: tuple[str, ...] = option(
        "--keep NAMESPACE",
        "Vowpal Wabbit text: read the features of this namespace alone. Repeatable.",
        multiple=True,
    )
    ignore: tuple[str, ...] = option(
        "--ignore NAMESPACE",
        "Vowpal Wabbit text: leave out the features of this namespace. Repeatable.",
        multiple=True,
    )
    schema: str | None = option(
        "--schema COLUMN:KIND,…",
        "Kinds of the columns of a table, or keys of JSON lines: number, category, text, date "
        "(date-dmy, date-mdy: the day or the month is first), time, label, id, weight or skip; * "
        "stands for all other columns. By default the kinds are inferred from the first rows, and "
        "ids are left out.",
    )
    sample_weight: str | None = option(
        "--sample-weight COLUMN", "Column with the weights of the rows; as --schema COLUMN:weight."
    )
    text: tuple[str, ...] = option(
        "--text SPEC",
        "N-grams of texts: word:1-2 (the default), char:3-5, char_wb:3-5. Repeatable.",
        multiple=True,
    )
    bits: int | None = option(
        "--bits N",
        "Hash feature names, texts and the indices of svmlight text to 2^N columns. Default: "
        "18 for Vowpal Wabbit text and for texts; other data is not hashed.",
        click.IntRange(1, 30),
    )
    index_base: str | None = option(
        "--index-base 0|1",
        "Index of the first feature in svmlight text. Detected by default.",
        ("0", "1"),
    )
    on_bad_row: str = option(
        "--on-bad-row NAME",
        "For a row that cannot be parsed: stop with an error, or skip it and write it to "
        "--bad-rows. Without this option, predict prints an empty line and goes on.",
        ("stop", "skip"),
        default="stop",
    )
    bad_rows: str | None = option(
        "--bad-rows FILE",
        "Write skipped rows to this file, one JSON object per row with file, line, "
        "column, problem and row. By default bad-rows.jsonl in the current folder.",
    )
    header: bool | None = option(
        "--header/--no-header",
        "Whether the first line of a table names the columns. By default it does; without, "
        "they are --names, or c1, c2, …",
    )
    names: str | None = option("--names A,B,…", "Columns of a table without a header line.")
    separator: str | None = option(
        "--separator CHAR",
        "Character between the cells of a table, such as ';'; ' ' is any number of blanks. "
        "Default: a comma in CSV, a tab in TSV.",
    )
    decimal: str | None = option(
        "--decimal .|,",
        "Mark before the decimals of a table's numbers. With a comma, the columns of CSV are "
        "separated by semicolons, unless --separator says otherwise. Default: a point.",
        (".", ","),
    )
    quotes: bool | None = option(
        "--quotes/--no-quotes",
        "Whether a cell of a table may be in double quotes, as in CSV. By default it may; in "
        "TSV not if the first rows can only be read so.",
    )
    missing: str | None = option(
        "--missing WORD,…",
        "Further spellings of a missing cell, such as -999. Implies --impute mean.",
    )
    impute: str | None = option(
        "--impute mean|zero|indicator",
        "Fill in the missing numbers of tables and JSON lines: null, the empty cell, NA, N/A, "
        "NaN, nan, NULL and ?. With the mean of the column so far (certify, verify and a cluster: "
        "of the whole column), 0, or 0 beside a feature 'COLUMN is missing'. A missing category "
        "is no feature (certify, verify: a category of its own).",
        ("mean", "zero", "indicator"),
    )

    storage_option: tuple[str, ...] = option(
        "--storage-option KEY=VALUE",
        "Option of the file system of a URL, as fsspec names it, such as endpoint_url=http://… of "
        "s3://; the value is JSON or text, and is written nowhere. By default the environment has "
        "them. Repeatable.",
        multiple=True,
    )
    cache: str | None = option(
        "--cache SIZE",
        "Keep what is read of a URL on the disk, of each worker, up to this size, such as 20GB, "
        "for the epochs after the first. Default: $ROSENBLATT_CACHE, else 0.",
    )

    def reading_arguments(self, without: Sequence[str] = ()) -> list[str]:
        """Return the options of the command line that read DATA, as arguments.

        Parameters
        ----------
        without : sequence of str
            Names of fields that are left out.
        """
        declared = [name for name in SourceOptions.declared if name != "storage_option"]  # secret
        names = [name for name in declared if name in self.on_command_line]
        return [word for name in names if name not in without for word in self.arguments_of(name)]
