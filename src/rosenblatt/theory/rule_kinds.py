"""The kinds of update rules: their interfaces, and how to tell them apart.

A rule of the library declares its kind (``theory/declaration.py``). A class of a user's declares
nothing: it is of the kind whose methods it has.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

from rosenblatt.theory.declaration import Field, RuleDeclaration, declaration_of


class Rule(Protocol):
    """The interface of a rule, as the training loops use it."""

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """Return τ in w ← w + τ x, of the score, the label y and ``sqnorm``, ‖x‖²."""

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """Return τ for an example of this sqnorm, ‖x‖², and weight; default: τ times the weight."""

    def loss(self, score: float, y: float) -> float:
        """Return the loss of the example that the rule descends."""


class ConfidenceRule(Protocol):
    """The interface of a rule with a confidence, as the training loops use it.

    Weights that were learned often move less. Such a rule keeps a number c_j for each weight, 0
    before the first example. From the example's score, label and variance v = Σ x_j² s(c_j) it
    returns two numbers::

        tau, beta = step(score, y, v)
        c_j <- c_j + beta * x_j**2
        w_j <- shrinkage * w_j + tau * x_j * s(c_j)

    The rate s falls as c_j grows. AROW, CW and SCW keep a variance Σ_j = 1/(1 + c_j) for each
    weight, the diagonal of a covariance matrix, and move by the variance before the example.
    AdaGrad adds up squared gradients, and moves by 1/√c_j with the gradient of the example
    included. Only the second-order perceptron and NAROW shrink weights.

    The intercept is the weight of one more feature, x = 1. The loops keep c_j below 1e300 and a
    move of a weight below 1e150, so that nothing leaves the floating-point range, on whatever data.

    A rule with a full covariance, whose class has ``full_covariance = True``, learns which features
    vary together. It keeps all of Σ, as its paper defines it, from Σ = I on. With v = xᵀ Σ x, and
    (τ, β) as those of the diagonal rule::

        w <- w + tau * Σ x
        Σ <- Σ − β Σ x (Σ x)ᵀ / (1 + β v)

    which is (Σ⁻¹ + β x xᵀ)⁻¹ by the formula of Sherman and Morrison. A class of labels keeps
    (d + 1)² numbers, and a step costs as many multiplications, so they are for a few hundred
    features: :data:`MAX_FEATURES` at most. Of named features, later ones are ignored, as above
    ``max_features``.
    """

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """Return the step size τ, and β, by which the confidences grow."""

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """Return τ and β for an example of this weight; default: both times the weight."""

    def rate(self, before: float, after: float) -> float:
        """Return the rate s of a weight, from its c before and after the example."""

    def shrinkage(self, before: float, after: float) -> float:
        """Return the factor of a weight before it moves, from its c before and after; default 1."""

    def needs_variance(self, score: float, y: float) -> bool:
        """Return True if the step depends on the variance; else ``step`` gets 0."""

    def loss(self, score: float, y: float) -> float:
        """Return the loss of the example."""


class RescalingRule(Protocol):
    """The interface of a rule that rescales the weights, as the training loops use it.

    It sees ‖w‖² and the time, and may shrink w. From the example's score, label and squared norm,
    and from ‖w‖², the number t of examples before this one, and the number k of updates before it,
    it returns two numbers::

        factor, tau = rescale(score, y, sqnorm, wsqnorm, t, k)
        w <- factor * w + tau * x

    The intercept is the weight of one more feature, x = 1: it is rescaled, too, and counts in both
    norms. The joint scheme of several classes makes one weight vector of all: every class is
    rescaled.
    """

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """Return the factor of w, and the step size τ."""

    def weighted_rescale(
        self,
        score: float,
        y: float,
        sqnorm: float,
        wsqnorm: float,
        t: int,
        k: int,
        weight: float,
    ) -> tuple[float, float]:
        """Return both for an example of this weight; default: τ times the weight."""

    def loss(self, score: float, y: float) -> float:
        """Return the loss of the example."""


class WeightwiseRule(Protocol):
    """The interface of a rule that moves each weight by numbers of its own.

    Its class declares up to four numbers that it keeps for each weight,
    ``numbers = {"sums": Field(minimum=0.0)}`` with a :class:`rosenblatt.theory.declaration.Field`
    for each, which has the number before the first example. Here they are s_j and r_j. From the
    example's score and label the rule returns the derivative g of the loss by the score, and then
    moves every weight whose x_j is not zero::

        w_j, s_j, r_j <- touch(w_j, s_j, r_j, x_j)      before the score, if there is such a method
        g = gradient(score, y)
        w_j, s_j, r_j <- move(w_j, s_j, r_j, x_j, g)    where g is not zero

    A class may declare up to two numbers of each weight vector, too, for example
    ``counts = {"rows": Field()}``. They follow the weight's in the parameters of ``touch``, which
    returns them, and of ``move``, which does not; ``begin`` has them before each row::

        rows <- begin(rows)
        w_j, s_j, r_j, rows <- touch(w_j, s_j, r_j, rows, x_j)      weight after weight
        w_j, s_j, r_j <- move(w_j, s_j, r_j, rows, x_j, g)

    A rule with a method ``part(score, y, change)`` may take a part of its step. The loops find the
    change of the score by all of it, by ``move`` with part = 1; ``move`` then has the part, from 0
    to 1, after g. The joint step of a softmax is whole.

    With a method ``rate`` it is ``gradient(score, y, v)``, of the variance
    v = Σ x_j² rate(s_j, r_j). The parameters of ``move``, ``touch`` and ``rate`` have the names of
    the numbers.

    The intercept is the weight of one more feature, x = 1, with numbers of its own. A joint model
    touches all classes; the right one moves by g, and its strongest rival by −g. A rule of the
    logistic loss says so, ``softmax = True``: then every class k of a joint model moves by
    g_k = p_k − [k is the label] times the weight, p the softmax of all scores
    (``rosenblatt.theory.logistic``), and ``gradient`` is not asked. An
    example of weight 0 touches nothing. The loops keep g and the numbers between −1e300 and 1e300
    and a move of a weight below 1e150 (1e18 in float32), and leave what would be no number as it
    was, so that nothing leaves the floating-point range, on whatever data.
    """

    numbers: dict[str, Field]

    def gradient(self, score: float, y: float) -> float:
        """Return g, by which the example's weights move; 0 leaves them."""

    def weighted_gradient(self, score: float, y: float, weight: float) -> float:
        """Return g for an example of this weight; default: g times the weight."""

    def move(self, w: float, *numbers_x_g: float) -> tuple[float, ...]:
        """Return the weight w and its numbers; ``numbers_x_g`` are these before, x and g."""

    def loss(self, score: float, y: float) -> float:
        """Return the loss of the example."""


