"""Training on a Dask cluster: ``train --workers N`` and ``train --scheduler ADDRESS``."""

from __future__ import annotations

import copy
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.errors import BadData, Failure, stop_error
from rosenblatt.cli.inputs.data import file_size, open_data, print_schema
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.options.learning import build_linear
from rosenblatt.cli.options.train import TrainOptions
from rosenblatt.cli.training import checkpoints
from rosenblatt.cli.training.class_weights import typed_weights
from rosenblatt.cli.training.cluster_progress import ClusterProgress, warnings_as_notes
from rosenblatt.cli.training.decisions import set_costs
from rosenblatt.cli.training.summary import convergence
from rosenblatt.learning.evaluation.progressive import Line
from rosenblatt.learning.models import files
from rosenblatt.learning.models.files import ModelError
from rosenblatt.learning.models.header import json_notes
from rosenblatt.learning.params import ClassWeight, LinearParameters
from rosenblatt.learning.tuning.held_out import HeldOutErrors
from rosenblatt.streams.core.access import shown
from rosenblatt.streams.io.paths import expand_paths, list_files
from rosenblatt.streams.io.remote import is_url
from rosenblatt.utils.words import file_word, shell_words

if TYPE_CHECKING:
    from rosenblatt.estimators.linear import Perceptron
    from rosenblatt.streams.core.options import ReadOptions


def train_on_cluster(options: TrainOptions, read_options: ReadOptions, started: float) -> None:
    """Learn from DATA on a cluster, show the progress, and save the model.

    After each epoch the model is written to ``MODEL.checkpoint``, where ``--resume`` continues. A
    run that was finished learns nothing.

    Raises
    ------
    Failure
        Dask is missing, the scheduler does not answer, workers have other versions, or another run
        writes the model.
    Interrupted
        By Ctrl-C or SIGTERM.
    """
    if options.cost is not None:
        set_costs(build_linear(options), options.cost)  # refused now, not after the run
    with checkpoints.lock_model(options):
        if not _is_finished(options, read_options, started):
            _train(options, read_options, started)


def _is_finished(options: TrainOptions, read_options: ReadOptions, started: float) -> bool:
    """Return whether ``--resume`` names a run that was finished, and then say so."""
    checkpoint = checkpoints.checkpoint_of(options)
    if not (options.resume and os.path.exists(options.path)) or os.path.exists(checkpoint):
        return False
    try:
        loaded = open_model(options.path)
    except ModelError as error:
        raise BadData(f"{error} Or delete it: then --resume starts a new run.") from error
    if "cluster_run" not in loaded.notes:
        raise Failure(
            f"{checkpoint}: no such file, and --resume on a cluster continues it; "
            f"{options.path} is of no run on a cluster. Leave out --resume to train from scratch."
        )
    before, now = loaded.notes["cluster_run"], _run_note(options)
    checkpoints.check_options(options.path, before["options"], now["options"])
    if any(before.get(name) != now.get(name) for name in ("bytes", "url")):
        raise Failure(
            f"{options.path}: the run was finished, and DATA has other files or sizes since then. "
            "Leave out --resume to train from scratch."
        )
    _check_versions(before, options, read_options)
    terminal.note(f"{options.path}: the run was finished; learned 0 new rows.")
    if options.as_json:
        seconds = time.perf_counter() - started
        record = _record(loaded.model, options, None, seconds, [], [], before)
        terminal.print_json(record)
    return True


def _check_versions(
    before: dict[str, Any], options: TrainOptions, read_options: ReadOptions
) -> None:
    """Refuse a finished run one of whose URLs has changed; the server is asked."""
    if not before.get("versions"):
        return
    from rosenblatt.cluster.checkpoint import changed_url, noted_versions
    from rosenblatt.cluster.cutting import known_versions, locate
    from rosenblatt.streams.opening import with_listed_versions

    listed = list_files(options.data, read_options.access, format=options.format)
    access = with_listed_versions(listed, read_options).access
    now = noted_versions(known_versions(locate([file.name for file in listed], access)))
    other = min(before["versions"].keys() ^ now.keys(), default=None)
    if (url := changed_url(before["versions"], now) or other) is not None:
        raise Failure(
            f"{options.path}: the run was finished, and {url} has changed since then. Leave out "
            "--resume to train from scratch."
        )


def _run_note(options: TrainOptions) -> dict[str, Any]:
    """Return what a run must share with a finished one to be the same."""
    fixed = json_notes(options.fixed()) | {"shards": options.shards or options.workers}
    if is_url(options.data):  # whose versions the checkpoint has
        return {"options": fixed, "bytes": [], "url": shown(options.data)}
    sizes = [file_size(name) for name in expand_paths(options.data, format=options.format)]
    return {"options": fixed, "bytes": sizes}


