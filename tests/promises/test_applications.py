"""Applications that the lectures name: experts, spam, echo."""

import runpy
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pytest
from real_data import real_data

from rosenblatt import LMSRegressor, OnlinePerceptron, rules, signals, textbook, theory, toys
from rosenblatt.signals import RATE
from rosenblatt.textbook import adaptive_filter

SPAM = Path(__file__).resolve().parents[2] / "examples" / "applications" / "plot_spam.py"
TAPS = 128


# --- experts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(1, 1), (8, 1), (8, 7), (15, 3), (30, 5)])
def test_L1_5_mistakes_stay_within_nk_and_the_experts_are_followed(n, k):
    most = 0
    for seed in range(15):
        market = toys.experts(800, n, k, seed=seed)
        run = textbook.online_perceptron(market.X, market.y)
        hidden = market.u > 0
        assert run.w[hidden].min() > np.abs(run.w[~hidden]).max(initial=0)
        most = max(most, run.mistakes)
    assert 0 < most <= theory.experts_bound(n, k) == n * k
    assert most > n * k / 4  # the bound says something


def test_L1_5_all_mistakes_are_early():
    market = toys.experts(10_000, 10, 3, seed=4)
    run = textbook.online_perceptron(market.X, market.y)
    assert run.mistakes <= theory.experts_bound(10, 3)
    assert not run.mistake[-5000:].any()
    alone = (market.y[:, np.newaxis] != market.X).mean(axis=0)
    assert alone.min() > 0.2  # and nobody alone is any good


# --- echo ----------------------------------------------------------------------------------------


class Telephone(NamedTuple):
    """Five seconds of a call: far end, room, echo, noise 30 dB below it."""

    x: Any
    h: Any
    echo: Any
    noise: Any

    @property
    def d(self):
        return self.echo + self.noise

    def cancel(self, **how):
        return adaptive_filter(self.x, self.d, TAPS, **how)


def loss(signal, e, part):
    """Echo return loss in decibels, over a part of the time."""
    return signals.echo_return_loss(signal[part], e[part], len(signal[part]))[0]


@pytest.fixture(scope="module", params=range(2))
def telephone(request):
    n, seed = 5 * RATE, request.param
    x, h = signals.speech(n, seed=seed), signals.room_response(TAPS, seed=seed + 100)
    echo = signals.echo(x, h)
    noise = np.sqrt((echo**2).mean() / 1000) * np.random.default_rng(seed).standard_normal(n)
    return Telephone(x, h, echo, noise)


def test_L2_11_normalised_it_comes_within_two_decibels_of_the_best_filter(telephone):
    x, h, d = telephone.x, telephone.h, telephone.d
    line = signals.delay_line(x, TAPS)
    best = signals.optimal_filter(x, d, TAPS)
    normalised = telephone.cancel(mu=0.5, eps=5.0)
    loudest = max(row @ row for row in line)
    plain = [telephone.cancel(mu=mu / loudest, normalised=False) for mu in (0.5, 1.0, 1.5)]
    late = slice(3 * RATE, None)
    reached = loss(d, normalised.errors, late)
    assert 25.0 < loss(d, d - line @ best, late) < reached + 2.0
    assert reached > max(loss(d, run.errors, late) for run in plain) + 1.5
    assert np.linalg.norm(normalised.weights - h) < 0.1 * np.linalg.norm(h)
    for w in (h, 0.999 * best, normalised.weights):  # the best is the best over the whole
        assert ((d - line @ best) ** 2).sum() < ((d - line @ w) ** 2).sum()


def test_L2_11_while_both_talk_the_detector_keeps_what_was_learned(telephone):
    both = slice(2 * RATE, 4 * RATE)
    near = np.zeros(len(telephone.x))
    near[both] = signals.speech(2 * RATE, seed=50)
    heard = telephone.d + near
    held = signals.double_talk(telephone.x, heard, TAPS, threshold=0.25)
    losses = []
    for rests in (held, None):
        e = adaptive_filter(telephone.x, heard, TAPS, 0.5, eps=5.0, held=rests).errors
        losses.append(loss(telephone.echo, e - near - telephone.noise, both))
    assert held[both].mean() > 0.7 > held[: 2 * RATE].mean()
    assert losses[0] > 5.0 > 0.0 > losses[1]
    assert losses[0] > losses[1] + 15.0


