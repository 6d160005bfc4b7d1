"""Checkpoints of a fit on a cluster: the model after each round, with the position of the fit.

A checkpoint is a model file, so that it predicts while the fit goes on. Its note ``cluster`` has
what the fit needs besides the weights and counters to continue with the same bits, and facts on its
rows, so that a fit of other rows is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple, cast

import numpy as np

from rosenblatt.cluster.sources import FileShard, Shards
from rosenblatt.estimators.linear import Perceptron
from rosenblatt.estimators.models import load_estimator
from rosenblatt.learning import interface
from rosenblatt.learning.linear.shards import ShardLearner
from rosenblatt.learning.models.files import ModelError, describe, save
from rosenblatt.learning.models.header import json_notes
from rosenblatt.learning.problem import FitRun
from rosenblatt.learning.training import Checkpoint
from rosenblatt.learning.tuning.held_out import HeldOutErrors
from rosenblatt.streams.core.access import Version, shown
from rosenblatt.streams.core.notes import Notes
from rosenblatt.utils.words import count

_NOTE = "cluster"
_FREE = ("verbose", "n_jobs", "warm_start", "max_iter")
"""Parameters that may differ when a fit is resumed: they have no effect on the rounds so far."""

_FREE_READING = (
    *("batch_bytes", "tags", "names", "imputer", "on_bad_row"),
    *("storage_options", "cache_bytes", "cache_folder", "versions"),
)
"""Reading options that may differ: they have no effect on the rows, or are no values of JSON; and
those that are secret."""


_KINDS: dict[str, type | list[type]] = {
    "mixing": str, "reading": dict, "shards": [str], "columns": [str], "bytes": [int],
    "digests": [list], "seeds": [int], "best": [str], "stalled": [int], "gave_up": bool,
    "finished": bool, "parts": [list], "versions": dict,
}  # fmt: skip
"""What the note must have, whoever made the file: kinds of its values, or of those in its lists."""
_MAY_BE_NONE = ("columns", "digests", "seeds")
_LATER = ("parts", "versions")
"""What the notes of earlier versions lack."""


class ResumeError(ValueError):
    """A checkpoint of another fit: its path, and what differs."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path, self.problem = path, problem

    def __str__(self) -> str:
        return (
            f"{self.path}: {self.problem}. Resume with the same rows and parameters, delete the "
            "file to begin anew, or name another."
        )


def fit_facts(
    shards: Shards, mixing: str, interleave: bool, holdout: list[float] | None
) -> dict[str, Any]:
    """Return what must be the same when a fit is resumed, as far as no row is read for it.

    Of files these are the names of all parts, sizes in bytes, versions of URLs, and the options
    with which they are read; of other rows the names of the shards.
    """
    files = [rows for rows in shards.rows if isinstance(rows, FileShard)]
    versions = {url: one for rows in files for url, one in (rows.options.versions or {}).items()}
    reading = files[0].options._asdict() if files else {}
    for name in _FREE_READING:
        reading.pop(name, None)
    facts: dict[str, object] = json_notes(
        {
            "mixing": mixing,
            "interleave": interleave,
            "holdout": holdout,
            "reading": reading,
            "shards": shards.names,
            "columns": shards.feature_names,
            "parts": [[shown(name) for name in rows.names] for rows in files],
            "bytes": [rows.size for rows in files],
            "versions": noted_versions(versions),
        }
    )
    return facts


def write_checkpoints(
    path: str,
    facts: dict[str, object],
    seeds: Sequence[int] | None,
    noted: Notes | None,
    held_out: HeldOutErrors | None = None,
) -> Callable[[object, Checkpoint], None]:
    """Return a function that writes a checkpoint, for :func:`fit_shards`.

    Parameters
    ----------
    path : str
    facts : dict
        :func:`fit_facts`, and ``"digests"``: number of rows and digest of each shard, or None.
    seeds : list of int, or None
        Of the shards.
    noted : dict or None
        Notes on how files are read, so that the checkpoint predicts new ones.
    held_out : HeldOutErrors or None
        Its errors are noted; the model of its best epoch is in the file ``PATH.best``.
    """

    def write(model: Any, reached: Checkpoint) -> None:
        model.history_ = FitRun(reached.state, reached.history).table()
        position = {
            "seeds": None if seeds is None else list(seeds),
            "best": [float(cost).hex() for cost in reached.best],
            "stalled": reached.stalled.tolist(),
            "gave_up": bool(reached.gave_up[0]),
            "finished": bool(reached.finished),
        }
        if held_out is not None:
            position |= {"held_out": held_out.errors, "held_out_rows": held_out.rows}
            if held_out.best is not None and held_out.best_epoch == len(reached.history):
                save(held_out.best, best_path(path))
        save(model, path, notes={**(noted or {}), _NOTE: facts | position})

    return write


