"""The picture of a tuning: each candidate at its metric, in the lane of its rule."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from rosenblatt import tune
from rosenblatt.learning.evaluation.ranking import METRICS
from rosenblatt.plots import TuningDisplay, style


@pytest.fixture(scope="module")
def tunings():
    """A tuning for each metric, of columns whose sizes differ."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3)) * [1.0, 30.0, 900.0]
    y = (X[:, 0] + rng.normal(0, 0.3, 120) > 0).astype(int)
    return {name: tune(X, y, metric=name) for name in METRICS}


@pytest.mark.parametrize("metric", METRICS)
def test_a_candidate_is_at_its_metric_in_the_lane_of_its_rule(tunings, metric):
    tuning = tunings[metric]
    display = TuningDisplay.from_tuning(tuning)
    times = 100 if METRICS[metric].is_share else 1
    lanes = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert lanes[0] == tuning.results[0].candidate.rule
    having = [one for one in tuning.results if one.metrics[metric] is not None]
    assert len(display.dots_) == len(having)
    left, right = display.ax_.get_xlim()
    at_edge = 0
    for one, dot in zip(having, display.dots_, strict=True):
        ((x, y),) = dot.get_offsets()
        assert lanes[round(y)] == one.candidate.rule
        assert left <= x <= right
        at_edge += abs(x - times * one.metrics[metric]) > 1e-9
        colour = style.PURPLE if one.candidate.scale else style.GREEN
        assert to_hex(dot.get_edgecolor()[0]) == colour.lower()
        filled = to_hex(dot.get_facecolor()[0]) != "#ffffff"
        assert filled == (one.candidate.output == "average")
    told = f"; {at_edge} farther out, at the edge"
    evidence = [text.get_text() for text in display.ax_.texts if text.get_gid() == "evidence"]
    assert [tuning.evidence() + (told if at_edge else "")] == evidence
    value = METRICS[metric].text(tuning.results[0].metrics[metric])
    assert display.ax_.get_title(loc="left").endswith(f": {METRICS[metric].title} {value}")


def test_what_is_far_behind_stands_at_the_edge(tunings):
    display = TuningDisplay.from_tuning(tunings["log_loss"])
    base = tunings["log_loss"].baselines.log_loss
    assert max(dot.get_offsets()[0][0] for dot in display.dots_) == pytest.approx(1.25 * base)
    assert "farther out, at the edge" in display.ax_.texts[-1].get_text()


def test_a_line_is_the_baseline(tunings):
    display = TuningDisplay.from_tuning(tunings["error"])
    (line,) = [line for line in display.ax_.lines if len(line.get_xdata())]
    assert line.get_xdata()[0] == pytest.approx(100 * tunings["error"].baselines.constant_error)
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == ["columns as they are", "scaled", "last weights", "averaged", "baseline"]
    without = TuningDisplay.from_tuning(tunings["f1"])
    names = [text.get_text() for text in without.ax_.get_legend().get_texts()]
    assert names[-1] == "averaged"
