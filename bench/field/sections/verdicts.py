"""What was wanted of the rule auto, what was found, and where it loses."""

from __future__ import annotations

from typing import Any, NamedTuple

from markdown import table

from field.ours import RULES
from field.sections.tables import WABBITS, values
from field.statistics import everywhere, ranks

TUNED = "LogisticRegression, tuned"
LOSS_AIM, MANY, ECE_AIM = 1.02, 10_000, 0.02
SHARES = {"one": (55, 70), "ten": (75, 85)}
RANK = "mean rank among the peers"
PASSES = {"one": "one pass", "ten": "ten passes"}
DRIFT_PEERS = ("perceptron", "averaged", "arow", "arow, tuned", "adagrad_logistic",
               "adagrad_logistic, tuned", "kt", "scinol")  # fmt: skip


class Verdict(NamedTuple):
    """A line of the aims; ``lost`` says in words where auto loses, if it does."""

    what: str
    wanted: str
    found: str
    lost: str = ""


def of_field(runs: dict[str, Any]) -> list[Verdict]:
    """Return the lines of the sets."""
    if len(runs) < 3:
        return []
    lines = [rank(runs, group, metric) for group in PASSES for metric in ("accuracy", "loss")]
    with_river = {name: run for name, run in runs.items() if "river" in run["one"]}
    if 2 < len(with_river) < len(runs):
        also = f", of the {len(with_river)} sets that river learned"
        lines += [rank(with_river, "one", metric, also) for metric in ("accuracy", "loss")]
    lines += [gap(runs, group) for group in PASSES]
    return [*lines, *wabbits(runs), own(runs), calibration(runs)]


def rank(runs: dict[str, Any], group: str, metric: str, also: str = "") -> Verdict:
    """Return the mean rank of auto among the peers, as they come."""
    of = values(runs, group, metric)
    peers = [name for name in everywhere(of) if name == "auto" or name not in RULES]
    sign = -1.0 if metric == "accuracy" else 1.0
    found = ranks({s: {n: sign * round(v[n], 5) for n in peers} for s, v in of.items()})
    order = sorted(found.means, key=found.means.__getitem__)
    name = "accuracy" if metric == "accuracy" else "log loss"
    others = ", ".join(f"{n} {found.means[n]:.1f}" for n in order if n != "auto")
    text = f"{found.means['auto']:.1f}; {others}; critical difference {found.difference:.1f}"
    near = found.means["auto"] - found.means[order[0]] < found.difference
    lost = f"in {PASSES[group]} {order[0]} has a better mean rank in {name}{also}"
    lost += ", by less than the critical difference" if near else ""
    what = f"{RANK}, {PASSES[group]}, {name}{also}"
    wanted = "the best" if group == "one" else ""
    return Verdict(what, wanted, text, "" if order[0] == "auto" else lost)


def gap(runs: dict[str, Any], group: str) -> Verdict:
    """Return how near auto is to tuned logistic regression."""
    behind = {
        name: run["best"][TUNED]["accuracy"][0] - run[group]["auto"]["accuracy"][0]
        for name, run in runs.items()
        if TUNED in run.get("best", {})
    }
    shares = [100 * sum(b <= limit for b in behind.values()) / len(behind) for limit in (0.5, 1.0)]
    half, whole = SHARES[group]
    far = sorted((n for n in behind if behind[n] > 1.0), key=lambda n: -behind[n])
    words = ", ".join(f"{n} {behind[n]:.1f}" for n in far)
    lost = f"in {PASSES[group]} it is more than a point of accuracy behind a tuned logistic regression on {len(far)} of {len(behind)} sets ({words})"  # noqa: E501
    return Verdict(
        f"within 0.5 and 1 points of tuned logistic regression, {PASSES[group]}",
        f"{half} % and {whole} % of the sets",
        f"{shares[0]:.0f} % and {shares[1]:.0f} % of {len(behind)}",
        lost if far else "",
    )


