"""From a raw file to a judged model by one command: what a practitioner reads on the screen."""

import json
import lzma
import re
import tarfile
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from adult_table import adult_columns
from electricity import electricity_lines
from real_data import real_data


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def percent(name, screen):
    """The first percentage behind a name."""
    return float(re.search(rf"^ *{name} +([0-9.]+) %", screen, re.M)[1])


def fact(name, screen):
    """What the summary says behind a name."""
    return re.search(rf"^{name}  +(.*?) *$", screen, re.M)[1]


def class_line(name, screen):
    """The cells of a class in the table of the classes."""
    classes = screen[screen.index("Classes\n") :]
    return re.split(r"  +", re.search(rf"^ *({re.escape(name)}  .*?) *$", classes, re.M)[1])


# --- a table without a header, with "?" cells, a blank after each comma, columns of any scale -----


@pytest.fixture
def adult():
    columns = [np.char.mod("%d", column) if column.dtype.kind == "f" else column
               for column in adult_columns(4000).values()]  # fmt: skip
    rows = [", ".join(row) for row in zip(*columns, strict=True)]
    rows[7] = "?" + rows[7][rows[7].index(",") :]  # an age is missing, too
    Path("adult.data").write_text("\n".join(rows) + "\n\n")


def test_adult_in_one_command(adult, call):
    options = ["--no-header", "--impute", "mean", "--scale", "--average", "--holdout", "0.25"]
    options += ["--epochs", "5"]
    status, out, screen = call("train", "adult.data", "-m", "adult.rosenblatt", *options)
    assert (status, out) == (0, "")
    assert "columns: 6 numbers, 4 categories (c7, c8, c9, c10)" in screen
    assert "? read as the mean of the column so far" in screen
    assert percent("held-out error", screen) < 0.8 * percent("baseline error", screen)
    assert fact("classes", screen) == "2: <=50K, >50K"
    (note,) = re.findall("note: (.*)", screen)
    assert re.search(r"missing cells: c[79] [0-9]+, c[79] [0-9]+, c1 1 [(]", note)


# --- a rare class in svmlight text, sorted by label ----------------------------------------------


@pytest.fixture
def rare():
    random = np.random.default_rng(0)
    y = np.sort(random.random(4000) < 0.03)
    X = random.standard_normal((4000, 5)) + 1.2 * y[:, None]
    rows = [
        f"{1 if label else -1} " + " ".join(f"{j}:{v:.3f}" for j, v in enumerate(row, 1))
        for label, row in zip(y, X, strict=True)
    ]
    Path("frauds.svm").write_text("\n".join(rows) + "\n")


def test_sorted_rows_have_a_warning_for_a_headline(rare, call):
    screen = call("train", "frauds.svm", "-m", "m")[2]
    headline = screen[screen.index("progressive error") :].splitlines()
    assert fact("progressive error", screen) == "meaningless: the rows are sorted by label"
    assert "--shuffle puts them in random order" in headline[1]


def test_a_rare_class_in_one_command(rare, call):
    options = ["--shuffle", "--average", "--class-weight", "balanced", "--holdout", "0.3"]
    status, _, screen = call("train", "frauds.svm", "-m", "m", *options)
    assert status == 0
    assert "sorted by label" not in screen
    assert screen.index("held-out error") < screen.index("baseline error")
    label, rows, _, _, recall, f1 = class_line("1", screen)[:6]
    assert (label, int(rows) > 20) == ("1", True)
    assert float(recall.removesuffix(" %")) > 70
    assert float(f1.removesuffix(" %")) > 20


# --- semicolons, decimal commas, missing cells ---------------------------------------------------


def test_a_table_of_a_german_spreadsheet_in_one_command(call):
    call("sample", "wines")
    options = ["--decimal", ",", "--impute", "mean", "--scale", "--average", "--epochs", "20"]
    status, _, screen = call("train", "wines.csv", "-m", "m", *options, "--holdout", "0.3")
    assert status == 0
    assert percent("held-out error", screen) < 15 < percent("baseline error", screen)
    assert fact("labels", screen) == "column 'cultivar'"


