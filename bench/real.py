"""Real data for the benchmarks, from a folder next to the project; None if it is absent."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from made import Split
from measure import SHARED
from sklearn.datasets import load_svmlight_file, load_svmlight_files
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split


def mnist() -> tuple[Any, Any, str]:
    """Return MNIST's 60,000 × 784 in [0, 1], float64, or synthetic rows of its shape."""
    found = pixels()
    if found is None:
        rng = np.random.default_rng(0)
        X = rng.random((60_000, 784)) * (rng.random((60_000, 784)) < 0.19)
        return X, np.argmax(X @ rng.standard_normal((784, 10)), axis=1), "made, MNIST's shape"
    X, y = found
    return X / 255.0, y, "MNIST"


def pixels() -> tuple[Any, Any] | None:
    """Return MNIST's 60,000 × 784 pixels, 0 to 255, float64."""
    return _images("train", np.float64)


def scanned() -> Split | None:
    """Return MNIST's 60,000 and 10,000 × 784 pixels, 0 to 255, float32."""
    train, test = _images("train", np.float32), _images("t10k", np.float32)
    return None if train is None or test is None else Split(*train, *test)


def newsgroups() -> Split | None:
    """Return 20 Newsgroups by date, tf-idf of the words in the bodies; 20 classes."""
    archive = SHARED / "20newsgroups" / "20news-bydate.tar.xz"
    if not archive.exists():
        return None
    bodies: dict[str, list[str]] = {"train": [], "test": []}
    groups: dict[str, list[str]] = {"train": [], "test": []}
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member)  # None for a folder
            if file is not None:
                part, group = Path(member.name).parts[-3:-1]
                part = part.removeprefix("20news-bydate-")
                bodies[part].append(file.read().decode("latin-1").partition("\n\n")[2])
                groups[part].append(group)
    words = TfidfVectorizer()
    train, test = words.fit_transform(bodies["train"]), words.transform(bodies["test"])
    _, y = np.unique(groups["train"] + groups["test"], return_inverse=True)
    return Split(_csr(train), y[: train.shape[0]], _csr(test), y[train.shape[0] :])


def computers() -> Split | None:
    """Return 20 Newsgroups, the five groups on computers (1) or the others (−1), shuffled."""
    split = newsgroups()
    if split is None:
        return None
    y, y_test = (np.where((y >= 1) & (y <= 5), 1, -1) for y in (split.y, split.y_test))
    order = np.random.default_rng(0).permutation(len(y))
    return Split(split.X[order], y[order], split.X_test, y_test)


def held_out_third(X: Any, y: Any, seed: int) -> Split:
    """Return the rows of a set without test rows, a third of each class held out."""
    parts = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=seed)
    return Split(parts[0], parts[2], parts[1], parts[3])


def a1a() -> Split | None:
    """Return LIBSVM's a1a: 1,605 sparse rows of ones, 30,956 held out."""
    return _svmlight("a1a/a1a.xz", "a1a/a1a.t.xz")


def letter() -> Split | None:
    """Return letters described by 16 measurements, dense; 26 classes."""
    split = _svmlight("letter/letter.scale.xz", "letter/letter.scale.t.xz")
    return split and split._replace(X=split.X.toarray(), X_test=split.X_test.toarray())


def pendigits() -> Split | None:
    """Return digits described by eight pen positions, dense; 10 classes."""
    split = _svmlight("pendigits/pendigits.xz", "pendigits/pendigits.t.xz")
    return split and split._replace(X=split.X.toarray(), X_test=split.X_test.toarray())


def rcv1_small() -> Split | None:
    """Return Vowpal Wabbit's test rows of RCV1: 1,000 sparse rows, 500 held out."""
    folder = SHARED / "rcv1_small"
    if not folder.exists():
        return None
    X, y = _wabbit_rows(folder / "rcv1_small.dat.xz")
    X_test, y_test = _wabbit_rows(folder / "rcv1_small_test.data.xz")
    width = max(X.shape[1], X_test.shape[1])
    X.resize(X.shape[0], width)
    X_test.resize(X_test.shape[0], width)
    return Split(X, y, X_test, y_test)


def spambase() -> Split | None:
    """Return mail described by 57 counts, dense, with the split of Hastie and others; 2 classes."""
    path = SHARED / "spambase" / "spam.data.xz"
    if not path.exists():
        return None
    with lzma.open(path, "rt") as rows:
        cells = np.loadtxt(rows)
    test = np.loadtxt(path.with_name("spam.traintest")) == 1
    X, y = cells[:, :-1].copy(), cells[:, -1].astype(int)
    return Split(X[~test], y[~test], X[test], y[test])


