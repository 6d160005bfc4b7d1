"""Damaged binary files of every format, and the check that reading them is an error or harmless.

A damaged file must never end the process, hang, or raise anything but a ``DataError``; the rows
that it still yields must be valid. The files are read in child processes, so that a crash is
counted, not suffered. ``PYTHONPATH=tests/support python tests/support/damaged_files.py SECONDS``
checks for longer; ``… damaged_files.py case SEED CASE`` repeats one case.
"""

import io
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import scipy.sparse as sp

from rosenblatt.streams import DataError, open_stream

CASES_PER_CHILD = 200
_CHILD_SECONDS = 120
_MAX_MEMORY = 8 << 30

# --- files ---------------------------------------------------------------------------------------


def tables():
    """Tables with every kind of column that is read, and some that are refused."""
    words = ["oak", "elm", "ash, grey", "a longer name of a tree", None, "Bäume", "oak", ""]
    rows = 8 * 5
    numbers = pa.table({"a": np.arange(rows) / 8, "b": np.arange(rows) % 7, "y": [1, -1] * 20})
    mixed = pa.table(
        {
            "x": pa.array(np.arange(rows), pa.float32()),
            "flag": [True, False] * 20,
            "word": words * 5,
            "code": pa.array(words * 5).dictionary_encode(),
            "view": pa.array(words * 5, pa.string_view()),
            "large": pa.array(words * 5, pa.large_string()),
            "when": pa.array(range(rows), pa.timestamp("s")),
            "kind": ["p", "q"] * 20,
        },
    )
    index = [[0, 2, 5], [1], [], [3, 4]] * 10
    value = [[1.0, 2.0, 3.0], [0.5], [], [1.0, -1.0]] * 10
    metadata = {
        "rosenblatt.target": "y",
        "rosenblatt.understood": '{"format": "jsonl", "bits": null, "schema": {"t": "text"}}',
        "rosenblatt.feature_names": json.dumps(list("abcdef")),
    }
    sparse = pa.table(
        {"indices": pa.array(index, pa.list_(pa.int32())), "values": value, "y": ["p", "q"] * 20}
    ).replace_schema_metadata(metadata)
    pandas = pa.Table.from_pandas(numbers.to_pandas().set_index("b"))
    texts = pa.table({"t": ["win a big prize now", "see you at noon"] * 20, "y": [0, 1] * 20})
    return {"numbers": numbers, "mixed": mixed, "sparse": sparse, "pandas": pandas, "texts": texts}


def ipc(table, new, compression=None):
    file = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with new(file, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=16)
    return file.getvalue()


def parquet(table, **options):
    file = io.BytesIO()
    pa.parquet.write_table(table, file, row_group_size=16, **options)
    return file.getvalue()


def feather(table):
    file = io.BytesIO()
    pa.feather.write_feather(table, file, "lz4")
    return file.getvalue()


def archive(mode):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as tar:
        for name in ("spam/1", "ham/1", "spam/2", f"ham/{'long' * 40}", "README"):
            content = b"Subject: x\nFrom: y\n\nwin a prize\n" * (9 if name == "spam/2" else 1)
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return file.getvalue()


def arrays():
    X = np.arange(60.0).reshape(20, 3)
    y = np.arange(20) % 2
    files = {}
    for name, content in {"f8": X, "i4": X.astype("i4"), "fortran": np.asfortranarray(X)}.items():
        file = io.BytesIO()
        np.save(file, content)
        files[f"{name}.npy"] = file.getvalue()
    for name, save in {
        "dense": lambda file: np.savez(file, X=X, y=y),
        "packed": lambda file: np.savez_compressed(file, X=X, y=y.astype("U3")),
        "sparse": lambda file: sp.save_npz(file, sp.csr_array(X % 5), compressed=False),
    }.items():
        file = io.BytesIO()
        save(file)
        files[f"{name}.npz"] = file.getvalue()
    return files


def whole_files():
    """Good files by name."""
    files = arrays()
    for name, table in tables().items():
        files[f"{name}.arrow"] = ipc(table, pa.ipc.new_file)
        files[f"{name}-zstd.arrow"] = ipc(table, pa.ipc.new_file, "zstd")
        files[f"{name}-stream.arrow"] = ipc(table, pa.ipc.new_stream)
        files[f"{name}-stream-lz4.arrow"] = ipc(table, pa.ipc.new_stream, "lz4")
        files[f"{name}.parquet"] = parquet(table)
        files[f"{name}-plain.parquet"] = parquet(table, use_dictionary=False, compression="none")
        options = {"compression": "gzip", "data_page_version": "2.0", "data_page_size": 64}
        files[f"{name}-pages.parquet"] = parquet(table, **options)
        files[f"{name}.feather"] = feather(table)
    for suffix, mode in {"": "w:", ".gz": "w:gz", ".xz": "w:xz", ".bz2": "w:bz2"}.items():
        files[f"mail.tar{suffix}"] = archive(mode)
    files["mail.tar.zst"] = pa.compress(archive("w:"), "zstd", asbytes=True)
    files["pax.tar"] = archive("w:")
    return files


# --- damage --------------------------------------------------------------------------------------

_EXTREME = (0, 1, -1, 127, -128, 2**15, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**62, 2**63 - 1)


