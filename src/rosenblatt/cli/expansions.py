"""What a model says whose weights are a sum of rows: its kernel, and the rows that it holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.cli import words

if TYPE_CHECKING:
    from rosenblatt.cli.render import Weights

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


def support(model: Any) -> int | None:
    """How many rows a model holds; None where it holds none."""
    memory = getattr(model, "_memory", None)
    return None if memory is None else int(memory.size)


def kernel_record(model: Any) -> dict[str, Any] | None:
    """The kernel with its numbers, for ``--json``."""
    if not is_kernel(model):
        return None
    formula = getattr(model._gram(), "kernel", None)  # a precomputed one has none
    if formula is None:
        return {"name": str(model.kernel)}
    name = model.kernel if isinstance(model.kernel, str) else type(formula).__name__
    return {"name": name, **asdict(formula)}


def kernel_line(model: Any) -> str:
    """The kernel with its numbers, for the screen."""
    formula = getattr(model._gram(), "kernel", None)
    if formula is None:
        return str(model.kernel)
    known = asdict(formula)
    numbers = [f"{sign} = {known[name]:.4g}" for name, sign in _LETTERS.items() if name in known]
    return ", ".join([f"{kernel_name(model)} {_FORMULAS[type(formula).__name__]}", *numbers])


def kernel_name(model: Any) -> str:
    """What a kernel is called."""
    return str((kernel_record(model) or {})["name"])


def facts(model: Any, examples: float) -> list[tuple[str, str]]:
    """The kernel, and the rows of so many examples that the weights are a sum of, if they are."""
    if (held := support(model)) is None:
        return []
    line = f"{words.count(held, 'row')} of {words.count(examples, 'example')}"
    if not is_kernel(model):
        return [("expansion", f"{line} moved the weights")]
    if model.budget is not None:
        line += f", at most {model.budget:,} by {model.budget_scheme}"
    return [("kernel", kernel_line(model)), ("support", line)]


class Share(NamedTuple):
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


def shares(model: Any, labels: list[str], top: int) -> list[Share]:
    """Each weight vector as a sum of rows, with the ``top`` of them on each side."""
    import numpy as np

    from rosenblatt.cli.inspect import heaviest

    numbers = [str(number) for number in model.support_.tolist()]
    norms = np.sqrt(np.maximum(0.0, model._memory.slots.squares)).tolist()
    found = []
    for label, coefs, norm in zip(labels, model.dual_coef_, norms, strict=False):
        rows = int(np.count_nonzero(coefs))
        found.append(Share(label, rows, norm, **heaviest(coefs, numbers, 0, top)))
    return found
