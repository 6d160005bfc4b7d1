"""``rosenblatt train --report``: all that a run has shown, as one page that needs no network."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from rosenblatt import __version__
from rosenblatt.cli.display import fmt, model_facts
from rosenblatt.cli.display.model_facts import changed_params, vector_labels
from rosenblatt.cli.inputs.hashed_names import heaviest_by_label
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.inputs.paths import _check_path
from rosenblatt.cli.report import svg
from rosenblatt.cli.report.html import Html, bars, element, facts, join, page, section, table
from rosenblatt.proofs import Certificates
from rosenblatt.theory import bounds
from rosenblatt.utils.atomic import atomic_write_bytes

if TYPE_CHECKING:
    from rosenblatt.cli.display.confusion import ConfusionMatrix
    from rosenblatt.cli.inputs.models import LoadedModel
    from rosenblatt.cli.report.second_pass import TrainingDataReview
    from rosenblatt.cli.training.run import TrainingResult


def check_report_path(path: str, data: str) -> None:
    """Find out whether a report can be written to ``path`` before anything is learned.

    Raises
    ------
    Failure
        It cannot, or there is something that should not be lost.
    """
    from rosenblatt.cli.report.html import check_report

    _check_path(path, data, "report", "--report", check_report)


_MAX_CLASSES = 20
_TOP = 8  # weights on each side
_BINS = 60
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def write_report(
    path: str,
    result: TrainingResult,
    about: list[tuple[str, str]],
    review: TrainingDataReview | None,
) -> None:
    """Write the page: all of it or, where that fails, nothing.

    Parameters
    ----------
    path : str
    result : Result
        What the run came to.
    about : list of (str, str)
        What the screen tells of it.
    review : Look or None
        What the model answers on the rows of DATA; None where they are gone.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    loaded = open_model(result.path)
    now = f"{datetime.now(UTC):%d %B %Y, %H:%M} UTC".lstrip("0")
    title = f"What was learned from {loaded.notes['data']}"
    html = page(
        title,
        join(_header(title, now, result)),
        section("The run", facts(about)),
        _progress(result),
        *_review(review, result.held_out),
        *_weights(loaded),
        _theory(result, review),
        _parameters(result.model),
    )
    atomic_write_bytes(path, html.encode("utf-8", "backslashreplace"), "report")


def _header(title: str, now: str, result: TrainingResult) -> Iterator[Html]:
    last = result.summary.last
    yield element("h1", title)
    written = f"{now}, by rosenblatt {__version__}; the model is {result.path}"
    yield element("p", written, class_="date")
    constant = fmt.baseline(result.summary.constant, result.summary.constant_error)
    yield element(
        "p",
        element("b", fmt.percent(last.error)),
        f" of {fmt.count(last.examples, 'example')} were predicted wrong before they were "
        f"learned; the interval is {fmt.interval(last.low, last.high)}. The best constant is "
        f"wrong {constant}.",
        class_="lead",
    )


# --- the first pass ------------------------------------------------------------------------------


def _progress(result: TrainingResult) -> Html:
    header = ["examples", "error so far", "95 % interval", "since the line above", "updates", "‖w‖"]
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
        "The first pass",
        svg.curve(result.lines, result.summary.constant_error),
        table(header, rows),
        note="Every example is predicted before it is learned: the line is the share of wrong "
        "predictions so far. The band is an interval at 95 % that holds at all points at once.",
    )


# --- the answers ---------------------------------------------------------------------------------


def _review(review: TrainingDataReview | None, held_out: dict[str, Any] | None) -> Iterator[Html]:
    if review is None:
        yield section(
            "What is mistaken for what",
            note="Not known: DATA passed only once, or the run was interrupted.",
        )
        return
    data = "the data it learned from"
    if held_out is not None:
        data += f" and the {fmt.count(held_out['examples'], 'row')} held out"
    yield _confusion(review.confusion, data)
    yield _margins(review, data)


