"""Report of ``rosenblatt train --report``: one self-contained HTML page."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from rosenblatt import __version__
from rosenblatt.cli.display import fmt, model_facts, render
from rosenblatt.cli.display.model_facts import changed_params, is_kernel
from rosenblatt.cli.inputs.hashed_names import rank_features
from rosenblatt.cli.inputs.learned_rows import NUMBERING, row_names
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.inputs.paths import check_output_path
from rosenblatt.cli.inputs.proofs import CheckedProof
from rosenblatt.cli.report import html, svg
from rosenblatt.cli.report.html import Html, element, section
from rosenblatt.cli.report.metrics_section import metrics_section
from rosenblatt.cli.training.summary import HELD_OUT
from rosenblatt.learning import interface
from rosenblatt.proofs import Certificate, Certificates
from rosenblatt.proofs.report import rounded_margin
from rosenblatt.theory import bounds
from rosenblatt.utils.atomic import atomic_write_bytes
from rosenblatt.utils.directed import Enclosure

if TYPE_CHECKING:
    from rosenblatt.cli.display.confusion import ConfusionMatrix
    from rosenblatt.cli.inputs.models import LoadedModel
    from rosenblatt.cli.report.second_pass import TrainingDataReview
    from rosenblatt.cli.training.summary import TrainingResult

_TOP = 8  # weights on each side
_BINS = 60
_PACKAGES = ("numpy", "scipy", "scikit-learn")
_RUN_OPTIONS = {"epochs": 1, "shuffle": False, "seed": 0, "holdout": None, "early_stop": None}
"""Options of a run, with their defaults."""

_PARAMS_OF_FIT = (
    "max_iter",
    "tol",
    "shuffle",
    "random_state",
    "early_stopping",
    "validation_fraction",
    "n_iter_no_change",
    "warm_start",
)
"""Parameters of ``fit``, which the command does not call."""

_VERDICTS = {True: ("yes", "✓ holds"), False: ("no", "✗ fails"), None: ("open", "– not applicable")}


def check_report_path(path: str, data: str) -> None:
    """Check that a report can be written to ``path``."""
    check_output_path(path, data, "report", "--report", html.check_report)


def write_report(
    path: str,
    result: TrainingResult,
    about: list[tuple[str, str]],
    review: TrainingDataReview | None,
) -> None:
    """Write the page atomically.

    Parameters
    ----------
    path : str
    result : TrainingResult
    about : list of (str, str)
        The facts of the run as on the screen.
    review : TrainingDataReview or None
        Predictions on the training data; None if it could not be read again.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    loaded = open_model(result.path)
    now = f"{datetime.now(UTC):%d %B %Y, %H:%M} UTC".lstrip("0")
    title = f"Training report: {loaded.notes['data']}"
    text = html.page(
        title,
        *_header(title, now, result),
        section("The run", html.facts(about)),
        _progress(result),
        *_metrics(review, result),
        *_margins(review, result.held_out, result.model),
        *_weights(loaded),
        _theory(result, review),
        _parameters(result.model, loaded.notes["run"]["options"]),
    )
    atomic_write_bytes(path, text.encode("utf-8", "backslashreplace"), "report")


def _header(title: str, now: str, result: TrainingResult) -> Iterator[Html]:
    yield element("h1", title)
    written = f"{now}, by rosenblatt {__version__}; the model is {result.path}"
    yield element("p", written, class_="date")
    yield element("p", *_headline(result), class_="lead")


