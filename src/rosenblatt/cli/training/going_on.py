"""The model that a run goes on from (``train NEW --from MODEL``): its options, rows and notes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.inputs.data import open_data, options_of_model
from rosenblatt.cli.inputs.models import load_model
from rosenblatt.cli.options.kernel import KernelOptions
from rosenblatt.cli.options.learning import LinearOptions, RuleOption
from rosenblatt.cli.options.names import KERNELS, OFFERED
from rosenblatt.cli.training.checkpoints import spelled
from rosenblatt.cli.training.summary import LearnedBefore
from rosenblatt.learning.models import files
from rosenblatt.learning.models.online_names import learner_and_names
from rosenblatt.streams.core.options import FEATURE_OPTIONS
from rosenblatt.streams.registry import FORMATS
from rosenblatt.streams.reopening import NotesError, aligned

if TYPE_CHECKING:
    from rosenblatt.cli.options.train import TrainOptions
    from rosenblatt.cli.training.checkpoints import PreviousRun
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.notes import Notes
    from rosenblatt.streams.core.options import ReadOptions

_LEARNER_OPTIONS = (
    "expansion",
    *(name for part in (RuleOption, LinearOptions, KernelOptions) for name in part.declared),
)
"""The options that decide the learner: those of the model stay."""


class Origin(NamedTuple):
    """A model that a run goes on from.

    Parameters
    ----------
    path : str
    model : classifier
        It takes rows without column names, with its columns in order.
    notes : dict
    names : list of str, or None
        Names of its columns.
    sha256 : str
        Digest of its arrays.
    learned : LearnedBefore
        What it had learned before the run.
    """

    path: str
    model: Any
    notes: Notes
    names: list[str] | None
    sha256: str
    learned: LearnedBefore

    def options(self, options: TrainOptions) -> TrainOptions:
        """Return the options of the command line, with those of the model's learner.

        Raises
        ------
        click.UsageError
            An option of the command line is another than the model's.
        """
        values = _learner_options(self.model, options)
        earlier = self.notes.get("run", {}).get("options", {})  # such as the gamma "scale"
        for name in sorted(options.on_command_line.intersection(values)):
            value = getattr(options, name)
            if value not in (values[name], earlier.get(name, values[name])):
                raise click.UsageError(
                    f"{spelled(name, value)} does not go with --from: {self.path} was trained with "
                    f"{spelled(name, values[name])}, and goes on with its own rule and options."
                )
        path = options.path or self.path
        return options.replaced(**values, path=path, in_place=_is_same_file(path, self.path))

    def check_unchanged(self, options: TrainOptions, previous: PreviousRun | None) -> None:
        """Refuse a model that another run has replaced, before or since this run began.

        Raises
        ------
        BadData
        """
        if previous is not None and previous.notes.get("from_sha256") != self.sha256:
            raise BadData(
                f"{self.path}: is another model than {options.path} went on from, so the run "
                "cannot be resumed: leave out --resume to go on from this one."
            )
        if options.in_place and files.describe(self.path)["sha256"] != self.sha256:
            raise BadData(f"{self.path}: was replaced by another run: run the command again.")

    def open(self, options: TrainOptions, read_options: ReadOptions) -> Stream:
        """Open DATA as the model's training data were read; its columns are those of the model.

        Raises
        ------
        click.UsageError
            An option contradicts the model.
        BadData
            The notes lack what reading goes on from.
        DataError
            DATA has other features, or cannot be read.
        """
        try:
            merged = options_of_model(self.notes, options.data, read_options, grows=True)
        except NotesError as error:
            raise BadData(f"{self.path}: {error}") from error
        return aligned(
            open_data(options.data, merged),
            self.notes,
            self.names,
            int(self.model.n_features_in_),
            self.model.classes_.dtype.kind,
            grows=True,
            report=None if options.quiet else terminal.note,
        )

    def noted(self, noted: Notes) -> Notes:
        """Return the notes on how rows are read: the model's, with what DATA added to them.

        Parameters
        ----------
        noted : dict
            :meth:`rosenblatt.streams.Stream.noted`, of DATA.
        """
        names = ("format", *FEATURE_OPTIONS)
        kept = {name: self.notes.get(name) for name in names if name in self.notes}
        kept |= {name: noted.get(name) for name in ("means", "totals") if name in noted}
        if self.notes.get("index_base") is None:  # no row of text has shown it so far
            kept["index_base"] = noted["index_base"]
        data = {k: self.notes.get(k) for k in ("data", "data_bytes")}
        earlier = [*self.notes.get("earlier", []), data]
        kept |= {"from": self.path, "from_sha256": self.sha256, "earlier": earlier}
        return cast("Notes", kept)


def load_origin(path: str) -> Origin:
    """Load the model that a run goes on from.

    Raises
    ------
    BadData
        The file cannot be read, or is no model that the command can go on with.
    ModelError
        The file is no model.
    """
    saved, about = load_model(path)
    model, names = learner_and_names(saved)
    online = type(saved).__name__ if saved is not model else None
    problem = _problem(model, about["notes"], online)
    if problem is not None:
        raise BadData(f"{path}: {problem}")
    vars(model).pop("feature_names_in_", None)  # rows come without names, with columns in order
    learned = LearnedBefore(path, int(model.t_) - 1)
    return Origin(path, model, about["notes"], names, about["sha256"], learned)


def _problem(model: object, notes: Notes, online: str | None) -> str | None:
    """Return why the command cannot go on with a model; None if it can."""
    in_python, name = "Go on with it in Python, by", type(model).__name__
    if online is not None:
        return f"is an {online}, and --from needs a model of train. {in_python} learn_many."
    if not hasattr(model, "classes_"):
        return f"a {name} is a regressor; train learns classifiers. {in_python} partial_fit."
    if not hasattr(model, "rule"):
        return f"a {name} is no learner of train. {in_python} partial_fit."
    for parameter, choices in (("rule", OFFERED), ("kernel", KERNELS)):
        value = getattr(model, parameter, None)
        if value not in choices and not (parameter == "kernel" and value is None):
            return (
                f"its {parameter} {value!r} is no --{parameter} of train. {in_python} partial_fit."
            )
    format = notes.get("format")
    has_schema = format in FORMATS and "schema" in FORMATS[format].options and format != "jsonl"
    if format not in FORMATS or (has_schema and notes.get("schema") is None):
        return (
            "does not say how the rows of its training data were read: it was saved in Python, or "
            f"by an earlier version. {in_python} partial_fit, or train it again."
        )
    return None


def _learner_options(model: Any, options: TrainOptions) -> dict[str, Any]:
    """Return the options that build a learner like this one; None for those it does not have."""
    values: dict[str, Any] = {}
    for name in _LEARNER_OPTIONS:
        unset = None if name in options.on_command_line else getattr(options, name)
        values[name] = getattr(model, name, unset)
    weights = values["class_weight"]
    if isinstance(weights, dict):
        values["class_weight"] = {fmt.label(label): weight for label, weight in weights.items()}
    is_average, is_vote = (model.output == output for output in ("average", "vote"))
    return values | {"average": is_average, "vote": is_vote}


def _is_same_file(path: str, other: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)