def flip(r, content, other):
    for _ in range(r.choice([1, 1, 2, 5])):
        content[r.randrange(len(content))] ^= 1 << r.randrange(8)


def replace(r, content, other):
    for _ in range(r.choice([1, 2, 8])):
        content[r.randrange(len(content))] = r.randrange(256)


def truncate(r, content, other):
    del content[r.randrange(len(content)) :]


def extreme(r, content, other):
    """Replace an aligned integer, such as a length, an offset or a code."""
    size = r.choice([1, 2, 4, 4, 8])
    at = r.randrange(len(content) // size) * size
    number = r.choice(_EXTREME) % (1 << 8 * size)
    content[at : at + size] = number.to_bytes(size, r.choice(["little", "little", "big"]))


def splice(r, content, other):
    """Replace a range by one of another file, or of this one."""
    source = r.choice([content[:], other])
    at, start = r.randrange(len(content)), r.randrange(len(source))
    size = r.choice([4, 8, 64, 1000])
    content[at : at + r.choice([0, size])] = source[start : start + size]


def cut(r, content, other):
    at = r.randrange(len(content))
    del content[at : at + r.choice([1, 4, 8, 100])]


DAMAGE = (flip, replace, truncate, extreme, extreme, splice, cut)


def damaged(files, seed, case):
    """Return the name and the content of a case."""
    r = random.Random(f"{seed}/{case}")
    names = sorted(files)
    name = r.choice(names)
    content = bytearray(files[name])
    for _ in range(r.choice([1, 1, 1, 2])):
        if len(content) >= 8:
            r.choice(DAMAGE)(r, content, files[r.choice(names)])
    return name, bytes(content)


# --- the check -----------------------------------------------------------------------------------


def check(path, r):
    """Read a file, in a way that ``r`` draws; a fault is any exception but a DataError."""
    options = {"batch_bytes": r.choice([1, 300, 1 << 20]), "labelled": r.random() < 0.7}
    options["on_bad_row"] = r.choice(["stop", "skip"])
    if path.suffix in (".arrow", ".parquet", ".feather") and r.random() < 0.3:
        options["schema"] = {"*": r.choice(["category", "text", "number"])}
        options["bits"] = r.choice([None, 4])
    rows = 0
    try:
        for batch in open_stream(path, **options):
            values = batch.X.data if hasattr(batch.X, "indptr") else batch.X
            assert np.isfinite(values).all()
            assert batch.first_row == rows
            assert batch.y is None or len(batch.y) == batch.X.shape[0]
            if batch.y is not None and batch.y.dtype.kind == "f":
                assert np.isfinite(batch.y).all()
            if hasattr(batch.X, "indptr"):
                batch.X.check_format(full_check=True)
            rows += batch.X.shape[0]
    except DataError as error:
        message = str(error)
        if str(path) not in message or "\n" in message:
            raise AssertionError(f"the message {message!r}") from error


def run_cases(seed, first, last, folder):
    """Check cases, and print the number of each before, and its fault after; in a child process."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    files = whole_files()
    for case in range(first, last):
        name, content = damaged(files, seed, case)
        print(case, flush=True)
        path = Path(folder, f"{case}-{name}")
        path.write_bytes(content)
        try:
            check(path, random.Random(case))
        except Exception as error:
            print(json.dumps([case, name, f"{type(error).__name__}: {error}"]), flush=True)
        path.unlink()


def faults(seed, first, last):
    """Check cases in child processes; return a fault, in words, for each that fails."""
    result = []
    with tempfile.TemporaryDirectory() as folder:
        while first < last:
            command = [sys.executable, __file__, "cases", seed, first, last, folder]
            child = subprocess.Popen(
                list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            try:
                out, err = child.communicate(timeout=_CHILD_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                out, err = child.communicate()
                err = b"no answer in time"
            lines = out.decode().split("\n")[:-1]
            result += [line for line in lines if not line.isdecimal()]
            if child.returncode == 0:
                break
            stopped = max((int(line) for line in lines if line.isdecimal()), default=None)
            if stopped is None:
                raise RuntimeError(err.decode())
            reason = err.decode(errors="replace").strip().split("\n")[-1]
            result.append(json.dumps([stopped, f"exit {child.returncode}", reason]))
            first = stopped + 1
    return result


def run(seconds):
    """Check files for so many seconds; print each fault, and the numbers at the end."""
    seed = random.randrange(2**32)
    end = time.monotonic() + seconds
    cases = count = 0
    while time.monotonic() < end:
        for fault in faults(seed, cases, cases + CASES_PER_CHILD):
            count += 1
            print(f"seed {seed}: {fault}", flush=True)
        cases += CASES_PER_CHILD
    print(f"{cases} damaged files, {count} faults")


def repeat(seed, case):
    """Repeat one case in this process."""
    name, content = damaged(whole_files(), seed, case)
    path = Path(tempfile.gettempdir(), f"{os.getpid()}-{name}")
    path.write_bytes(content)
    print(path)
    check(path, random.Random(case))
    path.unlink()


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    if verb == "cases":
        run_cases(*map(int, rest[:3]), rest[3])
    elif verb == "case":
        repeat(*map(int, rest))
    else:
        run(float(verb))