def best_path(path: str) -> str:
    """Return the file with the model of the best epoch of a checkpoint."""
    return f"{path}.best"


def noted_versions(versions: Mapping[str, Version]) -> dict[str, list[Any]]:
    """Return versions of URLs as a note has them, without queries, where signatures stand.

    Examples
    --------
    >>> noted_versions({"https://example.org/a.svm?signature=ab": Version(9, "v1")})
    {'https://example.org/a.svm?…': [9, 'v1']}
    """
    return {shown(url): list(version) for url, version in versions.items()}


def changed_url(before: dict[str, list[Any]], now: dict[str, list[Any]]) -> str | None:
    """Return a URL whose version is another than before; None if all are the same.

    Examples
    --------
    >>> before = {"s3://lake/a.svm": [9, "v1"]}
    >>> changed_url(before, {"s3://lake/a.svm": [9, "v2"]}), changed_url(before, before)
    ('s3://lake/a.svm', None)
    """
    both = (
        (url, Version(*before[url]), Version(*one)) for url, one in now.items() if url in before
    )
    return next((url for url, old, new in both if new.is_other(old)), None)


class SavedFit(NamedTuple):
    """A fit as its latest checkpoint has it: the file, the model and the note ``cluster``."""

    path: str
    model: Any
    note: dict[str, Any]

    def check_setup(self, model: Perceptron, facts: dict[str, Any]) -> None:
        """Refuse a fit with other parameters, reading options, shards or sizes of files.

        Raises
        ------
        ResumeError
        """
        old_count, new_count = len(self.note["shards"]), len(facts["shards"])
        if old_count != new_count:
            raise self._made_with(count(old_count, "shard"), f"{new_count:,}")
        before, now = _settings(self.model, self.note), _settings(model, facts)
        for name in before | now:
            if before.get(name) != now.get(name):
                old, new = _difference(before.get(name), now.get(name))
                raise self._made_with(f"{name}={old!r}", f"{name}={new!r}")
        if self.note["columns"] != facts["columns"]:
            raise self._error("of other columns, or in another order")
        shards = zip(self.note["shards"], facts["shards"], strict=True)
        for number, (old, new) in enumerate(shards, 1):
            if old != new:
                raise self._error(f"whose shard {number} is {old}, not {new}")
        parts = zip(self.note.get("parts", ()), facts["parts"], strict=False)
        for number, (old, new) in enumerate(parts, 1):
            for old_part, new_part in zip_longest(old, new, fillvalue="nothing"):
                if old_part != new_part:
                    raise self._error(f"whose shard {number} has {old_part}, not {new_part}")
        if (url := changed_url(self.note.get("versions", {}), facts["versions"])) is not None:
            raise self._error(f"of another version of {url}: the file has changed since then")
        for name, old, new in zip(
            facts["shards"], self.note["bytes"], facts["bytes"], strict=False
        ):
            if old != new:
                raise self._error(f"whose shard {name} had {count(old, 'byte')}, not {new:,}")

    def check_rows(self, learner: ShardLearner, digests: list[list[int]] | None) -> None:
        """Refuse a fit of other rows, classes or features.

        Rows are compared where both fits have read them once before the first epoch.

        Raises
        ------
        ResumeError
        """
        pairs = zip(self.note["shards"], self.note["digests"] or (), digests or (), strict=False)
        for name, old, new in pairs:
            if old[0] != new[0]:
                raise self._error(f"whose shard {name} had {count(old[0], 'row')}, not {new[0]:,}")
            if old != new:
                raise self._error(f"whose shard {name} had other rows")
        if self.model.classes_.tolist() != learner.classes.tolist():
            raise self._error(f"without the classes {learner.classes}")
        dtype = interface.learned(self.model).state.W.dtype
        if dtype != learner.dtype:
            raise self._error(f"of rows of type {dtype}, not {learner.dtype}")
        if self.model.n_features_in_ != learner.features:
            raise self._error(f"with {self.model.n_features_in_} features, not {learner.features}")

    def position(self) -> tuple[Checkpoint, list[int] | None]:
        """Return the fit between two rounds, with the shards' seeds."""
        note = self.note
        reached = Checkpoint(
            state=interface.learned(self.model).state,
            history=[tuple(row) for row in self.model.history_.tolist()],
            best=np.array([float.fromhex(cost) for cost in note["best"]]),
            stalled=np.array(note["stalled"]),
            gave_up=np.array([note["gave_up"]]),
            finished=note["finished"],
            converged=self.model.converged_,
        )
        return reached, note["seeds"]

    def restore_held_out(self, held_out: HeldOutErrors) -> None:
        """Go on with the errors on held-out rows, and the model of the best epoch so far."""
        held_out.errors, held_out.rows = self.note["held_out"], self.note["held_out_rows"]
        if held_out.patience is not None:
            held_out.best = load_estimator(best_path(self.path))

    def _made_with(self, before: str, now: str) -> ResumeError:
        return ResumeError(self.path, f"the checkpoint was made with {before}, this fit has {now}")

    def _error(self, problem: str) -> ResumeError:
        return ResumeError(self.path, f"is the checkpoint of a fit {problem}")


