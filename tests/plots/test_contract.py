"""The contract of all displays: scikit-learn's, and one style."""

from functools import cache, partial

import numpy as np
import pytest
from forked import Forked
from matplotlib import pyplot
from matplotlib.colors import to_rgba
from profiles import share
from sklearn.pipeline import make_pipeline

from rosenblatt import (
    LMSRegressor,
    Perceptron,
    RadialLift,
    VotedPerceptron,
    audit,
    certify,
    plots,
    studies,
    textbook,
    toys,
    tune,
)
from rosenblatt.criteria import Misclassified
from rosenblatt.cycling import find_cycle
from rosenblatt.plots import (
    CertificateDisplay,
    ClaimsDisplay,
    ClassRegionsDisplay,
    CriterionDisplay,
    CycleDisplay,
    DecisionLineDisplay,
    GrowthDisplay,
    LiftDisplay,
    MarginHistogramDisplay,
    OrdersDisplay,
    ProgressiveDisplay,
    ReliabilityDisplay,
    StepsDisplay,
    TuningDisplay,
    VotedRegionsDisplay,
    WeightsDisplay,
    base,
    style,
)
from rosenblatt.validation import Point, Validation

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)


def test_every_display_is_there_by_name():
    for name in plots.__all__:
        assert getattr(plots, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'LineDisplay'"):
        plots.LineDisplay  # noqa: B018


def test_without_matplotlib_a_display_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import importlib, rosenblatt.plots as plots\n"
        "for name in plots.__all__: getattr(plots, name)\n"
        "from rosenblatt import textbook, toys\n"
        "toy = toys.two_points()\n"
        "run = textbook.augmented_perceptron(toy.X, toy.y)\n"
        "plots.StepsDisplay(run)\n"
        "plots.DecisionLineDisplay.from_trace(run)\n"
    )
    last = Forked(code).communicate()[1].splitlines()[-1]
    assert last == "ImportError: Pictures are drawn by matplotlib: pip install matplotlib."


RUN = textbook.perceptron(TOY.X, TOY.y)
BENT = textbook.origin_perceptron(textbook.radial_lift(TOY.X), TOY.y)


def of(display, model):
    """What draws a display of a model, which is fitted only then."""
    return lambda **to: display.from_estimator(model.fit(TOY.X, TOY.y), TOY.X, TOY.y, **to)


@cache
def growth():
    return studies.mistakes_by_margin((0.4, 0.2), repeats=2)


@cache
def tuned():
    return tune(TOY.X, TOY.y, rules=["logistic"])


SQUARE = toys.xor()
CYCLE = find_cycle(SQUARE.X, SQUARE.y)
MAKE = {  # every display, drawn in every way
    CertificateDisplay: [
        partial(CertificateDisplay.from_certificate, certify(TOY.X, TOY.y), TOY.X, TOY.y),
        partial(
            CertificateDisplay.from_certificate, certify(SQUARE.X, SQUARE.y), SQUARE.X, SQUARE.y
        ),
    ],
    ClaimsDisplay: [
        partial(ClaimsDisplay.from_trace, RUN),
        lambda **to: ClaimsDisplay.from_claims(audit(RUN), **to),
    ],
    ClassRegionsDisplay: [of(ClassRegionsDisplay, Perceptron())],
    CriterionDisplay: [partial(CriterionDisplay.from_traces, {"run": RUN}, Misclassified())],
    CycleDisplay: [partial(CycleDisplay.from_cycle, CYCLE)],
    DecisionLineDisplay: [
        partial(DecisionLineDisplay.from_trace, RUN),
        of(DecisionLineDisplay, Perceptron()),
    ],
    GrowthDisplay: [lambda **to: GrowthDisplay.from_study(growth(), **to)],
    LiftDisplay: [
        of(LiftDisplay, make_pipeline(RadialLift(), Perceptron())),
        partial(LiftDisplay.from_trace, BENT),
    ],
    MarginHistogramDisplay: [
        partial(MarginHistogramDisplay.from_margins, [1.0, 2.0]),
        of(MarginHistogramDisplay, Perceptron()),
    ],
    OrdersDisplay: [
        lambda **to: OrdersDisplay.from_study(studies.orders(TOY.X, TOY.y, orders=3), **to),
    ],
    ProgressiveDisplay: [
        partial(ProgressiveDisplay.from_validation, Validation(9, 0, [Point(4, 2, 0.0, 1.0, 0.5)])),
    ],
    ReliabilityDisplay: [
        partial(ReliabilityDisplay.from_predictions, [0, 1, 1], [0.25, 0.5, 0.75]),
        of(ReliabilityDisplay, Perceptron(rule="logistic")),
    ],
    StepsDisplay: [partial(StepsDisplay.from_trace, RUN, [0, 1])],
    TuningDisplay: [lambda **to: TuningDisplay.from_tuning(tuned(), **to)],
    VotedRegionsDisplay: [
        partial(VotedRegionsDisplay.from_votes, textbook.voted_perceptron(TOY.X, TOY.y)),
        of(VotedRegionsDisplay, VotedPerceptron(max_iter=2, tol=None)),
    ],
    WeightsDisplay: [
        partial(WeightsDisplay.from_weights, np.eye(2), (1, 2)),
        lambda **to: WeightsDisplay.from_estimator(Perceptron().fit(TOY.X, TOY.y), (1, 2), **to),
    ],
}
SINGLE, DOUBLE = (
    [
        make
        for one, makes in MAKE.items()
        if issubclass(one, base.PanelsDisplay) is has_panels
        for make in makes
    ]
    for has_panels in (False, True)
)