def _train(options: TrainOptions, read_options: ReadOptions, started: float) -> None:
    stream = open_data(options.data, read_options)
    print_schema(stream, options.quiet, of_all_rows=True)
    first = next(iter(stream))  # also: the index base of svmlight text
    weights = options.class_weight
    if isinstance(weights, dict):
        weights = typed_weights(weights, first.y, stream.name)
    checkpoint = checkpoints.checkpoint_of(options)
    console = terminal.stderr(options.quiet)

    def announce(step: str) -> None:
        console.print(step, style="dim", markup=False)

    if options.workers is not None:
        announce(f"starting {fmt.count(options.workers, 'worker')} …")
    with _client(options) as client, warnings_as_notes():
        from rosenblatt.cluster.checkpoint import ResumeError
        from rosenblatt.cluster.executors.on_dask import DaskExecutor

        executor = DaskExecutor(client, terminal.note, announce)
        progress = ClusterProgress(console, executor.watch)
        if not options.resume:
            _remove_checkpoint(checkpoint)
        estimator = _estimator(options, weights)
        reading = {
            name: value
            for name, value in read_options._asdict().items()
            if name not in ("names", "imputer")
        }
        try:
            _fit(
                estimator,
                options,
                checkpoint=checkpoint,
                client=executor,
                report=progress.add,
                **reading,
            )
        except KeyboardInterrupt as stop:
            message = f"stopped after {fmt.count(progress.epochs, 'epoch')}."
            if progress.epochs:
                message += f" The model so far is in {checkpoint}: continue with --resume."
            raise stop_error(message, stop) from None
        except ResumeError as error:
            raise Failure(
                f"{error.path}: {error.problem}. Give the same data and options, or leave out "
                "--resume to train from scratch."
            ) from error
        workers = executor.workers()
    model, held_out = estimator.to_local(), _held_out(estimator, options)
    run = _run_note(options) | {
        "norm": float(model.history_["norm"][-1]),
        "holdout": held_out,
        "versions": files.describe(checkpoint)["notes"]["cluster"].get("versions", {}),
    }
    _save(model, estimator.noted(), run, options)
    _remove_checkpoint(checkpoint)
    seconds = time.perf_counter() - started
    if not options.quiet:
        _show(model, estimator.shards_, options, workers, seconds, held_out)
    if options.as_json:
        reports = _shard_records(estimator.shards_)
        record = _record(model, options, workers, seconds, progress.lines, reports, run)
        terminal.print_json(record)


@contextmanager
def _client(options: TrainOptions) -> Iterator[Any]:
    """Yield a client of the cluster; a local one ends with it."""
    try:
        from rosenblatt.cluster.clients import local_client, remote_client
    except ImportError as error:
        raise Failure(
            f"--workers and --scheduler need Dask ({error}): pip install 'rosenblatt[dask]'."
        ) from error
    from rosenblatt.cluster.executors.on_dask import SchedulerLostError

    logging.disable(logging.ERROR)  # Dask logs what the command says in one line
    try:
        if options.workers is not None:
            opened = local_client(options.workers)
        else:
            opened = remote_client(str(options.scheduler))
        with opened as client:
            yield client
    except SchedulerLostError as error:
        raise Failure(
            "the scheduler was lost, and with it this epoch. Give --resume to continue after the "
            "last epoch, on any cluster."
        ) from error
    except (ConnectionError, RuntimeError) as error:
        raise Failure(str(error)) from error
    finally:
        logging.disable(logging.NOTSET)


def _fit(estimator: Any, options: TrainOptions, **arguments: Any) -> None:
    """Learn DATA: by default in a shard for each worker, or for each file of a cluster.

    Files that cannot be cut into as many shards as workers are a shard each.
    """
    from rosenblatt.cluster.cutting import CannotCutError

    estimator.shards = options.shards or options.workers
    try:
        estimator.fit(options.data, **arguments)
    except CannotCutError as error:
        if options.shards is not None:
            raise
        if not options.quiet:
            terminal.note(f"{error!s} So each file is a shard.")
        estimator.shards = None
        estimator.fit(options.data, **arguments)


def _estimator(options: TrainOptions, class_weight: ClassWeight) -> Any:
    from rosenblatt.cluster.estimator import DaskPerceptron

    linear = build_linear(options).set_params(class_weight=class_weight)
    shared = (*(field.name for field in fields(LinearParameters)), "scale")
    estimator = DaskPerceptron(
        **{name: getattr(linear, name) for name in shared},
        holdout=options.holdout,
        early_stopping=options.early_stop is not None,
        max_iter=options.epochs,
        tol=None,
        shuffle=options.shuffle,
        random_state=options.seed,
        interleave=options.interleave,
    )
    if options.early_stop is not None:
        estimator.n_iter_no_change = options.early_stop
    return estimator