class BlendedRule(Protocol):
    """The interface of a rule that is a blend of learners, whose loop the core has.

    There is one, :class:`rosenblatt.rules.Auto`, which has the formulas.
    """

    @property
    def learners(self) -> float:
        """Whether the learners learn: 0 or 1."""

    @property
    def blend(self) -> float:
        """Whether their blend learns."""

    def gradient(self, score: float, y: float) -> float:
        """Return the derivative of the loss by the score."""

    def loss(self, score: float, y: float) -> float:
        """Return the loss of the example."""


class ChoosingRule(Rule, Protocol):
    """The interface of a rule that learns one row of an epoch, which it chooses.

    An epoch of ``fit`` scans all rows, and learns one of them for each weight vector: that whose
    overlap is the least, of equals the first in the order of the epoch. Rows of weight zero are
    left out. One-vs-rest, each weight vector has a row of its own; a joint model has one score of
    them all, and is refused.
    """

    def overlap(self, score: float, y: float) -> float:
        """Return the number that is least for the row to learn."""


AnyRule: TypeAlias = Rule | ConfidenceRule | WeightwiseRule | RescalingRule | BlendedRule

STEPS = ("step", "gradient", "rescale")
"""Methods of which every rule has one."""

EXPERTS = 3
"""Learners that a blended rule has."""

TERMS = EXPERTS + 1
"""Terms of their blend: the score of each, and a constant for two classes."""

UNKNOWN = -1.0
"""A squared norm that is to be computed: that of a state in which it became inexact."""

