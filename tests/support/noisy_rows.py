"""Rows of svmlight text that are not separable, also as CSV and JSON lines."""

import json
from pathlib import Path

import numpy as np


def rows(number, seed=0, labels=3):
    """Rows of svmlight text that are not separable; new features appear late."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(number):
        columns = np.sort(rng.choice(5 + i // 20, 4, replace=False)) + 1
        pairs = " ".join(f"{j}:{rng.normal():.3f}" for j in columns)
        lines.append(f"{rng.integers(labels)} {pairs}\n")
    return "".join(lines)


def write_file(name, text):
    Path(name).write_text(text)
    return name


def as_csv(text):
    cells = [line.split(maxsplit=1) for line in text.splitlines()]
    numbers = [(label, [pair.split(":")[1] for pair in rest.split()]) for label, rest in cells]
    return "a,b,c,d,y\n" + "".join(f"{','.join(x)},c{label}\n" for label, x in numbers)


def as_json(text):
    cells = [line.split() for line in text.splitlines()]
    return "".join(
        json.dumps({"y": label} | {k: float(v) for k, v in (p.split(":") for p in pairs)}) + "\n"
        for label, *pairs in cells
    )