@pytest.mark.parametrize("normalised", [True, False])
def test_L2_11_compiled_it_has_the_textbooks_weights(telephone, normalised):
    x, d, mu = telephone.x[:8000], telephone.d[:8000], 0.5 if normalised else 1e-4
    rule = rules.NormalizedLMS(mu, 5.0) if normalised else rules.LMS(mu)
    line = signals.delay_line(x, TAPS)
    model = LMSRegressor(rule=rule, fit_intercept=False, shuffle=False)
    for start in range(0, len(d), 999):
        model.partial_fit(line[start : start + 999], d[start : start + 999])
    written = adaptive_filter(x, d, TAPS, mu, normalised=normalised, eps=5.0)
    assert np.linalg.norm(written.weights) > 0.01
    np.testing.assert_allclose(model.coef_, written.weights, rtol=1e-9, atol=1e-9)


def test_L2_11_by_its_name_the_rule_is_the_textbooks_without_eps(telephone):
    x, d = telephone.x[:2000], telephone.d[:2000]
    model = LMSRegressor(rule="nlms", fit_intercept=False, shuffle=False, eta0=0.3)
    model.partial_fit(signals.delay_line(x, TAPS), d)
    np.testing.assert_allclose(
        model.coef_, adaptive_filter(x, d, TAPS, 0.3).weights, rtol=1e-9, atol=1e-9
    )


# --- spam ----------------------------------------------------------------------------------------


@pytest.fixture
def example(monkeypatch):
    """Run the example of the gallery, and return its names."""
    monkeypatch.setattr(plt, "show", lambda: None)
    yield lambda: runpy.run_path(str(SPAM))
    plt.close("all")


def test_L2_11_spam_is_sorted_before_the_label_is_known(example, monkeypatch, capsys):
    file = real_data("sms_spam", "SMSSpamCollection.xz")
    monkeypatch.setenv("ROSENBLATT_DATA", str(file.parents[1]))
    found = example()
    spam, rows, kinds, verdicts = (found[name] for name in ("spam", "rows", "kinds", "verdicts"))
    assert (len(spam), spam.sum()) == (5574, 747)
    assert spam.mean() > 0.13  # what the majority's guess would miss
    wrong = {name: (said != spam).mean() for name, said in verdicts.items()}
    assert wrong["perceptron"] < 0.03
    assert max(wrong["averaged"], wrong["PA-I"]) < 0.02
    lost = {name: (said & ~spam).sum() for name, said in verdicts.items()}
    assert lost["PA-I"] < lost["averaged"] < lost["perceptron"] < 0.02 * (~spam).sum()
    assert "PA-I" in capsys.readouterr().out
    assert len(plt.figure(1).axes) == 3
    weights = found["FILTERS"]["averaged"].weights_of("spam")
    assert min(weights[word] for word in ("txt", "£", "0" * 11)) > 2.5
    assert max(weights[word] for word in ("i", "home")) < -2.5
    # What is said of a message does not depend on its label, nor on anything that comes later.
    other = [*kinds[:500], *({"ham": "spam", "spam": "ham"}[kind] for kind in kinds[500:800])]
    said = found["sort_in_order"](OnlinePerceptron(rule="pa1"), rows[:800], other)
    np.testing.assert_array_equal(said[:501], verdicts["PA-I"][:501])
    assert not np.array_equal(said, verdicts["PA-I"][:800])


def test_L2_11_words_get_their_weights_in_the_order_in_which_they_are_met(
    example, monkeypatch, tmp_path, capsys
):
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path))
    found = example()
    said = capsys.readouterr().out
    assert said.startswith("1,000 messages")  # those that are beside the script
    assert (len(found["spam"]), found["spam"].sum()) == (1000, 152)
    assert (found["verdicts"]["PA-I"] != found["spam"]).mean() < 0.05
    assert max(map(len, said.splitlines())) <= 80
    assert len(plt.figure(1).axes) == 3
    rows = [found["words"](text) for text in ("Call 0800 now, NOW!", "i call 12", "")]
    assert [list(row) for row in rows] == [
        ["call", "0000", "now", ",", "!"],
        ["i", "call", "00"],
        [],
    ]
    assert {value for row in rows for value in row.values()} == {1}
    names = OnlinePerceptron().learn_many(rows, ["spam", "ham", "ham"]).feature_names_
    assert names == ["call", "0000", "now", ",", "!", "i", "00"]