def _headline(result: TrainingResult) -> Iterator[Html | str]:
    """Yield the error of the saved model, that of the first epoch, and the baseline."""
    error, last = result.error, result.summary.last
    if error is not None and not error.is_progressive:
        yield element("b", fmt.percent(error.error))
        counts = f"{error.errors:,} of {fmt.count(error.examples, 'example')}"
        if error.rows == HELD_OUT:
            yield f" error of the model on held-out rows, {counts}. "
        else:
            yield f" error in epoch {error.epoch:,}, {counts}. "
    if result.is_sorted:
        yield element("b", "Sorted by label")
        yield (
            ": the progressive error means nothing, since nearly every row has the label of the "
            "one before. Train again with --shuffle. "
        )
    else:
        yield element("b", fmt.percent(last.error))
        yield (
            f" progressive error on {fmt.count(last.examples, 'example')}, each predicted before "
            f"it was learned (95 % interval {fmt.interval(last.low, last.high)}). "
        )
    yield f"Baseline error: {fmt.baseline(result.summary.constant, result.summary.constant_error)}."


# --- the first epoch -----------------------------------------------------------------------------


def _progress(result: TrainingResult) -> Html:
    header = ["examples", "error so far", "95 % interval", "recent error", "updates", "‖w‖"]
    rows = [
        [
            f"{line.examples:,}",
            fmt.percent(line.error),
            fmt.interval(line.low, line.high),
            fmt.percent(line.since),
            f"{line.updates:,}",
            f"{line.norm:.4g}",
        ]
        for line in result.lines
    ]
    return section(
        "Progressive error in the first epoch",
        svg.curve(result.lines, result.summary.constant_error),
        html.table(header, rows),
        note="Each example is predicted before it is learned; the line is the share of wrong "
        "predictions so far. The band is a 95 % interval that is valid at all points at once.",
    )


# --- predictions ---------------------------------------------------------------------------------


def _metrics(review: TrainingDataReview | None, result: TrainingResult) -> Iterator[Html]:
    """Yield metrics and confusions: of the held-out rows, else of the training data."""
    if result.held_out_metrics is not None:
        yield metrics_section(result.held_out_metrics, "the held-out rows", is_new=True)
        yield _confusion(result.held_out_metrics.confusion, "the held-out rows")
    elif review is not None:
        yield metrics_section(review.metrics, "the training data", is_new=False)
        advice = "For the error on new data use rosenblatt evaluate. "
        yield _confusion(review.confusion, "the training data", advice)
    else:
        yield section(
            "Confusion matrix",
            note="Not available: DATA can be read only once, or the run was interrupted.",
        )


def _confusion(confusion: ConfusionMatrix, data: str, advice: str = "") -> Html:
    counts = f"{confusion.errors:,} of {fmt.count(confusion.examples, 'row')}"
    note = f"Error on {data}, after training: {fmt.percent(confusion.error)}, {counts}. "
    note += advice
    if len(confusion.classes) > render.MAX_CLASSES:
        errors = [(label, wrong, f"{number:,}") for label, wrong, number in confusion.confused(20)]
        shown = html.table(["label", "predicted as", "rows"], errors)
        return section("Most frequent errors", shown, note=note)
    rows = [
        [name, *(_cell(number, i == j) for j, number in enumerate(counts))]
        for i, (name, counts) in enumerate(zip(confusion.classes, confusion.matrix(), strict=True))
    ]
    note += "Rows: true label; columns: prediction."
    shown = html.table(["", *confusion.classes], rows, "confusion")
    return section("Confusion matrix", shown, note=note)


def _cell(number: int, right: bool) -> Html:
    kind = "none" if number == 0 else "right" if right else "wrong"
    return element("td", f"{number:,}" if number else "·", class_=kind)


def _margins(
    review: TrainingDataReview | None, held_out: dict[str, Any] | None, model: object
) -> Iterator[Html]:
    if review is None:
        return
    data = "the training data"
    if held_out is not None:
        data += f" and the {fmt.count(held_out['examples'], 'row')} held out"
    two = len(review.confusion.classes) == 2
    what = "y·score/‖w‖" if two else "(score of the label − best other score)/‖w‖"
    meaning = "signed distance to the hyperplane" if two else "lead of the label's score"
    if getattr(model, "scale", False):
        meaning += ", in the units of the scaled columns (w = the effects)"
    yield section(
        "Margins",
        svg.histogram(review.margins.bins(_BINS), what),
        note=f"Margin of each row of {data}: {meaning}. Positive: predicted correctly; negative "
        f"(red): predicted wrongly. The smallest margin is {review.margins.smallest:.4g}.",
    )