OWN_FIELDS = {
    "confident": {"C": Field(minimum=0.0), "cb": Field("columns", minimum=0.0)},
    "full": {"S": Field("squares", initial=1.0)},  # row after row; the intercept comes first
    "rescaling": {  # ‖w‖² with the intercept, and bounds of its rounding errors
        "norms": Field(
            "columns", initial=UNKNOWN, two_classes="fresh", mixture="fresh", minimum=UNKNOWN
        ),
        "norm_errors": Field("columns", two_classes="fresh", minimum=0.0),
    },
    "blended": {  # as src/core/linear/problem.h has them; engine/blend.py has what a record is
        "blend.columns": Field("records", two_classes="records", mixture="records", alone=True),
        "blend.sums": Field("features", mixture="sum", alone=True, depth=2),
        "blend.seen": Field("features", "int64", mixture="fresh", alone=True),
        "blend.dense": Field("features", "int64", mixture="first", alone=True),
        "blend.totals": Field("numbers", mixture="sum", minimum=0.0, alone=True, depth=2),
        # How many columns are dense, and whether W is stale; −1: all is to be found anew.
        "blend.lists": Field("numbers", "int64", mixture="fresh", initial=-1, alone=True, depth=2),
        "blend.terms": Field("numbers", alone=True, depth=TERMS * (1 + TERMS)),
        "blend.offsets": Field("columns", two_classes="fresh", mixture="first", alone=True),
    },
}
"""What the rules of a kind keep besides the weights, by the names of arrays in a model file."""

BLENDED = "blend.lists"
"""The array by which a state of a blended rule is known."""

MOST_NUMBERS, MOST_COUNTS = 4, 2
"""Most numbers for each weight, and for each weight vector, of a weightwise rule: the core's."""

MAX_FEATURES = 2_048
"""Largest number of features of a rule with a full covariance: 34 MB for each class."""


class Traits(NamedTuple):
    """What a rule does besides moving w along x.

    Attributes
    ----------
    confident : bool
        It keeps a confidence for each weight, or a full covariance.
    full : bool
        It keeps a full covariance.
    weightwise : bool
        It moves each weight by numbers of its own.
    blended : bool
        It is a blend of learners, from which the weights follow.
    rescales : bool
        It rescales the weights.
    chooses_row : bool
        It learns one row of an epoch, which it chooses.
    plain : bool
        None of these: it moves w along each x, and does nothing else.
    keeps_numbers : bool
        It keeps what another rule may not be able to continue with.
    scale_free : bool
        Scores stay the same where a column is multiplied by a number.
    ours : bool
        It is a class of the library.
    """

    confident: bool
    full: bool
    weightwise: bool
    blended: bool
    rescales: bool
    chooses_row: bool
    plain: bool
    keeps_numbers: bool
    scale_free: bool
    ours: bool


def _traits(kind: type) -> Traits:
    """Return the traits of a rule's class, by its kind, or by its methods if it declares none.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> _traits(rules.PA).plain, _traits(rules.FullAROW).keeps_numbers
    (True, True)
    >>> _traits(rules.ScInOL).scale_free, _traits(rules.AROW).scale_free
    (True, False)
    """
    from rosenblatt.utils.checks import is_library_class  # with NumPy, which names do without

    declared: RuleDeclaration | None = declaration_of(kind)
    if declared is not None:
        full = declared.kind == "full"
        confident = full or declared.kind == "confident"
        rescales, chooses_row = declared.kind == "rescaling", declared.kind == "choosing"
        weightwise, blended = declared.kind == "weightwise", declared.kind == "blended"
    else:
        base: RuleDeclaration | None = getattr(kind, "declaration", None)
        full = bool(getattr(kind, "full_covariance", base is not None and base.kind == "full"))
        confident, has_gradient, rescales, chooses_row, steps = (
            callable(getattr(kind, method, None))
            for method in ("needs_variance", "gradient", "rescale", "overlap", "step")
        )
        weightwise, blended = has_gradient and not steps, False
    return Traits(
        confident=confident,
        full=full,
        weightwise=weightwise,
        blended=blended,
        rescales=rescales,
        chooses_row=chooses_row,
        plain=not (confident or weightwise or blended or rescales or chooses_row),
        keeps_numbers=confident or weightwise or blended,
        scale_free=declared is not None and declared.scale_free,
        ours=is_library_class(kind),
    )


traits_of: Callable[[type], Traits] = lru_cache(1000)(_traits)
"""``traits_of(kind)``: the traits of a class of rules, found once for each."""


def has_full_covariance(rule: object) -> bool:
    """Return True if a rule with a confidence keeps a full covariance matrix.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> has_full_covariance(rules.FullAROW()), has_full_covariance(rules.AROW())
    (True, False)
    """
    return traits_of(type(rule)).full


def kind_of(rule: object) -> str:
    """Return the kind of a rule, one of :data:`rosenblatt.theory.declaration.KINDS`.

    A rule that chooses its row is plain: it moves w along x.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> kind_of(rules.PA()), kind_of(rules.FullAROW())
    ('plain', 'full')
    """
    traits = traits_of(type(rule))
    if traits.rescales:
        return "rescaling"
    if traits.weightwise or traits.blended:
        return "weightwise" if traits.weightwise else "blended"
    if traits.full:
        return "full"
    return "confident" if traits.confident else "plain"