def wabbits(runs: dict[str, Any]) -> list[Verdict]:
    """Return the log loss against Vowpal Wabbit's default and ``--coin``."""
    lines = []
    for who in WABBITS:
        of = {
            name: run["one"]["auto"]["loss"][0] / max(run["one"][who]["loss"][0], 1e-7)
            for name, run in runs.items()
            if who in run["one"]
        }
        if not of:
            continue
        over = sorted((n for n in of if of[n] > LOSS_AIM), key=lambda n: -of[n])
        words = ", ".join(f"{n} {of[n]:.2f}" for n in over)
        found = f"on {len(of) - len(over)} of {len(of)}"
        lost = f"its log loss in one pass is over {LOSS_AIM} × that of `{who}` on {words}"
        wanted = f"≤ {LOSS_AIM} × on each set"
        lines.append(Verdict(f"log loss to `{who}`", wanted, found, lost if over else ""))
    return lines


def own(runs: dict[str, Any]) -> Verdict:
    """Return how near auto is to the best of our other rules, chosen after the fact."""
    behind: dict[str, tuple[float, str]] = {}
    for name, run in runs.items():
        others = {who: run["one"][who]["accuracy"][0] for who in RULES if who != "auto"}
        first = max(others, key=others.__getitem__)
        behind[name] = (others[first] - run["one"]["auto"]["accuracy"][0], first)
    far = sorted((n for n in behind if behind[n][0] > 1.0), key=lambda n: -behind[n][0])
    words = ", ".join(f"{n} {behind[n][0]:.1f} ({behind[n][1]})" for n in far)
    return Verdict(
        "accuracy beside the best of our other rules on each set, one pass",
        "",
        f"within a point on {len(behind) - len(far)} of {len(behind)} sets",
        f"another of our rules is more than a point better in one pass on {words}" if far else "",
    )


def calibration(runs: dict[str, Any]) -> Verdict:
    """Return on how many sets auto is calibrated, in one pass and in ten."""
    bad: dict[str, list[str]] = {"one": [], "ten": []}
    for name, run in runs.items():
        for group, names in bad.items():
            ece, chance, rows = run["calibration"][group]
            if ece > (ECE_AIM if rows >= MANY else chance):
                names.append(name)
    found = "; ".join(
        f"{PASSES[group]}: {len(runs) - len(names)} of {len(runs)} sets"
        for group, names in bad.items()
    )
    lost = "its calibration error is larger than chance makes it " + " and ".join(
        f"in {PASSES[group]} on {', '.join(names)}" for group, names in bad.items() if names
    )
    wanted = f"≤ {ECE_AIM} of {MANY:,} rows, else within 95 % of chance"
    return Verdict("calibration error", wanted, found, lost if any(bad.values()) else "")


def of_drift(found: dict[str, Any]) -> list[Verdict]:
    """Return the line of the streams."""
    if not found:
        return []
    over = {}
    for stream, of in found["streams"].items():
        least = min(of[name][0] for name in DRIFT_PEERS if name in of)
        if of["auto"][0] > least + 1.0:
            over[stream] = of["auto"][0] - least
    words = ", ".join(f"{stream} {points:.1f}" for stream, points in over.items())
    streams = len(found["streams"])
    lost = f"it is more than a point behind the best tuned rule on the streams {words}"
    return [
        Verdict(
            "error under drift",
            "≤ the best of the tuned rules + 1 point",
            f"on {streams - len(over)} of {streams} streams",
            lost if over else "",
        )
    ]


def losses(lines: list[Verdict]) -> str:
    """Return the list of where auto loses."""
    lost = [line.lost for line in lines if line.lost]
    return "\n".join(f"- {words[0].upper()}{words[1:]}." for words in lost or ["nowhere here"])


def short(lines: list[Verdict]) -> str:
    """Return the table of the mean ranks."""
    rows = [[line.what, line.found] for line in lines if line.what.startswith(RANK)]
    return table(["", "`auto`, and its peers; 1 is the best"], rows).rstrip()


def section(lines: list[Verdict]) -> str:
    """Return the table of the aims."""
    if not lines:
        return ""
    rows = [[line.what, line.wanted, line.found] for line in lines]
    return f"## What was wanted\n\n{table(['', 'wanted', 'found'], rows)}"
