"""The benchmarks: intervals, rounds, kept runs, and the pages that quote them."""

import doctest
import re
from itertools import cycle

import kept
import markdown
import numpy as np
import pictures
import pytest
import quoted
import ratios
from field import page as accuracy
from field import picture, runs, statistics
from field.sections import verdicts
from kept import Kept
from ratios import Finding, Ratio, alternate, exactly, faster, middle, ratio


def finding(low=4.0, high=5.0, **options):
    return Finding("a work", "a peer", Ratio(4.5, low, high, 7), **options)


@pytest.fixture
def without_span(monkeypatch):
    monkeypatch.setattr(ratios, "SPAN", 0.0)


def rounds_of(ours, theirs, **options):
    """Alternate two works whose clock shows given seconds, and return the finding."""
    times = {"ours": cycle(ours), "theirs": cycle(theirs)}
    works = {name: lambda name=name: next(times[name]) for name in times}
    lines = faster("a work", "a peer", "theirs", "ours")
    return alternate(works, lines, clock=lambda work: work(), warm_up=False, **options)[1][0].ratio


@pytest.mark.parametrize(
    "module", [ratios, markdown, kept, quoted, statistics], ids=lambda m: m.__name__
)
def test_doctests(module):
    assert doctest.testmod(module).failed == 0


def test_constant_ratios_have_a_narrow_interval():
    assert ratio([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]) == Ratio(2.0, 2.0, 2.0, 3)


def test_the_interval_is_reproducible_contains_the_median_and_narrows_with_the_rounds():
    noise = np.random.default_rng(1).lognormal(sigma=0.3, size=200)
    few, many = ratio(3.0 * noise[:10], np.ones(10)), ratio(3.0 * noise, np.ones(200))
    assert few == ratio(3.0 * noise[:10], np.ones(10))
    assert few.low <= few.median <= few.high
    assert many.low < 3.0 < many.high
    assert many.high - many.low < (few.high - few.low) / 2
    assert many.is_narrow
    assert not few.is_narrow


def test_few_rounds_have_the_interval_of_all_their_ratios():
    assert ratio([1.0, 2.0, 9.0], [1.0, 1.0, 1.0]) == Ratio(2.0, 1.0, 9.0, 3)


def test_the_middle_of_several_works():
    of = [Ratio(1.0, 0.5, 1.5, 9), Ratio(2.0, 1.0, 3.0, 5), Ratio(8.0, 7.0, 9.0, 7)]
    assert middle(of) == Ratio(2.0, 1.0, 3.0, 5)


@pytest.mark.usefixtures("without_span")
def test_works_stop_as_soon_as_the_interval_is_narrow():
    assert rounds_of([1.0], [3.0]) == Ratio(3.0, 3.0, 3.0, ratios.LEAST)
    noisy = rounds_of([1.0], [3.0, 2.0, 4.0, 3.0, 3.1])
    assert noisy.is_narrow
    assert ratios.LEAST < noisy.rounds < 100


@pytest.mark.usefixtures("without_span")
def test_noisy_works_stop_at_the_limit_with_the_interval_that_they_have(monkeypatch):
    wide = rounds_of([1.0, 2.0], [1.0, 1.0, 9.0], limit=0.0)
    assert wide.rounds == ratios.FEWEST
    assert not wide.is_narrow
    monkeypatch.setattr(ratios, "MOST", 12)
    assert rounds_of([1.0], [1.0, 9.0]).rounds == 12


def test_short_works_are_spread_over_a_span(monkeypatch):
    monkeypatch.setattr(ratios, "SPAN", 0.05)
    assert rounds_of([1.0], [3.0]).rounds > ratios.LEAST


@pytest.mark.usefixtures("without_span")
def test_works_run_in_turn_after_one_call_of_each():
    calls = []
    works = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    times, _ = alternate(works, lambda times: [])
    assert calls == ["a", "b"] * (1 + ratios.LEAST)
    assert [len(rounds) for rounds in times.values()] == [ratios.LEAST] * 2