def test_every_display_is_in_the_contract():
    assert sorted(display.__name__ for display in MAKE) == plots.__all__


@pytest.mark.parametrize("make", SINGLE)
def test_a_display_is_drawn_on_its_axes_only(make):
    figure, (left, right) = pyplot.subplots(1, 2)
    display = make(ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert right.has_data()
    assert not left.has_data()
    assert display.plot(left) is display
    assert display.ax_ is left
    assert left.has_data()
    assert pyplot.get_fignums() == [figure.number]
    assert make().figure_ is not figure
    assert len(pyplot.get_fignums()) == 2


@pytest.mark.parametrize("make", DOUBLE)
def test_panels_are_drawn_on_their_axes_only(make):
    display = make()
    assert pyplot.get_fignums() == [display.figure_.number]
    figure = pyplot.figure()
    solid = {"projection": "3d"} if isinstance(display, LiftDisplay) else {}
    panels = [figure.add_subplot(1, 2, 1, **solid), figure.add_subplot(1, 2, 2)]
    assert display.plot(panels) is display
    for there in (display, make(ax=panels)):
        assert list(there.axes_) == panels[: len(there.axes_)]
        assert there.figure_ is figure
    assert all(panel.has_data() for panel in there.axes_)
    assert len(pyplot.get_fignums()) == 2


MODEL, LINE = Perceptron(), LMSRegressor().fit(TOY.X, TOY.y)
ELSE = [
    (lambda: DecisionLineDisplay.from_trace(MODEL), "run must be a Trace, .* got Perceptron"),
    (lambda: LiftDisplay.from_trace(MODEL), "run must be a Trace"),
    (lambda: StepsDisplay.from_trace(textbook.voted_perceptron(TOY.X, TOY.y)), r"pass its \.run"),
    (lambda: ClaimsDisplay.from_trace(MODEL), "run must be a Trace"),
    (lambda: ProgressiveDisplay.from_validation(RUN), "must be Validation, .* got Trace"),
    (lambda: ClaimsDisplay.from_claims(RUN), "claims must be Claims, as rosenblatt.audit"),
    (lambda: VotedRegionsDisplay.from_votes(RUN), "votes must be Votes, as .* got Trace"),
    (lambda: OrdersDisplay.from_study(RUN), "study must be Orders, as .* got Trace"),
    (lambda: TuningDisplay.from_tuning(RUN), "tuning must be Tuning, as rosenblatt.tune"),
    (lambda: GrowthDisplay.from_study(RUN), "study must be Growth, as .* got Trace"),
    (lambda: WeightsDisplay.from_estimator(RUN, (1, 2)), "must be a fitted classifier, got Trace"),
    (lambda: WeightsDisplay.from_estimator(LINE, (1, 2)), "classifier, got LMSRegressor"),
    (lambda: MarginHistogramDisplay.from_estimator(LINE, TOY.X, TOY.y), "got LMSRegressor"),
    *(
        (partial(display.from_estimator, RUN, TOY.X, TOY.y), "must be a fitted classifier, got T")
        for display in (
            ClassRegionsDisplay,
            DecisionLineDisplay,
            LiftDisplay,
            MarginHistogramDisplay,
            ReliabilityDisplay,
            VotedRegionsDisplay,
        )
    ),
]


@pytest.mark.parametrize(("make", "says"), ELSE)
def test_a_wrong_argument_is_refused_with_a_hint(make, says):
    with pytest.raises(TypeError, match=says):
        make()
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("make", share([*SINGLE, *DOUBLE], 3, 0))
def test_a_new_figure_is_white_in_a_dark_session(make):
    with pyplot.style.context("dark_background"):
        figure = make().figure_
        mine = pyplot.subplots()[1]
    assert to_rgba("white") == figure.get_facecolor() == figure.axes[0].get_facecolor()
    assert mine.get_facecolor() == to_rgba("black")


def test_a_prompt_shows_the_finding():
    assert (
        repr(DecisionLineDisplay.from_trace(RUN)) == "<DecisionLineDisplay: Every point is right>"
    )
    assert repr(StepsDisplay.from_trace(RUN, [0])) == "<StepsDisplay: Step 0: a mistake>"
    assert repr(StepsDisplay(RUN)) == "<StepsDisplay: not drawn yet>"


def test_existing_axes_keep_their_background():
    with pyplot.style.context("dark_background"):
        mine = pyplot.subplots()[1]
        DecisionLineDisplay.from_trace(RUN, ax=mine)
    assert mine.get_facecolor() == mine.figure.get_facecolor() == to_rgba("black")


def test_a_display_leaves_the_sessions_look_alone():
    before = pyplot.rcParams.copy()
    display = DecisionLineDisplay.from_trace(RUN)
    StepsDisplay(RUN).animate()
    assert display.ax_.spines["left"].get_edgecolor() == to_rgba(style.INK)
    assert pyplot.rcParams == before
