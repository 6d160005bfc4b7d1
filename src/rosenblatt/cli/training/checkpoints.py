"""Checkpoints and resumed runs: ``--checkpoint-every`` and ``--resume``.

The model file is the checkpoint. Its note ``run`` has the options of the run, its position, and
the lines of the progress table so far.
"""

from __future__ import annotations

import copy
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypedDict, cast

import click
import numpy as np

from rosenblatt.cli.display import terminal
from rosenblatt.cli.display.errors import BadData, Failure
from rosenblatt.cli.inputs.data import file_size
from rosenblatt.cli.inputs.models import describe_model, open_model
from rosenblatt.cli.options.train import Interval, TrainOptions
from rosenblatt.learning import interface
from rosenblatt.learning.models.files import ModelError
from rosenblatt.learning.models.header import json_notes
from rosenblatt.streams.core.access import shown
from rosenblatt.streams.core.options import DATE_KINDS
from rosenblatt.utils.words import label, shell_words

if TYPE_CHECKING:
    from rosenblatt.cli.training.rows import RowsRead
    from rosenblatt.cli.training.signals import Signals
    from rosenblatt.streams.core.notes import Notes
    from rosenblatt.streams.core.options import ReadOptions

_TWO_SIDED = ("header", "quotes")  # options that are also given as --no-…
_MAX_DELAY = 1.0  # seconds between two checks while the next batch is being read


class RunNote(TypedDict, total=False):
    """The note ``run`` of a model: all that :class:`TrainingRun` needs to continue a run."""

    lines: list[dict[str, Any]]
    changes: int
    held_out_rows: list[int]
    options: dict[str, object]
    standing: dict[str, object]
    first: RowsRead
    length: int | None
    held_out: list[int]
    held_out_examples: int
    errors_before_epoch: int | None
    converged: bool


class PreviousRun(NamedTuple):
    """An earlier run: its model, feature names, notes, note ``run``, and if it was finished."""

    model: Any
    names: list[str] | None
    notes: Notes
    run: RunNote
    is_finished: bool


def checkpoint_of(options: TrainOptions) -> str:
    """Return the path of the checkpoint of a run on a cluster."""
    return f"{options.path}.checkpoint"


def load_previous_run(options: TrainOptions) -> PreviousRun | None:
    """Load the run that ``--resume`` continues; None if there is none.

    Raises
    ------
    BadData
        The file is no model, or no run can be resumed from it.
    click.UsageError
        The run had other options.
    """
    path = options.path
    if not os.path.exists(path):
        return None
    try:
        model, notes, names, saved = open_model(path)
    except ModelError as error:
        raise BadData(f"{error} Or delete it: then --resume starts a new run.") from error
    if "run" not in notes or saved is not model:
        raise BadData(
            f"{path}: has no record of an unfinished run, so it cannot be resumed: leave out "
            "--resume to train from scratch, or give --model another file."
        )
    check_options(path, notes["run"]["options"], json_notes(options.fixed()))
    return PreviousRun(model, names, notes, cast("RunNote", notes["run"]), not notes["interrupted"])


def rule_of_run(options: TrainOptions) -> str | None:
    """Return the rule of the run that ``--resume`` goes on with; None if the model is of none.

    An unfinished run on a cluster is not in the model, but in its checkpoint: its options say it.
    """
    if options.on_cluster and os.path.exists(checkpoint_of(options)):
        return None
    try:
        notes = describe_model(options.path)["notes"]
    except (ModelError, BadData):  # which is said when the model is opened
        return None
    run = notes.get("cluster_run", {}) if options.on_cluster else notes.get("run", {})
    rule: str | None = run.get("options", {}).get("rule")
    return rule


def as_before(read_options: ReadOptions, previous: PreviousRun | None) -> ReadOptions:
    """Return the options with the ids and dates of the run to resume, and no others.

    A run of an earlier version may have learned a column of ids, or dates as categories.
    """
    if previous is None:
        return read_options
    noted = previous.notes.get("schema") or {}
    special = {name: kind for name, kind in noted.items() if kind in ("skip", *DATE_KINDS)}
    schema = special | (read_options.schema or {}) or None
    return read_options._replace(schema=schema, settled=True)


def check_options(path: str, before: dict[str, object], now: dict[str, object]) -> None:
    """Refuse to resume the run that wrote a model, if it had other options.

    Raises
    ------
    click.UsageError
        The message names the first option that differs.
    """
    for name in before | now:
        if before.get(name) != now.get(name):
            raise differs(path, spelled(name, now.get(name)), spelled(name, before.get(name)))


