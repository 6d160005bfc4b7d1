"""Part-of-speech tags from ten shards: McDonald, Hall and Mann 2010, on another treebank.

Their order: one shard alone, below separate trainings averaged once, below the serial perceptron,
which iterative parameter mixing equals; the plain perceptron, it beats. The features are those of
examples/applications/tagger.py, in training with the right tags before a word.

Run: python bench/run_tables.py mixing
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from markdown import table

from rosenblatt import Perceptron
from tables.tagging import DATA, tagger

RANK = 60  # its place on the page
SHARDS, EPOCHS = 10, 10
PUBLISHED = {
    "one shard": ("75.3 / 76.6", "77.2 / 80.1"),
    "ten shards, averaged once": ("81.5 / 81.6", "–"),
    "all rows, serial": ("85.8 / 88.2", "81.3 / 84.7"),
    "ten shards, averaged after every epoch": ("87.9 / 88.1", "83.5 / 84.5"),
}
"""Entity recognition (F) and parsing (unlabelled accuracy): plain / averaged perceptron."""


def rows_of(learner: Any, sentences: Any, gold: Any) -> Any:
    """Return the features of all words, with the right tags before each."""
    text = learner._columns(sentences)
    before = tagger._before(sentences, gold)
    return learner._matrix(np.column_stack([text, learner._tag_columns(text, *before)]))


def fitted(X: Any, y: Any, output: str, shards: int = 1) -> tuple[Any, Any]:
    """Return the weights and intercepts of a perceptron."""
    setting = {"multi_class": "joint", "max_iter": EPOCHS, "tol": None, "output": output}
    model = Perceptron(shards=shards, n_jobs=2, **setting).fit(X, y)
    return model.coef_, model.intercept_


def mixed_once(X: Any, y: Any, parts: Any, output: str) -> tuple[Any, Any]:
    """Return the mean of perceptrons that each learned a shard."""
    weights = np.zeros((len(np.unique(y)), X.shape[1])), np.zeros(len(np.unique(y)))
    for part in parts:
        classes = np.unique(y[part])  # a shard may lack a class: its weights stay zero
        for total, values in zip(weights, fitted(X[part], y[part], output), strict=True):
            total[classes] += values / len(parts)
    return weights


def main() -> str:
    paths = [DATA / f"en_ewt-ud-{part}.conllu.xz" for part in ("train", "dev")]
    if not all(path.exists() for path in paths):
        return ""
    (train, tags), (test, wanted) = (tagger.read(str(path)) for path in paths)
    order = np.random.default_rng(0).permutation(len(train))
    train, tags = [train[i] for i in order], [tags[i] for i in order]
    learner = tagger.Tagger().fit(train, tags, 1)
    index = {tag: k for k, tag in enumerate(learner.tags)}
    gold = np.array([index[tag] for tag in chain(*tags)])
    X, parts = rows_of(learner, train, gold), np.array_split(np.arange(len(gold)), SHARDS)
    truth = list(chain(*wanted))
    rows = []
    for name, published in PUBLISHED.items():
        scores = []
        for output in ("last", "average"):
            if name == "one shard":
                weights = fitted(X[parts[0]], gold[parts[0]], output)
            elif name.endswith("once"):
                weights = mixed_once(X, gold, parts, output)
            else:
                weights = fitted(X, gold, output, 1 if name.endswith("serial") else SHARDS)
            learner.weights, learner.bias = np.ascontiguousarray(weights[0].T), weights[1]
            right = [a == b for a, b in zip(chain(*learner.predict(test)), truth, strict=True)]
            scores.append(f"{100 * np.mean(right):.2f}")
        rows.append([name, *scores, *published])
    text = (
        "## Shards: McDonald, Hall and Mann 2010\n\n"
        f"Accuracy in percent of part-of-speech tags, on {len(truth):,} words of the English Web "
        f"Treebank's development set, after {EPOCHS} epochs over {len(gold):,} words in shuffled "
        "sentences; beside it the published figures, of other tasks.\n\n"
    )
    header = ["", "plain", "averaged", "published: entities", "published: parsing"]
    return text + table(header, rows)
