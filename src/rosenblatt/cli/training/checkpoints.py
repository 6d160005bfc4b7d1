"""Stopping and going on: ``--checkpoint-every`` and ``--resume``.

The model file is the checkpoint. Its note ``run`` has the options of the run, where it stands, and
what the screen and ``--json`` tell of what is past.
"""

from __future__ import annotations

import copy
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, NamedTuple, Self, TypeVar

import rich_click as click

from rosenblatt.cli.display import terminal
from rosenblatt.cli.display.errors import BadData, Failure

F = TypeVar("F", bound=Callable[..., Any])

_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_CHANGEABLE = (
    "data",
    "path",
    "format",
    "certify",
    "report",
    "bad_rows",
    "quiet",
    "as_json",
    "checkpoint_every",
    "resume",
)
"""Options that may differ when a run goes on: they do not change what is learned."""

_MAX_DELAY = 1.0  # seconds that a checkpoint may be late while rows are awaited

_unattended = partial(click.option, panel="Unattended")


class Interval(NamedTuple):
    """How often a checkpoint is due: after so many seconds, or so many examples."""

    seconds: float | None
    examples: int | None


def _parse_interval(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> Interval | None:
    """30s, 5min or 1h; or a number of examples."""
    if value is None:
        return None
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]+)?) ?(s|min|h)", value)
    if match and float(match[1]) > 0:
        return Interval(float(match[1]) * _SECONDS[match[2]], None)
    if re.fullmatch("[0-9]{1,18}", value) and int(value) > 0:
        return Interval(None, int(value))
    problem = f"{value!r} is no time, such as 30s, 5min or 1h, and no number of examples above 0."
    raise click.BadParameter(problem, ctx, param)


def checkpoint_options(function: F) -> F:
    """How often to write the model on the way, and whether to go on from it."""
    for option in (
        _unattended(
            "--resume",
            is_flag=True,
            help="Go on where the run that left the model stopped, or begin if there is no model. "
            "DATA is read from its start, and may have grown.",
        ),
        _unattended(
            "--checkpoint-every",
            callback=_parse_interval,
            metavar="T",
            help="Write the model on the way, every 30s, 5min or 1h, or after so many examples.",
        ),
    ):
        function = option(function)
    return function


# --- going on ------------------------------------------------------------------------------------


class PreviousRun(NamedTuple):
    """What an earlier run left: its model and names, its note, and whether it was over."""

    model: Any
    names: list[str] | None
    run: dict[str, Any]
    is_finished: bool


def load_previous_run(options: dict[str, Any]) -> PreviousRun | None:
    """What ``--resume`` goes on from; None where the run begins.

    Raises
    ------
    BadData
        There is a file from which no run can go on.
    click.UsageError
        The run had other options.
    """
    from rosenblatt.cli.inputs.models import open_model
    from rosenblatt.learning.models.files import ModelError

    path = options["path"]
    if not (options["resume"] and os.path.exists(path)):
        return None
    try:
        model, notes, names, saved = open_model(path)
    except ModelError as error:
        raise BadData(f"{error} Or delete it: then --resume begins anew.") from error
    if "run" not in notes or saved is not model:
        raise BadData(
            f"{path}: does not say where its training stopped, so --resume cannot go on: leave it "
            "out to train anew, or give --model another file."
        )
    _check_options(path, notes["run"]["options"], fixed_options(options))
    return PreviousRun(model, names, notes["run"], not notes["interrupted"])


def fixed_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options that change what is learned, as JSON gives them back."""
    from rosenblatt.learning.models.header import json_notes

    fixed: dict[str, Any] = json_notes({k: v for k, v in options.items() if k not in _CHANGEABLE})
    return fixed


def _check_options(path: str, before: dict[str, Any], now: dict[str, Any]) -> None:
    for name in now:
        if before.get(name) != now[name]:
            raise click.UsageError(
                f"{_format_option(name, now[name])} does not go with --resume: {path} was "
                f"trained with {_format_option(name, before.get(name))}. Give the same options, or "
                "leave out --resume to train anew.",
                click.get_current_context(silent=True),
            )


def _format_option(name: str, value: Any) -> str:
    option = f"--{name.replace('_', '-')}"
    if value is None or value is False:
        return f"no {option}"
    return option if value is True else f"{option} {value}"


@contextmanager
def lock_model(options: dict[str, Any]) -> Iterator[None]:
    """Keep other runs from the model while this one lasts, where one may go on from the other.

    Raises
    ------
    Failure
        Another run has it.
    """
    if not (options["resume"] or options["checkpoint_every"]) or os.name != "posix":
        yield
        return
    import fcntl

    path = f"{os.path.realpath(options['path'])}.lock"
    with open(path, "ab") as file:  # whatever is there stays
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Failure(
                f"{options['path']}: another run writes it now: wait for that run, stop it, or "
                "give --model another file."
            ) from error
        yield


# --- writing on the way --------------------------------------------------------------------------


class Checkpointer:
    """Writes the model in turn, while the run goes on.

    Parameters
    ----------
    model : classifier
    interval : Every or None
    write : callable
        Writes the model file.
    is_idle : callable
        Whether the learner is at rest now, waiting for rows.
    """

    def __init__(
        self,
        model: Any,
        interval: Interval | None,
        write: Callable[[], None],
        is_idle: Callable[[], bool],
    ) -> None:
        self.model, self.write, self.is_idle = model, write, is_idle
        self.seconds, self.examples = interval or Interval(None, None)
        self._checked_at = time.monotonic()
        self._attempted = self._saved = self._learned()
        self._old_handler: Any = None

    def __enter__(self) -> Self:
        """Wake up in turn, too, while rows are awaited that come slowly."""
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
        if self.is_idle():
            self.write_if_due()

    def _learned(self) -> int:
        return int(self.model.t_) if self.model.__sklearn_is_fitted__() else 0

    def _is_due(self, learned: int) -> bool:
        if self.examples is not None:
            return learned - self._attempted >= self.examples
        passed = time.monotonic() - self._checked_at
        return self.seconds is not None and learned > self._saved and passed >= self.seconds

    def write_if_due(self) -> None:
        """Write the model if it is due. Where that fails, the older one stays until next time."""
        learned = self._learned()
        if not self._is_due(learned) or len(self.model.classes_) < 2:
            return
        try:
            self.write()
            self._saved = learned
        except OSError as error:
            terminal.note(f"{error.filename}: {error.strerror}. The run goes on, and tries again.")
        self._checked_at, self._attempted = time.monotonic(), learned


def with_feature_names(model: Any, names: list[str] | None) -> Any:
    """The model with the names of its features, while the learner goes on without."""
    from rosenblatt.cli.inputs.models import feature_name_array

    if names is None:
        return model
    named = copy.copy(model)
    named.feature_names_in_ = feature_name_array(names[: model.n_features_in_])
    return named