def differs(path: str, now: str, before: str) -> click.UsageError:
    """Return the error of an option that the run to resume did not have."""
    return click.UsageError(
        f"{now} does not go with --resume: {path} was trained with {before}. Give the same "
        "options, or leave out --resume to train from scratch."
    )


def spelled(name: str, value: object) -> str:
    r"""Return an option as on the command line.

    Examples
    --------
    >>> spelled("early_stop", 3), spelled("average", False), spelled("from_model", "m.rosenblatt")
    ('--early-stop 3', 'no --average', '--from m.rosenblatt')
    >>> spelled("header", False), spelled("header", None), spelled("cost", [1.0, 2.5])
    ('--no-header', 'no --header or --no-header', '--cost 1 2.5')
    >>> spelled("keep", ["a", "b"]), spelled("class_weight", {"spam": 5.0})
    ('--keep a --keep b', '--class-weight \'{"spam": 5.0}\'')
    """
    option = "--from" if name == "from_model" else f"--{name.replace('_', '-')}"
    if name in _TWO_SIDED:
        other = f"--no-{name}"
        return f"no {option} or {other}" if value is None else option if value else other
    if value is None or value is False or value in ([], ()):
        return f"no {option}"
    if isinstance(value, dict):
        return f"{option} {shell_words([json.dumps(value, ensure_ascii=False)])}"
    if isinstance(value, list | tuple):
        words = map(label, value)
        return " ".join([option, *words] if name == "cost" else [f"{option} {w}" for w in words])
    return option if value is True else f"{option} {value}"


@contextmanager
def lock_model(options: TrainOptions) -> Iterator[None]:
    """Lock the model file of a run with checkpoints, as on a cluster, against other runs.

    So is that of a run that goes on from a model and replaces it.

    Raises
    ------
    Failure
        Another run has locked it.
    """
    writes_checkpoints = options.resume or options.checkpoint_every or options.on_cluster
    if not (writes_checkpoints or options.in_place) or os.name != "posix":
        yield
        return
    import fcntl

    path = f"{os.path.realpath(options.path)}.lock"
    with open(path, "ab") as file:  # an existing file is not changed
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Failure(
                f"{options.path}: is being written by another run: wait for that run, stop it, or "
                "give --model another file."
            ) from error
        yield


class Checkpointer:
    """Timer that saves the model during a run.

    Parameters
    ----------
    model : classifier
    interval : Interval
    write : callable
        Function that saves the model.
    signals : Signals
        Says whether the learner is waiting for rows.
    """

    def __init__(
        self, model: Any, interval: Interval, write: Callable[[], None], signals: Signals
    ) -> None:
        self.model, self.write, self.signals = model, write, signals
        self.seconds, self.examples = interval
        self._checked_at = time.monotonic()
        self._attempted = self._saved = int(model.t_) if interface.is_fitted(model) else 0
        self._old_handler: Any = None

    def __enter__(self) -> Self:
        """Start a timer, so that checkpoints are due also while a slow source is read."""
        if self.seconds is not None and hasattr(signal, "setitimer"):
            self._old_handler = signal.signal(signal.SIGALRM, self._on_alarm)
            period = min(self.seconds, _MAX_DELAY)
            signal.setitimer(signal.ITIMER_REAL, period, period)
        return self

    def __exit__(self, *error: object) -> None:
        if self._old_handler is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, self._old_handler)

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:
        if self.signals.is_waiting and interface.is_fitted(self.model):
            self.write_if_due()

    def write_if_due(self) -> None:
        """Save the model if a checkpoint is due; if that fails, print a note and retry later."""
        learned = int(self.model.t_)
        if self.examples is not None:
            is_due = learned - self._attempted >= self.examples
        else:
            passed = time.monotonic() - self._checked_at
            is_due = learned > self._saved and passed >= (self.seconds or 0.0)
        if not is_due or len(self.model.classes_) < 2:
            return
        try:
            self.write()
            self._saved = learned
        except OSError as error:
            terminal.note(
                f"{error.filename}: {error.strerror}. No checkpoint was written; the run continues "
                "and tries again."
            )
        self._checked_at, self._attempted = time.monotonic(), learned


def noted_options(options: TrainOptions) -> dict[str, object]:
    """Return the notes of a model on the data and the order that it learned."""
    return {
        "data": shown(options.data),
        "data_bytes": file_size(options.data),
        "epochs": options.epochs,
        "shuffle": options.shuffle,
        "seed": options.seed,
    }


def with_feature_names(model: Any, names: list[str] | None) -> Any:
    """Return a copy of the model with feature names; the learner continues without."""
    if names is None:
        return model
    named = copy.copy(model)
    named.feature_names_in_ = np.array(names[: model.n_features_in_], dtype=object)
    return named
