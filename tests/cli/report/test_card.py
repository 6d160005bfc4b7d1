"""The model card: what the file says, in Markdown that shows names as they are."""

import json
import re
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.models import describe


@pytest.fixture
def card(call):
    def of(model):
        status, out, err = call("inspect", model, "--card")
        assert (status, err) == (0, "")
        return out

    return of


def facts(text):
    """Return the rows of two cells of all tables."""
    return dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE))


def test_a_card_has_the_errors_that_training_printed(card, call, folder):
    assert call("sample", "mail", "-o", "mail.tsv")[0] == 0
    out = call("train", "mail.tsv", "-m", "m", "--holdout", "0.3", "--json")[1]
    result, text = json.loads(out), card("m")
    found, about = facts(text), describe("m")
    held_out = result["holdout"]
    assert f"{held_out['errors']} of {held_out['examples']} rows" in found["on held-out rows"]
    assert f"{100 * result['progressive_error']:.1f} %" in found["while learning"]
    assert f"{100 * result['progressive_interval'][1]:.1f} %" in found["while learning"]
    assert found["baseline"].startswith(f"{100 * result['baseline_error']:.1f} %: always ham")
    assert found["SHA-256 of the weights"] == f"`{about['sha256']}`"
    assert rosenblatt.__version__ in found["written"]
    assert "| text | text | words, hashed |" in text


def test_several_epochs_have_the_error_of_the_first(card, call, folder):
    assert call("sample", "flowers", "-o", "flowers.csv")[0] == 0
    options = ["--epochs", "5", "--scale", "--holdout", "0.2", "--early-stop", "2", "--json"]
    result = json.loads(call("train", "flowers.csv", "-m", "m", *options)[1])
    found = facts(card("m"))
    assert f"{100 * result['progressive_error']:.1f} %" in found["while learning"]
    assert f"{result['holdout']['errors']} of" in found["on held-out rows"]
    assert found["epochs"].startswith("5 at most")


def test_names_and_labels_are_shown_as_they_are(card, call, folder):
    rows = ["a|b,[x](y)&lt;,lab", "1,2,<b>", "2,1,`c`\\", "1,3,<b>", "3,1,`c`\\"]
    Path("t.csv").write_text("\n".join(rows) + "\n")
    call("train", "t.csv", "-m", "m", "-q")
    text = card("m")
    assert "\\<b\\>" in text
    assert "| a\\|b | number | a number |" in text
    assert "\\[x\\](y)\\&lt;" in text
    assert "\\`c\\`\\\\" in text


def test_a_model_without_notes_has_a_card(card, folder):
    rosenblatt.save(Perceptron().fit([[0.0], [1.0]], [0, 1]), "m")
    assert "## Data" in card("m")
    assert "## Columns" not in card("m")


def test_a_model_that_went_on_has_the_error_of_its_last_run(card, call, folder):
    assert call("sample", "flowers", "-o", "flowers.csv")[0] == 0
    call("train", "flowers.csv", "-m", "m", "--epochs", "5", "--scale", "-q")
    result = json.loads(call("train", "flowers.csv", "--from", "m", "--json")[1])
    assert f"{100 * result['progressive_error']:.1f} %" in facts(card("m"))["while learning"]


def test_a_card_goes_with_no_other_output(call, folder):
    status, _, err = call("inspect", "m", "--card", "--json")
    assert status == 2
    assert "--json and --card exclude each other" in err
