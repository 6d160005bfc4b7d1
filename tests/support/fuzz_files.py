"""What the fuzzers try of files that anyone may have made: tables, mail, models, proofs, tokens.

A file is read, or refused by an error of its own kind that names it; and what was read can be used.
"""

import gzip
import json
import math
from contextlib import suppress
from functools import cache
from pathlib import Path

from fuzz_core import Target, may_refuse, same_rows

# --- rows ----------------------------------------------------------------------------------------


def table(data, folder):
    """CSV or TSV without options: layout and kinds are inferred."""
    same_rows(Path(folder, "a.csv" if data[0] % 2 else "a.tsv"), data[1:], data[0])


def arff(data, folder):
    """ARFF, its header included."""
    same_rows(Path(folder, "a.arff"), data[1:], data[0])


def objects(data, folder):
    """Lines of JSON whose kinds are inferred, texts and lists among them."""
    same_rows(Path(folder, "a.jsonl"), data[1:], data[0])


def unknown(data, folder):
    """A file without a suffix, packed or not: its format is found by its first lines."""
    text = data[1:] if data[0] % 4 else gzip.compress(data[1:], 1)
    same_rows(Path(folder, "a"), text, data[0])


def mail(data, folder):
    """Every file has a text."""
    from rosenblatt.streams.formats.mail import extract_text

    assert isinstance(extract_text(data), str)


def binary(data, folder):
    """Files of columns, arrays and archives, with bytes of the fuzzer in their place."""
    import random

    import damaged_files

    files = whole_files()
    name = sorted(files)[data[0] % len(files)]
    content = bytearray(files[name])
    for k in range(1, len(data) - 2, 3):
        content[int.from_bytes(data[k : k + 2], "big") % len(content)] = data[k + 2]
    path = Path(folder, name)
    path.write_bytes(content)
    damaged_files.check(path, random.Random(data[0]))


@cache
def whole_files():
    import damaged_files

    return damaged_files.whole_files()


def paths(data, folder):
    """Columns in paths, ranges in names, and texts with URLs: what is a secret is not shown."""
    from rosenblatt.streams import DataError
    from rosenblatt.streams.core.access import shown
    from rosenblatt.streams.core.options import ReadOptions
    from rosenblatt.streams.features.partitions import Partition, kinds_of_partitions
    from rosenblatt.streams.io.paths import ListedFile, address_of

    text = data.decode(errors="replace").replace("\0", "")
    assert shown(shown(text)) == shown(text)
    word = "".join(letter for letter in text if letter.isalnum() or letter in "-_.~%+")[:40]
    for url in (f"https://ann:Xq{word}@example.org/a.svm", f"s3://b/a.svm?signature=Xq{word}"):
        assert f"Xq{word}" not in shown(f"{url}: no rows.")
    names = [f"pq/{part}/a.csv" for part in text.split("\n")]
    try:
        for name in names:
            address_of(name)
        kinds = kinds_of_partitions([ListedFile(name, "pq") for name in names])
        partition = Partition.of(names[0], ReadOptions(partitions=kinds), [])
        line = json.loads(partition.with_keys(b'{"x x": 1}\n'))
    except DataError:
        return
    assert line == {"x x": 1} | partition.cells()
    with suppress(DataError):  # a path may have no number where the other has one
        assert all(math.isfinite(partition.number(name)) for name in partition.numeric)


def dates(data, folder):
    """A cell is a date of a kind or none; its parts are those of a calendar."""
    from rosenblatt.streams.core.options import DATE_KINDS
    from rosenblatt.streams.features.dates import infer_date, parse_date

    cell = data.decode(errors="replace")
    assert infer_date([cell]) in (None, *DATE_KINDS)
    for kind in DATE_KINDS:
        moment = parse_date(cell, kind)
        if moment is not None:
            parts = dict(moment.parts)
            assert 1 <= int(parts.get("month", 1)) <= 12
            assert 0 <= int(parts.get("hour", 0)) <= 23
            assert (moment.years is None) == (kind == "time")


