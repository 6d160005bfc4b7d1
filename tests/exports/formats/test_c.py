"""C99: no warning, the bits of the command, hostile texts, no allocation, and rows refused."""

import math
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from exported import TABLES, of_text, table
from exported_cases import hashed_pairs, hostile, messages, missing_cells, newsgroups
from profiles import share
from programs import WARNINGS, program, run_c

from rosenblatt import OnlinePerceptron, Perceptron, export
from rosenblatt.exports.format import ExportOptions
from rosenblatt.exports.formats.c import write
from rosenblatt.exports.plan import CannotExport, plan_of, read_plan

PAGE = Path(__file__).resolve().parents[3] / "docs" / "howto" / "javascript-and-c.md"
SANITIZED = (*WARNINGS, "-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FUSED = ("-std=gnu99", "-O3", "-march=native")  # products and sums in one instruction, if allowed


def source_of(model):
    return write(read_plan(model), ExportOptions())


def check(done, folder, *options):
    """Compare every row with the command: labels, scores to the bit, probabilities."""
    plan = read_plan(done.model)
    found = run_c(folder, write(plan, ExportOptions()), plan, done.rows, *options)
    assert len(found) == len(done.labels) > 1
    for i, (label, numbers) in enumerate(found):
        expected = done.scores[i]
        expected = [*expected.values()] if isinstance(expected, dict) else [expected]
        assert label >= 0, done.rows[i]
        assert plan.classes[label] == done.labels[i]
        assert numbers[: len(expected)] == expected
        if done.probabilities is not None:
            wanted = [*done.probabilities[i].values()]
            np.testing.assert_allclose(numbers[len(expected) :], wanted, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", TABLES)
def test_a_real_table_has_the_bits_of_the_command(call, tmp_path, name):
    check(table(call, tmp_path, name), tmp_path)


@pytest.mark.parametrize("name", ["hypothyroid", "iris", "ionosphere"])
def test_the_bits_do_not_depend_on_the_optimisation(call, tmp_path, name):
    check(table(call, tmp_path, name), tmp_path, *FUSED)


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (("--text", "word:1-2"), ()),
        (("--text", "char_wb:3-4", "--text", "char:2", "--rule", "logistic"), FUSED),
    ],
)
def test_short_messages_have_the_bits_of_the_command(call, tmp_path, texts, options):
    check(messages(call, tmp_path, "--average", *texts, step=10), tmp_path, *options)


def test_newsgroups_have_the_bits_of_the_command(call, tmp_path):
    check(newsgroups(call, tmp_path, "--bits", "12"), tmp_path)


@pytest.mark.parametrize("options", [(), ("--interactions", "c*n ${x}"), ("--bits", "8")])
def test_hostile_names_values_and_labels_are_only_texts(call, tmp_path, options):
    check(hostile(call, tmp_path, *options), tmp_path, *SANITIZED)


@pytest.mark.parametrize(
    ("impute", "bits"),
    [
        (impute, bits)
        for turn, impute in enumerate(["mean", "zero", "indicator"])
        for bits in share([(), ("--bits", "6")], 2, turn)
    ],
)
def test_missing_cells(call, tmp_path, impute, bits):
    check(missing_cells(call, tmp_path, "--impute", impute, *bits), tmp_path, *SANITIZED)


@pytest.mark.parametrize("classes", [2, 3])
def test_hashed_pairs_that_collide(call, tmp_path, classes):
    check(hashed_pairs(call, tmp_path, classes), tmp_path, *SANITIZED)


def test_texts_beside_numbers_and_categories(call, tmp_path):
    text = "mail,kind,size,y\nWin a prize,x,1.5,1\nsee you,z,0,0\n,x,2,1\nΟΔΟΣ ﬁn,,0.1,0\n"
    for option in ((), ("--impute", "indicator", "--bits", "5")):
        options = ("--schema", "mail:text", "--text", "word:1-2", "--text", "char:3", *option)
        done = of_text(call, tmp_path, text, *options, "--epochs", "3")
        check(done, tmp_path, *SANITIZED, "-DMODEL_MAX_LETTERS=100")


def test_rows_of_numbers(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 9))
    for scheme in ("joint", "ovr"):
        model = Perceptron(rule="logistic", multi_class=scheme).fit(X, np.arange(40) % 3)
        found = run_c(tmp_path, source_of(model), read_plan(model), X.tolist())
        assert [label for label, _ in found] == model.predict(X).tolist()
        numbers = np.array([numbers for _, numbers in found])
        np.testing.assert_array_equal(numbers[:, :3], model.decision_function(X))
        np.testing.assert_allclose(numbers[:, 3:], model.predict_proba(X))


