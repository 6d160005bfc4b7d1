"""Control characters of names and labels: escaped on the screen, in messages and in the report."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from rosenblatt.cli.display import terminal

RED, BACK, BREAK, MARKUP = "\x1b[31mred", "right\u202etfel", "two\nlines", "[/bold] [red]"
CLASSES = [RED, BACK, BREAK, MARKUP]
COLUMNS = ["<script>alert(1)</script>", "a\u2066b", "\x1b]0;title\x07", "[/x]", "kind"]
UNSAFE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def table(classes):
    """A table whose header, cells and labels have control characters and markup."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for i in range(24):
        k = i % len(classes)
        writer.writerow([k + 1, -i % 7, f"\x1b[2Jcell{k}", "ab"[i % 2], classes[k]])
    return file.getvalue()


@pytest.fixture
def hostile(folder):
    """Two hostile tables, of two and of four classes, in a file with such a name."""
    for name, classes in (("two", CLASSES[:2]), ("four", CLASSES)):
        Path(f"{name}\x1b[1m.csv").write_text(table(classes))


@pytest.mark.parametrize("name", ["two\x1b[1m", "four\x1b[1m"])
@pytest.mark.parametrize(
    "command",
    [
        ["train", "{}.csv", "--report", "page.html", "--epochs", "3", "--certify"],
        ["validate", "{}.csv", "--positive", "\x1b[5mblink"],
        ["evaluate", "model", "{}.csv"],
        ["evaluate", "model", "unknown.csv"],
        ["inspect", "model"],
        ["diff", "model", "other"],
        ["certify", "{}.csv", "--proof", "proof.json"],
        ["predict", "model", "missing\x1b[1m.csv"],
        ["predict", "model", "four.svm"],
        ["train", "{}.csv", "--target", "no\x1bsuch"],
        ["train", "{}.csv", "--target", BACK],
    ],
    ids=lambda command: " ".join(command).encode("unicode_escape").decode(),
)
def test_no_control_character_reaches_the_terminal(hostile, call, name, command):
    model = ["--target", "kind", "-m"]
    assert call("train", f"{name}.csv", *model, "model", "-q")[0] == 0
    assert call("train", f"{name}.csv", *model, "other", "-q", "--rule", "pa1")[0] == 0
    Path("unknown.csv").write_text(table(["x\x1b[1my"]))
    arguments = [word.format(name) for word in command]
    if command[0] == "train":
        arguments += ["-m", "new"]
    if command[0] in ("train", "validate", "certify", "evaluate") and "--target" not in command:
        arguments += ["--target", "kind"]
    _, out, err = call(*arguments)
    assert out + err
    assert UNSAFE.findall(out + err) == []
    if Path("page.html").exists():
        page = Path("page.html").read_text()
        assert UNSAFE.findall(page) == []
        assert "<script" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_names_are_shown_escaped(hostile, call):
    call("train", "two\x1b[1m.csv", "--target", "kind", "-m", "model", "-q")
    _, out, _ = call("inspect", "model")
    assert r"\x1b[31mred" in out
    assert r"\x1b]0;title\x07" in out


def test_predicted_labels_stay_on_their_lines(hostile, call):
    """The label is as in the data, but for the characters that end a line or a field."""
    call("train", "four\x1b[1m.csv", "--target", "kind", "-m", "model", "-q", "--epochs", 9)
    _, out, _ = call("predict", "model", "four\x1b[1m.csv", "-q")
    lines = out.removesuffix("\n").split("\n")
    assert len(lines) == 24
    assert set(lines) == {RED, BACK, r"two\nlines", MARKUP}
    _, out, _ = call("predict", "model", "four\x1b[1m.csv", "-q", "--json")
    assert {json.loads(line)["prediction"] for line in out.split("\n")[:-1]} == set(CLASSES)


def test_messages_show_no_signature_of_a_url(capsys):
    terminal.note("https://ann:pass@example.org/a.svm?signature=5ecret: the rows are sorted.")
    assert capsys.readouterr().err == (
        "note: https://…@example.org/a.svm?…: the rows are sorted.\n"
    )
