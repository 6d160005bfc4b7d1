"""Cells of bench/tables.md that take little time, measured again; LIBOL beside ours."""

import numpy as np
import pytest
from real_data import real_data
from tables import layout, libol, libol_literal, page, sol

from rosenblatt import rules

PARTS = page.parts_of(page.PAGE.read_text("utf-8"))


def lines_of(part, heading):
    """Return the lines of a table of the page by their first cells."""
    text = PARTS[part].partition(f"### {heading}")[2].partition("\n### ")[0]
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return {line[0]: [cell.strip() for cell in line] for line in lines}


@pytest.fixture(scope="module")
def svmguide3():
    real_data("svmguide3", "svmguide3.xz")
    return libol.real.svmguide3()


@pytest.mark.parametrize("rule", ["perceptron", "AROW"])
def test_cells_of_sol_are_what_the_command_prints(rule):
    real_data("a1a", "a1a.xz")
    written = lines_of("sol", "a1a")[rule]
    assert layout.row_of(sol.a1a().cell(rule), 2) == written


@pytest.mark.parametrize("rule", ["perceptron", "PA-I"])
def test_lines_of_libol_are_what_the_command_prints(rule, svmguide3):
    written = lines_of("libol", "svmguide3")[rule]
    assert libol.shared_row(rule, "svmguide3", *svmguide3) == written


def test_every_rule_of_the_tables_is_on_the_page():
    for name in ("a1a", "MNIST"):
        assert set(layout.GRIDS) <= set(lines_of("sol", name))
    for name in libol.PUBLISHED:
        assert set(libol_literal.LITERAL) <= set(lines_of("libol", name))


SAME = {
    "perceptron": (rules.Perceptron(), ()),
    "OGD": (rules.OGD(1.0), ()),
    "PA": (rules.PA(), ()),
    "PA-I": (rules.PA1(0.125), (0.125,)),
    "PA-II": (rules.PA2(0.0625), (0.0625,)),
    "CW": (rules.FullCWStdev(0.25), (0.25,)),
    "AROW": (rules.FullAROW(0.0625), (0.0625,)),
    "SCW-I": (rules.FullSCW1(1.0, 0.67), (1.0, 0.67)),
}


@pytest.fixture
def literal(monkeypatch):
    """LIBOL's algorithms as Python runs them: one pass takes less time than to compile it."""
    for name, value in list(vars(libol_literal).items()):
        if hasattr(value, "py_func"):
            monkeypatch.setattr(libol_literal, name, value.py_func)
    return {
        name: algorithm._replace(step=algorithm.step.py_func)
        for name, algorithm in libol_literal.LITERAL.items()
    }


@pytest.mark.parametrize("name", SAME)
def test_with_libols_parts_our_rules_make_its_mistakes_one_by_one(name, svmguide3, literal):
    """No intercept, a full matrix, LIBOL's setting; the first row is negative.

    LIBOL takes a score of 0 for positive, and a positive first row would not move the perceptron
    there.
    """
    X, y = svmguide3[0].toarray(), np.where(svmguide3[1] == max(svmguide3[1]), 1.0, -1.0)
    rule, setting = SAME[name]
    order = np.random.default_rng(0).permutation(len(y))
    order = np.roll(order, -int(np.argmax(y[order] < 0)))
    model = layout.perceptron(rule, tie=1, fit_intercept=False).fit(X[order], y[order])
    counted = model.history_["mistakes"][0], model.history_["updates"][0]
    theirs = libol_literal.one_pass(literal[name], setting, X, y, order)
    assert counted == theirs


@pytest.mark.usefixtures("literal")
def test_the_literal_arow_is_a_ridge_regression(svmguide3):
    X, y = np.ascontiguousarray(svmguide3[0].toarray()[:40]), np.ones(40)
    w, S, k = np.zeros(X.shape[1]), np.eye(X.shape[1]), np.ones(1)
    learned = []
    for i in range(40):
        if libol_literal.arow(X[i], y[i], w, S, k, np.array([2.0, 0.0]))[1]:
            learned.append(i)
    Z = X[learned]
    inverse = np.linalg.inv(np.eye(X.shape[1]) + Z.T @ Z / 2.0)
    np.testing.assert_allclose(S, inverse, atol=1e-9)
    np.testing.assert_allclose(w, inverse @ Z.T @ y[learned] / 2.0, atol=1e-9)


@pytest.mark.usefixtures("literal")
def test_settings_are_chosen_as_libol_chooses_them():
    """One after another, and of equal values the last."""

    def step(x, y, w, S, k, p):
        guess = y if p[0] >= 2.0 and p[1] >= p[0] else -y
        return guess, False

    algorithm = libol_literal.Algorithm(
        step, (1.0, 3.0), ((0, [1.0, 2.0, 3.0, 4.0]), (1, [2.0, 5.0, 4.0])), ("C", "φ")
    )
    X, y = np.ones((3, 1)), np.ones(3)
    chosen = libol_literal.choose(algorithm, X, y, np.arange(3))
    assert chosen == (3.0, 4.0)
    assert algorithm.setting(chosen) == "C = 3, φ = 4"
