"""``rosenblatt sample``: small files of real data to try the command on."""

from __future__ import annotations

import os
from typing import NamedTuple

import click

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.options.declared import Options, argument, command, option
from rosenblatt.utils.atomic import atomic_write_bytes
from rosenblatt.utils.words import file_word, shell_words


class Sample(NamedTuple):
    """A file of the package: its name, its contents in a line, and a command to try."""

    file: str
    contents: str
    command: str

    @property
    def name(self) -> str:
        """The name on the command line: that of the file without its suffix."""
        return self.file.partition(".")[0]

    def read(self) -> bytes:
        """Return the bytes of the file.

        Examples
        --------
        >>> SAMPLES[0].read().splitlines()[0]
        b'sepal_length,sepal_width,petal_length,petal_width,species'
        """
        from importlib import resources

        return (resources.files("rosenblatt") / "samples" / self.file).read_bytes()


SAMPLES = (
    Sample(
        "flowers.csv",
        "120 irises of three species: four lengths in cm",
        "train flowers.csv -m flowers.rosenblatt --epochs 10",
    ),
    Sample(
        "new-flowers.csv",
        "30 more irises, to judge a model of flowers.csv",
        "evaluate flowers.rosenblatt new-flowers.csv",
    ),
    Sample(
        "mail.tsv",
        "60 short mails, ham or spam: texts in a table",
        "train mail.tsv -m mail.rosenblatt --holdout 0.3",
    ),
    Sample(
        "wines.csv",
        "178 wines: semicolons, decimal commas, missing cells",
        "train wines.csv -m wines.rosenblatt --decimal , --impute mean --holdout 0.3",
    ),
    Sample(
        "tumours.svm",
        "377 tumours, 20 malignant (+1), sorted by label: svmlight text",
        "train tumours.svm -m tumours.rosenblatt --shuffle --class-weight balanced "
        "--epochs 10 --holdout 0.3",
    ),
)
"""All samples, in the order of the list."""

_LICENCE = (
    "mail.tsv was written for rosenblatt. All other files are from the UCI Machine Learning "
    "Repository, changed, under CC BY 4.0: https://archive.ics.uci.edu"
)


class SampleOptions(Options):
    """All options and arguments of ``rosenblatt sample``."""

    name: str | None = argument(
        "[NAME]",
        "The sample; without it, all samples are listed.",
        tuple(sample.name for sample in SAMPLES),
    )
    output: str | None = option(
        "-o --output FILE",
        "File to write; - is standard output. By default that of the list, in the current folder.",
    )
    force: bool = option("--force", "Replace the file if it exists.")


@command(SampleOptions, "Start", 2)
def sample(options: SampleOptions) -> None:
    """Write a small file of real data to try the command on, or list these files.

    Examples
    --------
        rosenblatt sample  # files to try
        rosenblatt sample flowers
        rosenblatt sample mail -o - | rosenblatt train - -m mail.rosenblatt
    """
    if options.name is None:
        if options.output is not None or options.force:
            word = "--force" if options.output is None else "--output"
            raise click.UsageError(f"{word} needs a NAME: rosenblatt sample lists them.")
        _list_samples()
        return
    wanted = next(sample for sample in SAMPLES if sample.name == options.name)
    if options.output == "-":
        click.echo(wanted.read(), nl=False)
        return
    path = wanted.file if options.output is None else options.output
    if os.path.lexists(path) and not options.force:
        raise Failure(f"{path}: exists: give --output another file, or --force to replace it.")
    data = wanted.read()
    atomic_write_bytes(path, data, "sample")
    console = terminal.stderr()
    command = wanted.command.replace(wanted.file, shell_words([file_word(path)]))
    facts = [("written", f"{path} ({fmt.size(len(data))})"), ("contents", wanted.contents)]
    render.show_facts(console, [*facts, ("next", f"rosenblatt {command}")])


def _list_samples() -> None:
    """Print the name and the contents of each sample, and the command to try."""
    console = terminal.stdout()
    width = max(len(sample.name) for sample in SAMPLES)
    for sample in SAMPLES:
        name = f"{sample.name:{width}}"
        console.print(render.text((name, "bold cyan"), f"  {sample.contents}"))
        console.print(render.text((f"    rosenblatt {sample.command}", "green")), soft_wrap=True)
    console.print()
    console.print("rosenblatt sample NAME writes the file that the command reads.")
    console.print(render.text((_LICENCE, "dim")))