def test_a_line_is_reached_if_its_whole_interval_is():
    assert finding(wanted=4.0).is_reached
    assert not finding(wanted=4.2).is_reached
    assert finding(wanted=5.0, at_most=True).is_reached
    assert not finding(wanted=4.8, at_most=True).is_reached
    assert not finding(wanted=4.0, accuracy=(0.9, 0.91)).is_reached
    assert not finding().is_reached


def test_a_peer_is_ahead_if_the_interval_goes_below_one():
    assert finding(low=0.9).is_behind
    assert not finding(low=1.1).is_behind
    assert not finding(low=0.5, at_most=True).is_behind


def test_kept_runs_come_back(tmp_path):
    lines = [finding(wanted=4.0, accuracy=(0.5, 0.25)), finding(at_most=True, remark="slow")]
    parts = {"epochs": Kept("a machine", 12, lines, "### A table\n\n| a |\n")}
    kept.save("2026-01-02", parts, tmp_path)
    kept.save("2026-01-01", {"spam": Kept("a machine", 0, [], "")}, tmp_path)
    runs = kept.load(tmp_path)
    assert list(runs) == ["2026-01-01", "2026-01-02"]
    assert runs["2026-01-02"] == parts


def test_the_page_has_a_column_for_each_of_the_last_runs():
    def run(value, name="epochs", **options):
        line = Finding("a work", f"a peer of {name}", exactly(value), **options)
        return {name: Kept("a machine", 5, [line], f"### Table {value}\n")}

    runs = {
        "2026-01-01": run(9.0, "spam"),
        "2026-01-02": run(2.0) | run(3.0, "shards"),
        "2026-01-03": run(0.5, wanted=1.0),
        "2026-01-04": run(1.5, wanted=1.0),
    }
    page = kept.page(runs)
    assert "| work | against | wanted | 2026-01-02 | 2026-01-03 | 2026-01-04 | last run |" in page
    assert "| a work | a peer of epochs | ≥ 1 | 2.0 × | 0.50 × | 1.5 × | reached |" in page
    assert "| a work | a peer of shards |  | 3.0 × |  |  |  |" in page
    assert "a peer of spam" not in page  # its run is too old
    assert "1 of 1 aims" in page
    assert "### Table 1.5" in page
    assert "### Table 0.5" not in page
    assert "### Table 9.0" in page  # the last tables of each part, however old
    del runs["2026-01-04"]
    assert "**below 1**; short" in kept.page(runs)


def test_the_page_of_benchmarks_is_that_of_the_kept_runs():
    assert kept.page(kept.load()) == kept.PAGE.read_text("utf-8"), "python bench/quoted.py"


def test_the_pages_of_accuracy_are_those_of_the_kept_figures():
    field, drift, units = runs.load(), accuracy.kept("drift"), accuracy.kept("units")
    advice = "python bench/accuracy.py --write"
    assert accuracy.summary(field, drift) == accuracy.PAGE.read_text("utf-8"), advice
    assert accuracy.of(field, drift, units) == accuracy.SETS.read_text("utf-8"), advice


def test_the_picture_of_the_default_is_that_of_the_kept_figures(monkeypatch, tmp_path):
    assert doctest.testmod(picture).failed == 0
    monkeypatch.setattr(pictures, "AUTO", tmp_path / picture.NAME)
    pictures.draw_auto()
    shapes = [
        re.findall("<(path|use|g)", (folder / picture.NAME).read_text("utf-8"))
        for folder in (tmp_path, pictures.HERE)
    ]
    assert shapes[0] == shapes[1], "python docs/pictures.py"
    page = (pictures.HERE / "howto" / "rules.md").read_text("utf-8")
    assert f"![{picture.alt_text(picture.lanes_of(runs.load()))}](../auto.svg)" in page


def test_the_picture_counts_the_sets_on_which_a_learner_is_near_the_best():
    def lane(auto, vw, **more):
        return picture.Lane("a set", 90.0, auto, auto, {"vw": vw} | more)

    lanes = [lane(-1.0, -2.0), lane(-1.01, -1.0, river=-0.5), lane(2.0, -40.0, river=-0.9)]
    assert picture.finding(lanes) == (
        "auto is within a point of the best tuned on 2 of 3 sets, river on 2"
    )


