"""Checkpoints of a fit on a cluster: the model after each round, with the position of the fit.

A checkpoint is a model file, so that it predicts while the fit goes on. Its note ``cluster`` has
what the fit needs besides the weights and counters to continue with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rosenblatt.estimators.linear import Perceptron
from rosenblatt.estimators.models import load
from rosenblatt.learning import interface
from rosenblatt.learning.linear.shards import ShardLearner
from rosenblatt.learning.models.files import ModelError, describe, save
from rosenblatt.learning.problem import FitRun
from rosenblatt.learning.training import Checkpoint

_NOTE = "cluster"
_FREE = ("verbose", "n_jobs", "warm_start", "max_iter")
"""Parameters that may differ when a fit is resumed: they have no effect on the rounds so far."""


def write_checkpoints(
    path: str, names: Sequence[str], seeds: Sequence[int] | None, mixing: str
) -> Callable[[Any, Checkpoint], None]:
    """Return a function that writes a checkpoint, for :func:`fit_shards`.

    Parameters
    ----------
    path : str
    names : list of str
        Of the shards.
    seeds : list of int, or None
        Of the shards.
    mixing : str
    """

    def write(model: Any, reached: Checkpoint) -> None:
        model.history_ = FitRun(reached.state, reached.history).table()
        position = {
            "shards": list(names),
            "seeds": None if seeds is None else list(seeds),
            "mixing": mixing,
            "best": [float(cost).hex() for cost in reached.best],
            "stalled": reached.stalled.tolist(),
            "gave_up": bool(reached.gave_up[0]),
            "finished": bool(reached.finished),
        }
        save(model, path, notes={_NOTE: position})

    return write


def read_checkpoint(
    path: str, model: Perceptron, learner: ShardLearner, names: Sequence[str], mixing: str
) -> tuple[Checkpoint, list[int] | None]:
    """Return the checkpoint at a path, with the shards' seeds.

    Raises
    ------
    ModelError
        The file is damaged, or no checkpoint of a cluster.
    ValueError
        It is of a fit with other parameters, shards or classes.
    """
    saved, position = load(path), describe(path)["notes"].get(_NOTE)
    if position is None:
        raise ModelError(
            f"{path}: is a model, but no checkpoint of a fit on a cluster: name another file."
        )
    before, now = _identity(saved), _identity(model)
    checks = [(f"{name}={now[name]!r}", before[name], now[name]) for name in now]
    checks += [
        (f"mixing={mixing!r}", position["mixing"], mixing),
        (f"{len(names)} shards, {names[0]} … {names[-1]}", position["shards"], list(names)),
        (f"the classes {learner.classes}", saved.classes_.tolist(), learner.classes.tolist()),
        (f"{learner.features} features", saved.n_features_in_, learner.features),
    ]
    for shown, earlier, later in checks:
        if earlier != later:
            raise ValueError(
                f"{path}: is the checkpoint of a fit without {shown}: it cannot be resumed with "
                "it. Delete the file, or name another."
            )
    reached = Checkpoint(
        state=interface.learned(saved).state,
        history=[tuple(row) for row in saved.history_.tolist()],
        best=np.array([float.fromhex(cost) for cost in position["best"]]),
        stalled=np.array(position["stalled"]),
        gave_up=np.array([position["gave_up"]]),
        finished=position["finished"],
        converged=saved.converged_,
    )
    return reached, position["seeds"]


def _identity(model: Any) -> dict[str, Any]:
    """Return the parameters that decide the rounds so far."""
    return {name: value for name, value in model.get_params().items() if name not in _FREE}
