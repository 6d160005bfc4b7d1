"""``rosenblatt export``: write a model as a file that scores raw rows without this library."""

from __future__ import annotations

import os
import time

import click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.inputs.existence import check_file, is_model_file
from rosenblatt.cli.options.declared import Options, command, option
from rosenblatt.cli.options.shared import model_argument, quiet_option
from rosenblatt.exports.format import DIALECT_NAMES
from rosenblatt.exports.formats import FORMATS

_HEAD_BYTES = 4096  # of an export, which names the library there
_TO = "; ".join(
    f"{one.name}, {one.title}" + (f", not for {one.limits}" if one.limits else "")
    for one in FORMATS.values()
)


class ExportOptions(Options, panel="Output"):
    """All options and arguments of ``rosenblatt export``."""

    model: str = model_argument()
    to: str | None = option(
        "--to FORMAT", f"{_TO}. By default the suffix of FILE decides.", tuple(FORMATS)
    )
    output: str = option("-o --output FILE", "File to write.", required=True)
    table: str | None = option("--table NAME", "SQL: table of the rows. Default: data.")
    dialect: str | None = option(
        "--dialect NAME", f"SQL: {', '.join(DIALECT_NAMES)}. Default: sqlite.", DIALECT_NAMES
    )
    quiet: bool = quiet_option()


@command(ExportOptions, "Models and data", 4)
def export(options: ExportOptions) -> None:
    """Export MODEL as a file that scores raw rows without this library.

    Examples
    --------
        rosenblatt export mail.rosenblatt -o mail.json  # scores without this library
        rosenblatt export wines.rosenblatt -o wines.sql --dialect duckdb
        rosenblatt export wines.rosenblatt --to onnx -o wines.onnx

    The file has all that MODEL does with a row as it is found: kinds of columns, missing cells,
    categories, products, texts; scores, labels, and probabilities where the model has them. What a
    format cannot express is refused with the reason, and never approximated. ONNX needs a package:
    pip install 'rosenblatt[onnx]'.
    """
    check_file(options.model)
    from rosenblatt.cli.inputs.paths import check_output_path
    from rosenblatt.exports.writing import export as write
    from rosenblatt.exports.writing import format_of, options_of

    started = time.perf_counter()
    try:
        format = format_of(options.output, options.to)
        options_of(format, options.table, options.dialect)
    except ValueError as error:
        raise click.UsageError(_name_options(str(error))) from error
    check_output_path(options.output, options.model, "export", "--output", _read_export)
    try:
        write(
            options.model,
            options.output,
            format.name,
            table=options.table,
            dialect=options.dialect,
        )
    except ModuleNotFoundError as error:
        raise Failure(str(error)) from error
    if not options.quiet:
        details = f"{fmt.size(os.path.getsize(options.output))}, in "
        details += fmt.seconds(time.perf_counter() - started)
        terminal.print_line("written", f"{options.output} ({details}).", "green")


def _name_options(message: str) -> str:
    """Name the options of the command in a message of the library."""
    for name in ("table", "dialect"):
        for verb in ("does not go", "must be"):
            message = message.replace(f"{name} {verb}", f"--{name} {verb}")
    return message


def _read_export(path: str) -> None:
    """Refuse a file that is no earlier export."""
    with open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
    if is_model_file(path) or b"rosenblatt" not in head:
        raise ValueError(f"{path} is no export")
