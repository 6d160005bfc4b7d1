"""The same rows as text, as Parquet and as Arrow: time to read, and to read and learn.

Run: python bench/sources.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from made import svmlight_file, zipf_rows
from markdown import figure, pretty, table
from measure import Part, joined, machine
from ratios import Finding, Times, alternate, medians, ratio

import rosenblatt
from rosenblatt.progressive import learn
from rosenblatt.streams import open_stream, write_arrow

SPARSE, DENSE, COLUMNS, CATEGORIES = 50_000, 200_000, 20, 8


def read(path: Path) -> int:
    """Read all batches of a file, without keeping them."""
    return sum(len(batch.y) for batch in open_stream(path))


def one_pass(path: Path) -> None:
    learn(rosenblatt.Perceptron(shuffle=False), open_stream(path))


def forms(text: Path) -> dict[str, Path]:
    """Write the same rows in every format, the text first."""
    arrow, parquet = text.with_suffix(".arrow"), text.with_suffix(".parquet")
    write_arrow(open_stream(text), arrow)
    pa.parquet.write_table(pa.ipc.open_file(arrow).read_all(), parquet)
    return {"text": text, "Parquet": parquet, "Arrow": arrow}


def compared(
    title: str,
    files: dict[str, Path],
    floors: dict[str, Callable[[], object]],
    wanted: dict[str, float],
) -> Part:
    """Compare reading, learning and, if available, pyarrow's own reading, format by format."""
    reads = {f"read {name}": partial(read, path) for name, path in files.items()}
    alone = {f"pyarrow {name}": floor for name, floor in floors.items()}

    def lines(times: Times) -> list[Finding]:
        text = [
            Finding(
                f"reading {title}: {name}",
                "the same rows as text",
                ratio(times["read text"], times[f"read {name}"]),
            )
            for name in ("Parquet", "Arrow")
        ]
        own = [
            Finding(
                f"reading {title}: {'CSV' if name == 'text' else name}",
                "pyarrow's own reading",
                ratio(times[f"pyarrow {name}"], times[f"read {name}"]),
                wanted[name],
            )
            for name in floors
        ]
        return text + own

    times, findings = alternate({**reads, **alone}, lines)
    reading = medians(times)
    learns = {name: partial(one_pass, path) for name, path in files.items()}
    learning = medians(alternate(learns, lambda times: [])[0])
    rows = [
        [
            name,
            f"{path.stat().st_size / 1e6:.0f} MB",
            pretty(reading[f"read {name}"]),
            pretty(reading[f"pyarrow {name}"]) if name in floors else "–",
            pretty(learning[name]),
            f"{figure(reading['read text'] / reading[f'read {name}'])} ×",
        ]
        for name, path in files.items()
    ]
    header = ["", "size", "read", "pyarrow alone", "read and learn", "read, to text"]
    return Part(f"### {title[0].upper()}{title[1:]}\n\n{table(header, rows)}", findings)


def sparse(folder: Path) -> Part:
    text = folder / "rows.svm"
    svmlight_file(text, *zipf_rows(SPARSE))
    files = forms(text)
    own: dict[str, Callable[[], object]] = {
        "Parquet": lambda: pa.parquet.read_table(files["Parquet"])
    }
    return compared(f"sparse rows ({SPARSE:,})", files, own, {"Parquet": 0.5})


def dense(folder: Path) -> Part:
    text = folder / "rows.csv"
    random = np.random.default_rng(0)
    X = random.normal(size=(DENSE, COLUMNS))
    names = [f"x{j}" for j in range(COLUMNS)]
    columns = [*X.T, (X[:, 0] > 0).astype(np.int64)]
    pa.csv.write_csv(pa.table(columns, [*names, "y"]), text)
    files = forms(text)
    own: dict[str, Callable[[], object]] = {
        "text": lambda: pa.csv.read_csv(text),
        "Parquet": lambda: pa.parquet.read_table(files["Parquet"]),
    }
    wanted = {"text": 0.5, "Parquet": 0.7}
    return compared(f"a table ({DENSE:,} × {COLUMNS})", files, own, wanted)


def categories(folder: Path) -> Part:
    """Return the table of categories: one-hot, and hashed."""
    text = folder / "words.csv"
    random = np.random.default_rng(0)
    words = {f"c{j}": [f"v{k}" for k in random.zipf(1.5, DENSE) % 1000] for j in range(CATEGORIES)}
    pa.csv.write_csv(pa.table({**words, "y": random.integers(0, 2, DENSE)}), text)
    times, _ = alternate(
        {
            "one-hot": partial(read, text),
            "hashed to 2^18": lambda: sum(len(batch.y) for batch in open_stream(text, bits=18)),
            "pyarrow alone": lambda: pa.csv.read_csv(text),
        },
        lambda times: [],
    )
    cells = DENSE * CATEGORIES
    rows = [[name, pretty(t), f"{cells / t / 1e6:.1f} M"] for name, t in medians(times).items()]
    title = f"### A table of categories ({DENSE:,} × {CATEGORIES})"
    return Part(f"{title}\n\n{table(['', 'read', 'cells a second'], rows)}", [])


def main() -> Part:
    with tempfile.TemporaryDirectory() as name:
        return joined([part(Path(name)) for part in (sparse, dense, categories)])


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
