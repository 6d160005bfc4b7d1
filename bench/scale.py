"""Shards at scale: a cost model fitted here, and mixing simulated on real rows.

Run: python bench/scale.py [--write]; --write writes docs/scale.md. About five minutes.
"""

from __future__ import annotations

import argparse
import datetime
import logging
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from made import zipf_rows
from markdown import figure, pretty, table
from measure import machine, on_one_core
from sets import real_sets
from skewed import skewed_tables

from rosenblatt import Perceptron
from rosenblatt.cluster import tasks
from rosenblatt.cluster.sources import FileShard, list_shards
from rosenblatt.cluster.states import pack
from rosenblatt.dask import DaskPerceptron
from rosenblatt.engine.mixing import NO_SHARDS, add_shard
from rosenblatt.engine.state import empty
from rosenblatt.learning.linear import learners
from rosenblatt.learning.linear.shards import ShardLearner
from rosenblatt.streams import open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.writers.output import write_stream

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scale.md"
ROWS, SHARDS = 60_000, (1, 3, 10, 30, 100, 300, 1000)
EPOCHS = 20
CORES, NETWORK = 16, 1.25e9
"""Of a machine: its cores, and the bytes a second that its network brings (10 Gbit/s)."""
HOUR = 3600.0


def best(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the least seconds of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


# --- learn, move and mix, measured ---------------------------------------------------------------


def write_files(folder: Path) -> dict[str, Path]:
    """Write the rows as svmlight text and as Parquet."""
    from sklearn.datasets import dump_svmlight_file

    X, y = zipf_rows(ROWS)
    X.data = X.data.round(4)
    paths = {"svmlight": folder / "rows.svm", "Parquet": folder / "rows.parquet"}
    dump_svmlight_file(X, y, str(paths["svmlight"]), zero_based=False)
    write_stream(open_stream(paths["svmlight"]), str(paths["Parquet"]))
    return paths


def one_core(path: Path, features: int) -> tuple[float, float]:
    """Return bytes a second that one task reads and learns, and bytes of its shard that travel."""
    model = learners.Perceptron(max_iter=1, shuffle=False, tol=None)
    learner = ShardLearner(model, np.arange(2), features, np.dtype(float))
    (shard,) = list_shards(path, None, ReadOptions()).rows
    weights = pack(empty(features, 1))
    with on_one_core():
        seconds = best(lambda: tasks.learn_shard(learner, "rows", shard, None, 1, weights))
    moved = tasks.learn_shard(learner, "rows", shard, None, 1, weights).state.nbytes
    return path.stat().st_size / seconds, moved


def mix_seconds(features: int) -> float:
    """Return the seconds to add one weight of one shard."""
    before, shard = empty(features, 1), empty(features, 1)
    shard.t[:] = 1
    first = add_shard(NO_SHARDS, before, shard, "uniform")
    return best(lambda: add_shard(first, before, shard, "uniform")) / features


def on_this_machine(path: Path) -> tuple[str, float]:
    """Return the table of processes and threads, and the seconds of a round without rows."""
    parts = list_shards(path, 4, ReadOptions()).rows
    setting = {"max_iter": 3, "tol": None, "shuffle": False}
    expected = local_fit(parts, setting)
    rows, empty_round = [], 0.0
    for workers, threads in ((1, 1), (1, 2), (2, 1)):
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=threads,
                dashboard_address=":0",
                silence_logs=logging.ERROR,
            ) as cluster,
            Client(cluster) as client,
        ):
            model = DaskPerceptron(shards=4, max_iter=3, tol=None, shuffle=False)
            known = {"classes": [0, 1], "n_features": expected.coef_.shape[1]}
            names = [name for part in parts for name in part.names]
            model.fit(names, **known)  # the workers load the library
            before = moved(client)
            model.fit(names, **known)
            seconds = float(np.median(model.history_["seconds"]))
            equal = np.array_equal(model.to_local().coef_, expected.coef_)
            each = (moved(client) - before) / 3
            if workers == 2:
                tiny = DaskPerceptron(max_iter=20, tol=None, shuffle=False)
                tiny.fit([f"{path}#bytes=0-{2000 + k}" for k in range(4)], **known)
                empty_round = float(np.median(tiny.history_["seconds"]))
        rows.append(
            [
                f"{workers} × {threads}",
                "yes" if equal else "NO",
                pretty(seconds),
                "–" if workers == 1 else f"{each / 1e6:.1f} MB",
            ]
        )
    header = ["processes × threads", "bits of `Perceptron(shards=4)`", "an epoch", "moved"]
    return table(header, rows), empty_round


def local_fit(parts: list[FileShard], setting: dict[str, Any]) -> Perceptron:
    """Return the fit of the same shards in this process: their rows one after the other."""
    from rosenblatt.engine.mixing import mix_shards
    from rosenblatt.learning.linear.shards import fit_shards
    from rosenblatt.streams.core.batch import concat_batches

    batches = [concat_batches(part.batches()) for part in parts]
    features = max(batch.X.shape[1] for batch in batches)
    model = Perceptron(shards=len(parts), **setting)
    plain = learners.Perceptron(shards=len(parts), **setting)
    learner = ShardLearner(plain, np.arange(2), features, np.dtype(float))
    rows = [learner.prepare(batch.X, batch.y) for batch in batches]

    def learn(epoch: int, state: Any) -> Any:
        return mix_shards(state, [learner.learn([one], None, epoch, state) for one in rows])

    fit_shards(model, learner, learn)
    return model