def test_the_errors_lead_to_that_command(call):
    call("sample", "wines")
    status, _, screen = call("train", "wines.csv", "-m", "m")
    assert (status, "--separator ';'" in screen) == (3, True)
    status, _, screen = call("train", "wines.csv", "-m", "m", "--separator", ";")
    assert (status, "--decimal ','" in screen) == (3, True)
    status, _, screen = call("train", "wines.csv", "-m", "m", "--decimal", ",")
    assert (status, "--impute mean" in screen) == (3, True)
    assert call("train", "wines.csv", "-m", "m", "--decimal", ",", "--impute", "mean")[0] == 0


# --- drift ---------------------------------------------------------------------------------------


def test_drift_in_one_command(call):
    changes = (3000, 6000)
    Path("elec.csv").write_text("\n".join(electricity_lines(9000, changes)) + "\n")
    status, out, screen = call("validate", "elec.csv", "--window", "500", "--rule", "perceptron")
    assert status == 0
    shown = out + screen
    alarms = re.findall(r"drift: error ([0-9.]+) % since example ([0-9,]+), ([0-9.]+) % b", shown)
    assert len(alarms) == len(changes)
    for (error, since, before), change in zip(alarms, changes, strict=True):
        assert change - 50 < int(since.replace(",", "")) < change + 200
        assert float(error) > 2 * float(before)
    assert percent("progressive error", shown) < percent("baseline error", shown)
    followed = "".join(call("validate", "elec.csv", "-q")[1:])  # by the default
    assert percent("progressive error", followed) < 0.6 * percent("progressive error", shown)


# --- mail ----------------------------------------------------------------------------------------


def test_short_messages_as_their_authors_ship_them(call):
    raw = real_data("sms_spam", "SMSSpamCollection.xz")
    Path("SMSSpamCollection").write_bytes(lzma.decompress(raw.read_bytes()))
    options = ["--names", "label,text", "--average", "--holdout", "0.2"]
    status, _, screen = call("train", "SMSSpamCollection", "-m", "sms.rosenblatt", *options)
    assert status == 0
    assert "columns: 1 text (text)" in screen
    assert "quotes are read as any other character" in screen
    assert percent("held-out error", screen) < 3
    Path("new").write_text(
        '"Win" a prize now, call to claim your free cash\n"See you" at noon, ok\n'
    )
    status, out, _ = call("predict", "sms.rosenblatt", "new")
    assert (status, out) == (0, "spam\nham\n")


def test_folders_of_raw_mail(call):
    """Every fourth mail of SpamAssassin's corpus, headers and all."""
    with tarfile.open(real_data("spamassassin", "spamassassin_public_corpus.tar.xz")) as archive:
        files = (member for member in archive if member.isfile())
        for member in islice(files, 0, None, 4):
            folder, _, name = member.name.partition("/")
            label = "spam" if folder.startswith("spam") else "ham"
            path = Path("mail", label, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.extractfile(member).read())
    options = ["--average", "--holdout", "0.2"]
    status, _, screen = call("train", "mail", "-m", "spam.rosenblatt", *options)
    assert status == 0
    assert percent("held-out error", screen) < 5
    status, out, _ = call("predict", "spam.rosenblatt", "mail/spam")
    labels = [line.split()[-1] for line in out.splitlines()]
    assert labels.count("spam") > 0.9 * len(labels)


# --- the same judgement for programs -------------------------------------------------------------


def test_a_judged_model_as_json(rare, call):
    options = ["--shuffle", "--average", "--class-weight", "balanced", "--holdout", "0.3"]
    record = json.loads(call("train", "frauds.svm", "-m", "m", *options, "-q", "--json")[1])
    assert record["model_error_rows"] == "held-out rows"
    assert record["sorted_by_label"] is False
    assert record["holdout"]["examples"] == pytest.approx(1200, abs=100)
