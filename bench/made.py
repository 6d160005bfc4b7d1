"""Synthetic data for the benchmarks: sparse rows like those of text, and files of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp


class Split(NamedTuple):
    """Training rows and held-out rows."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any

    @property
    def shape(self) -> str:
        """Return rows, columns and nonzeros per row, in words."""
        rows, columns = self.X.shape
        text = f"{rows:,} × {columns:,}"
        return f"{text}, {self.X.nnz / rows:.0f} nonzeros a row" if sp.issparse(self.X) else text


def zipf_split(n: int = 200_000, held_out: int = 20_000) -> Split:
    """Return so many rows of :func:`zipf_rows`, labelled −1 and 1, and further held-out rows."""
    X, y = zipf_rows(n + held_out)
    y = np.where(y > 0, 1, -1)
    return Split(X[:n], y[:n], X[n:], y[n:])


def zipf_rows(n: int = 200_000, d: int = 47_236, nnz: int = 68, seed: int = 0) -> tuple[Any, Any]:
    """Return sparse rows like RCV1's: column j as often as j^(-2/3), labels of a noisy plane."""
    rng = np.random.default_rng(seed)
    X = _zipf_matrix(rng, n, d, nnz)
    scores = X @ rng.standard_normal(d)
    return X, (scores + 0.3 * scores.std() * rng.standard_normal(n) > np.median(scores)).astype(int)


def zipf_classes(
    n: int = 200_000, d: int = 47_236, nnz: int = 68, classes: int = 100, seed: int = 0
) -> tuple[Any, Any]:
    """Return rows as in :func:`zipf_rows`; the largest of several noisy scores is the label."""
    rng = np.random.default_rng(seed)
    X = _zipf_matrix(rng, n, d, nnz)
    scores = X @ rng.standard_normal((d, classes))
    scores = (scores - np.median(scores, axis=0)) / scores.std(axis=0)  # no class is rare
    return X, np.argmax(scores + 0.3 * rng.standard_normal(scores.shape), axis=1)


def _zipf_matrix(rng: np.random.Generator, n: int, d: int, nnz: int) -> Any:
    columns = np.minimum((d * rng.random((n, nnz)) ** 3).astype(np.int32), d - 1)
    starts = np.arange(n + 1, dtype=np.int32) * nnz
    X = sp.csr_array((rng.random(n * nnz), columns.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # the peers' limit
    return X


def svmlight_file(path: Path, X: Any, y: Any, value: str = "%.6g", bar: str = "") -> None:
    """Write rows as svmlight text, columns from 1, labels −1 and 1 for y of 0 and 1.

    ``value`` "%.6g" is what people have, "%.16g" what scikit-learn writes. ``bar`` " |" makes it
    Vowpal Wabbit's text: nothing else differs.
    """
    columns, values, starts = (X.indices + 1).tolist(), X.data.tolist(), X.indptr.tolist()
    labels = np.where(np.asarray(y) > 0, 1, -1).tolist()
    pair = f"%d:{value}".__mod__
    with path.open("w") as file:
        for label, start, stop in zip(labels, starts, starts[1:], strict=False):
            pairs = zip(columns[start:stop], values[start:stop], strict=True)
            file.write(f"{label}{bar} {' '.join(map(pair, pairs))}\n")


def crossed_file(path: Path, n: int, seed: int = 0) -> None:
    """Write Vowpal Wabbit text of users and ads, four features each, with the product as label."""
    rng = np.random.default_rng(seed)
    users = np.minimum((20_000 * rng.random((n, 4)) ** 2).astype(int), 19_999)
    ads = np.minimum((5_000 * rng.random((n, 4)) ** 2).astype(int), 4_999)
    tastes, kinds = rng.standard_normal(20_000), rng.standard_normal(5_000)
    scores = tastes[users].sum(axis=1) * kinds[ads].sum(axis=1)
    labels = np.where(scores + rng.standard_normal(n) > 0, 1, -1).tolist()
    with path.open("w") as file:
        for label, user, ad in zip(labels, users.tolist(), ads.tolist(), strict=True):
            names = " u".join(map(str, user)), " a".join(map(str, ad))
            file.write(f"{label} |user u{names[0]} |ad a{names[1]}\n")


def text_files(folder: Path, split: Split) -> None:
    """Write train.svm, the same rows as train.vw, and the held-out rows as test.vw."""
    svmlight_file(folder / "train.svm", split.X, split.y)
    svmlight_file(folder / "train.vw", split.X, split.y, bar=" |")
    svmlight_file(folder / "test.vw", split.X_test, split.y_test, bar=" |")
