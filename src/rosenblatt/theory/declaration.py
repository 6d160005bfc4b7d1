"""What rules, kernels and budget schemes of the library declare, and the ranges of their numbers.

Nothing here imports NumPy: the help of the command has their names.
"""

from __future__ import annotations

import math
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar, get_args, get_type_hints

from rosenblatt.theory.losses import LOSSES

T = TypeVar("T", bound=type)

KINDS = ("plain", "confident", "full", "weightwise", "rescaling", "choosing", "blended")
"""The kinds of rules, in the order in which rules are listed: see ``rule_kinds``."""


class Field(NamedTuple):
    """How an array of a learner's state is stored, and what becomes of it.

    Attributes
    ----------
    shape : {"weights", "squares", "records", "columns", "features", "numbers", "one", "two"}
        A number for each weight, (d, P); (d + 1)² for each weight vector; a record of
        ``engine.blend`` for the intercept and each feature, (d + 1, …); one for each weight vector,
        (P,); ``depth`` of a feature, (d, depth), and of the learner, (depth,); (1,) or (2,).
    dtype : str
        A type of NumPy, or "weights" for that of the weights.
    kept : str or None
        The option of ``engine.state.empty`` that it belongs to, without which
        weights have no rows.
    initial : float
        Its value before the first example; of squares, that of their diagonal.
    two_classes : {"mirrored", "copied", "counted", "fresh", "records"}
        What becomes of it where the weight vector w of two classes becomes −w and w: its sign
        follows w, both get it, the second gets it, or it starts anew; of records, as
        ``engine.blend`` says. What starts anew follows from
        the weights: a state where it is missing gets it when a rule needs it.
    mixture : {"mean", "sum", "largest", "first", "longest run", "weights", "fresh", "records"}
        Its value in a mixture of shards (``engine.mixing.mix_shards``): the mean,
        the sum of the increments, the largest, that before the shards, that of the shard with the
        longest run, of the weights: their mean, and sums that follow from it, or its first value.
    minimum : float
        Its least value; a value below it, or NaN, is no state.
    alone : bool
        Whether the weights follow from it, so that nothing else may move them: they cannot be set,
        and a state loses it where another rule learns.
    depth : int
        How many numbers a feature or the learner has.

    Examples
    --------
    >>> Field(initial=1.0, minimum=0.0).mixture
    'mean'
    """

    shape: str = "weights"
    dtype: str = "float64"
    kept: str | None = None
    initial: float = 0.0
    two_classes: str = "copied"
    mixture: str = "mean"
    minimum: float = -math.inf
    alone: bool = False
    depth: int = 1


class Range(NamedTuple):
    """The numbers that a field of a rule may have, in words and as a condition of a finite one."""

    words: str
    holds: Callable[[float], bool]


Positive: TypeAlias = Annotated[float, Range("a finite number above 0", lambda x: x > 0)]
NotNegative: TypeAlias = Annotated[float, Range("a finite number, 0 or more", lambda x: x >= 0)]
Sign: TypeAlias = Annotated[float, Range("-1, 0 or 1", lambda x: x in (-1, 0, 1))]