def _confusion(confusion: ConfusionMatrix, data: str) -> Html:
    counts = f"{confusion.errors:,} of {confusion.examples:,}"
    note = f"On {data}, after learning: {fmt.percent(confusion.error)}, {counts}, are wrong. "
    note += "New data is the judge: rosenblatt evaluate. "
    if len(confusion.classes) > _MAX_CLASSES:
        rows = [[truth, answer, f"{number:,}"] for truth, answer, number in confusion.confused(20)]
        shown = table(["label", "taken for", "how often"], rows)
        return section("What is mistaken for what", shown, note=note)
    head = element("tr", element("th", ""), *(element("th", name) for name in confusion.classes))
    lines = [
        element(
            "tr",
            element("th", name, scope="row"),
            *(_cell(number, i == j) for j, number in enumerate(row)),
        )
        for i, (name, row) in enumerate(zip(confusion.classes, confusion.matrix(), strict=True))
    ]
    markup = element("table", element("thead", head), element("tbody", *lines), class_="confusion")
    note += "Rows are the labels, columns the predictions."
    return section("What is mistaken for what", element("div", markup, class_="wide"), note=note)


def _cell(number: int, right: bool) -> Html:
    kind = "none" if number == 0 else "right" if right else "wrong"
    return element("td", f"{number:,}" if number else "·", class_=kind)


def _margins(review: TrainingDataReview, data: str) -> Html:
    two = len(review.confusion.classes) == 2
    what = "y·score/‖w‖" if two else "(score of the label − best other score)/‖w‖"
    meaning = "the distance to the hyperplane" if two else "how far the label was ahead"
    return section(
        "Margins",
        svg.histogram(review.margins.bins(_BINS), what),
        note=f"For every row of {data}, {meaning}: right of zero it is on its side, left of it, in "
        f"red, on the wrong one. The smallest is {review.margins.smallest:.4g}.",
    )


# --- the weights ---------------------------------------------------------------------------------


def _weights(loaded: LoadedModel) -> Iterator[Html]:
    model = loaded.model
    if sides := heaviest_by_label(loaded, _TOP):
        yield _cards("Heaviest weights", sides, model)
    if model_facts.is_kernel(model):
        vectors = model_facts.list_expansions(model, vector_labels(model), _TOP)
        rows = {one.label: {"positive": one.positive, "negative": one.negative} for one in vectors}
        yield _cards("Heaviest examples, numbered from 0", rows, model)


def _cards(title: str, sides: dict[str, Any], model: Any) -> Html:
    if len(sides) == 1:
        against, towards = map(fmt.label, model.classes_.tolist())
        note = f"To the right speaks for {towards}, to the left for {against}."
    else:
        note = "To the right speaks for the class, to the left against it."
    cards = [
        element("article", element("h3", label), bars([*both["positive"], *both["negative"][::-1]]))
        for label, both in list(sides.items())[:_MAX_CLASSES]
    ]
    if (more := len(sides) - _MAX_CLASSES) > 0:
        note += f" {fmt.count(more, 'class')} more: rosenblatt inspect."
    return section(title, element("div", *cards, class_="cards"), note=note)


# --- the theorem ---------------------------------------------------------------------------------

_VERDICTS = {True: ("yes", "✓ holds"), False: ("no", "✗ fails"), None: ("open", "– no claim")}


def _theory(result: TrainingResult, review: TrainingDataReview | None) -> Html:
    claims = list(_claims(result, review))
    rows = [
        element(
            "tr",
            element("td", what),
            element("td", _VERDICTS[holds][1], class_=_VERDICTS[holds][0]),
            element("td", why),
        )
        for what, holds, why in claims
    ]
    markup = element("table", element("tbody", *rows), class_="claims")
    return section(
        "Theory",
        element("div", markup, class_="wide"),
        note="What the perceptron's theorem says of this run, and whether its assumptions are met.",
    )


