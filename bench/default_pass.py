"""A pass of the rule "auto": beside one of AROW in memory, and beside Vowpal Wabbit's over text.

In memory a pass is a sixth of (seven passes − one pass), taken within each round. Over text both
read the same words of messages from a file, hash them to 2^18 weights, and learn one pass.
Run: python bench/default_pass.py
"""

from __future__ import annotations

import lzma
import re
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import wabbit
from field.sets import sms
from markdown import figure, pretty, table
from measure import SHARED, Part, absent, an_epoch, joined, machine
from ratios import Finding, Times, alternate, medians, ratio
from real import letter, newsgroups, spambase
from spam import SMS

import rosenblatt
from rosenblatt.progressive import learn
from rosenblatt.streams import open_stream

PASSES = 7
RULES = "auto", "arow"
NEWS = SHARED / "20newsgroups" / "20news-bydate.tar.xz"
WORD = re.compile(r"\w+")


def passes(count: int, X: Any, y: Any, rule: str) -> None:
    """Learn the rows so many times, in their order."""
    model, classes = rosenblatt.Perceptron(rule=rule, shuffle=False), np.unique(y)
    for _ in range(count):
        model.partial_fit(X, y, classes=classes)


def in_memory(name: str, X: Any, y: Any) -> Part:
    """Return the table of a pass of each rule."""
    work = f"a pass of auto ({name})"

    def lines(epoch: Times, once: Times) -> list[Finding]:
        return [Finding(work, "AROW", ratio(epoch["auto"], epoch["arow"]), 3.0, at_most=True)]

    fits: Mapping[str, Any] = {rule: partial(passes, X=X, y=y, rule=rule) for rule in RULES}
    epoch, _, findings = an_epoch(fits, {}, PASSES, lines)
    rows = [[rule, pretty(t), f"{figure(t / epoch['arow'])} ×"] for rule, t in epoch.items()]
    title = f"A pass of auto ({name}, {X.shape[0]:,} × {X.shape[1]:,})"
    return Part(f"### {title}\n\n{table(['', 'a pass', 'to AROW'], rows)}", findings)


def messages() -> Iterator[tuple[int, str]]:
    """Yield the kind of each short message, −1 or 1, and its text."""
    with lzma.open(SMS, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            kind, _, text = line.partition("\t")
            yield 1 if kind == "spam" else -1, text


def news() -> Iterator[tuple[int, str]]:
    """Yield the group of each training article, 1 to 20, and its body; in a random order."""
    bodies: list[tuple[str, str]] = []
    with tarfile.open(NEWS) as tar:
        for member in tar:
            part, group = (*Path(member.name).parts, "", "")[:2]
            file = tar.extractfile(member) if part.endswith("train") else None
            if file is not None:
                bodies.append((group, file.read().decode("latin-1").partition("\n\n")[2]))
    numbers = {group: k for k, group in enumerate(sorted({g for g, _ in bodies}), 1)}
    for i in np.random.default_rng(0).permutation(len(bodies)).tolist():
        group, body = bodies[i]
        yield numbers[group], body


def our_pass(text: Path, rule: str) -> None:
    """Learn a file in one pass."""
    learn(rosenblatt.Perceptron(rule=rule, shuffle=False), open_stream(text))


def their_pass(text: Path, *options: str) -> None:
    """Learn a file in one pass with Vowpal Wabbit's default update and the logistic loss."""
    given = ["-d", str(text), "--loss_function", "logistic", "-b", "18", "--quiet", *options]
    wabbit.module.Workspace(arg_list=given).finish()


def over_text(name: str, rows: Iterator[tuple[int, str]], *options: str) -> Part:
    """Return the table of a pass over words in Vowpal Wabbit's text."""
    work = f"a text, one pass of auto ({name})"
    theirs = "Vowpal Wabbit"
    with tempfile.TemporaryDirectory() as to:
        text = Path(to) / "rows.vw"
        with text.open("w", encoding="utf-8") as file:
            file.writelines(f"{y} | {' '.join(WORD.findall(t.lower()))}\n" for y, t in rows)
        works = {rule: partial(our_pass, text, rule) for rule in RULES}
        vw = partial(their_pass, text, *options)
        times, findings = alternate(
            works | {theirs: vw},
            lambda times: [Finding(work, theirs, ratio(times[theirs], times["auto"]), 1.0)],
        )
        size = text.stat().st_size / 1e6
    median = medians(times)
    lines = [[who, pretty(t), f"{figure(t / median['auto'])} ×"] for who, t in median.items()]
    title = f"A text, one pass of auto ({name}, {size:.1f} MB)"
    return Part(f"### {title}\n\n{table(['', 'median', 'to auto'], lines)}", findings)


def main() -> Part:
    parts = []
    splits = {"20 newsgroups": newsgroups(), "spambase": spambase(), "letter": letter()}
    sets = {name: split and (split.X, split.y) for name, split in splits.items()}
    sets["sms_spam"] = sms()
    for name, rows in sets.items():
        parts.append(absent(f"a pass ({name})") if rows is None else in_memory(name, *rows))
    if wabbit.module is None:
        parts.append(absent("A text, one pass of auto", "not installed"))
    else:
        if SMS.exists():
            parts.append(over_text("sms_spam", messages()))
        if NEWS.exists():
            parts.append(over_text("20 newsgroups", news(), "--oaa", "20"))
    return joined(parts)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
