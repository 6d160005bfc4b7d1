"""Real sets of rows in random order, of the data beside the repository."""

from __future__ import annotations

import bz2
import gzip
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from measure import SHARED

from rosenblatt.streams import open_stream


def real_sets() -> dict[str, tuple[Any, Any, Any, Any]]:
    """Return training and test rows of real sets, in random order."""
    sets = {}
    folder = SHARED / "ijcnn1"
    if folder.exists():
        with tempfile.TemporaryDirectory() as unpacked:
            pairs = []
            for part in ("trn", "tst"):
                path = Path(unpacked, f"{part}.svm")
                path.write_bytes(bz2.decompress((folder / f"ijcnn1.{part}.bz2").read_bytes()))
                X, y = open_stream(path, index_base=1).read()
                pairs += [X.toarray(), y]
        sets["ijcnn1"] = (*pairs,)
    folder = SHARED / "mnist"
    if folder.exists():
        sets["MNIST"] = (*mnist(folder, "train"), *mnist(folder, "t10k"))
    rng = np.random.default_rng(0)
    for name, (X, y, X_test, y_test) in sets.items():
        order = rng.permutation(len(y))
        sets[name] = X[order], y[order], X_test, y_test
    return sets


def mnist(folder: Path, part: str) -> tuple[Any, Any]:
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784) / 255.0
    with gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as file:
        return X, np.frombuffer(file.read(), np.uint8, offset=8).astype(int)
