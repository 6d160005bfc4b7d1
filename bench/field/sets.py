"""The sets of the comparison: their names, their loaders and their splits."""

from __future__ import annotations

import csv
import lzma
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import real
import scipy.sparse as sp
import spam
from made import Split
from measure import SHARED
from sklearn.datasets import load_breast_cancer, load_digits

import rosenblatt

FEW_COLUMNS = 64  # sparse rows of at most as many become dense: they come from tables


class Set(NamedTuple):
    """A data set: its name, its kind in words, and the function that loads it.

    The function returns a Split, or X and y, of which a third is held out; None where the data
    is absent. Columns stay as they are.
    """

    name: str
    kind: str
    load: Callable[[], Any]
    seeds: int = 3

    def splits(self) -> Iterator[Split]:
        """Yield the split of each seed, with labels 0 … K − 1: none where the data is absent."""
        loaded = self.load()
        for seed in range(self.seeds if loaded is not None else 0):
            if isinstance(loaded, Split):
                order = np.random.default_rng(seed).permutation(len(loaded.y))
                split = loaded._replace(X=loaded.X[order], y=loaded.y[order])
            else:
                split = real.held_out_third(*loaded, seed)
            yield encoded(split)


def encoded(split: Split) -> Split:
    """Return the split with labels 0 … K − 1; sparse rows of few columns become dense."""
    classes, y = np.unique(split.y, return_inverse=True)
    if sp.issparse(split.X) and split.X.shape[1] <= FEW_COLUMNS:
        split = split._replace(X=split.X.toarray(), X_test=split.X_test.toarray())
    return split._replace(y=y, y_test=np.searchsorted(classes, split.y_test))


def stacked(split: Split) -> tuple[Any, Any]:
    """Return all rows of a split, those to learn from first."""
    stack = sp.vstack if sp.issparse(split.X) else np.vstack
    X = stack([split.X, split.X_test])
    return X.tocsr() if sp.issparse(X) else X, np.concatenate([split.y, split.y_test])


def raw_table(name: str) -> tuple[Any, Any] | None:
    """Return a table of numbers, categories and missing cells; classes of two rows stay out.

    Its cells become numbers by RowEncoder: a category is a column of its own, a missing number
    is 0 with a column that says so.
    """
    path = SHARED / "tables" / f"{name}.csv.xz"
    if not path.exists():
        return None
    with lzma.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    label = list(rows[0])[-1]
    y = np.array([row.pop(label) for row in rows])
    X = rosenblatt.RowEncoder(impute="indicator").fit_transform(rows)
    kinds, counts = np.unique(y, return_counts=True)
    kept = np.flatnonzero(np.isin(y, kinds[counts > 2]))
    return X[kept], y[kept]


def wisconsin() -> tuple[Any, Any] | None:
    """Return the grades of 699 samples, some of them missing."""
    path = SHARED / "uci_small" / "breast-cancer-wisconsin.csv"
    if not path.exists():
        return None
    with path.open(newline="", encoding="utf-8") as lines:
        rows = [dict(enumerate(cells)) for cells in csv.reader(lines)]
    y = np.array([row.pop(9) for row in rows])
    named = [{f"grade {j}": cell for j, cell in row.items()} for row in rows]
    return rosenblatt.RowEncoder(impute="indicator").fit_transform(named), y


def mail() -> tuple[Any, Any] | None:
    """Return SpamAssassin's corpus: words and pairs of them, hashed."""
    if not spam.MAIL.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        return spam.mail(Path(folder))


def sms() -> tuple[Any, Any] | None:
    """Return short messages: words and pairs of them, hashed."""
    return spam.sms() if spam.SMS.exists() else None


def ijcnn1() -> Split | None:
    """Return LIBSVM's ijcnn1: 49,990 rows, 91,701 held out."""
    found = real.all_of_ijcnn1()
    if found is None:
        return None
    X, y = found
    return Split(X[:49_990], y[:49_990], X[49_990:], y[49_990:])


def _uci(name: str) -> Callable[[], Any]:
    return lambda: real.uci(name)


SETS = (
    Set("iris", "4 measurements", _uci("iris")),
    Set("sonar", "60 measurements", _uci("sonar")),
    Set("ionosphere", "34 measurements", _uci("ionosphere")),
    Set("pima", "8 measurements, noise", _uci("pima-indians-diabetes")),
    Set("seeds", "7 measurements", _uci("wheat-seeds")),
    Set("banknote", "4 measurements", _uci("banknote_authentication")),
    Set("wine", "13 measurements", _uci("wine")),
    Set("glass", "9 measurements", _uci("glass")),
    Set("haberman", "3 numbers, noise", _uci("haberman")),
    Set("wisconsin", "9 grades", wisconsin),
    Set("heart_scale", "13 measurements", real.heart),
    Set("svmguide3", "21 measurements, noise", real.svmguide3),
    Set("breast_cancer", "30 measurements", lambda: load_breast_cancer(return_X_y=True)),
    Set("digits", "8 × 8 pixels", lambda: load_digits(return_X_y=True)),
    Set("soybean", "raw table of categories", lambda: raw_table("soybean")),
    Set("kr.vs.kp", "raw table of categories", lambda: raw_table("kr.vs.kp")),
    Set("hypothyroid", "raw table, missing cells", lambda: raw_table("hypothyroid")),
    Set("spambase", "57 counts", real.spambase),
    Set("mushroom", "categories as 0 and 1", real.mushroom_split),
    Set("rcv1_small", "news, tf-idf", real.rcv1_small),
    Set("a1a", "categories as 0 and 1", real.a1a),
    Set("sms_spam", "short texts, hashed", sms),
    Set("pendigits", "16 measurements", real.pendigits),
    Set("letter", "16 measurements", real.letter, seeds=1),
    Set("spamassassin", "mail, hashed", mail, seeds=1),
    Set("ijcnn1", "22 measurements", ijcnn1, seeds=1),
    Set("20newsgroups", "texts, tf-idf", real.newsgroups, seeds=1),
    Set("mnist", "28 × 28 pixels", real.scanned, seeds=1),
)
NAMES = [s.name for s in SETS]