class RuleDeclaration(NamedTuple):
    """All that lists, options, pages, files and tests know of a rule.

    Attributes
    ----------
    name : str
        Its ``rule=`` name.
    kind : str
        One of :data:`KINDS`.
    rate : str
        The field that ``eta0`` sets; empty if it has none.
    of_eta : callable
        The value of that field for an ``eta0``.
    instead : str
        Of a rule without a rate: the name of the one like it that has one, which the message about
        ``--eta0`` names.
    state : str
        What the number is that it keeps for each weight: rules with the same can continue each
        other. Empty if it keeps none.
    real : bool
        Whether it learns any real y, and not only −1 and +1.
    log_odds : bool
        Whether its scores are log odds, so that there are probabilities; of a weightwise rule,
        which descends on the logistic loss, also ``softmax`` of its class.
    always_moves : bool
        Whether w changes at an example that was learned long ago, too.
    updates, step, use : str
        When it updates, by how much, and what to try it for: a line of the table of rules.
    weight, twice : str
        What an example of weight h does, and whether h = 2 is the example twice.
    tried : tuple of float
        Fields with which tests learn rows of small numbers.
    scale_free : bool
        Whether scores stay the same where a column is multiplied by a number.
    numbers : dict of str to Field, or None
        What a weightwise rule keeps for each weight; ``numbers`` of its class.
    counts : dict of str to Field, or None
        What it keeps for each weight vector; ``counts`` of its class.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> rules.PA1.declaration.rate
    'C'
    """

    name: str
    kind: str = "plain"
    rate: str = ""
    of_eta: Callable[[float], float] = lambda eta: eta
    instead: str = ""
    state: str = ""
    real: bool = False
    log_odds: bool = False
    always_moves: bool = False
    updates: str = ""
    step: str = ""
    use: str = ""
    weight: str = ""
    twice: str = ""
    tried: tuple[float, ...] = ()
    scale_free: bool = False
    numbers: dict[str, Field] | None = None
    counts: dict[str, Field] | None = None

    def full(self) -> RuleDeclaration:
        """Return what the form with a full covariance declares: the same rate, by another name."""
        instead = f"{self.instead}_full" if self.instead else ""
        return RuleDeclaration(
            f"{self.name}_full",
            "full",
            self.rate,
            instead=instead,
            state="covariance",
            tried=self.tried,
        )

    def of_loss(self, loss: str) -> RuleDeclaration:
        """Return what the form of a rule of the logistic loss for another loss declares."""
        words, updates = LOSSES[loss]
        return self._replace(
            name=f"{self.name}_{loss}",
            log_odds=False,
            instead="adagrad" if self.instead else "",
            updates=updates,
            use=f'as `"{self.name}"`, for {words}',
        )

    def __call__(self, cls: T) -> T:
        """Attach the declaration to a class, as a decorator."""
        cls.declaration = self  # type: ignore[attr-defined]
        if self.numbers:
            cls.numbers = self.numbers  # type: ignore[attr-defined]
            cls.softmax = self.log_odds  # type: ignore[attr-defined]
        if self.counts:
            cls.counts = self.counts  # type: ignore[attr-defined]
        return cls


class KernelDeclaration(NamedTuple):
    """All that lists, options, pages, files and tests know of a kernel.

    Attributes
    ----------
    name : str
        Its ``kernel=`` name.
    formula : str
        As ``inspect`` prints it.
    aliases : tuple of str
        Other names of it.
    of_distances : bool
        Whether it is exp(−γ(own + other − 2 pairs)), which the core computes, and which loses the
        distances of rows that are far from the origin.
    tried : tuple of float
        Fields with which tests compute values.

    Examples
    --------
    >>> from rosenblatt.theory.kernels import RBF
    >>> RBF.declaration.name, RBF.declaration.formula
    ('rbf', "exp(−γ‖x − x'‖²)")
    """

    name: str
    formula: str
    aliases: tuple[str, ...] = ()
    of_distances: bool = False
    tried: tuple[float, ...] = ()

    def __call__(self, cls: T) -> T:
        """Attach the declaration to a class, as a decorator."""
        cls.declaration = self  # type: ignore[attr-defined]
        return cls


class BudgetDeclaration(NamedTuple):
    """All that lists, options, files and tests know of a budget scheme.

    Attributes
    ----------
    name : str
        Its ``budget_scheme=`` name.
    keeps : {"", "gram", "inverse"}
        What it keeps of the support rows: their Gram matrix, its inverse, or neither.
    of_perceptron : bool
        Whether it is for the perceptron rule alone, whose bound its paper proves.

    Examples
    --------
    >>> from rosenblatt.theory import budgets
    >>> sorted(name for name, cls in budgets.SCHEMES.items() if cls.declaration.of_perceptron)
    ['forgetron', 'projectron++']
    """

    name: str
    keeps: str = ""
    of_perceptron: bool = False

    def __call__(self, cls: T) -> T:
        """Attach the declaration to a class, as a decorator."""
        cls.declaration = self  # type: ignore[attr-defined]
        return cls


def declared_in(package: str, path: list[str]) -> Iterator[Any]:
    """Yield the classes that a package's modules declare: by file, then in the order of the file.

    Parameters
    ----------
    package, path
        Its ``__name__`` and ``__path__``.
    """
    for name in sorted(module.name for module in pkgutil.iter_modules(path)):
        module = f"{package}.{name}"
        for value in vars(import_module(module)).values():
            if getattr(value, "__module__", "") == module and declaration_of(value) is not None:
                yield value


def declaration_of(cls: object) -> Any:
    """Return what a class declares itself; None for a class that declares nothing."""
    return vars(cls).get("declaration") if isinstance(cls, type) else None


def ranges_of(cls: type) -> dict[str, Range]:
    """Return the range of each field that declares one.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> ranges_of(rules.PA1)["C"].words
    'a finite number above 0'
    """
    hints = get_type_hints(cls, include_extras=True)
    return {name: get_args(hint)[1] for name, hint in hints.items() if len(get_args(hint)) == 2}


def is_within(value: float, allowed: Range) -> bool:
    """Return True if a number is finite and in a range."""
    return math.isfinite(value) and allowed.holds(value)
