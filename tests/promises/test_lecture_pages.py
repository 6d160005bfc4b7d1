"""Pages of the gallery that state what a lecture says: their figures and their numbers."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from displays import words
from matplotlib import pyplot as plt

from rosenblatt import PolynomialLift, certify, textbook, theory, toys

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def page(monkeypatch):
    """Run a script of the gallery, and return its names."""
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.close("all")
    yield lambda script: runpy.run_path(str(EXAMPLES / f"{script}.py"))
    plt.close("all")


@pytest.mark.parametrize("seed", range(5))
def test_L1_6_a_push_shorter_than_the_margin_turns_no_point(seed):
    toy = toys.separable(50, 3, margin=0.1, seed=seed)
    run = textbook.perceptron(toy.X, toy.y)
    margins = theory.margins(toy.X, toy.y, run.w, run.b)
    pushes = np.random.default_rng(seed).normal(size=(2000, 3))
    pushes /= np.linalg.norm(pushes, axis=1)[:, np.newaxis]
    for x, label, margin in zip(toy.X, toy.y, margins, strict=True):
        at = x + 0.999999 * margin * pushes
        assert (label * (at @ run.w + run.b) > 0).all()
    nearest = margins.argmin()
    straight = -toy.y[nearest] * run.w / np.linalg.norm(run.w)
    for length, side in ((1 - 1e-9, 1), (1 + 1e-9, -1)):
        at = toy.X[nearest] + length * margins[nearest] * straight
        assert np.sign(toy.y[nearest] * (at @ run.w + run.b)) == side


def test_L1_6_the_widest_band_bears_the_longest_push(page):
    names = page("lectures/plot_robustness")
    turned, planes, proof = names["turned"], names["planes"], names["proof"]
    w, b = planes["The widest band"]
    assert turned(w, b, 0.999 * proof.margin[0]) == 0
    assert turned(w, b, 1.001 * proof.margin[1]) > 0
    assert turned(*planes["The perceptron's line"], 0.999 * proof.margin[0]) > 0


def test_L0_8_the_cosine_is_drawn_above_its_floor(page):
    names = page("lectures/plot_angle")
    run, found = names["run"], names["found"]
    t, limit = np.arange(1, run.mistakes + 1), (found.R / found.gamma) ** 2
    u = np.asarray(found.u)
    cosine = run.weights[1:] @ u / np.linalg.norm(run.weights[1:], axis=1)
    assert run.mistakes > 8
    assert (cosine >= np.sqrt(t) * found.gamma / found.R - 1e-9).all()
    lines = {line.get_label(): line.get_xydata() for line in names["cosines"].lines}
    np.testing.assert_allclose(lines["cos θₜ"], np.column_stack([t, cosine]), rtol=1e-9)
    floor = lines["floor √t γ/R"]
    np.testing.assert_allclose(floor[:, 1], np.sqrt(floor[:, 0]) * found.gamma / found.R)
    assert floor[-1] == pytest.approx([limit, 1.0])
    degrees = np.arctan2(names["path"][1:, 1], names["path"][1:, 0])  # the angles that are drawn
    np.testing.assert_allclose(np.cos(degrees), cosine, rtol=1e-6)


def test_L2_12_on_the_page_every_correction_makes_its_point_worse(page):
    names = page("lectures/plot_no_kernel")
    refuted = [name for name, share in names["smallest"].items() if share < -1e-9]
    assert refuted == ["−⟨x, x′⟩", "‖x − x′‖²", "tanh(⟨x, x′⟩ − 1)"]
    assert [run.converged for run in names["runs"].values()] == [True, False]
    X, y = names["X"], names["toy"].y
    assert np.linalg.norm(X, axis=1).min() > 1
    for name, sign in (("⟨x, x′⟩", 1), ("−⟨x, x′⟩", -1)):
        run, worse = names["runs"][name], []
        for t in np.flatnonzero(run.mistake):
            row, (before, after) = run.order[t], run.weights[run.used[t] : run.used[t] + 2]
            scores = [w[:-1] @ (sign * X @ X[row]) + w[-1] for w in (before, after)]
            worse.append(y[row] * scores[1] < y[row] * scores[0])
        assert len(worse) == run.mistakes > 2
        assert set(worse) == {sign < 0}  # every one with −⟨x, x′⟩, and none with the kernel


def test_L2_12_with_an_offset_short_points_gain():
    toy = toys.separable(20, 2, margin=0.2, seed=1)
    run = textbook.kernel_perceptron(toy.X, toy.y, lambda x, z: -(x @ z), max_epochs=2)
    for step in run:
        if step.mistake:
            row, label = run.X[step.row], run.y[step.row]
            moved = label * (step.after - step.before) @ row
            assert moved == pytest.approx(1 - toy.X[step.row] @ toy.X[step.row])  # 1: of b


@pytest.mark.parametrize(("d", "degree", "columns"), [(5, 2, 15), (10, 3, 220), (20, 4, 8855)])
def test_L2_14_the_features_that_a_kernel_does_not_compute(d, degree, columns):
    X = np.random.default_rng(0).normal(size=(3, d))
    Z = PolynomialLift(degree).fit_transform(X)
    assert Z.shape[1] == columns
    assert pytest.approx((X @ X.T) ** degree) == Z @ Z.T


def test_L2_14_the_page_measures_both_ways(page):
    names = page("studies/plot_kernel_cost")
    columns, kernel, features = names["results"][20, 4]
    assert columns == 8855
    assert features > 3 * kernel
    kernel, features = names["scores"][10_000]
    assert kernel > 3 * features  # a score of many support rows: there Φ is cheaper
    kernel, features = names["scores"][10]
    assert features > kernel


def test_L2_15_the_parts_of_the_neuron_are_named(page):
    names = page("lectures/plot_soma")
    said = words(plt.figure(1))
    for part in ("synapses", "dendrites", "soma", "axon"):
        assert part in said
    f = np.linspace(-9, 9, 1000)
    for g in names["outputs"].values():
        assert (np.diff(g(f)) >= 0).all()
        assert np.array_equal(np.sign(g(f)), np.sign(f))


def test_L3_10_two_layers_solve_what_one_cannot(page):
    names = page("lectures/plot_two_layers")
    corners, xor = names["corners"], names["xor"]
    assert certify(corners, xor).status == "inseparable"
    assert np.array_equal(np.sign(names["wired"](corners)), xor)
    assert np.array_equal(names["top"].predict(names["Z"]), xor)
    assert names["net"].score(names["toy"].X, names["toy"].y) > 0.9


def test_L3_11_the_line_is_the_cut_of_a_plane_through_the_origin(page):
    names = page("lectures/plot_third_dimension")
    run, w = names["run"], names["w"]
    assert w @ [0, 0, 0] == 0
    along = np.array([-run.w[1], run.w[0]])
    start = -run.b * run.w / (run.w @ run.w)
    for t in np.linspace(-3, 3, 7):
        assert w @ [1, *(start + t * along)] == pytest.approx(0, abs=1e-12)
    assert names["space"].name == "3d"


def test_L4_8_the_page_has_the_exact_minimum_beside_the_pocket(page):
    names = page("lectures/plot_fewest_mistakes")
    X, y, best = names["X"], names["y"], names["best"]
    assert (y * (X @ best.w + best.b) <= 0).sum() == best.mistakes < len(names["wrong"])
    turns = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    for normal in np.column_stack([np.cos(turns), np.sin(turns)]):
        heights = X @ normal
        between = np.convolve(np.sort(heights), [0.5, 0.5], "valid")
        wrong = (y[:, np.newaxis] * (heights[:, np.newaxis] - between) <= 0).sum(axis=0)
        assert wrong.min() >= best.mistakes
    assert (names["above"] >= 0).all()
    assert (np.diff(names["above"].mean(axis=0)) <= 0).all()
    assert set(names["seconds"]) == {(d, n) for d, sizes in names["SIZES"].items() for n in sizes}


def test_L4_9_on_the_page_all_1s_suffice_and_rates_that_fall_too_fast_do_not(page):
    names = page("lectures/plot_rates")
    ends = {name: run.converged for name, run in names["runs"].items()}
    assert [*ends.values()] == [True, True, True, False]
    listed, halved = names["runs"]["ηₜ = 1/√t"], names["runs"]["ηₜ = 2⁻ᵗ"]
    assert listed.rates.tolist() == [t**-0.5 for t in range(1, listed.mistakes + 1)]
    assert halved.mistake[-100:].sum() > 40  # it errs to the end
    assert np.linalg.norm(halved.weights[-1] - halved.weights[0]) < theory.radius(halved.X)
    constant, falling = (np.ptp(values[-60:]) for values in names["squares"].values())
    assert falling < constant / 100
    assert names["batch"].converged