def moved(client: Any) -> float:
    """Return the bytes that workers sent to each other and to the client so far."""
    sent = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return float(sum(sent.values()))


# --- mixing, simulated ---------------------------------------------------------------------------


def simulate(X: Any, y: Any, X_test: Any, y_test: Any) -> dict[int, tuple[list[float], int]]:
    """Return, by shards, the test error after each epoch, and the mistakes of the first."""
    results = {}
    for shards in SHARDS:
        setting = {"max_iter": 1, "tol": None, "warm_start": True, "shuffle": False}
        model = Perceptron(shards=shards, output="average", n_jobs=2, **setting)
        errors = []
        for _ in range(EPOCHS):
            model.fit(X, y)
            errors.append(1.0 - float(model.score(X_test, y_test)))
            if len(errors) == 1:
                mistakes = model.errors_
        results[shards] = errors, mistakes
    return results


def simulated_tables(sets: dict[str, Any]) -> str:
    text = ""
    for name, (X, y, X_test, y_test) in sets.items():
        results = simulate(X, y, X_test, y_test)
        target = results[1][0][0] * 1.02
        rows = []
        for shards, (errors, mistakes) in results.items():
            reached = next((e + 1 for e, error in enumerate(errors) if error <= target), None)
            gain = "–" if reached is None else figure(shards / reached)
            cells = [f"{100 * errors[e - 1]:.2f}" for e in (1, 5, EPOCHS)]
            rows.append(
                [
                    f"{shards:,}",
                    f"{mistakes:,}",
                    *cells,
                    "> 20" if reached is None else str(reached),
                    gain,
                ]
            )
        header = ["shards", "errors in epoch 1", "1 epoch", "5", f"{EPOCHS}", "epochs to", "gain"]
        first = 100 * results[1][0][0]
        text += (
            f"**{name}**, {len(y):,} rows, averaged perceptron; test error in percent after 1, 5 "
            f"and {EPOCHS} epochs. The last columns: epochs until the test error is within 2 % of "
            f"that of one shard after one epoch ({first:.2f} %), and shards divided by these "
            "epochs: the most that so many workers can gain.\n\n"
            f"{table(header, rows)}\n"
        )
    return text


# --- the page ------------------------------------------------------------------------------------


def machines_table(rates: dict[str, float], round_seconds: float) -> str:
    rows = []
    for format, rate in rates.items():
        speed = min(CORES * rate, NETWORK)
        cells = [
            f"{int(np.ceil(size / speed / (HOUR - round_seconds))):,}" for size in (1e12, 1e14)
        ]
        limit = "cores" if CORES * rate < NETWORK else "network"
        rows.append([format, f"{rate / 1e6:,.0f} MB/s", f"{speed / 1e6:,.0f} MB/s", limit, *cells])
    header = ["format", "a core", "a machine", "limited by", "1 TB", "100 TB"]
    return table(header, rows)


def page() -> str:
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder))
        features = open_stream(paths["svmlight"]).whole().X.shape[1]
        measured = {format: one_core(path, features) for format, path in paths.items()}
        rates = {format: rate for format, (rate, _) in measured.items()}
        travels = measured["svmlight"][1]
        here, round_seconds = on_this_machine(paths["svmlight"])
        size = paths["svmlight"].stat().st_size
    mix, sets = mix_seconds(2**20), real_sets()
    today = datetime.date.today()
    return f"""# Shards at scale

`python bench/scale.py --write`, {today}: {machine()}. How [a cluster](howto/cluster.md) scales: \
what was measured on two cores, a model of what was not, and mixing simulated on real rows.

## On one machine

{ROWS:,} sparse rows of svmlight text, {size / 1e6:.0f} MB, four byte ranges as shards, each read \
anew in every epoch. Moved: what the two workers sent in an epoch. Threads parse ahead of the \
learner in every process, so that one process uses both cores, too.

{here}
## Cost of a round

An epoch of S shards on W cores takes about ⌈S/W⌉ · learn + round + move + mix:

- *learn*: the bytes of a shard, divided by what a core reads and learns in a second: \
{rates["svmlight"] / 1e6:,.0f} MB of svmlight text, {rates["Parquet"] / 1e6:,.0f} MB of Parquet.
- *round*: {pretty(round_seconds)} for tasks and messages of four shards of a few rows.
- *move*: the changed weights of a shard. One shard of all these rows sends \
{travels / 1e3:,.0f} kB for {features:,} features, whose weights are {8 * features / 1e3:,.0f} kB. \
All go to the process of the fit.
- *mix*: {pretty(mix)} for one weight of one shard, {pretty(16 * 2**20 * mix)} for sixteen \
shards of 2²⁰ weights, in the process of the fit, while others learn.

With these, one pass takes an hour on so many machines, of {CORES} cores each and a network of \
{NETWORK / 1e9} GB/s; reading is all that counts, moving and mixing take seconds:

{machines_table(rates, round_seconds)}
## Where mixing stops paying

Shards learn less from a row than one learner does, since each starts an epoch without what the \
others learn in it. Simulated in one process, with the bits that a cluster would have:

{simulated_tables(sets)}
## Shards that differ

Rows often lie in the order of their classes, or of time. *Distance* is the largest total \
variation between the classes of a shard and of all rows: from 0.1 on, if chance does not explain \
it, a fit warns. Interleaved shards have every tenth row each. Within a shard rows are shuffled.

{skewed_tables(sets)}"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Shards at scale.")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    text = page().strip() + "\n"
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