def mushroom_split() -> Split | None:
    """Return the mushrooms of :func:`mushroom`, 1,611 further ones held out."""
    return _svmlight("mushroom/agaricus_train.txt.xz", "mushroom/agaricus_test.txt.xz")


def mushroom() -> tuple[Any, Any] | None:
    """Return edible and poisonous mushrooms: 6,513 sparse rows of ones."""
    return _labelled("mushroom/agaricus_train.txt.xz")


def heart() -> tuple[Any, Any] | None:
    """Return LIBSVM's heart_scale: 270 rows of 13 features."""
    return _labelled("heart_scale/heart_scale")


def svmguide3() -> tuple[Any, Any] | None:
    """Return LIBSVM's svmguide3: 1,243 rows of 21 features."""
    return _labelled("svmguide3/svmguide3.xz")


def ijcnn1() -> tuple[Any, Any] | None:
    """Return LIBSVM's ijcnn1: 49,990 rows of 22 features."""
    return _labelled("ijcnn1/ijcnn1.trn.bz2")


def all_of_ijcnn1() -> tuple[Any, Any] | None:
    """Return the training and test rows of LIBSVM's ijcnn1: 141,691 rows of 22 features."""
    split = _svmlight("ijcnn1/ijcnn1.trn.bz2", "ijcnn1/ijcnn1.tst.bz2")
    if split is None:
        return None
    return sp.vstack([split.X, split.X_test], "csr"), np.concatenate([split.y, split.y_test])


def uci(name: str) -> tuple[Any, Any] | None:
    """Return a small UCI data set, dense; the labels are text."""
    path = SHARED / "uci_small" / f"{name}.csv"
    if not path.exists():
        return None
    cells = np.loadtxt(path, delimiter=",", dtype=str)
    return cells[:, :-1].astype(np.float64), cells[:, -1]


def endometrial() -> tuple[Any, Any] | None:
    """Return HG ~ NV + PI + EH of 79 tumours, whose maximum-likelihood estimate does not exist."""
    path = SHARED / "separation" / "endometrial.csv"
    if not path.exists():
        return None
    cells = np.loadtxt(path, delimiter=",", skiprows=1)
    return cells[:, :-1].copy(), cells[:, -1].astype(int)


def _images(part: str, dtype: Any) -> tuple[Any, Any] | None:
    """Return a part of MNIST, "train" or "t10k": its pixels and its digits."""
    images = SHARED / "mnist" / f"{part}-images-idx3-ubyte.gz"
    if not images.exists():
        return None
    raw = gzip.decompress(images.read_bytes())
    labels = gzip.decompress((SHARED / "mnist" / f"{part}-labels-idx1-ubyte.gz").read_bytes())
    X = np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784).astype(dtype)
    return X, np.frombuffer(labels, np.uint8, offset=8).astype(int)


def _wabbit_rows(path: Path) -> tuple[Any, Any]:
    """Return rows of Vowpal Wabbit's text with one namespace: ``1 |f 9:0.06 14:0.03``."""
    labels, columns, values, starts = [], [], [], [0]
    with lzma.open(path, "rt") as file:
        for line in file:
            label, _, *pairs = line.split()
            labels.append(int(label))
            columns += [int(pair.partition(":")[0]) for pair in pairs]
            values += [float(pair.partition(":")[2]) for pair in pairs]
            starts.append(len(columns))
    X = sp.csr_array((values, columns, starts), shape=(len(labels), max(columns) + 1))
    return _csr(X), np.array(labels)


def _labelled(path: str) -> tuple[Any, Any] | None:
    file = SHARED / path
    if not file.exists():
        return None
    with _opened(file) as rows:
        X, y = load_svmlight_file(rows)
    return _csr(X), y.astype(int)


def _opened(path: Path) -> Any:
    opened: Any = {".xz": lzma.open, ".bz2": bz2.open}.get(path.suffix, open)
    return opened(path, "rb")


def _svmlight(train: str, test: str) -> Split | None:
    if not (SHARED / train).exists():
        return None
    with _opened(SHARED / train) as one, _opened(SHARED / test) as other:
        X, y, X_test, y_test = load_svmlight_files([one, other])
    return Split(_csr(X), y.astype(int), _csr(X_test), y_test.astype(int))


def _csr(X: Any) -> Any:
    """Return a CSR array of int32 indices, ascending in each row, as all peers expect."""
    X = sp.csr_array(X)
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X
