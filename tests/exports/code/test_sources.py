"""Sources of programs: n-grams of every code point as the library has them, and arrays of C."""

import json
import random
import subprocess
import unicodedata

import numpy as np
import pytest
from profiles import share
from programs import program, run_c, run_module

from rosenblatt import Perceptron
from rosenblatt.exports.code.sources import array_in_c, read_source
from rosenblatt.exports.format import ExportOptions
from rosenblatt.exports.formats import c, js
from rosenblatt.exports.plan import plan_of
from rosenblatt.streams.features.ngrams import NgramHasher

SPECS = [["word:1-2"], ["char:1-2", "char_wb:2-3", "char_wb:9"]]


def texts(turn):
    """Every code point, alone and among others, and random mixtures of those with rules.

    In the usual run half of the code points at each turn: both turns have all.
    """
    letters = [chr(code) for code in range(1, 0x110000) if unicodedata.category(chr(code)) != "Cs"]
    assigned = [c for c in letters if unicodedata.category(c) not in ("Cn", "Co")]
    pieces = share([assigned[i : i + 400] for i in range(0, len(assigned), 400)], 2, turn)
    rng = random.Random(0)
    hard = "aΣσΑ İ\u0301\u0323\u0345\x1c\u3000_1ﷺ가각\u1100\u1161\u11a8\u0295ʰ.:'"
    mixed = [
        "".join(
            rng.choice(hard if rng.random() < 0.6 else letters) for _ in range(rng.randrange(40))
        )
        for _ in range(1500)
    ]
    return [
        "", "_", "a", "\x1c", "Σ", "ΑΣ", "ΑΣ.Α", "ΑΣ.", "İİ",
        *(" a".join(piece) for piece in pieces),
        *("".join(piece) for piece in pieces),
        "".join(rng.sample(letters, 3000)),
        "a" + "\u0323\u0301" * 200,
        *mixed,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def cases():
    return [texts(turn) for turn in range(len(SPECS))]


def model_of(specs):
    """A plan of texts whose weights differ, and the scores of the library."""
    model = Perceptron(random_state=0).fit(np.eye(2, 1 << 14), [0, 1])
    model.coef_ = np.random.default_rng(0).normal(size=(1, 1 << 14))
    model.intercept_ = [0.5]
    plan = plan_of(model, {"format": "folder", "text": specs, "bits": 14}, None)
    hasher = NgramHasher(specs, 14)
    return plan, lambda texts: model.decision_function(hasher.rows(texts).tocsr()).tolist()


@pytest.mark.parametrize("turn", [0, 1])
def test_every_code_point_in_javascript(tmp_path, cases, turn):
    (plan, scores), cases = model_of(SPECS[turn]), cases[turn]
    found = run_module(tmp_path, js.write(plan, ExportOptions()), cases)
    assert [one.get("score") for one in found] == scores(cases)


@pytest.mark.parametrize("turn", [0, 1])
def test_every_code_point_in_c(tmp_path, cases, turn):
    (plan, scores), cases = model_of(SPECS[turn]), cases[turn]
    found = run_c(tmp_path, c.write(plan, ExportOptions()), plan, cases, "-O1")
    assert [numbers[0] for _, numbers in found] == scores(cases)


def test_unpaired_surrogates_and_nul_in_javascript(tmp_path):
    plan, scores = model_of(["char:1-2"])
    cases = ["a\ud800b", "\udc00", "a\0b", "\ud800\ud800é"]
    found = run_module(tmp_path, js.write(plan, ExportOptions()), cases)
    assert [one["score"] for one in found] == scores(cases)


def test_an_engine_without_a_letter_of_training_says_so(tmp_path):
    """A letter that the tables have and the engine has not: here one that no version has."""
    plan, _ = model_of(["char:1"])
    source = js.write(plan, ExportOptions()).decode()
    older = source.replace("UNASSIGNED = readRanges(", "UNASSIGNED = [] || readRanges(")
    assert older != source
    (one,) = run_module(tmp_path, older.encode(), ["a\U000e0fff"])
    assert one["error"].startswith("This engine has a Unicode before")
    (one,) = run_module(tmp_path, source.encode(), ["a\U000e0fff"])
    assert "error" not in one


def test_numbers_are_spelled_as_python_spells_them(tmp_path):
    """As words of categories: whole ones up to 2^63 without a point, others as ``repr``."""
    rng = random.Random(0)
    numbers = [0.0, -0.0, 1.0, -7.0, 0.1, 1e-4, 9.9e-5, 1e15, 1e16, 1.5e16, 2.0**63, 1e21, 5e-324]
    numbers += [2.0**63 - 1024, 123456789012345680.0, 1.7976931348623157e308, 1e-7, 1.25e-10, 1e22]
    numbers += [rng.uniform(-1, 1) * 10.0 ** rng.randrange(-320, 308) for _ in range(3000)]
    run = (
        "import { readFileSync } from 'node:fs'; const rows = JSON.parse(readFileSync('in.json'));"
    )
    run += "console.log(JSON.stringify(rows.map(spellNumber)));"
    (tmp_path / "run.mjs").write_text(read_source("js/cells.js") + run)
    (tmp_path / "in.json").write_text(json.dumps(numbers))
    done = subprocess.run(
        [program("node"), "run.mjs"], cwd=tmp_path, capture_output=True, check=True
    )
    expected = [str(int(x)) if x.is_integer() and abs(x) < 2**63 else repr(x) for x in numbers]
    assert json.loads(done.stdout) == expected


def test_long_texts_are_cut_in_javascript(tmp_path):
    plan, scores = model_of(["char:1-2"])
    cases = ["call now " * 60_000 + "ÿ", "é" * 524_287 + "İab"]
    found = run_module(tmp_path, js.write(plan, ExportOptions()), cases)
    assert [one["score"] for one in found] == scores(cases)


def test_arrays_have_short_lines():
    text = array_in_c("int", "N", range(100), "2")
    assert text.startswith("static const int N[][2] = {\n  0, 1,")
    assert max(map(len, text.splitlines())) <= 100