# --- the weights ---------------------------------------------------------------------------------


def _weights(loaded: LoadedModel) -> Iterator[Html]:
    model = loaded.model
    ranking = rank_features(loaded, _TOP)
    if ranking.by_label:
        yield _cards(ranking.title, ranking.by_label, model, ranking.hint)
    if is_kernel(model):
        vectors = model_facts.list_expansions(model, row_names(loaded), _TOP)
        rows = {one.label: {"positive": one.positive, "negative": one.negative} for one in vectors}
        yield _cards(f"Heaviest support rows ({NUMBERING})", rows, model)


def _cards(title: str, sides: dict[str, Any], model: Any, hint: str = "") -> Html:
    if len(sides) == 1:
        against, towards = map(fmt.label, model.classes_.tolist())
        note = f"Bars to the right favour {towards}, bars to the left {against}."
    else:
        note = "Bars to the right favour the class, bars to the left the other classes."
    if hint:
        note += f" The numbers are effects: {hint}."
    cards = [
        element(
            "article", element("h3", label), html.bars(both["positive"] + both["negative"][::-1])
        )
        for label, both in list(sides.items())[: render.MAX_CLASSES]
    ]
    if (more := len(sides) - render.MAX_CLASSES) > 0:
        note += f" {fmt.count(more, 'class')} more: rosenblatt inspect."
    return section(title, element("div", *cards, class_="cards"), note=note)


# --- the theorem ---------------------------------------------------------------------------------


def _theory(result: TrainingResult, review: TrainingDataReview | None) -> Html:
    rows = [
        element("tr", element("td", what), element("td", verdict, class_=kind), element("td", why))
        for what, holds, why in _claims(result, review)
        for kind, verdict in [_VERDICTS[holds]]
    ]
    markup = element("table", element("tbody", *rows), class_="claims")
    return section(
        "Mistake bounds",
        element("div", markup, class_="wide"),
        note="Bounds of perceptron theory for this run, and whether their assumptions are met.",
    )


def _claims(
    result: TrainingResult, review: TrainingDataReview | None
) -> Iterator[tuple[str, bool | None, str]]:
    """Yield each claim, whether it holds (None: not applicable), and numbers or the reason."""
    model = result.model
    missing = _unmet_assumption(result, review)
    k, R = int(model.mistakes_), result.summary.radius
    yield (
        "Assumptions: plain perceptron, two classes",
        None if missing else True,
        missing or f"w starts at 0 and changes by η·y·x on mistakes only, η = {model.eta0:g}",
    )
    if not missing:
        length = math.hypot(interface.norm(model), float(model.intercept_[0]))
        bound = math.sqrt(k) * model.eta0 * math.hypot(R, 1.0)
        yield (
            "‖(w, b)‖ ≤ √k·η·√(R² + 1)",
            # The bound is attained by some runs: rounding may take w beyond.
            length <= bound * (1.0 + 1e-9),
            f"{length:.4g} ≤ {bound:.4g} with k = {fmt.count(k, 'mistake')} and R = {R:.4g}, the "
            "largest norm of an example",
        )
    if not missing and k:
        upper = bounds.running_bound(length, model.eta0 * k)
        yield (
            "The margin of every hyperplane is at most ‖(w, b)‖/(ηk)",
            True,
            f"{upper:.4g}, for the examples with a 1 appended",
        )
    yield from _novikoff(result, missing)