def _own_fields(kind: Any) -> dict[str, Field]:
    """Return what a class of rules keeps besides the weights: arrays of the state, by their names.

    Those of a weightwise rule are two for each number that it declares: of the weights, and of the
    intercepts; and one for each count.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> [*_own_fields(rules.AROW)], [*_own_fields(rules.PA)]
    (['C', 'cb'], [])
    >>> [*_own_fields(rules.ScInOL)][:2]
    ['numbers.theta', 'numbers.theta.b']
    >>> [*_own_fields(rules.NAG)][-2:]
    ['counts.rows', 'counts.norms']
    """
    traits = traits_of(kind)
    if traits.weightwise:
        fields = {}
        for name, field in kind.numbers.items():
            fields[f"numbers.{name}"] = field
            fields[f"numbers.{name}.b"] = field._replace(shape="columns")
        for name, field in getattr(kind, "counts", {}).items():
            fields[f"counts.{name}"] = field._replace(shape="columns")
        return fields
    if traits.rescales or traits.blended:
        return OWN_FIELDS["rescaling" if traits.rescales else "blended"]
    if traits.confident:
        return OWN_FIELDS["full" if traits.full else "confident"]
    return {}


own_fields: Callable[[type], dict[str, Field]] = lru_cache(1000)(_own_fields)
"""``own_fields(kind)``: what a class of rules keeps, found once for each."""


def share_numbers(one: type, other: type) -> bool:
    """Return True if numbers mean the same in two classes of rules: one can continue the other.

    A class of a user's shares its numbers with itself alone; all matrices are covariances.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> share_numbers(rules.AROW, rules.SCW1), share_numbers(rules.AROW, rules.AdaGrad)
    (True, False)
    """
    if traits_of(one).full or traits_of(other).full:
        return traits_of(one).full and traits_of(other).full
    declared, others = declaration_of(one), declaration_of(other)
    if declared is None or others is None:
        return one is other
    return bool(declared.state == others.state)


def always_moves(rule: object) -> bool:
    """Return True if a rule changes w at an example that it learned long ago, as Pegasos does.

    The weights then change in epochs without an update, too. A user's rule is tried.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> always_moves(rules.Pegasos()), always_moves(rules.ROMMA())
    (True, False)
    """
    declared: RuleDeclaration | None = declaration_of(type(rule))
    if declared is not None or not traits_of(type(rule)).rescales:
        return declared is not None and declared.always_moves
    # A score of 1e9 is beyond every margin: whoever moves there always does.
    factor, _ = cast(RescalingRule, rule).rescale(1e9, 1.0, 1.0, 1.0, 1, 1)
    return factor != 1.0


def chooses_row(rule: object) -> bool:
    """Return True if a rule learns one row of an epoch, which it chooses, as MinOver does.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> chooses_row(rules.MinOver()), chooses_row(rules.MarginPerceptron())
    (True, False)
    """
    return traits_of(type(rule)).chooses_row


def is_plain(rule: object) -> bool:
    """Return True if a rule moves w along each x, and does nothing else.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> is_plain(rules.PA()), is_plain(rules.AROW())
    (True, False)
    """
    return traits_of(type(rule)).plain


def smaller_steps(rule: object, parameter: str | None) -> str:
    """Return the advice of smaller steps, for a message; empty for a rule without a step size.

    ``parameter`` is the estimator's that sets it; None where the rule was passed as an object.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> smaller_steps(rules.LMS(), "eta0"), smaller_steps(rules.PA(), "eta0")
    (' or choose a smaller eta0', '')
    >>> smaller_steps(rules.LMS(), None)
    ' or choose a smaller step of the rule'
    """
    declared: RuleDeclaration | None = declaration_of(type(rule))
    has_rate = declared is not None and declared.rate
    return f" or choose a smaller {parameter or 'step of the rule'}" if has_rate else ""


def check_features(rule: object, d: int) -> None:
    """Refuse more features than a rule with a full covariance may have.

    Raises
    ------
    ValueError
        There are more than :data:`MAX_FEATURES`.
    """
    if has_full_covariance(rule) and d > MAX_FEATURES:
        diagonal = type(rule).__mro__[1].__name__
        raise ValueError(
            f"{type(rule).__name__} keeps (d + 1)² numbers for each class, and is for at most "
            f"{MAX_FEATURES:,} features; got {d:,}. {diagonal} keeps d."
        )
