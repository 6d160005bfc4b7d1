"""``train --report``: a self-contained page with the numbers of the model."""

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import browser as machine
import layout
import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import confusion_matrix

import rosenblatt
from rosenblatt import theory
from rosenblatt.cli.inputs import models

EVIL = "<script>alert('1')</script>"
TABLE = f'"{EVIL}","b""x",kind\n1,2,"{EVIL}"\n-1,0.5,a&b\n3,1,"{EVIL}"\n-2,0,a&b\n'
VOID = {"meta"}


class Page(HTMLParser):
    """Parser of a page: checks that tags are closed, collects text, requests and scripts."""

    def __init__(self, path):
        super().__init__()
        self.open, self.tags, self.texts, self.odd = [], [], [], []
        self.feed(Path(path).read_text("utf-8"))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        names = {name for name, _ in attrs}
        if tag in (
            "script",
            "link",
            "img",
            "iframe",
            "object",
            "base",
            "form",
            "a",
            "image",
            "use",
        ):
            self.odd.append(tag)
        self.odd += [
            n for n in names if n.startswith("on") or n in ("src", "href", "srcset", "data")
        ]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["style"]:
            self.odd += re.findall(r"@import|url\(", data)
        else:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(self.texts)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("evil.csv").write_text(TABLE)
    return tmp_path


# --- the page -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ("sklearn:breast_cancer", "--rule", "pa1", "--epochs", "3", "--certify"),
        ("sklearn:digits", "--average"),
        ("sklearn:iris", "--kernel", "rbf", "--average", "--certify"),
        ("sklearn:iris", "--vote"),
        ("evil.csv", "--rule", "perceptron", "--certify"),
    ],
)
def test_the_pageis_self_contained(folder, call, options):
    status, out, err = call("train", *options, "-m", "m", "--report", "r.html", "-q")
    assert (status, out) == (0, "")
    assert err.startswith("certificate ") if "--certify" in options else err == ""
    page = Page("r.html")
    assert page.odd == []
    assert page.tags.count("svg") == 2
    assert "default-src 'none'" in Path("r.html").read_text("utf-8")
    for title in (
        "The run",
        "Progressive error",
        "Confusion matrix",
        "Margins",
        "Mistake bounds",
    ):
        assert title in page.text
    assert (
        "Heaviest support rows" if "--kernel" in options else "Features of the largest"
    ) in page.text


def test_names_and_labels_are_escaped(folder, call):
    call("train", "evil.csv", "-m", "m", "--report", "r.html", "-q")
    page = Page("r.html")
    assert "script" not in page.tags
    assert page.texts.count(EVIL) >= 3  # a feature, a row and a column of the confusion
    assert "a&b" in page.texts
    assert 'b"x' in page.texts


def test_the_confusion_matrix_is_that_of_the_model(folder, call):
    call("train", "sklearn:digits", "-m", "m", "--report", "r.html", "-q")
    X, y = load_digits(return_X_y=True)
    expected = confusion_matrix(y, models.open_model("m").model.predict(X))
    html = Path("r.html").read_text("utf-8")
    body = html[html.index('class="confusion"') :]
    cells = re.findall(r'<td class="(right|wrong|none)">([\d,·]+)</td>', body)
    numbers = [0 if text == "·" else int(text.replace(",", "")) for _, text in cells]
    assert numbers == expected.ravel().tolist()
    kinds = [kind for kind, _ in cells]
    assert kinds.count("right") == 10
    assert kinds.count("wrong") == np.count_nonzero(expected) - 10
    wrong = expected.sum() - np.trace(expected)
    assert f"{wrong:,} of 1,797 rows." in html
    assert "Error on the training data" in html


def test_claims_and_unmet_assumptions(folder, call):
    report = ["train", "evil.csv", "-m", "m", "--report", "r.html", "-q"]
    call(*report, "--rule", "perceptron", "--certify", "--epochs", "9")
    model, text = rosenblatt.load("m"), Page("r.html").text
    assert text.count("✓ holds") == 4
    assert "✗" not in text
    R = theory.radius([[1, 2], [-1, 0.5], [3, 1], [-2, 0]])
    reach = np.sqrt(model.mistakes_) * np.hypot(R, 1.0)
    assert f"≤ {reach:.4g} with k = {model.mistakes_} mistake" in text
    length = np.hypot(np.linalg.norm(model.coef_), model.intercept_[0])
    assert f"{theory.running_bound(length, model.mistakes_):.4g}, for the examples" in text
    call(*report, "--rule", "pa1", "--certify")
    text = Page("r.html").text
    assert "✓" not in text
    assert "the rule pa1 does not update on mistakes only" in text
    call(*report, "--rule", "perceptron")
    assert "needs a margin γ: use --certify" in Page("r.html").text


