"""Data for the benchmarks: made, and real where it lies beside the project."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import scipy.sparse as sp
from measure import SHARED


def zipf_rows(n: int = 200_000, d: int = 47_236, nnz: int = 68, seed: int = 0) -> tuple[Any, Any]:
    """Sparse rows like RCV1's, column j about as often as j^(-2/3); a noisy plane labels them."""
    rng = np.random.default_rng(seed)
    columns = np.minimum((d * rng.random((n, nnz)) ** 3).astype(np.int32), d - 1)
    starts = np.arange(n + 1, dtype=np.int32) * nnz
    X = sp.csr_array((rng.random(n * nnz), columns.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # the peers' limit
    scores = X @ rng.standard_normal(d)
    return X, (scores + 0.3 * scores.std() * rng.standard_normal(n) > np.median(scores)).astype(int)


def mnist() -> tuple[Any, Any, str]:
    """MNIST's 60,000 × 784 in [0, 1], float64; made rows of its shape where it is absent."""
    images = SHARED / "mnist" / "train-images-idx3-ubyte.gz"
    if not images.exists():
        rng = np.random.default_rng(0)
        X = rng.random((60_000, 784)) * (rng.random((60_000, 784)) < 0.19)
        return X, np.argmax(X @ rng.standard_normal((784, 10)), axis=1), "made, MNIST's shape"
    raw = gzip.decompress(images.read_bytes())
    X = np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784) / 255.0
    labels = gzip.decompress((SHARED / "mnist" / "train-labels-idx1-ubyte.gz").read_bytes())
    return X, np.frombuffer(labels, np.uint8, offset=8).astype(int), "MNIST"
