"""Facts about a fitted model: its parameters, counts, heaviest weights, kernel and support."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.cli.display import fmt
from rosenblatt.theory.rules.auto import FORGETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rosenblatt.learning.models.header import Description
    from rosenblatt.streams.core.notes import Notes
    from rosenblatt.utils.arrays import Array

HIDDEN_NOTES = (
    "names",
    "collisions",
    "run",
    "cluster_run",
    "column_names",
    "means",
    "totals",
    "earlier",
    "from_sha256",
    "data_bytes",
    "_decisions",
)
"""Notes of a model that have lines of their own, or that only ``--resume`` reads."""

_LETTERS = {"gamma": "γ", "coef0": "c", "degree": "d"}


def changed_params(model: Any) -> dict[str, object]:
    """Return the parameters of a model that differ from their defaults."""
    defaults = type(model)().get_params(deep=False)
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(defaults[name])
    }


def format_rule(model: Any) -> str:
    """Return the rule of a model with its numbers.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> format_rule(Perceptron(eta0=0.5).fit([[0.0], [1.0]], [0, 1]))
    'Perceptron(eta=0.5, tie=0)'
    """
    from rosenblatt.learning import interface

    rule = interface.rule(model)
    numbers = ", ".join(f"{name}={value:g}" for name, value in rule._asdict().items())
    return f"{type(rule).__name__}({numbers})"


def describe_rule(model: Any) -> str:
    """Return the rule of a model for a reader: of the default its words, as it has no numbers.

    Examples
    --------
    >>> from rosenblatt import Classifier
    >>> describe_rule(Classifier().fit([[0.0], [1.0]] * 9, [0, 1] * 9))
    'auto: three logistic learners of second order, blended as they learn'
    """
    from rosenblatt.learning import interface
    from rosenblatt.theory.rules.auto import Auto

    if interface.rule(model) == Auto():
        return "auto: three logistic learners of second order, blended as they learn"
    return format_rule(model)


def means_facts(notes: Notes) -> list[tuple[str, str]]:
    """Return the means of columns that stand for missing numbers, if a file has any.

    Examples
    --------
    >>> means_facts({"impute": "mean", "means": {"age": 36.75, "pay": 3.0}}), means_facts({})
    ([('means', 'age=36.75, pay=3')], [])
    """
    means = (notes.get("means") or {}) if notes.get("impute") == "mean" else {}
    shown = [f"{name}={mean:.4g}" for name, mean in means.items()]
    return [("means", fmt.listing(shown))] if shown else []


def earlier_facts(notes: Notes) -> list[tuple[str, str]]:
    """Return the data of the runs that the last one went on from, if a model had any.

    Examples
    --------
    >>> earlier = [{"data": "monday.csv", "data_bytes": 21}]
    >>> earlier_facts({"from_sha256": "c0f2", "earlier": earlier}), earlier_facts({})
    ([('earlier', '1 run: data=monday.csv')], [])
    """
    runs = notes["earlier"] if "from_sha256" in notes else []
    data = fmt.listing([str(run["data"]) for run in runs])
    return [("earlier", f"{fmt.count(len(runs), 'run')}: data={data}")] if runs else []


def format_writer(about: Description) -> str:
    """Return who wrote a file, and the digest of its arrays."""
    written = f"by rosenblatt {about['rosenblatt']}, file format {about['format']}"
    return f"{written}, arrays sha256 {about['sha256'][:12]}…"


def json_value(value: object) -> object:
    """Return a parameter for ``--json``: as it is, or its ``repr``."""
    return value if isinstance(value, bool | int | float | str | None) else repr(value)


def vector_labels(model: object) -> list[str]:
    """Return the class of each weight vector; for two classes, the second class."""
    if not hasattr(model, "classes_"):
        return [""]
    names = [fmt.label(label) for label in model.classes_.tolist()]
    return names[1:] if len(names) == 2 else names


def weight_vectors(model: Any) -> list[tuple[str, Array]]:
    """Return (class, weights of the features) pairs; none for a non-linear kernel."""
    import numpy as np

    if not is_kernel(model):
        coef = model.coef_
    elif kernel_name(model) == "linear":
        coef = model.dual_coef_ @ model.support_vectors_
    else:
        return []
    return list(zip(vector_labels(model), np.atleast_2d(coef), strict=True))


def vector_records(model: Any) -> dict[str, dict[str, float]]:
    """Return mistakes, updates, norm and intercept of each weight vector."""
    from rosenblatt.learning import interface

    columns, state = interface.n_vectors(model), interface.learned(model).state
    norms = interface.vector_norms(model)
    counts = (state.mistakes[:columns].tolist(), state.updates[:columns].tolist())
    numbers = zip(*counts, norms.tolist(), intercepts(model), strict=False)  # without the padding
    names = ("mistakes", "updates", "norm", "intercept")
    return {
        label: dict(zip(names, values, strict=True))
        for label, values in zip(vector_labels(model), numbers, strict=True)
    }


def epoch_records(model: object) -> list[dict[str, float]]:
    """Return the counts of each epoch of ``fit``; empty after ``partial_fit``."""
    from rosenblatt.learning.problem import HISTORY

    rows = vars(model)["history_"].tolist() if "history_" in vars(model) else []
    return [dict(zip(HISTORY.names or (), row, strict=True)) for row in rows]


def heaviest_columns(weights: Array, top: int) -> dict[str, list[int]]:
    """Return the indices of the ``top`` largest and of the ``top`` smallest nonzero weights."""
    import numpy as np

    order = np.argsort(weights, kind="stable")
    sides = {"positive": order[::-1][:top], "negative": order[:top]}
    signs = {"positive": 1.0, "negative": -1.0}
    return {
        side: [j for j in chosen.tolist() if weights[j] * signs[side] > 0.0]
        for side, chosen in sides.items()
    }


def intercepts(model: Any) -> list[float]:
    """Return the intercept of each weight vector."""
    import numpy as np

    return [float(value) for value in np.atleast_1d(model.intercept_)]


def is_kernel(model: object) -> bool:
    """Return whether a model learns with a kernel."""
    return hasattr(model, "kernel")


def kernel_record(model: Any) -> dict[str, object] | None:
    """Return the kernel and its parameters for ``--json``."""
    if not is_kernel(model):
        return None
    from rosenblatt.learning import interface

    formula = interface.kernel_formula(model)  # None: precomputed
    if formula is None:
        return {"name": str(model.kernel)}
    name = model.kernel if isinstance(model.kernel, str) else type(formula).__name__
    return {"name": name, **asdict(formula)}


def format_kernel(model: Any) -> str:
    """Format the kernel: name, formula and parameters."""
    from rosenblatt.learning import interface

    formula = interface.kernel_formula(model)
    if formula is None:
        return str(model.kernel)
    params = asdict(formula)
    numbers = [f"{sign} = {params[name]:.4g}" for name, sign in _LETTERS.items() if name in params]
    return ", ".join([f"{kernel_name(model)} {formula.declaration.formula}", *numbers])


def kernel_name(model: object) -> str:
    """Return the name of a kernel."""
    return str((kernel_record(model) or {})["name"])


def kernel_facts(model: Any, examples: float) -> list[tuple[str, str]]:
    """Return the lines on the kernel and the support rows of a model with an expansion."""
    from rosenblatt.learning import interface

    if (size := interface.support_size(model)) is None:
        return []
    line = f"{fmt.count(size, 'row')} of {fmt.count(examples, 'example')}"
    if not is_kernel(model):
        return [("expansion", f"{line} updated the weights")]
    if model.budget is not None:
        line += f", at most {model.budget:,} by {model.budget_scheme}"
    return [("kernel", format_kernel(model)), ("support", line)]


def scale_facts(model: object) -> list[tuple[str, str]]:
    """Return the line on the scaling of a model with ``scale=True``."""
    if not getattr(model, "scale", False):
        return []
    return [("scaled", "yes, while learning; weights and ‖w‖ are in the units of the data")]


def blend_facts(model: object) -> list[tuple[str, str]]:
    """Return the line on the learners of a blended rule, if a model has one.

    Examples
    --------
    >>> from rosenblatt import Classifier
    >>> facts = blend_facts(Classifier().fit([[0.0], [1.0]] * 9, [0, 1] * 9))
    >>> facts[0][1]
    'learner of all rows × 1.2, of about 1,000 × 0.62, of about 100 × 0.79; 1 column is centred'
    """
    from rosenblatt.learning import interface

    blend = interface.blend_of(model)
    if blend is None:
        return []
    spans = ["learner of all rows", *(f"of about {1 / share:,.0f}" for share in FORGETS[1:])]
    parts = (f"{span} × {a:.2g}" for a, span in zip(blend.weights, spans, strict=True))
    verb = "is" if blend.centred == 1 else "are"
    return [("blend", f"{', '.join(parts)}; {fmt.count(blend.centred, 'column')} {verb} centred")]


def blend_record(model: object) -> dict[str, object] | None:
    """Return the learners of a blended rule for ``--json``; None for another rule."""
    from rosenblatt.learning import interface

    blend = interface.blend_of(model)
    if blend is None:
        return None
    learners = [
        {"rows": None if share == 0.0 else round(1 / share), "weight": a}
        for a, share in zip(blend.weights, FORGETS, strict=True)
    ]
    return {"learners": learners, "constant": blend.constant, "centred_columns": blend.centred}


def set_facts(model: object) -> list[tuple[str, str]]:
    """Return the line on the scores of held-out rows, for prediction sets."""
    scores = getattr(model, "set_scores_", None)
    if scores is None:
        return []
    return [("sets", f"predict --sets, by the scores of {fmt.count(len(scores), 'held-out row')}")]


def cost_facts(model: Any) -> list[tuple[str, str]]:
    """Return the line on the costs by which a model predicts."""
    costs = getattr(model, "costs_", None)
    if costs is None or len(model.classes_) != 2:
        return []
    positive = fmt.label(model.classes_[1:].tolist()[0])
    errors = f"{costs.false_positive:g} for a false {positive}, {costs.false_negative:g} for a "
    errors += f"missed one: {positive} from a probability of {fmt.percent(costs.threshold)} on"
    return [("costs", errors)]


class Expansion(NamedTuple):
    """The expansion of one weight vector: w = Σ α x over the support rows.

    Attributes
    ----------
    label : str
        The class of the weight vector.
    rows : int
        Number of rows with a nonzero coefficient.
    norm : float
        ‖w‖ in the feature space of the kernel.
    positive, negative : list of (name, float)
        The support rows with the largest and with the smallest coefficients.
    """

    label: str
    rows: int
    norm: float
    positive: list[tuple[Any, float]]
    negative: list[tuple[Any, float]]


def list_expansions(model: Any, names: Sequence[Any], top: int) -> list[Expansion]:
    """Return the expansion of each weight vector with its ``top`` rows on each side.

    ``names`` has the name of each support row.
    """
    import numpy as np

    from rosenblatt.learning import interface

    norms = interface.vector_norms(model).tolist()
    expansions = []
    for label, coefs, norm in zip(vector_labels(model), model.dual_coef_, norms, strict=False):
        sides = {
            side: [(names[slot], float(coefs[slot])) for slot in slots]
            for side, slots in heaviest_columns(coefs, top).items()
        }
        expansions.append(Expansion(label, int(np.count_nonzero(coefs)), norm, **sides))
    return expansions
