"""Results at a prompt and in a notebook."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from rosenblatt import Perceptron, audit, certify, studies, textbook, toys
from rosenblatt.cycling import find_cycle
from rosenblatt.streams import open_stream
from rosenblatt.utils.shown import Text, join, to_html
from rosenblatt.utils.tables import Columns, text_table
from rosenblatt.validation import validate

TOY = toys.two_points()
RUN = textbook.augmented_perceptron(TOY.X, TOY.y)
XOR = toys.xor()
MODEL = Perceptron(expansion=True).fit(TOY.X, TOY.y)
FLOWERS = [0, 1, 2, 0, 1, 2]
PROOF = certify(TOY.X, TOY.y)
TABLES = {  # results, their number of rows as a table in HTML
    "trace": (RUN, 2),
    "claims": (audit(RUN), 3),
    "long claims": (audit(textbook.perceptron(XOR.X, XOR.y, max_epochs=50)), 12),
    "certificates": (certify(np.eye(6), FLOWERS), 3),
    "cycle": (find_cycle(XOR.X, XOR.y, fit_intercept=False), 2),
    "votes": (textbook.voted_perceptron(TOY.X, TOY.y), 2),
    "history": (MODEL.history_, len(MODEL.history_)),
    "growth": (studies.mistakes_by_margin((0.4, 0.1), repeats=2), 2),
    "orders": (studies.orders(TOY.X, TOY.y, orders=2), 11),
    "margins": (studies.margins(TOY.X, TOY.y), None),
    "validation": (validate(Perceptron(), open_stream("sklearn:iris")), 9),
    "explanation": (MODEL.explain(TOY.X[0]), None),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_result_is_a_table_in_a_notebook(name):
    result, rows = TABLES[name]
    page = result._repr_html_()
    assert "<table " in page
    assert rows is None or page.count("<tr>") == rows + 1
    assert "array(" not in repr(result)


@pytest.mark.parametrize("result", [RUN, RUN[0], TABLES["cycle"][0], TABLES["votes"][0]], ids=repr)
def test_a_result_of_many_parts_is_one_line_at_a_prompt(result):
    assert "\n" not in repr(result)
    assert repr(result).startswith(f"<{type(result).__name__}")


def test_an_explanation_is_read_at_a_prompt_as_it_is_printed():
    assert repr(RUN.explain()) == str(RUN.explain())
    assert repr(RUN.explain(0)).startswith("Step 0, row 1: x = ")
    said = repr(MODEL.explain(TOY.X[0]))
    assert said.startswith("Score ")
    assert "contribution" in said


def test_L0_2_a_step_says_its_score_and_its_verdict():
    assert repr(RUN[0]) == (
        "<Step of row 1: score 0, prediction +1, label −1, mistake; then w = (−1, −2, −1)>"
    )


def test_a_certificate_printed_is_the_report_of_the_command():
    lines = str(PROOF).splitlines()
    assert lines[0] == "Separable. A hyperplane separates the classes, with a margin of 0.7071."
    assert any(line.startswith("margin") for line in lines)
    assert any(line.startswith("logistic fit") for line in lines)
    rows = [line.split()[0] for line in lines[-2:]]
    assert rows == [str(row) for row in PROOF.rows]
    many = replace(PROOF, rows=np.arange(40), weights=tuple(range(1, 41)))
    assert str(many).endswith("… and 28 with smaller weights, in rows, weights")
    assert "the rest (negative)" in str(certify(np.eye(6), FLOWERS)[0])


def test_text_keeps_its_html_and_escapes_what_is_not():
    table = text_table(["name", "value"], [["<b>", 0.5]])
    both = join(["a < b", table])
    assert both == "a < b\nname  value\n<b>     0.5"
    assert "a &lt; b" in both._repr_html_()
    assert "&lt;b&gt;" in both._repr_html_()
    assert "<b>" not in both._repr_html_()
    again = pickle.loads(pickle.dumps(both))
    assert (again, to_html(again)) == (both, to_html(both))
    assert repr(Text("x")) == "x"


def test_a_column_and_a_row_of_a_table_are_arrays():
    table = np.array([(1, 0.25), (2, 0.5)], [("epoch", int), ("error", float)]).view(Columns)
    assert repr(table["error"]) == "array([0.25, 0.5 ])"
    assert table["error"]._repr_html_() is None
    assert repr(table[:1]).count("\n") == 1
    assert table[0].tolist() == (1, 0.25)
