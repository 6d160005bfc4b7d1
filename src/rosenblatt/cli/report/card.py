"""Model card in Markdown: what a model is, what it learned from, and how well it does.

Everything is read from the model file: its notes, its counts and its weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display import fmt, model_facts
from rosenblatt.cli.inputs.hashed_names import rank_features
from rosenblatt.cli.inputs.paths import modification_date
from rosenblatt.learning.evaluation.intervals import anytime_interval, wilson_interval

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.models import LoadedModel
    from rosenblatt.learning.models.header import Description
    from rosenblatt.streams.core.notes import Notes

_COLUMNS = 50  # in the table of columns
_TOP = 5  # features on each side
_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|#&~"})
_USE = {
    "number": "a number",
    "category": "one column for each value",
    "text": "words, hashed",
    "label": "the label",
    "weight": "the weight of a row",
    "id": "not learned; names the row",
    "skip": "left out",
}
"""What becomes of a column, by its kind; another kind is its own word."""


def model_card(loaded: LoadedModel, about: Description, path: str) -> str:
    """Return the card of a model as Markdown.

    Parameters
    ----------
    loaded : LoadedModel
    about : dict
        The description of its file, :func:`rosenblatt.models.describe`.
    path : str
        The file, whose date is that of the card.
    """
    notes, model = loaded.notes, loaded.model
    parts = [
        f"# {_plain(path)}",
        _first_sentence(model),
        _section("Data", _data(notes, model)),
        _columns(notes),
        _section("Training", _training(loaded)),
        _section("Error", _errors(notes, model)),
        _weights(loaded),
        _section("File", _file(about, path)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _plain(text: object) -> str:
    """Return text that Markdown shows as it is, in one line."""
    return fmt.printable(str(text)).translate(_MARKS)


def _section(title: str, facts: Iterator[tuple[str, str]]) -> str:
    """Return a section with a table of facts; nothing without facts."""
    lines = [f"| {name} | {value} |" for name, value in facts]
    return "\n".join([f"## {title}", "", "| | |", "|---|---|", *lines]) if lines else ""


def _first_sentence(model: object) -> str:
    kind = "kernel" if model_facts.is_kernel(model) else "linear"
    if not hasattr(model, "classes_"):
        return f"A {kind} model of numbers."
    classes = model.classes_.tolist()
    labels = _plain(fmt.listing([fmt.label(label) for label in classes]))
    return f"A {kind} classifier of {fmt.count(len(classes), 'class')}: {labels}."


def _data(notes: Notes, model: Any) -> Iterator[tuple[str, str]]:
    if "data" in notes:
        size = notes.get("data_bytes")
        bytes_of_data = "" if size is None else f" ({fmt.size(size)})"
        yield "source", f"{_plain(notes['data'])}{bytes_of_data}"
    if "format" in notes:
        yield "format", _plain(notes["format"])
    yield "examples learned", f"{int(model.t_ - 1):,}"
    if counts := _label_counts(notes):
        total = sum(count for _, count in counts)
        shown = [f"{_plain(fmt.label(label))} {count:,}" for label, count in counts[:20]]
        more = ", …" if len(counts) > 20 else ""
        yield "labels", f"{', '.join(shown)}{more}, of {fmt.count(total, 'row')} that were learned"
    if notes.get("impute"):
        yield "missing cells", f"--impute {_plain(notes['impute'])}"


def _label_counts(notes: Notes) -> list[tuple[Any, int]]:
    """Return the labels of the first epoch with their rows, the most frequent first."""
    labels = notes.get("run", {}).get("standing", {}).get("labels", ())
    return sorted(((label, count) for label, count in labels), key=lambda pair: -pair[1])


def _columns(notes: Notes) -> str:
    """Return the table of the columns of the data."""
    schema = notes.get("schema") or {}
    if not schema:
        return ""
    rows = [
        f"| {_plain(name)} | {_plain(kind)} | {_USE.get(kind, _plain(kind))} |"
        for name, kind in [*schema.items()][:_COLUMNS]
    ]
    if len(schema) > _COLUMNS:
        rows.append(f"| … | | {len(schema) - _COLUMNS:,} more |")
    if notes.get("target"):
        rows.append(f"| {_plain(notes['target'])} | label | {_USE['label']} |")
    return "\n".join(["## Columns", "", "| column | kind | use |", "|---|---|---|", *rows])


def _training(loaded: LoadedModel) -> Iterator[tuple[str, str]]:
    notes, params = loaded.notes, model_facts.changed_params(loaded.saved)
    yield "rule", _plain(model_facts.describe_rule(loaded.model))
    if "epochs" in notes:
        shuffled = "shuffled" if notes.get("shuffle") else "in the order of the data"
        yield (
            "epochs",
            f"{_plain(notes['epochs'])} at most, {shuffled}, seed {_plain(notes.get('seed'))}",
        )
        params.pop("shuffle", None)
    if params:
        yield "options", _plain(", ".join(f"{name}={value!r}" for name, value in params.items()))
    features = [*(notes.get("text") or ()), *(notes.get("interactions") or ())]
    if features:
        yield "features", _plain(", ".join(features))
    if notes.get("bits") is not None:
        yield "hashed", f"to 2^{_plain(notes['bits'])} columns"


def _errors(notes: Notes, model: Any) -> Iterator[tuple[str, str]]:
    """Yield the errors that were measured in training, and the baseline."""
    run = notes.get("run", {})
    if run.get("held_out") and "held_out_examples" in run:
        early_stop = run["options"].get("early_stop")
        errors = min(run["held_out"]) if early_stop is not None else run["held_out"][-1]
        total = run["held_out_examples"]
        shown = fmt.error_rate(errors / total, *wilson_interval(errors, total))
        yield "on held-out rows", f"{shown}, {errors:,} of {fmt.count(total, 'row')}"
    standing = run.get("standing", {"examples": 0})
    if examples := standing["examples"]:
        line = standing["last"]  # of the first of several epochs
        errors = line["errors"] if line else model.errors_ - standing["errors_before"]
        shown = fmt.error_rate(errors / examples, *anytime_interval(errors, examples))
        rows = fmt.count(examples, "row")
        yield "while learning", f"{shown}; {rows}, each predicted before it was learned"
    counts = _label_counts(notes)
    if counts and (total := sum(count for _, count in counts)):
        label, most = counts[0]
        yield "baseline", f"{fmt.percent(1 - most / total)}: always {_plain(fmt.label(label))}"


def _weights(loaded: LoadedModel) -> str:
    """Return the heaviest features of each class."""
    ranking = rank_features(loaded, _TOP)
    rows = []
    for label, sides in [*ranking.by_label.items()][:20]:
        both = [
            ", ".join(f"{_plain(name)} {weight:+.4g}" for name, weight in sides[side]) or "none"
            for side in ("positive", "negative")
        ]
        rows.append(f"| {_plain(label)} | {both[0]} | {both[1]} |")
    if not rows:
        return ""
    hint = [f"{ranking.hint}.", ""] if ranking.hint else []
    head = [f"## {ranking.title}", "", *hint, "| class | for it | against it |", "|---|---|---|"]
    return "\n".join([*head, *rows])


def _file(about: Description, path: str) -> Iterator[tuple[str, str]]:
    yield "written", f"{modification_date(path)}, by rosenblatt {_plain(about['rosenblatt'])}"
    yield "size", f"{fmt.size(about['bytes'])}, file format {about['format']}"
    yield "SHA-256 of the weights", f"`{_plain(about['sha256'])}`"
    yield "SHA-256 of the rest", f"`{_plain(about['seal'])}`"