def test_features_are_ranked_by_effects_as_inspect_ranks_them(folder, call):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=60) * 1000.0, rng.normal(size=60) * 0.001])
    y = np.where(X[:, 0] / 1000.0 + 0.2 * X[:, 1] / 0.001 > 0, "up", "down")
    lines = [f"{a:.6g},{b:.6g},{label}" for (a, b), label in zip(X, y, strict=True)]
    Path("units.csv").write_text("\n".join(["large,small,kind", *lines]) + "\n")
    call("train", "units.csv", "-m", "m", "--scale", "--report", "r.html", "-q")
    page = Page("r.html")
    assert "Features of the largest effects" in page.text
    assert "Features of the largest weights" not in page.text
    assert "effect = weight × standard deviation of the column" in page.text
    assert page.texts.index("large") < page.texts.index("small")  # by weight, small comes first
    ((name, effect, weight), *_) = json.loads(call("inspect", "m", "--json")[1])["effects"]["up"][
        "positive"
    ]
    assert name == "large"
    assert abs(weight) < 0.1 < abs(effect)
    assert f"{effect:+.4g}" in page.text
    assert "in the units of the scaled columns" in page.text


def test_rows_with_running_means_have_no_claims(folder, call):
    Path("gaps.csv").write_text("x,kind\n1,a\n,a\n2,a\n6,b\n9,b\n")
    args = ("--rule", "perceptron", "--impute", "mean", "--certify", "--report", "r.html", "-q")
    assert call("train", "gaps.csv", "-m", "m", *args)[0] == 0
    text = Page("r.html").text
    assert "missing cells were learned as the means so far" in text
    assert "✓" not in text


def test_weighted_examples_have_no_claims(folder, call):
    Path("w.vw").write_text("1 2.5 | a b\n-1 | c\n1 | a\n")
    call("train", "w.vw", "-m", "m", "--rule", "perceptron", "--report", "r.html", "-q")
    assert "the examples have weights" in Page("r.html").text


def test_many_classes_have_a_list_of_errors(folder, call):
    Path("many.svm").write_text("".join(f"{k} {k + 1}:1\n{k} {k // 2 + 1}:3\n" for k in range(25)))
    call("train", "many.svm", "-m", "m", "--report", "r.html", "-q")
    text = Page("r.html").text
    assert "predicted as" in text
    assert "5 classes more: rosenblatt inspect" in text


def test_a_pipe_is_not_read_twice(folder, call):
    status, _, _ = call(
        *("train", "-", "-m", "m", "--rule", "perceptron", "--report", "r.html", "-q"),
        stdin="1 1:1\n-1 1:-1\n1 1:2\n",
    )
    assert status == 0
    page = Page("r.html")
    assert "DATA can be read only once" in page.text
    assert "the training data was not read again" in page.text
    assert page.tags.count("svg") == 1


# --- output path ----------------------------------------------------------------------------------


def test_other_files_are_not_overwritten(folder, call):
    args = ("train", "evil.csv", "-m", "m", "--report")
    Path("mine.html").write_text("<p>mine</p>")
    status, _, err = call(*args, "mine.html")
    assert status == 1
    assert "is no report, so it is not overwritten" in err
    assert not Path("m").exists()
    assert Path("mine.html").read_text() == "<p>mine</p>"
    assert call(*args, "no/where.html")[0] == 1
    assert call(*args, "./m")[0] == 2
    assert call(*args, "r.html", "-q")[0] == 0
    assert call(*args, "r.html", "-q")[0] == 0  # a report of ours may be replaced


def test_screen_and_json_name_the_report(folder, call):
    _, out, err = call("train", "evil.csv", "-m", "m", "--report", "r.html", "--json")
    assert '"report": "r.html"' in out
    assert re.search("report +r.html", err)


# --- in a browser ---------------------------------------------------------------------------------


def test_a_browser_reports_no_errors(folder, call):
    browser = layout.chromium() or machine.requirement("the machine has no Chromium")
    call("train", "evil.csv", "-m", "m", "--report", "r.html", "-q")
    text = Path("r.html").read_text("utf-8")
    Path("bad.html").write_text(text.replace("<main>", '<main><img src="http://localhost:9/x">'))
    Path("both.html").write_text('<iframe src="r.html"></iframe><iframe src="bad.html"></iframe>')
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom")
    command = [browser, *flags, Path("both.html").resolve().as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert (
        len(complaints) == 1
    )  # what a page asks for would be seen, and its policy lets nothing out
    assert "bad.html" in complaints[0]
    assert "Content Security Policy" in complaints[0]


def test_the_options_of_the_run_are_shown_instead_of_those_of_fit(folder, call):
    options = ["--shuffle", "--epochs", "20", "--report", "r.html"]
    call("train", "sklearn:wine", "-m", "m", "-q", *options)
    text = Path("r.html").read_text("utf-8").split("Options of the run")[1]
    lines = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", line) for line in text.split("<tr")[2:]]
    rows = {name: (value, mark) for name, value, mark in lines}
    assert rows["--epochs"] == ("20", "")
    assert rows["--shuffle"] == ("True", "")
    assert rows["--seed"] == ("0", "default")
    assert rows["eta0"] == ("1.0", "default")
    assert not {"shuffle", "max_iter", "random_state"} & set(rows)
