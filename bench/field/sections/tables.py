"""The tables of the sets: accuracy and log loss, ranks, ratios, calibration."""

from __future__ import annotations

from typing import Any

from markdown import table

from field.sets import NAMES
from field.statistics import everywhere, ranks

Runs = dict[str, Any]
WABBITS = ("vw", "vw --coin")
TITLES = {
    "one": "One pass, as they come",
    "ten": "Ten passes, as they come",
    "best": "Tuned on the training rows",
}
NOTES = {
    "one": "Columns are raw, and no option is given but the loss of Vowpal Wabbit, `--loss_function logistic` (several classes: `--oaa K --probabilities`), and that of scikit-learn's SGDClassifier, `log_loss`, `average=True`. river is `StandardScaler() | LogisticRegression()`, of sparse rows `LogisticRegression()` alone (the scaler sees no zeros), where it takes less than hours. Of our rules without log odds the probabilities are those of `probabilities=True`.",  # noqa: E501
    "ten": "The same in ten passes; LogisticRegression, LinearSVC and LIBLINEAR (`-s 0 -B 1`) pass as often as they need. Columns are raw for all.",  # noqa: E501
    "best": "Every setting is chosen by the log loss on a held-back quarter of the training rows. `rosenblatt, best`: auto, kt, scinol, adagrad_logistic (η of 0.03, 0.1, 0.3, 1) and the average of logistic with `scale=True` (0.1, 1), in one pass and in ten. `vw, best`: its default and `--ftrl` (`-l` of 0.1, 0.5, 2) and `--coin`, in one pass and in ten. The logistic regression has standardised columns where there are less than 2,000, and one of seven C from 0.001 to 1,000 (of three for the large sets), by five such quarters for less than 4,000 rows.",  # noqa: E501
}
CELL = "A cell is the accuracy in percent and the log loss of a row, with probabilities of at least 10⁻⁷: means over the seeds. Bold are the best of a row."  # noqa: E501


def values(runs: Runs, group: str, metric: str) -> dict[str, dict[str, float]]:
    """Return of each set the means of its learners in a metric, where they have it."""
    return {
        name: {who: found[metric][0] for who, found in run[group].items() if metric in found}
        for name, run in runs.items()
        if run.get(group)
    }


def learners(runs: Runs, group: str) -> list[str]:
    """Return all learners of a group, in the order of their first set."""
    found: dict[str, None] = {}
    for run in runs.values():
        found |= dict.fromkeys(run.get(group, {}))
    return list(found)


def cell(run: dict[str, Any], group: str, who: str) -> str:
    """Return accuracy and log loss of a learner, the best of the row in bold."""
    found = run[group].get(who)
    if found is None:
        return "–"
    best = {
        "accuracy": max(round(of["accuracy"][0], 1) for of in run[group].values()),
        "loss": min(round(of["loss"][0], 3) for of in run[group].values() if "loss" in of),
    }
    accuracy = round(found["accuracy"][0], 1)
    words = [f"**{accuracy}**" if accuracy == best["accuracy"] else f"{accuracy}"]
    if "loss" in found:
        loss = round(found["loss"][0], 3)
        words.append(f"**{loss:.3f}**" if loss == best["loss"] else f"{loss:.3f}")
    return " / ".join(words)


def of_group(runs: Runs, group: str) -> str:
    """Return the table of a group, with its ranks."""
    shown = {name: run for name, run in runs.items() if run.get(group)}
    if not shown:
        return ""
    names = learners(shown, group)
    rows = [[name, *(cell(run, group, who) for who in names)] for name, run in shown.items()]
    text = f"## {TITLES[group]}\n\n{NOTES[group]} {CELL}\n\n{table(['', *names], rows)}"
    return f"{text}\n{ranking(shown, group)}" if len(shown) > 2 else text


def ranking(runs: Runs, group: str) -> str:
    """Return the mean ranks, Friedman's test and the critical difference.

    Learners that miss a set stay out; where few are left, the sets do that miss a learner.
    """
    if len(everywhere(values(runs, group, "accuracy"))) < 3:
        names = learners(runs, group)
        runs = {name: run for name, run in runs.items() if len(run[group]) == len(names)}
    losses = values(runs, group, "loss")
    errors = {
        name: {who: -round(value, 2) for who, value in of.items()}
        for name, of in values(runs, group, "accuracy").items()
    }
    lines, words = [], []
    for title, of in (("accuracy", errors), ("log loss", losses)):
        if len(of) < 3 or len(everywhere(of)) < 3:
            return ""
        found = ranks(of)
        order = sorted(found.means, key=found.means.__getitem__)
        lines.append([title, *(f"{who} {found.means[who]:.1f}" for who in order)])
        words.append(
            f"{title}: p = {found.p:.1g}, critical difference {found.difference:.1f} "
            f"({len(order)} learners, {found.sets} sets)"
        )
    width = max(map(len, lines))
    rows = [line + [""] * (width - len(line)) for line in lines]
    return (
        "Mean ranks of learners that all these sets have, the best first; Friedman's test, "
        f"and Nemenyi's critical difference at 95 %: {'; '.join(words)}.\n\n"
        f"{table(['', *map(str, range(1, width))], rows)}"
    )


