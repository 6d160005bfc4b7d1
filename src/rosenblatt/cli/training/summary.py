"""Summary of a training run: the facts on the screen, and the object of ``--json``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display import certificates, fmt, model_facts, render, terminal
from rosenblatt.cli.inputs.hashed_names import collision_facts, collision_record
from rosenblatt.cli.inputs.proofs import CheckedProof, proof_record

if TYPE_CHECKING:
    from rosenblatt.cli.training.run import TrainingResult

_OUTPUTS = {"last": "", "average": ", averaged", "vote": ", voted"}


def training_record(result: TrainingResult) -> dict[str, Any]:
    """Return the object of ``--json``."""
    summary, last, model = result.summary, result.summary.last, result.model
    return {
        "examples": last.examples,
        "features": int(model.n_features_in_),
        "collisions": collision_record(result.collisions),
        "classes": model.classes_.tolist(),
        "rule": model.rule,
        "average": model.output == "average",
        "kernel": getattr(model, "kernel", None),
        "support": model_facts.support_size(model),
        "epochs": summary.epochs,
        "errors": last.errors,
        "mistakes": model.mistakes_,
        "updates": model.updates_,
        "progressive_error": last.error,
        "progressive_interval": [last.low, last.high],
        "constant": summary.constant,
        "constant_error": summary.constant_error,
        "converged": summary.converged,
        "interrupted": result.interrupted,
        "radius": summary.radius,
        "norm": last.norm,
        "seconds": {
            "read": summary.seconds_read,
            "learn": summary.seconds_learn,
            "total": result.seconds,
        },
        "progress": [line._asdict() for line in result.lines],
        "model": result.path,
        "holdout": result.held_out,
        "certificate": _certificate_record(result.checked_proof),
    }


def _certificate_record(checked: CheckedProof | None) -> dict[str, Any] | None:
    """Return the main fields of a certificate, without rows and weights."""
    if checked is None:
        return None
    record = proof_record(checked)
    if isinstance(record["classes"], dict):
        return record | {"classes": {k: _main_fields(one) for k, one in record["classes"].items()}}
    return _main_fields(record)


def _main_fields(record: dict[str, Any]) -> dict[str, Any]:
    names = ("status", "margin", "mistake_bound", "mistakes", "verified", "seconds")
    return {name: record[name] for name in names}


def show_training(result: TrainingResult, report: str | None) -> None:
    """Print the facts of a run on standard error."""
    console = terminal.stderr()
    console.print()
    report_facts = [] if report is None else [("report", report)]
    console.print(render.facts([*training_facts(result), *report_facts]))


def training_facts(result: TrainingResult) -> list[tuple[str, str]]:
    """Return the facts of a run, for the screen and the report."""
    summary, last, model = result.summary, result.summary.last, result.model
    classes = model.classes_.tolist()
    read, learn = fmt.seconds(summary.seconds_read), fmt.seconds(summary.seconds_learn)
    target = [] if result.target is None else [("labels", f"column {result.target!r}")]
    return [
        ("progressive error", fmt.error_rate(last.error, last.low, last.high)),
        ("", "of the first epoch: each example is predicted, then learned"),
        ("baseline error", fmt.baseline(summary.constant, summary.constant_error)),
        *_holdout_facts(result.held_out),
        ("rule", model.rule + _OUTPUTS[model.output]),
        *model_facts.kernel_facts(model, last.examples),
        *target,
        ("classes", f"{len(classes):,}: {fmt.listing(classes)}"),
        (
            "features",
            f"{model.n_features_in_:,}; largest norm of an example R = {summary.radius:.4g}",
        ),
        *collision_facts(collision_record(result.collisions)),
        ("epochs", f"{summary.epochs:,}; {_format_convergence(result)}"),
        *_certificate_facts(result.checked_proof),
        ("time", f"read {read}, learn {learn}, total {fmt.seconds(result.seconds)}"),
        ("model", f"{result.path} ({fmt.size(os.path.getsize(result.path))})"),
        ("next", f"rosenblatt evaluate {result.path} TEST_DATA"),
    ]


def _holdout_facts(holdout: dict[str, Any] | None) -> list[tuple[str, str]]:
    if holdout is None:
        return []
    counts = f"{holdout['errors']:,} of {holdout['examples']:,} rows"
    return [
        ("held-out error", fmt.error_rate(holdout["error"], *holdout["interval"])),
        ("", f"{counts}, after epoch {holdout['pass']:,}"),
    ]


def _certificate_facts(checked: CheckedProof | None) -> list[tuple[str, str]]:
    if checked is None:
        return []
    details = f"found in {fmt.seconds(checked.search_seconds)}, verified in exact arithmetic"
    return [("certificate", certificates.summary(checked.proof)), ("", details)]


def _format_convergence(result: TrainingResult) -> str:
    if result.interrupted:
        return "interrupted"
    if result.summary.converged:
        return "converged: no mistake and no update in the last epoch"
    if result.patience is not None:
        epochs = fmt.count(result.patience, "epoch")
        return f"stopped early: the held-out error has not decreased for {epochs}"
    return "not converged"
