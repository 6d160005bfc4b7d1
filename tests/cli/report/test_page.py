"""``train --report``: one page that needs no network, and whose numbers are those of the model."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics import confusion_matrix

import rosenblatt
from rosenblatt import theory
from rosenblatt.cli.inputs import models
from rosenblatt.cli.report.html import element, page, section, table
from rosenblatt.cli.report.second_pass import Histogram, review_training_data
from rosenblatt.cli.report.svg import ticks
from rosenblatt.streams.core.options import ReadOptions

EVIL = "<script>alert('1')</script>"
TABLE = f'"{EVIL}","b""x",kind\n1,2,"{EVIL}"\n-1,0.5,a&b\n3,1,"{EVIL}"\n-2,0,a&b\n'
VOID = {"meta"}


class Page(HTMLParser):
    """The tags of a page, all closed in order; its text; and what could fetch or run something."""

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


# --- the page ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ("sklearn:breast_cancer", "--epochs", "3", "--certify"),
        ("sklearn:digits", "--average"),
        ("sklearn:iris", "--kernel", "rbf", "--average", "--certify"),
        ("sklearn:iris", "--vote"),
        ("evil.csv", "--certify"),
    ],
)
def test_the_page_is_whole_and_asks_for_nothing(folder, call, options):
    status, out, err = call("train", *options, "-m", "m", "--report", "r.html", "-q")
    assert (status, out, err) == (0, "", "")
    told = Page("r.html")
    assert told.odd == []
    assert told.tags.count("svg") == 2
    assert "default-src 'none'" in Path("r.html").read_text("utf-8")
    for title in ("The run", "The first pass", "What is mistaken", "Margins", "Theory", "Heaviest"):
        assert title in told.text


def test_names_and_labels_are_text_whatever_they_are(folder, call):
    call("train", "evil.csv", "-m", "m", "--report", "r.html", "-q")
    told = Page("r.html")
    assert "script" not in told.tags
    assert told.texts.count(EVIL) >= 3  # a feature, a row and a column of the confusion
    assert "a&b" in told.texts
    assert 'b"x' in told.texts


def test_text_is_escaped_and_elements_are_not():
    assert element("p", "<b>", element("i", "&"), title='"<') == (
        '<p title="&quot;&lt;">&lt;b&gt;<i>&amp;</i></p>'
    )
    assert "<em>" not in page("<em>", section("<em>", table(["<em>"], [["<em>"]]), note="<em>"))


def test_the_confusion_is_that_of_the_model(folder, call):
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
    assert f"{wrong:,} of 1,797, are wrong" in html
    assert "On the data it learned from" in html


def test_the_claims_that_hold_and_those_that_are_not_made(folder, call):
    call("train", "evil.csv", "-m", "m", "--report", "r.html", "-q", "--certify", "--epochs", "9")
    model, text = rosenblatt.load("m"), Page("r.html").text
    assert text.count("✓ holds") == 4
    assert "✗" not in text
    R = theory.radius([[1, 2], [-1, 0.5], [3, 1], [-2, 0]])
    reach = np.sqrt(model.mistakes_) * np.hypot(R, 1.0)
    assert f"≤ {reach:.4g} with k = {model.mistakes_} mistake" in text
    length = np.hypot(np.linalg.norm(model.coef_), model.intercept_[0])
    assert f"{theory.running_bound(length, model.mistakes_):.4g}, of the examples" in text
    call("train", "evil.csv", "-m", "m", "--report", "r.html", "-q", "--rule", "pa1", "--certify")
    text = Page("r.html").text
    assert "✓" not in text
    assert "the rule is pa1" in text
    call("train", "evil.csv", "-m", "m", "--report", "r.html", "-q")
    assert "--certify tells whether" in Page("r.html").text


def test_weights_of_examples_unmake_the_claims(folder, call):
    Path("w.vw").write_text("1 2.5 | a b\n-1 | c\n1 | a\n")
    call("train", "w.vw", "-m", "m", "--report", "r.html", "-q")
    assert "the examples weigh differently" in Page("r.html").text


def test_many_classes_have_a_list_instead_of_a_square(folder, call):
    Path("many.svm").write_text("".join(f"{k} {k + 1}:1\n{k} {k // 2 + 1}:3\n" for k in range(25)))
    call("train", "many.svm", "-m", "m", "--report", "r.html", "-q")
    text = Page("r.html").text
    assert "taken for" in text
    assert "5 classes more: rosenblatt inspect" in text


def test_a_pipe_is_not_read_twice(folder, call):
    status, _, _ = call(
        "train", "-", "-m", "m", "--report", "r.html", "-q", stdin="1 1:1\n-1 1:-1\n1 1:2\n"
    )
    assert status == 0
    told = Page("r.html")
    assert "DATA passed only once" in told.text
    assert "the examples were not read again" in told.text
    assert told.tags.count("svg") == 1


# --- where it goes -------------------------------------------------------------------------------


def test_what_should_not_be_lost_is_not(folder, call):
    args = ("train", "evil.csv", "-m", "m", "--report")
    Path("mine.html").write_text("<p>mine</p>")
    status, _, err = call(*args, "mine.html")
    assert status == 1
    assert "is no report that could be replaced" in err
    assert not Path("m").exists()
    assert Path("mine.html").read_text() == "<p>mine</p>"
    assert call(*args, "no/where.html")[0] == 1
    assert call(*args, "./m")[0] == 2
    assert call(*args, "r.html", "-q")[0] == 0
    assert call(*args, "r.html", "-q")[0] == 0  # a report of ours may be replaced


def test_the_screen_and_json_tell_where_it_is(folder, call):
    _, out, err = call("train", "evil.csv", "-m", "m", "--report", "r.html", "--json")
    assert '"report": "r.html"' in out
    assert "report         r.html" in err


# --- margins -------------------------------------------------------------------------------------


def seen(data):
    return review_training_data("m", data, ReadOptions(), quiet=True)


def test_margins_are_those_of_the_theory(folder, call):
    call("train", "sklearn:breast_cancer", "-m", "m", "-q")
    X, labels = load_breast_cancer(return_X_y=True)
    model = models.open_model("m").model
    y = np.where(labels == 0, 1, -1)  # malignant is the second by name
    expected = theory.margins(X, y, model.coef_[0], model.intercept_[0])
    found = seen("sklearn:breast_cancer")
    assert found.margins.smallest == pytest.approx(expected.min())
    assert found.confusion.errors == np.count_nonzero(expected < 0.0)
    for low, high, count in found.margins.bins(50):
        assert count == np.count_nonzero((low <= expected) & (expected < high))


@pytest.mark.parametrize("options", [(), ("--average",)])
def test_margins_of_several_classes_by_a_kernel(folder, call, options):
    call("train", "sklearn:digits", "-m", "m", "-q", "--kernel", "linear", *options)
    X, y = load_digits(return_X_y=True)
    model = models.open_model("m").model
    scores = model.decision_function(X) / np.linalg.norm(model.dual_coef_ @ model.support_vectors_)
    right = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    expected = right - scores.max(axis=1)
    found = seen("sklearn:digits")
    assert found.margins.smallest == pytest.approx(expected.min(), rel=1e-6)
    below = sum(count for _, high, count in found.margins.bins(40) if high <= 0.0)
    assert below == pytest.approx(np.count_nonzero(expected < 0.0), abs=1)


def test_a_histogram_grows_and_loses_nothing(rng):
    histogram, all_ = Histogram(), []
    for scale in (1e-3, 1.0, 0.01, 1e4, 0.0):
        numbers = rng.normal(size=500) * scale
        histogram.add(numbers)
        all_.append(numbers)
    values = np.concatenate(all_)
    for most in (4, 60, 5000):
        bins = histogram.bins(most)
        assert len(bins) <= most
        assert [count for *_, count in bins] == [
            np.count_nonzero((low <= values) & (values < high)) for low, high, _ in bins
        ]
        assert sum(count for *_, count in bins) == len(values)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-7.3, 1e6), (2e-9, 3e-9), (-0.1, 0.0)])
def test_ticks_are_round_and_between(low, high):
    found = ticks(low, high)
    assert 2 <= len(found) <= 8
    assert all(low - 1e-12 <= value <= high for value in found)


# --- in a browser --------------------------------------------------------------------------------


def test_a_browser_has_nothing_to_complain_of(folder, call):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no browser here")
    call("train", "evil.csv", "-m", "m", "--report", "r.html", "-q")
    text = Path("r.html").read_text("utf-8")
    Path("bad.html").write_text(text.replace("<main>", '<main><img src="http://localhost:9/x">'))
    Path("both.html").write_text('<iframe src="r.html"></iframe><iframe src="bad.html"></iframe>')
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom")
    command = [browser, *flags, Path("both.html").resolve().as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    told = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert len(told) == 1  # what a page asks for would be seen, and its policy lets nothing out
    assert "bad.html" in told[0]
    assert "Content Security Policy" in told[0]
