"""Spam in one pass: errors on mail and SMS, each message predicted before it is learned.

Run: python bench/spam.py
"""

from __future__ import annotations

import lzma
import re
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import wabbit
from markdown import percent, table
from measure import SHARED, Part, absent, joined, machine, peer
from ratios import Finding, exactly

from rosenblatt import Perceptron
from rosenblatt.streams import open_stream
from rosenblatt.streams.features.ngrams import NgramHasher

TEXT, BITS = "word:1-2", 18
MAIL = SHARED / "spamassassin" / "spamassassin_public_corpus.tar.xz"
SMS = SHARED / "sms_spam" / "SMSSpamCollection.xz"
OURS = {
    "perceptron": {},
    "perceptron, averaged": {"output": "average"},
    "PA-I": {"rule": "pa1"},
    "PA-I, averaged": {"rule": "pa1", "output": "average"},
}
VW = {"hinge loss, its own update": (), "hinge loss, --sgd": ("--sgd",)}


def mail(folder: Path) -> tuple[Any, Any]:
    """Return SpamAssassin's corpus as two folders, in the order of the stream."""
    with tarfile.open(MAIL) as archive:
        for member in archive:
            if member.isfile():
                label = re.sub(r"(?:.*-)?(ham|spam)-\d.*", r"\1", member.name)
                path = folder / label / Path(member.name).name
                path.parent.mkdir(exist_ok=True)
                file: Any = archive.extractfile(member)
                path.write_bytes(file.read())
    X, y = open_stream(folder, text=TEXT, bits=BITS).read()
    return X, y == "spam"


def sms() -> tuple[Any, Any]:
    """Return the SMS collection in the order of its file."""
    with lzma.open(SMS, "rt", encoding="utf-8", newline="\n") as lines:
        kinds, texts = zip(*(line.rstrip("\n").split("\t", 1) for line in lines), strict=True)
    return NgramHasher([TEXT], BITS).rows(list(texts)).tocsr(), np.array(kinds) == "spam"


def ours(X: Any, spam: Any, options: dict[str, Any]) -> Any:
    """Return the prediction for each row before it is learned; ham for the first."""
    model, said = Perceptron(shuffle=False, **options), np.zeros(len(spam), bool)
    for i in range(len(spam)):
        said[i] = i > 0 and model.predict(X[i : i + 1])[0]
        model.partial_fit(X[i : i + 1], spam[i : i + 1])
    return said


def rivers(X: Any, spam: Any, model: Any) -> Any:
    said = np.zeros(len(spam), bool)
    for i, label in enumerate(spam.tolist()):
        part = slice(X.indptr[i], X.indptr[i + 1])
        row = dict(zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True))
        said[i] = bool(model.predict_one(row))
        model.learn_one(row, label)
    return said


def wabbits(text: Path, options: tuple[str, ...]) -> Any:
    """Return the predictions of Vowpal Wabbit, also before learning."""
    answers = text.with_suffix(".said")
    given = wabbit.arguments(text, text.with_suffix(".model"), "-p", str(answers), *options)
    wabbit.module.Workspace(arg_list=given).finish()
    return np.loadtxt(answers) > 0


def measured(title: str, X: Any, spam: Any, folder: Path) -> Part:
    said = {f"rosenblatt {name}": ours(X, spam, options) for name, options in OURS.items()}
    if wabbit.module is not None:
        text = folder / "rows.vw"
        wabbit.write(text, X, np.where(spam, 1, -1))
        said |= {f"Vowpal Wabbit, {name}": wabbits(text, options) for name, options in VW.items()}
    river = peer("river.linear_model")
    if river is not None:
        models = {
            "Perceptron": river.Perceptron(),
            "PAClassifier (PA-I, C = 1)": river.PAClassifier(C=1.0, mode=1),
            "LogisticRegression": river.LogisticRegression(),
        }
        said |= {f"river {name}": rivers(X, spam, model) for name, model in models.items()}
    wrong = {name: float(np.mean(answers != spam)) for name, answers in said.items()}
    rows = [
        [
            f"**{name}**" if name.startswith("rosenblatt") else name,
            percent(wrong[name]),
            f"{np.sum(answers & ~spam):,}",
            f"{np.sum(spam & ~answers):,}",
        ]
        for name, answers in said.items()
    ]
    shape = f"{len(spam):,} messages, {spam.sum():,} of them spam"
    text = f"### {title}, each message predicted before it is learned ({shape})\n\n"
    text += table(["one pass", "wrong", "ham taken for spam", "spam taken for ham"], rows)
    best = min(wrong[f"rosenblatt {name}"] for name in OURS)
    findings = [
        Finding(
            f"{title}, one pass, wrong predictions",
            name,
            exactly(wrong[name] / best),
            accuracy=(1 - best, 1 - wrong[name]),
        )
        for name in said
        if not name.startswith("rosenblatt")
    ]
    return Part(text, findings)


def main() -> Part:
    if not (MAIL.exists() and SMS.exists()):
        return absent("Spam", "the mail and the SMS are not here")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mail").mkdir()
        sets = {"SpamAssassin's raw mail": mail(folder / "mail"), "SMS": sms()}
        return joined([measured(title, *rows, folder) for title, rows in sets.items()])


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
