"""Part-of-speech tags of the English Web Treebank: examples/applications/tagger.py and NLTK.

Both learn from the same sentences in five epochs, and tag greedily.

Run: python bench/run_tables.py tagging
"""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from markdown import pretty, table
from measure import peer
from ratios import seconds

RANK = 50  # its place on the page
ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "ud_english_ewt"
EPOCHS = 5

sys.path.append(str(ROOT / "examples" / "applications"))
tagger = import_module("tagger")
nltk = peer("nltk.tag.perceptron")


def with_nltk(train: Any, gold: Any, test: Any) -> tuple[Any, float, float]:
    """Return NLTK's tags, and the seconds of training and of tagging."""
    learner = nltk.PerceptronTagger(load=False)
    sentences = [list(zip(*pair, strict=True)) for pair in zip(train, gold, strict=True)]
    learned = seconds(lambda: learner.train(sentences, nr_iter=EPOCHS))
    found: list[Any] = []
    tagged = seconds(lambda: found.extend(learner.tag(sentence) for sentence in test))
    return [[tag for _, tag in sentence] for sentence in found], learned, tagged


def with_ours(train: Any, gold: Any, test: Any) -> tuple[Any, float, float]:
    """Return the example's tags, and the seconds of training and of tagging."""
    learner = tagger.Tagger()
    learned = seconds(lambda: learner.fit(train, gold, EPOCHS))
    found: list[Any] = []
    tagged = seconds(lambda: found.extend(learner.predict(test)))
    return found, learned, tagged


def main() -> str:
    paths = [DATA / f"en_ewt-ud-{part}.conllu.xz" for part in ("train", "test")]
    if not all(path.exists() for path in paths):
        return ""
    (train, gold), (test, wanted) = (tagger.read(str(path)) for path in paths)
    learners = {"examples/applications/tagger.py": with_ours}
    if nltk is not None:
        learners["NLTK's PerceptronTagger"] = with_nltk
    rows = []
    for name, learn in learners.items():
        found, learned, tagged = learn(train, gold, test)
        right = [a == b for a, b in zip(chain(*found), chain(*wanted), strict=True)]
        speed = f"{len(right) / tagged:,.0f}"
        rows.append([name, f"{100 * np.mean(right):.2f}", pretty(learned), speed])
    words = sum(map(len, train))
    text = (
        "## Tagging: the English Web Treebank\n\n"
        f"Accuracy in percent on {sum(map(len, test)):,} words with 17 universal tags, after "
        f"{EPOCHS} epochs over {words:,}. The example has 150 lines; its features are those of "
        "NLTK's tagger, the last two characters, and the kinds of characters.\n\n"
    )
    return text + table(["", "accuracy", "training", "words a second"], rows)
