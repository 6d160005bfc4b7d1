"""What a model says whose weights are a sum of rows: its kernel, and the rows that it holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.cli.display import fmt

if TYPE_CHECKING:
    from rosenblatt.cli.display.render import Weights


HIDDEN_NOTES = ("names", "collisions", "run")
"""Notes of a model that are told elsewhere, or that are for ``--resume`` alone."""


# --- what is known -------------------------------------------------------------------------------


def changed_params(model: Any) -> dict[str, Any]:
    """The parameters of a model that differ from their defaults."""
    defaults = type(model)().get_params(deep=False)
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(defaults[name])
    }


def vector_labels(model: Any) -> list[str]:
    """The label that each weight vector speaks for; of two classes, the second."""
    if not hasattr(model, "classes_"):
        return [""]
    names = [fmt.label(label) for label in model.classes_.tolist()]
    return names[1:] if len(names) == 2 else names


def weight_vectors(model: Any) -> list[tuple[str, Any]]:
    """Each weight vector over the features, where there are any, with its label."""
    import numpy as np

    if not is_kernel(model):
        coef = model.coef_
    elif kernel_name(model) == "linear":
        coef = model.dual_coef_ @ model.support_vectors_
    else:
        return []
    return list(zip(vector_labels(model), np.atleast_2d(coef), strict=True))


def vector_records(model: Any) -> dict[str, dict[str, float]]:
    """What each weight vector has come to: mistakes, updates, length and intercept."""
    import numpy as np

    columns, state = model._n_vectors(), model._state
    if is_kernel(model):
        norms = np.sqrt(np.maximum(0.0, model._dual.slots.squares))
    else:
        norms = np.linalg.norm(np.atleast_2d(model.coef_), axis=1)
    counts = (state.mistakes[:columns].tolist(), state.updates[:columns].tolist())
    numbers = zip(*counts, norms.tolist(), intercepts(model), strict=False)  # without the padding
    names = ("mistakes", "updates", "norm", "intercept")
    return {
        label: dict(zip(names, values, strict=True))
        for label, values in zip(vector_labels(model), numbers, strict=True)
    }


def epoch_records(model: Any) -> list[dict[str, float]]:
    """What every epoch of ``fit`` came to; empty where rows came by ``partial_fit``."""
    from rosenblatt.learning.problem import HISTORY

    rows = vars(model)["history_"].tolist() if "history_" in vars(model) else []
    return [dict(zip(HISTORY.names or (), row, strict=True)) for row in rows]


def heaviest_weights(
    weights: Any, names: list[str] | dict[int, str] | None, base: int, top: int
) -> dict[str, list[tuple[str, float]]]:
    """The ``top`` features with the largest and with the smallest weights, zeros left out.

    Parameters
    ----------
    weights : ndarray of shape (d,)
    names : list of str, dict, or None
        The name of each column. None: features are known by their index, counted from ``base``.
    base : int
    top : int
    """
    import numpy as np

    order = np.argsort(weights, kind="stable")
    sides = {"positive": order[::-1][:top], "negative": order[:top]}
    signs = {"positive": 1.0, "negative": -1.0}
    return {
        side: [
            (str(j + base) if names is None else names[j], float(weights[j]))
            for j in chosen.tolist()
            if weights[j] * signs[side] > 0.0
        ]
        for side, chosen in sides.items()
    }


def intercepts(model: Any) -> list[float]:
    """Return the intercept of each weight vector."""
    import numpy as np

    return [float(value) for value in np.atleast_1d(model.intercept_)]


_FORMULAS = {
    "Linear": "⟨x, x'⟩",
    "Polynomial": "(γ⟨x, x'⟩ + c)^d",
    "RBF": "exp(−γ‖x − x'‖²)",
    "Laplace": "exp(−γ Σ|x_j − x'_j|)",
    "Sigmoid": "tanh(γ⟨x, x'⟩ + c)",
    "Cosine": "⟨x, x'⟩/(‖x‖‖x'‖)",
    "Intersection": "Σ min(x_j, x'_j)",
}
_LETTERS = {"gamma": "γ", "coef0": "c", "degree": "d"}


def is_kernel(model: Any) -> bool:
    """Whether a model learns with a kernel, so that it has no weights of features."""
    return hasattr(model, "kernel")


def support_size(model: Any) -> int | None:
    """How many rows a model holds; None where it holds none."""
    memory = getattr(model, "_dual", None)
    return None if memory is None else int(memory.size)


def kernel_record(model: Any) -> dict[str, Any] | None:
    """The kernel with its numbers, for ``--json``."""
    if not is_kernel(model):
        return None
    formula = getattr(model._kernel_function(), "kernel", None)  # a precomputed one has none
    if formula is None:
        return {"name": str(model.kernel)}
    name = model.kernel if isinstance(model.kernel, str) else type(formula).__name__
    return {"name": name, **asdict(formula)}


def format_kernel(model: Any) -> str:
    """The kernel with its numbers, for the screen."""
    formula = getattr(model._kernel_function(), "kernel", None)
    if formula is None:
        return str(model.kernel)
    params = asdict(formula)
    numbers = [f"{sign} = {params[name]:.4g}" for name, sign in _LETTERS.items() if name in params]
    return ", ".join([f"{kernel_name(model)} {_FORMULAS[type(formula).__name__]}", *numbers])


def kernel_name(model: Any) -> str:
    """What a kernel is called."""
    return str((kernel_record(model) or {})["name"])


def kernel_facts(model: Any, examples: float) -> list[tuple[str, str]]:
    """The kernel, and the rows of so many examples that the weights are a sum of, if they are."""
    if (size := support_size(model)) is None:
        return []
    line = f"{fmt.count(size, 'row')} of {fmt.count(examples, 'example')}"
    if not is_kernel(model):
        return [("expansion", f"{line} moved the weights")]
    if model.budget is not None:
        line += f", at most {model.budget:,} by {model.budget_scheme}"
    return [("kernel", format_kernel(model)), ("support", line)]


class Expansion(NamedTuple):
    """What one weight vector is a sum of.

    Attributes
    ----------
    label : str
        The class that it speaks for.
    rows : int
        With a coefficient.
    norm : float
        Its length, in the kernel's space.
    positive, negative : list of (str, float)
        The examples with the largest coefficients, and those with the smallest.
    """

    label: str
    rows: int
    norm: float
    positive: Weights
    negative: Weights

    def record(self) -> dict[str, Any]:
        """All of it but the label, for ``--json``."""
        rest = {name: value for name, value in self._asdict().items() if name != "label"}
        for side in ("positive", "negative"):
            rest[side] = [(int(number), coefficient) for number, coefficient in rest[side]]
        return rest


def list_expansions(model: Any, labels: list[str], top: int) -> list[Expansion]:
    """Each weight vector as a sum of rows, with the ``top`` of them on each side."""
    import numpy as np

    numbers = [str(number) for number in model.support_.tolist()]
    norms = np.sqrt(np.maximum(0.0, model._dual.slots.squares)).tolist()
    expansions = []
    for label, coefs, norm in zip(labels, model.dual_coef_, norms, strict=False):
        rows = int(np.count_nonzero(coefs))
        expansions.append(Expansion(label, rows, norm, **heaviest_weights(coefs, numbers, 0, top)))
    return expansions