def _claims(
    result: TrainingResult, review: TrainingDataReview | None
) -> Iterator[tuple[str, bool | None, str]]:
    """Each claim, whether it holds, and the numbers, or the reason why it says nothing here."""
    model = result.model
    missing = _unmet_assumption(model, review)
    k, R = int(model.mistakes_), result.summary.radius
    yield (
        "The plain perceptron on two classes",
        None if missing else True,
        missing or _perceptron_steps(model),
    )
    if not missing:
        length = math.hypot(model._norm(), float(model.intercept_[0]))
        bound = math.sqrt(k) * model.eta0 * math.hypot(R, 1.0)
        yield (
            "‖(w, b)‖ ≤ √k·η·√(R² + 1)",
            length <= bound * (1.0 + 1e-9),
            f"{length:.4g} ≤ {bound:.4g} with k = {fmt.count(k, 'mistake')} and R = {R:.4g}, the "
            "longest example",
        )
    if not missing and k:
        upper = bounds.running_bound(length, model.eta0 * k)
        yield (
            "No hyperplane has a larger margin than ‖(w, b)‖/(ηk)",
            True,
            f"{upper:.4g}, of the examples with a 1 appended: a bound that every run gives "
            "for free",
        )
    yield from _novikoff(result, missing)


def _unmet_assumption(model: Any, review: TrainingDataReview | None) -> str:
    """The first assumption that is not met; empty where all are."""
    for holds, why in (
        (not model_facts.is_kernel(model), "it learned with a kernel, whose space has its own R"),
        (len(model.classes_) == 2, f"there are {len(model.classes_):,} classes"),
        (model.rule == "perceptron", f"the rule is {model.rule}, which moves at other times, too"),
        (model.output == "last", f"the weights that predict are not the last ones: {model.output}"),
        (getattr(model, "penalty", None) is None, "a penalty shrinks the weights"),
        (review is not None, "the examples were not read again"),
        (review is None or not review.weighted, "the examples weigh differently"),
    ):
        if not holds:
            return why
    return ""


def _perceptron_steps(model: Any) -> str:
    return f"w starts at 0, and moves by η·y·x, η = {model.eta0:g}, at mistakes only"


def _novikoff(result: TrainingResult, missing: str) -> Iterator[tuple[str, bool | None, str]]:
    claim = "Novikoff: at most (R² + 1)(1 + b²)/γ² mistakes"
    if result.checked_proof is None:
        yield claim, None, "needs a margin γ: --certify tells whether there is one, with a proof"
        return
    proof, mistakes = (
        result.checked_proof.proof,
        f"{fmt.count(result.model.mistakes_, 'mistake')} made",
    )
    if isinstance(proof, Certificates):
        separable = sum(one.status == "separable" for one in proof.values())
        counts = f"{separable:,} of {len(proof):,} classes are separable from the rest"
        yield claim, None, f"{counts}, verified in exact arithmetic"
    elif proof.status != "separable":
        yield claim, None, f"no margin γ > 0: the classes are {proof.status}; {mistakes}"
    elif missing:
        yield claim, None, f"the margin is {proof.margin[0]:.4g}, but {missing}"
    else:
        holds = result.model.mistakes_ <= proof.mistake_bound
        margin = f"with γ ≥ {proof.margin[0]:.4g}, verified in exact arithmetic"
        yield claim, holds, f"{mistakes}, at most {math.floor(proof.mistake_bound):,} {margin}"


# --- the rest ------------------------------------------------------------------------------------


def _parameters(model: Any) -> Html:
    unusual = changed_params(model)
    rows: list[Sequence[str]] = [
        [name, repr(value), "" if name in unusual else "default"]
        for name, value in model.get_params(deep=False).items()
    ]
    parts = [f"{name} {version(name)}" for name in _PACKAGES]
    with_ = f"Python {platform.python_version()}, {', '.join(parts)}; {platform.machine()}."
    return section(
        f"Parameters of the {type(model).__name__}",
        table(["parameter", "value", ""], rows, "words"),
        element("p", f"Written by rosenblatt {__version__} with {with_}", class_="note"),
    )