def _unmet_assumption(result: TrainingResult, review: TrainingDataReview | None) -> str:
    """Return the first assumption that is not met; "" if all are."""
    model, scaled = result.model, getattr(result.model, "scale", False)
    others = not _has_features_of(result.checked_proof, model)
    faults = {
        "the model has a kernel, and R in its feature space is not known": is_kernel(model),
        f"there are {len(model.classes_):,} classes": len(model.classes_) != 2,
        f"the rule {model.rule} does not update on mistakes only": model.rule != "perceptron",
        f"predictions do not use the last weights: {model.output}": model.output != "last",
        "a penalty shrinks the weights": getattr(model, "penalty", None) is not None,
        "the learner saw scaled features": scaled,
        "missing cells were learned as the means so far": result.uses_running_means,
        "the proof counts missing categories, which the model leaves out": others,
        "the training data was not read again": review is None,
        "the examples have weights": review is not None and review.weighted,
    }
    return next((why for why, is_there in faults.items() if is_there), "")


def _has_features_of(checked: CheckedProof | None, model: Any) -> bool:
    """Return whether a proof is about the features of the model, if it is about two classes."""
    if checked is None or isinstance(checked.proof, Certificates):
        return True
    return bool(checked.proof.shape[1] == model.n_features_in_)


def _novikoff(result: TrainingResult, missing: str) -> Iterator[tuple[str, bool | None, str]]:
    claim = "Novikoff: at most (R² + 1)(1 + b²)/γ² mistakes"
    if result.checked_proof is None:
        yield claim, None, "needs a margin γ: use --certify"
        return
    proof = result.checked_proof.proof
    mistakes = fmt.count(result.model.mistakes_, "mistake")
    if isinstance(proof, Certificates):
        separable = sum(one.status == "separable" for one in proof.values())
        counts = f"{separable:,} of {len(proof):,} classes are separable from the rest"
        yield claim, None, f"{counts}, verified in exact arithmetic"
    elif proof.status != "separable":
        yield claim, None, f"no margin γ > 0: the classes are {proof.status}; {mistakes}"
    elif missing := missing or _lost_by_rounding(proof):
        yield claim, None, f"the margin is {rounded_margin(*proof.margin)}, but {missing}"
    else:
        holds = result.model.mistakes_ <= proof.mistake_bound
        least = Enclosure.of(proof.margin[0]).digits_down(4)
        margin = f"with γ ≥ {least}, verified in exact arithmetic"
        most = bounds.most_mistakes(proof.mistake_bound)
        yield claim, holds, f"{mistakes}, at most {most:,} {margin}"


def _lost_by_rounding(proof: Certificate) -> str:
    """Return why a proof about decimals says nothing of the floats that were learned; else "".

    A float is off its decimal by 2^-53 of it at most, a row by so much of its length: a margin of
    more than that is one of the floats, too, and as good as equal if it is 2^20 times as large.
    """
    if proof.numbers == "binary64" or proof.margin[0] > math.ldexp(proof.radius, -33):
        return ""
    return "the floats that were learned are off the decimals by about as much"


# --- the rest ------------------------------------------------------------------------------------


def _parameters(model: Any, options: dict[str, object]) -> Html:
    """Return the options of the run, then the parameters that these do not replace."""
    unusual = changed_params(model)
    values = [
        (f"--{name.replace('_', '-')}", options[name], options[name] == default)
        for name, default in _RUN_OPTIONS.items()
    ]
    values += [
        (name, value, name not in unusual)
        for name, value in model.get_params(deep=False).items()
        if name not in _PARAMS_OF_FIT
    ]
    rows = [(name, repr(value), "default" if usual else "") for name, value, usual in values]
    parts = [f"{name} {version(name)}" for name in _PACKAGES]
    with_ = f"Python {platform.python_version()}, {', '.join(parts)}; {platform.machine()}."
    return section(
        f"Options of the run, and parameters of the {type(model).__name__}",
        html.table(["parameter", "value", ""], rows, "words"),
        element("p", f"Written by rosenblatt {__version__} with {with_}", class_="note"),
    )
