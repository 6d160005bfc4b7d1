"""``rosenblatt evaluate``: how often a model is wrong on rows it has never seen."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import rich_click as click

from rosenblatt.cli import options, screen
from rosenblatt.cli.failures import Failure

_MOST_CLASSES = 20  # of the table of confusions


class Tally:
    """Counts how often each label was taken for each, batch by batch.

    Parameters
    ----------
    classes : list
        The labels that the model knows, as :func:`rosenblatt.cli.screen.label` writes them.
    """

    def __init__(self, classes: list[str]) -> None:
        self.classes = classes
        self.pairs: Counter[tuple[str, str]] = Counter()

    def add(self, truth: list[Any], answers: list[Any]) -> None:
        """Count the rows of one batch."""
        self.pairs.update(
            zip(map(screen.label, truth), map(screen.label, answers), strict=True)
        )

    @property
    def examples(self) -> int:
        """Rows counted."""
        return self.pairs.total()

    @property
    def errors(self) -> int:
        """Rows whose label was not the answer."""
        return sum(number for (truth, answer), number in self.pairs.items() if truth != answer)

    @property
    def labels(self) -> Counter[str]:
        """How often each label occurs in the data."""
        labels: Counter[str] = Counter()
        for (truth, _), number in self.pairs.items():
            labels[truth] += number
        return labels

    @property
    def unseen(self) -> dict[str, int]:
        """Labels that the model does not know, and how often they occur."""
        known = set(self.classes)
        return {label: number for label, number in self.labels.items() if label not in known}

    @property
    def constant(self) -> tuple[str, float]:
        """The label that is wrong least often if it is always said, and how often."""
        label, number = self.labels.most_common(1)[0]
        return label, 1.0 - number / self.examples

    def matrix(self) -> list[list[int]]:
        """Rows by the truth, columns by the answer; unseen labels have no row."""
        return [[self.pairs[truth, answer] for answer in self.classes] for truth in self.classes]

    def confused(self, most: int) -> list[tuple[str, str, int]]:
        """The pairs that were confused most often: truth, answer, how often."""
        wrong = [(*pair, number) for pair, number in self.pairs.items() if pair[0] != pair[1]]
        return sorted(wrong, key=lambda item: (-item[2], item[:2]))[:most]


@click.command(no_args_is_help=True)
@options.in_order
@options.model_argument
@options.data_argument
@options.json_option("One object: examples, errors, error, interval, confusion, …")
@options.quiet_option
@options.reading_options
def evaluate(model: str, data: str, **given: Any) -> None:
    """Count how often MODEL is wrong on the rows of DATA.

    [bold]Examples[/]
        rosenblatt evaluate mail.model test.svm
        rosenblatt evaluate mail.model test.csv --target kind --json

    The interval is Wilson's, at 95 %: it holds for rows that the model has not learned from. A
    label that the model does not know counts as an error.
    """
    from rosenblatt.cli import opening
    from rosenblatt.cli.columns import Columns

    how = opening.reading(given["format"], given["target"], given["index_base"])
    loaded = opening.open_model(model)
    if not hasattr(loaded.model, "classes_"):
        name = type(loaded.model).__name__
        raise Failure(f"{model}: a {name} predicts numbers; evaluate counts wrong labels.")
    stream = opening.open_data_for(loaded, data, how, labelled=True)
    columns = Columns(loaded, stream, given["quiet"])
    tally = Tally([screen.label(label) for label in loaded.model.classes_.tolist()])
    for batch in stream:
        tally.add(batch.y.tolist(), loaded.model.predict(columns(batch.X)).tolist())
    if given["as_json"]:
        click.echo(json.dumps(_record(tally), ensure_ascii=False))
    else:
        _show(tally)


def _record(tally: Tally) -> dict[str, Any]:
    """The object of ``--json``."""
    from rosenblatt.progressive import wilson_interval

    constant, constant_error = tally.constant
    return {
        "examples": tally.examples,
        "errors": tally.errors,
        "error": tally.errors / tally.examples,
        "interval": list(wilson_interval(tally.errors, tally.examples)),
        "constant": constant,
        "constant_error": constant_error,
        "classes": tally.classes,
        "confusion": tally.matrix(),
        "unseen": tally.unseen,
    }


def _show(tally: Tally) -> None:
    console = screen.output()
    console.print(screen.facts(_facts(tally)))
    if tally.errors == 0:
        return
    console.print()
    if len(tally.classes) <= _MOST_CLASSES and _fits(tally, console.width):
        console.print(screen.heading("Confusion", "rows: the label, columns: the prediction"))
        console.print(screen.confusion(tally.classes, tally.matrix()))
    else:
        console.print(screen.heading("Most often confused"))
        for truth, answer, number in tally.confused(10):
            console.print(f"{number:>8,} ×  {truth} taken for {answer}", markup=False)


def _fits(tally: Tally, width: int) -> bool:
    first = max(map(len, tally.classes))
    cell = screen.confusion_cell(tally.classes, tally.matrix())
    return first + cell * len(tally.classes) <= width


def _facts(tally: Tally) -> list[tuple[str, str]]:
    from rosenblatt.progressive import wilson_interval

    low, high = wilson_interval(tally.errors, tally.examples)
    constant, constant_error = tally.constant
    facts = [
        (
            "wrong",
            f"{screen.percent(tally.errors / tally.examples)} of the time "
            f"({screen.interval(low, high)}): {tally.errors:,} of "
            f"{screen.count(tally.examples, 'example')}",
        ),
        (
            "best constant",
            f"{screen.percent(constant_error)}, by always saying {constant!r}",
        ),
    ]
    if tally.unseen:
        unseen = ", ".join(f"{label} ({number:,})" for label, number in tally.unseen.items())
        facts.append(("unseen labels", f"{unseen}: not known to the model, counted as errors"))
    return facts
