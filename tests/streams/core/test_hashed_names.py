"""Names of hashed columns, and the counts of collisions."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import thorough
from sklearn.utils.murmurhash import murmurhash3_bytes_s32
from vw_twin import rows_of

from rosenblatt import models
from rosenblatt.engine.text.hashing import encode_interactions, murmur3
from rosenblatt.engine.text.vowpal_wabbit import parse
from rosenblatt.streams import open_stream
from rosenblatt.streams.core import hashed_names
from rosenblatt.streams.core.hashed_names import HashedNames

WORDS = [f"w{k}" for k in range(60)]
texts = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["", "a", "bc"]), st.lists(st.sampled_from(WORDS), max_size=9)),
        min_size=1,
        max_size=3,
    ),
    min_size=1,
    max_size=20,
).map(lambda rows: "\n".join("1" + "".join(f" |{a} {' '.join(w)}" for a, w in r) for r in rows))


def wanted(text, bits, interactions):
    """Count the columns in use, and the shared ones, by sets of hashes."""
    columns = {}
    for row in rows_of(text.encode()):
        for h, _ in row.signed(interactions):
            columns.setdefault(abs(h) % 2**bits, set()).add(h)
    return len(columns), sum(len(hashes) > 1 for hashes in columns.values())


@thorough(50)
@given(texts, st.sampled_from([3, 6, 12, 24]), st.sampled_from([(), ("a*bc",), ("a*a", "*a")]))
def test_counts_match_sets_of_hashes(text, bits, interactions):
    names = HashedNames()
    for lines in text.split("\n"):
        names.add(
            *parse(
                lines.encode(),
                bits,
                interactions=encode_interactions(interactions),
                table=names.known(bits),
            ).new_hashes
        )
    found = names.collisions()
    assert (found.used, found.shared) == wanted(text, bits, interactions)


@pytest.mark.parametrize("size", [1, 300, 1 << 22])
def test_counts_do_not_depend_on_batches_files_or_threads(tmp_path, rng, size):
    text = "\n".join(
        f"1 |a {' '.join(f'u{k}' for k in row)} |b v{row[0] % 40}"
        for row in rng.integers(0, 3000, (300, 4)).tolist()
    )
    for k in range(2):
        (tmp_path / f"{k}.vw").write_text(text)
    names = HashedNames()
    stream = open_stream(
        tmp_path / "*.vw", bits=12, interactions=["a*b"], names=names, batch_bytes=size
    )
    for _ in range(2):
        assert sum(len(batch.y) for batch in stream) == 600
        found = names.collisions()
        assert (found.used, found.shared) == wanted(text, 12, ["a*b"])


def test_names_are_those_of_the_text():
    text = "1 |words offer spam:2 |été café |words offer\n1 | none " + "x" * 200 + "\n"
    names = HashedNames()
    crossed = encode_interactions(["words*été"])
    names.add(*parse(text.encode(), 20, interactions=crossed, table=names.known(20)).new_hashes)
    spelled = ["words^offer", "words^spam", "été^café", "none"]
    hashes = {name: murmurhash3_bytes_s32(name.encode(), 0) for name in spelled}
    columns = {abs(h) % 2**20: (1 if h >= 0 else -1, name) for name, h in hashes.items()}
    assert names.of(list(columns)) == columns
    every = {name for _, name in names.of(range(2**20)).values()}
    assert every == {*spelled, "x" * 100, "words^offer*été^café", "words^spam*été^café"}
    assert names.collisions().pairs == 2


@thorough(50)
@given(texts)
def test_every_name_has_its_own_namespace(text):
    names = HashedNames()
    names.add(*parse(text.encode(), 24, table=names.known(24)).new_hashes)
    spelled = {name for row in rows_of(text.encode()) for name, _ in row.features}
    columns = {abs(murmur3(name)) % 2**24: name.decode() for name in spelled}
    assert {j: name for j, (_, name) in names.of(list(columns)).items()} == columns


def test_a_cut_name_ends_with_a_whole_letter():
    names = HashedNames()
    names.add(*parse(("1 | x" + "é" * 99).encode(), 4, True, table=names.known(4)).new_hashes)
    assert [name for _, name in names.of(range(16)).values()] == ["x" + "é" * 49]


@settings(deadline=None)
@given(st.lists(st.text(min_size=1, max_size=9), unique=True), st.integers(1, 12))
def test_names_hashed_by_the_caller(words, bits):
    names = HashedNames()
    for part in (words[::2], words[1::2]):
        names.note([murmur3(word.encode()) for word in part], part, bits)
    columns = {}
    for word in [*words[::2], *words[1::2]]:
        h = murmur3(word.encode())
        columns.setdefault(abs(h) % 2**bits, {})[word] = 1 if h >= 0 else -1
    expected = {}
    for column, held in columns.items():
        (word, sign), *others = held.items()
        told = [f"{word}", *(other if s == sign else f"−{other}" for other, s in others[:1])]
        expected[column] = sign, " or ".join(told)
    assert names.of(range(2**bits)) == expected


def test_the_hash_zero_is_a_name():
    names = HashedNames()
    names.note(np.array([0, 0], np.int32), ["nothing", "nothing"], 5)
    assert names.of([0]) == {0: (1, "nothing")}
    assert names.collisions()[:3] == (5, 1, 0)


def test_memory_is_bounded(monkeypatch):
    words = [f"w{k}" for k in range(500)]
    hashes = [murmur3(word.encode()) for word in words]
    for name, value in (("MAX_NAMES", 120), ("MAX_BYTES", 300)):
        with monkeypatch.context() as patch:
            patch.setattr(hashed_names, name, value)
            names = HashedNames()
            for k in range(0, 500, 50):
                names.note(hashes[k : k + 50], words[k : k + 50], 24)
            assert len(names.of([abs(hash) % 2**24 for hash in hashes])) == 100
            assert names.collisions().used == 500


def test_no_names_are_recorded_beyond_24_bits(tmp_path):
    path, names = tmp_path / "a.vw", HashedNames()
    path.write_text("1 | x\n")
    open_stream(path, bits=25, names=names).read()
    assert (names.collisions(), names.of([1])) == (None, {})


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def trained(call, tmp_path):
    data, model = tmp_path / "mail.vw", tmp_path / "mail.rosenblatt"
    data.write_text("1 |words spam offer\n-1 |words hello friend\n1 |words spam offer\n")
    arguments = ("train", data, "-m", model, "--bits", 12, "--rule", "pa1", "--json")
    status, out, error = call(*arguments)
    assert status == 0
    return model, json.loads(out), error


def test_train_reports_collisions(trained):
    model, record, error = trained
    collisions = {"bits": 12, "used": 4, "shared": 0, "pairs": 0, "share": 0.0}
    assert record["collisions"] == models.describe(model)["notes"]["collisions"] == collisions
    assert "4 of 2^12 columns used, 0 of them by several names (0.0 %)" in " ".join(error.split())


def test_inspect_shows_names(call, trained):
    model, *_ = trained
    status, out, _ = call("inspect", model)
    assert status == 0
    assert "words^offer" in out
    assert "4 of 2^12 columns used" in " ".join(out.split())
    weights = json.loads(call("inspect", model, "--json")[1])["weights"]["1"]
    assert {name for name, _ in weights["positive"]} == {"words^spam", "words^offer"}
    assert {name for name, _ in weights["negative"]} == {"words^hello", "words^friend"}


def test_a_heavy_column_without_a_name_is_a_number(call, trained, path):
    model = models.load(trained[0])
    models.save(model, path, notes={"format": "vw", "bits": 12, "names": {}})
    weights = json.loads(call("inspect", path, "--json")[1])["weights"]["1"]
    assert all(name.isdigit() for name, _ in weights["positive"])