def read_checkpoint(path: str) -> SavedFit | None:
    """Return the fit of the checkpoint at a path; None where there is no file.

    Raises
    ------
    ModelError
        The file is damaged, or no checkpoint of a cluster.
    """
    if not os.path.exists(path):
        return None
    note = describe(path)["notes"].get(_NOTE)
    if not (isinstance(note, dict) and all(_has(note, name) for name in _KINDS) and _fits(note)):
        raise ModelError(
            f"{path}: is a model, but no checkpoint of a fit on a cluster: name another file."
        )
    model = load_estimator(path)
    if not hasattr(model, "history_"):
        raise ModelError(f"{path}: is damaged: it has no epochs of its fit.")
    return SavedFit(path, model, cast("dict[str, Any]", note))


def _has(note: dict[str, Any], name: str) -> bool:
    """Return whether a note has a field, of its kind."""
    if name not in note:
        return name in _LATER
    value, kind = note[name], _KINDS[name]
    if isinstance(kind, type):
        return isinstance(value, kind)
    if value is None:
        return name in _MAY_BE_NONE
    return isinstance(value, list) and all(isinstance(one, kind[0]) for one in value)


def _fits(note: dict[str, Any]) -> bool:
    """Return whether the values of a note, each of its kind, go together as a fit reads them."""
    digests, seeds = note["digests"] or [], note["seeds"] or []
    of_shards = (digests, seeds, note["bytes"], note.get("parts", []))  # empty: not known
    versions = note.get("versions", {}).values()
    pairs = [*digests, *versions]
    held_out: list[Any] = [[], 0]
    if note.get("holdout") is not None:
        held_out = [note.get("held_out"), note.get("held_out_rows")]
    if not (isinstance(held_out[0], list) and all(isinstance(pair, list) for pair in pairs)):
        return False
    numbers = [*note["stalled"], *seeds, *chain(*digests), *held_out[0], held_out[1]]
    return (
        {len(one) for one in of_shards if one} <= {len(note["shards"])}
        and all(len(pair) == 2 for pair in pairs)
        and all(isinstance(size, int | None) and isinstance(tag, str) for size, tag in versions)
        and len(note["best"]) == len(note["stalled"])
        and all(isinstance(number, int) and abs(number) < 1 << 63 for number in numbers)
        and all(map(_is_cost, note["best"]))
    )


def _is_cost(text: str) -> bool:
    try:
        float.fromhex(text)
    except (ValueError, OverflowError):
        return False
    return True


def _settings(model: Any, facts: dict[str, Any]) -> dict[str, object]:
    """Return the parameters and reading options that decide the rounds."""
    free = set(_FREE)
    if interface.is_blended(model):  # which learns otherwise in the last epoch
        free.remove("max_iter")
    params = {
        name: value
        for name, value in model.get_params().items()  # of a generator, the seeds are saved
        if name not in free and not isinstance(value, np.random.RandomState)
    }
    fit = {  # earlier versions had two of them not
        "mixing": facts["mixing"],
        "interleave": facts.get("interleave", False),
        "holdout": facts.get("holdout"),
    }
    return {**params, **fit, **facts["reading"]}


def _difference(before: object, now: object) -> tuple[object, object]:
    """Return two values; of two dicts only the items that differ.

    Examples
    --------
    >>> _difference({"a": "number", "b": "skip"}, {"a": "number"})
    ({'b': 'skip'}, {})
    """
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return before, now
    same = {name for name in before if name in now and before[name] == now[name]}
    old, new = (
        {name: value for name, value in one.items() if name not in same} for one in (before, now)
    )
    return old, new