def against(runs: Runs) -> str:
    """Return how auto does against each peer, set by set, in one pass and in ten."""
    rows = []
    for group, passes in (("one", "one pass"), ("ten", "ten passes")):
        for who in learners(runs, group):
            if who == "auto":
                continue
            line = [f"{who}, {passes}"]
            for metric, better in (("accuracy", 1), ("loss", -1)):
                pairs = [
                    better * (of["auto"] - of[who])
                    for of in values(runs, group, metric).values()
                    if who in of and "auto" in of
                ]
                won, lost = sum(d > 0 for d in pairs), sum(d < 0 for d in pairs)
                line.append(f"{won} – {lost}" if pairs else "–")
            rows.append(line)
    header = ["auto against", "accuracy: won – lost", "log loss: won – lost"]
    return f"## Set by set\n\n{table(header, rows)}"


def ratios(runs: Runs) -> str:
    """Return the log loss of auto, divided by Vowpal Wabbit's, and the gap to the tuned."""
    header = [
        "",
        "log loss to vw",
        "to vw --coin",
        "to the better",
        "points behind tuned",
        "in ten",
    ]
    rows = []
    for name, run in runs.items():
        one, tuned = run["one"], run.get("best", {}).get("LogisticRegression, tuned")
        loss = one["auto"]["loss"][0]
        found = [loss / max(one[who]["loss"][0], 1e-7) for who in WABBITS if who in one]
        line = [name, *(f"{r:.2f}" for r in [*found, max(found)])] if found else [name, "", "", ""]
        for group in ("one", "ten"):
            gap = tuned and tuned["accuracy"][0] - run[group]["auto"]["accuracy"][0]
            line.append("–" if gap is None else f"{gap:.1f}")
        rows.append(line)
    return (
        "## Beside Vowpal Wabbit's log loss, and tuned logistic regression\n\n"
        "The log loss of auto in one pass, divided by that of Vowpal Wabbit's default and of "
        "`--coin`; below 1 auto is better. Points of accuracy by which auto is behind the tuned "
        f"logistic regression, in one pass and in ten; negative where it is ahead.\n\n"
        f"{table(header, rows)}"
    )


def calibration(runs: Runs) -> str:
    """Return the calibration errors of auto."""
    header = ["", "rows held out", "one pass", "by chance", "ten passes", "by chance"]
    rows = []
    for name, run in runs.items():
        one, ten = run["calibration"]["one"], run["calibration"]["ten"]
        rows.append([name, f"{one[2]:,}", *(f"{v:.4f}" for v in (*one[:2], *ten[:2]))])
    return (
        "## Calibration\n\nHalf of all rows of a set are learned, and the expected calibration "
        "error of auto is that on the other half (`rosenblatt.metrics.ece`, 15 bins). By "
        "chance: a calibrated model with the same probabilities has at most this error in 95 % "
        f"of cases.\n\n{table(header, rows)}"
    )


def sections(runs: Runs) -> list[str]:
    """Return all sections of the sets."""
    if not runs:
        return []
    groups = [of_group(runs, group) for group in TITLES]
    return [*groups, against(runs), ratios(runs), calibration(runs)]


def data(runs: Runs) -> str:
    """Return the table of the sets."""
    rows = [
        [
            name, run["kind"], f"{run['rows']:,} + {run['test']:,} × {run['columns']:,}",
            str(run["classes"]), str(run["seeds"]),
        ]
        for name, run in runs.items()
    ]  # fmt: skip
    header = ["set", "kind", "rows + held out × columns", "classes", "seeds"]
    missing = [name for name in NAMES if name not in runs]
    absent = f" Not measured yet: {', '.join(missing)}." if missing else ""
    machines = sorted({run["machine"] for run in runs.values()})
    return (
        "## The data\n\nA seed decides the order of the training rows, and the held-out third "
        "where a set has no test rows of its own. Tables become numbers by `RowEncoder("
        f'impute="indicator")`. Machine: {"; ".join(machines)}.{absent}\n\n{table(header, rows)}'
    )