def options(data, folder):
    """Kinds of columns and lists of numbers, as the command takes them."""
    import click

    from rosenblatt.cli.options.lists import Numbers
    from rosenblatt.streams.features.schema import parse_schema

    text = data.decode(errors="replace")
    with suppress(ValueError):
        assert "" not in parse_schema(text)  # kinds are checked once the columns are known
    with suppress(click.BadParameter):
        values = Numbers(click.FloatRange(min=0.0)).convert(text, None, None)
        assert all(value >= 0 for value in values)


# --- models and proofs ---------------------------------------------------------------------------


@cache
def models():
    """Model files of several kinds: their headers, as text without checksums, and their arrays."""
    import tempfile

    import numpy as np
    from safetensors import safe_open

    import rosenblatt as r
    from rosenblatt.models import save

    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]] * 4), ["a", "b", "c"] * 4
    learned = [
        r.Perceptron(rule=r.rules.PA1(C=0.5), scale=True).fit(X, y),
        r.Classifier(max_iter=2).fit(X, y),
        r.KernelPerceptron(kernel="rbf").fit(X, y),
        r.OnlinePerceptron(output="average").learn_many([{"a": 1}, {"b": "x"}], [True, False]),
    ]
    found = []
    with tempfile.TemporaryDirectory() as home:
        for model in learned:
            path = Path(home, "a.safetensors")
            notes = {"target": "y", "format": "csv", "schema": {"p": "number", "q": "date"}}
            save(model, path, notes=notes)
            with safe_open(path, "np") as file:
                header = json.loads(file.metadata()["rosenblatt"])
                tensors = {name: file.get_tensor(name) for name in list(file.keys())}
            del header["seal"], header["sha256"]
            found.append((json.dumps(header).encode(), tensors))
    return found


def model(data, folder):
    """A model file whose header says what it likes, with right checksums."""
    from edited_models import with_checksums

    from rosenblatt.models import ModelError, describe, load
    from rosenblatt.serve.config import check_served, read_model

    _, tensors = models()[data[0] % len(models())]
    try:
        header = json.loads(data[1:])
    except (ValueError, RecursionError):
        return
    if not isinstance(header, dict):
        return
    path = Path(folder, "a.safetensors")
    with_checksums(path, header, tensors)
    with may_refuse(path, ModelError):
        describe(path)
        loaded = load(path)
        with suppress(ValueError):
            loaded.predict_one({}) if hasattr(loaded, "predict_one") else loaded.predict(
                [[0.0] * 2]
            )
    with suppress(ValueError):
        check_served(read_model(path.read_bytes()))


def checkpoint(data, folder):
    """The note of a fit on a cluster, in a model file with right checksums."""
    from edited_models import with_checksums

    from rosenblatt.cluster.checkpoint import fit_facts, read_checkpoint
    from rosenblatt.cluster.sources import Shards

    text, tensors = models()[0]
    try:
        note = json.loads(data)
    except (ValueError, RecursionError):
        return
    path = Path(folder, "a.ckpt")
    header = json.loads(text)
    header["notes"] = {"cluster": note}
    with_checksums(path, header, tensors)
    with suppress(ValueError):  # ModelError and ResumeError, too
        saved = read_checkpoint(str(path))
        saved.check_setup(
            saved.model, fit_facts(Shards(["rows 0 to 1"], [None]), "mean", False, None)
        )
        saved.position()


def proof(data, folder):
    """A proof is read, and checked on its rows, or refused by name."""
    from certificates import MADE

    from rosenblatt.proofs.certificate import Certificate
    from rosenblatt.proofs.files import ProofError

    path = Path(folder, "a.json")
    path.write_bytes(data[1:])
    _, X, y = list(MADE.values())[data[0] % len(MADE)]()
    with may_refuse(path, ProofError):
        loaded = Certificate.load(path)
        for one in loaded.values() if isinstance(loaded, dict) else [loaded]:
            bool(one.verify(X, y))


def proofs():
    """Proofs that were made by hand, as files."""
    import tempfile

    from certificates import MADE

    from rosenblatt.proofs.files import save

    with tempfile.TemporaryDirectory() as home:
        path, found = Path(home, "a.json"), []
        for k, made in enumerate(MADE.values()):
            save(made()[0], path)
            found.append(bytes([k]) + path.read_bytes())
    return found