@pytest.mark.parametrize("tie", [-1.0, 0.0, 1.0])
def test_a_score_of_zero(tmp_path, tie):
    model = Perceptron(tie=tie).fit([[0.0], [0.0]], [0, 1])
    model.coef_, model.intercept_ = [[0.0]], [0.0]
    ((label, _),) = run_c(tmp_path, source_of(model), read_plan(model), [[5.0]])
    assert label == model.predict([[5.0]])[0]


NUMBERS = "a,b,y\n1,2,no\n-3,0.5,yes\n2,2,no\n"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_no_row_has(call, tmp_path, number):
    done = of_text(call, tmp_path, NUMBERS)
    plan = read_plan(done.model)
    rows = [{"a": 1.0, "b": number}, {"a": 1e308, "b": -1e308}, done.rows[0]]
    (bad, _), (large, _), (good, scores) = run_c(tmp_path, source_of(done.model), plan, rows)
    assert (bad, plan.classes[good]) == (-1, done.labels[0])
    assert large >= 0
    assert scores[0] == done.scores[0]
    assert scores[1:] == pytest.approx([*done.probabilities[0].values()], rel=1e-12)


@pytest.mark.parametrize("options", [(), ("--impute", "indicator")], ids=["dense", "sparse"])
def test_a_product_that_overflows_is_no_row(call, tmp_path, options):
    done = of_text(call, tmp_path, NUMBERS, "--interactions", "a*b", *options)
    plan = read_plan(done.model)
    rows = [{"a": 1e200, "b": -1e200}, done.rows[0]]
    (bad, _), (good, _) = run_c(tmp_path, source_of(done.model), plan, rows)
    assert (bad, plan.classes[good]) == (-1, done.labels[0])


BAD_UTF8 = (
    b"a\xff", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xf8aaaa",
    b"\xc1\xbf", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xe2\x82 ",
)  # fmt: skip


def test_texts_that_no_row_has(call, tmp_path):
    done = messages(call, tmp_path, "--text", "word:1", step=50)
    plan, source = read_plan(done.model), source_of(done.model)
    rows = [{"text": text} for text in (*BAD_UTF8, "ﷺ" * 6, "a" * 101, "a" * 100, None, "")]
    found = run_c(tmp_path, source, plan, rows, *SANITIZED, "-DMODEL_MAX_LETTERS=100")
    labels = [label for label, _ in found]
    assert labels[: len(BAD_UTF8)] == [-2] * len(BAD_UTF8)
    assert labels[len(BAD_UTF8) : -3] == [-3, -3]  # each of the six has eighteen letters
    assert min(labels[-3:]) >= 0
    assert found[-1] == found[-2]  # a missing text is an empty one


@pytest.mark.parametrize(
    "specs", [("word:1-3",), ("char:1-9",), ("char_wb:1-9",), ("char_wb:5-9",)]
)
def test_a_text_of_as_many_letters_as_there_is_room_for(call, tmp_path, specs):
    options = [part for spec in specs for part in ("--text", spec)]
    done = messages(call, tmp_path, *options, step=100)
    plan, source = read_plan(done.model), source_of(done.model)
    texts = ["ab " * 33 + "a", "a " * 50, "a" * 100, "ab cd" * 20, " a" * 50, "ß" * 100, "ab " * 33]
    found = run_c(
        tmp_path, source, plan, [{"text": t} for t in texts], *SANITIZED, "-DMODEL_MAX_LETTERS=100"
    )
    assert min(label for label, _ in found) >= 0


def test_a_text_is_cut_where_the_library_cuts_it(call, tmp_path):
    done = messages(call, tmp_path, "--text", "char:1-2", step=50)
    plan, source = read_plan(done.model), source_of(done.model)
    start = "call now " * 60_000  # 540,000 letters
    found = run_c(tmp_path, source, plan, [{"text": start[:524288]}, {"text": start + "ÿþ"}], "-O2")
    assert found[0] == found[1]


def test_a_value_with_nul_is_no_shorter_value(tmp_path):
    model = Perceptron(fit_intercept=False).fit(np.eye(3), [0, 1, 1])
    notes = {"format": "csv", "schema": {"c": "category"}}
    plan = plan_of(model, notes, ["c=a\0b", "c=b", "c=a"])
    ((_, scores),) = run_c(tmp_path, write(plan, ExportOptions()), plan, [{"c": "a"}], *SANITIZED)
    assert scores == [plan.weights[0, 2]]
    assert plan.weights[0, 2] != plan.weights[0, 0]