def _held_out(estimator: Any, options: TrainOptions) -> dict[str, Any] | None:
    """Return the object of ``--json`` on held-out rows; None without them."""
    if options.holdout is None:
        return None
    errors = HeldOutErrors(options.early_stop, estimator.held_out_errors_)
    errors.rows = estimator.held_out_rows_
    return errors.record()


def _remove_checkpoint(path: str) -> None:
    """Remove the checkpoint of a run, with the model of its best epoch."""
    from rosenblatt.cluster.checkpoint import best_path

    for name in (path, best_path(path)):
        with suppress(FileNotFoundError):
            os.unlink(name)


def _save(
    model: Perceptron, noted: dict[str, Any], run: dict[str, Any], options: TrainOptions
) -> None:
    """Save the model with notes on how to read new data, and on the run."""
    notes = checkpoints.noted_options(options) | {"shards": model.shards}
    notes |= noted | {"interrupted": False, "cluster_run": run}
    saved = copy.copy(model)
    if options.cost is not None:
        set_costs(saved, options.cost)
    del saved.history_  # its seconds: equal runs give equal files
    files.save(saved, options.path, notes=notes)


def _record(
    model: Perceptron,
    options: TrainOptions,
    workers: int | None,
    seconds: float,
    lines: list[Line],
    reports: list[dict[str, object]],
    run: dict[str, Any],
) -> dict[str, object]:
    """Return the object of ``--json``; ``run`` is the note on it."""
    first = lines[0] if lines else None
    return {
        "examples": None if first is None else first.examples,
        "features": int(model.n_features_in_),
        "classes": model.classes_.tolist(),
        "rule": model.rule,
        "average": model.output == "average",
        "epochs": model.n_iter_,
        "shards": model.shards,
        "workers": workers,
        "errors": None if first is None else first.errors,
        "mistakes": model.mistakes_,
        "updates": model.updates_,
        "progressive_error": None if first is None else first.error,
        "progressive_interval": None if first is None else [first.low, first.high],
        "converged": model.converged_,
        "interrupted": False,
        "norm": run["norm"],
        "holdout": run.get("holdout"),
        "seconds": {"total": seconds},
        "progress": [line._asdict() for line in lines],
        "shard_reports": reports,
        "model": options.path,
    }


def _shard_records(shards: Any) -> list[dict[str, object]]:
    """Return what each shard had and did, as objects of JSON."""
    names = shards.dtype.names
    return [
        dict(zip(names, row, strict=True)) | {"classes": row[-1].tolist()}
        for row in shards.tolist()
    ]


def _shards_fact(shards: Any) -> str:
    """Return the sizes of the shards, and the times of an epoch's work, in a line."""
    rows, seconds = shards["rows"], shards["seconds"]
    return (
        f"{rows.min():,} to {rows.max():,} rows, {fmt.seconds(seconds.min())} to "
        f"{fmt.seconds(seconds.max())} each, in all epochs"
    )


def _show(
    model: Perceptron,
    shards: Any,
    options: TrainOptions,
    workers: int,
    seconds: float,
    held_out: dict[str, Any] | None,
) -> None:
    """Print the facts of the run on standard error."""
    classes, last = model.classes_.tolist(), model.history_[-1]
    epochs = model.n_iter_ if held_out is None else held_out["pass"]  # of these weights
    learned = (int(model.t_) - 1) // epochs
    facts = [
        ("last epoch's error", f"{fmt.percent(int(last['errors']) / learned)} of {learned:,} rows"),
        ("", "each was predicted by the weights of its shard, then learned"),
        ("rule", str(model.rule) + (", averaged" if model.output == "average" else "")),
        ("classes", f"{len(classes):,}: {fmt.listing(classes)}"),
        ("features", f"{model.n_features_in_:,}"),
        ("epochs", f"{model.n_iter_:,}{convergence(model.rule, model.converged_)}"),
        ("cluster", f"{fmt.count(model.shards, 'shard')} on {fmt.count(workers, 'worker')}"),
        *([("", _shards_fact(shards))] if len(shards) else []),
        ("time", fmt.seconds(seconds)),
        ("model", f"{options.path} ({fmt.size(os.path.getsize(options.path))})"),
        ("next", f"rosenblatt evaluate {shell_words([file_word(options.path)])} TEST_DATA"),
    ]
    if held_out is not None:
        facts = [
            ("held-out error", fmt.error_rate(held_out["error"], *held_out["interval"])),
            ("", f"of {held_out['examples']:,} rows, after epoch {held_out['pass']:,}"),
            *facts,
        ]
    console = terminal.stderr()
    console.print()
    render.show_facts(console, facts)