def test_the_page_of_accuracy_says_where_the_default_loses():
    def streams(auto):
        return {"streams": {"flip": {"auto": [auto, 0.3], "kt": [9.0, 0.3], "vw": [1.0, 0.1]}}}

    behind, near = (verdicts.of_drift(streams(auto)) for auto in (10.5, 9.9))
    assert verdicts.losses(behind) == (
        "- It is more than a point behind the best tuned rule on the streams flip 1.5."
    )
    assert verdicts.losses(near) == "- Nowhere here."


def test_the_gap_to_the_tuned_learner_counts_sets_within_a_half_and_one_point():
    def run(auto, tuned):
        found = {"auto": {"accuracy": [auto, 0.0]}}
        return {"one": found, "best": {verdicts.TUNED: {"accuracy": [tuned, 0.0]}}}

    runs = {"near": run(90.0, 90.5), "behind": run(90.0, 91.0), "far": run(90.0, 92.0)}
    line = verdicts.gap(runs, "one")
    assert line.found == "33 % and 67 % of 3"
    assert line.lost.endswith("on 1 of 3 sets (far 2.0)")


def test_ranks_are_those_of_their_definition():
    values = {
        "one": {"a": 0.1, "b": 0.2, "c": 0.3},
        "two": {"a": 0.3, "b": 0.1, "c": 0.2, "river": 0.0},
        "three": {"a": 0.1, "b": 0.1, "c": 0.2},
    }
    found = statistics.ranks(values)  # river has not all sets; equal values share their ranks
    assert found.sets == 3
    assert found.means == pytest.approx({"a": 5.5 / 3, "b": 4.5 / 3, "c": 8 / 3})
    # Demšar 2006, table 5: q = 2.343 for three learners.
    assert found.difference == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 3)), abs=1e-3)


@pytest.mark.parametrize("name", quoted.TABLES)
def test_pages_quote_the_kept_runs(name):
    page = (quoted.ROOT / name).read_text("utf-8")
    assert quoted.with_tables(name, page, quoted.figures(kept.load())) == page, (
        "python bench/quoted.py"
    )


def test_every_row_of_a_table_has_its_figures():
    findings = quoted.figures(kept.load())
    rows = [row for tables in quoted.TABLES.values() for rows in tables for row in rows]
    missing = [(work, row.peer) for row in rows for work in row.lines]
    assert [key for key in missing if key not in findings] == []


def test_who_is_faster_is_never_said_without_the_reason_and_the_way_out():
    findings = quoted.figures(kept.load())
    rows = [row for tables in quoted.TABLES.values() for rows in tables for row in rows]
    for row in rows:
        found = [findings[work, row.peer] for work in row.lines]
        is_ahead = any(line.is_behind or line.is_less_accurate for line in found)
        assert bool(row.behind) == is_ahead, row.work


def test_a_page_has_as_many_tables_as_it_quotes():
    with pytest.raises(ValueError, match=r"README\.md has 0 tables"):
        quoted.with_tables("README.md", "# A page\n", {})


def test_a_quoted_figure_is_the_unfavourable_end_and_says_who_is_ahead():
    row = quoted.Row("a work", ("a work",), "a peer", "{} × a product", (("more", "a product"),))
    more = Finding("more", "a product", Ratio(0.8, 0.7, 0.9, 5), at_most=True)
    lines = {line.key: line for line in (finding(low=4.2), more)}
    assert "| a work | a | 4.2 | 0.90 × a product |\n" in quoted.table((row,), lines)
    slow = finding(low=0.84, accuracy=(0.812, 0.834))
    text = quoted.table((row._replace(behind="so; do that"),), {slow.key: slow})
    assert (
        "| **0.84** | a is faster and a is more accurate (83.4 % to 81.2 %): so; do that |" in text
    )
    assert quoted.table((row,), {}) == quoted.HEADER