def test_nothing_is_allocated_and_only_the_interface_is_visible(call, tmp_path):
    for done in (
        table(call, tmp_path, "soybean"),
        messages(call, tmp_path, "--text", "char_wb:2-3", step=50),
        hashed_pairs(call, tmp_path),
    ):
        (tmp_path / "m.c").write_bytes(source_of(done.model))
        run = [program("cc"), *WARNINGS, "-c", "m.c"]
        subprocess.run(run, cwd=tmp_path, check=True)
        listed = subprocess.run(
            ["nm", "m.o"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        symbols = [line.split()[-2:] for line in listed.stdout.splitlines()]
        visible = {name for kind, name in symbols if kind.isupper() and kind != "U"}
        needed = {name for kind, name in symbols if kind == "U"}
        assert visible <= {"model_predict", "model_classes", "model_probabilities"}
        allowed = {"strlen", "memcmp", "memcpy", "exp", "log1p", "__stack_chk_fail"}
        assert needed <= {*allowed, "_GLOBAL_OFFSET_TABLE_"}


def test_the_example_of_the_header_compiles(call, tmp_path):
    """Two threads' scratches, and declarations in another file."""
    done = messages(call, tmp_path, "--text", "word:1", step=50)
    (tmp_path / "model.c").write_bytes(source_of(done.model))
    (tmp_path / "main.c").write_text(
        "#include <stdio.h>\n#define MODEL_DECLARATIONS\n"
        '#include "model.c"\nstatic struct model_scratch scratch;\nint main(void) {\n'
        '  const struct model_row row = {.text = "Hello you"};\n  double scores[MODEL_SCORES];\n'
        "  const int label = model_predict(&row, &scratch, scores);\n"
        "  return label < 0 ? 1 : puts(model_classes[label]) < 0;\n}\n"
    )
    run = [program("cc"), *WARNINGS, "-o", "main", "main.c", "model.c", "-lm"]
    subprocess.run(run, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert done.stdout == "ham\n"


def test_a_row_of_very_many_columns_is_refused():
    names = [f"c{k}" for k in range(65_537)]
    model = Perceptron().fit(np.eye(2, len(names)), [0, 1])
    with pytest.raises(CannotExport, match="65,537 columns"):
        write(plan_of(model, {}, names), ExportOptions())


def test_products_that_may_be_very_many_are_refused():
    model = Perceptron().fit(np.eye(2, 4), [0, 1])
    schema = {f"a.{k}": "number" for k in range(200)}
    notes = {"format": "csv", "bits": 2, "schema": schema, "interactions": ["a*a*a"]}
    with pytest.raises(CannotExport, match="8,000,000 products"):
        write(plan_of(model, notes, None), ExportOptions())


def test_the_programs_of_the_page_run(call, tmp_path):
    """The examples in C and JavaScript of docs/howto/javascript-and-c.md."""
    assert call("sample", "flowers", "-o", tmp_path / "flowers.csv")[0] == 0
    model = tmp_path / "flowers.rosenblatt"
    options = ("--rule", "logistic", "--scale", "-q")
    assert call("train", tmp_path / "flowers.csv", "-m", model, *options)[0] == 0
    blocks = dict(
        re.findall(r"^```(c|javascript)\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    )
    export(model, tmp_path / "flowers.c")
    export(model, tmp_path / "flowers.mjs", to="js")
    (tmp_path / "main.c").write_text(blocks["c"])
    (tmp_path / "main.mjs").write_text(blocks["javascript"] + "console.log(label);")
    build = [program("cc"), *WARNINGS, "main.c", "flowers.c", "-o", "main", "-lm"]
    subprocess.run(build, cwd=tmp_path, check=True)
    for run in ([tmp_path / "main"], [program("node"), "main.mjs"]):
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout == "setosa\n"


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], [0, 1]), "objects of any keys"),
        (Perceptron().fit([[0.0], [1.0]], ["a\0b", "c"]), "ends at the NUL in its label"),
        (Perceptron().fit([[0.0], [1.0]], ["a", "é" * 3000]), "at most 4,095"),
    ],
)
def test_what_c_does_not_express_is_refused(model, reason):
    with pytest.raises(CannotExport, match=reason):
        source_of(model)


def test_hostile_texts_stand_in_literals_and_comments_in_ascii(call, tmp_path):
    source = source_of(hostile(call, tmp_path).model).decode()
    model = source.partition("/* --- ")[0]
    assert model.isascii()
    without = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    assert "DROP" in without  # in the literal of a label
    without = re.sub(r'"[^"\n]*"', "", without)
    assert "DROP" not in without
    assert "??" not in source