def audit(data, folder):
    """An audit is read, and checked, or refused by name."""
    from rosenblatt.proofs.audit_files import is_audit, load_audit
    from rosenblatt.proofs.check.theorem import verify_theorem
    from rosenblatt.proofs.files import ProofError

    path = Path(folder, "a.json")
    path.write_bytes(data)
    is_audit(path)
    with may_refuse(path, ProofError):
        verify_theorem(load_audit(path))


def audits():
    """An audit of a lecture's run, as a file."""
    import tempfile

    import rosenblatt

    run = rosenblatt.textbook.perceptron([[1.0, 2.0], [2.0, -1.0], [-1.0, -2.0]], [1, 1, -1])
    with tempfile.TemporaryDirectory() as home:
        path = Path(home, "a.json")
        rosenblatt.audit(run).save(path)
        return [path.read_bytes()]


HEAD = b"@relation r\n@attribute 'a b' real\n@attribute k {x, 'y z'}\n@attribute d date\n@data\n"
TARGETS = {
    "table": Target(
        table,
        lambda: [
            b"\1a,when,kind,y\n1,2024-05-31,x,p\n2.5,2024-06-01,y,q\n,2024-06-02,x,p\n",
            b"\0id\ttext\ty\n1\tthe first of the words\tp\n2\tthe second of the words\tq\n",
            b'\3"a;b";c;y\n"1,5";x;0\n"2,5";"y ""z""";1\n',
        ],
    ),
    "arff": Target(
        arff, lambda: [b"\5" + HEAD + b"1,x,2024-05-31\n{0 2.5, 1 'y z'}\n?,?,?\n% no\n"]
    ),
    "objects": Target(
        objects,
        lambda: [
            b'\5{"y":"p","a":{"b":[1,"x"]},"t":"some words here"}\n{"y":"q","a":null,"t":""}\n'
        ],
    ),
    "unknown": Target(
        unknown,
        lambda: [
            b"\0001 1:2 3:4\n-1 2:1\n",
            b"\1001 2.5 'tag|a b c:2 |d e\n-1 |a b\n",
            b"\2a b y\n1 2 p\n3 4 q\n",
            b"\3" + HEAD + b"1,x,2024-05-31\n",
        ],
    ),
    "mail": Target(
        mail,
        lambda: [
            b"Subject: =?utf-8?q?Gr=C3=BC?=\nFrom: a\nContent-Type: multipart/mixed; boundary=b\n\n"
            b"--b\nContent-Type: text/html; charset=latin-1\nContent-Transfer-Encoding: base64\n\n"
            b"PGI+eDwvYj4=\n--b--\n"
        ],
        most=2048,
    ),
    "binary": Target(binary, lambda: [bytes([k, 0, 9, 255, 0, 60, 7]) for k in range(60)], most=64),
    "paths": Target(
        paths, lambda: [b"day=2026-11-01/k=C%20H\nday=2026-11-02/k=7", b"x=1#bytes=0-9"]
    ),
    "dates": Target(
        dates, lambda: [b"2024-05-31T18:30:00Z", b"May 31, 2024", b"31.5.24", b"7:05 pm"]
    ),
    "options": Target(options, lambda: [b"age:number,*:skip", b"0.1, 1,1e-3"]),
    "model": Target(
        model,
        lambda: [bytes([k]) + text for k, (text, _) in enumerate(models())],
        most=8192,
    ),
    "checkpoint": Target(checkpoint, lambda: [json.dumps(NOTE).encode()], most=2048),
    "proof": Target(proof, proofs, most=4096),
    "audit": Target(audit, audits, most=4096),
}
NOTE = {
    "mixing": "mean", "interleave": False, "holdout": None, "reading": {},
    "shards": ["rows 0 to 1"], "columns": None, "bytes": [], "digests": [[2, 7]], "seeds": [1],
    "best": ["0x1p+0"], "stalled": [0], "gave_up": False, "finished": False,
    "parts": [], "versions": {},
}  # fmt: skip
"""What a checkpoint of a cluster notes."""
