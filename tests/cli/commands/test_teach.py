"""``rosenblatt teach``: the page in a file, and served to the browser."""

import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest
from command import spawn

from rosenblatt.teach import html, lesson_of_points

POINTS = "a,b,kind\n1,2,yes\n2,1,no\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("points.csv").write_text(POINTS)


def test_the_page_is_exported_with_the_points(call):
    status, out, err = call("teach", "points.csv", "--export", "lesson.html")
    assert (status, out) == (0, "")
    assert err.startswith("written  lesson.html (")
    names = {"axes": ["a", "b"], "classes": ["no", "yes"]}
    lesson = lesson_of_points([[1, 2], [2, 1]], [1, -1], "points.csv", **names)
    assert Path("lesson.html").read_text("utf-8") == html(lesson)


def test_a_file_that_exists_is_replaced_by_force_only(call):
    Path("lesson.html").write_text("mine")
    status, _, err = call("teach", "--export", "lesson.html")
    assert (status, Path("lesson.html").read_text()) == (1, "mine")
    assert err == (
        "error: lesson.html: exists: give --export another file, or --force to replace it.\n"
    )
    assert call("teach", "--export", "lesson.html", "--force")[0] == 0
    assert Path("lesson.html").read_text("utf-8") == html()
    assert call("teach", "--force")[0] == 2


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "a,b,c,kind\n1,2,3,yes\n2,1,3,no\n",
            "one of labels; got 3 columns beside the labels. Leave some out: --schema",
        ),
        (
            "name,a,b,kind\nAda,1,2,yes\nBob,2,1,no\nCy,2,2,no\n",
            "and one of labels; column 'name' is text with 3 values: --schema name:skip.\n",
        ),
        (
            "name,town,a,kind\nAda,Rome,1,yes\nBob,Oslo,2,no\n",
            "labels; columns 'name' and 'town' are text: --schema name:skip,town:skip.\n",
        ),
        ("a,b,kind\n1,2,x\n2,1,y\n2,2,z\n", "the page shows two classes, got 3 labels"),
    ],
)
def test_points_that_cannot_be_shown_are_bad_data(call, text, fault):
    Path("other.csv").write_text(text)
    status, out, err = call("teach", "other.csv", "--export", "lesson.html")
    assert (status, out) == (3, "")
    assert fault in err
    assert not Path("lesson.html").exists()


def test_a_page_is_no_table_of_points(call):
    assert call("teach", "--export", "lesson.html")[0] == 0
    status, out, err = call("teach", "lesson.html")
    assert (status, out) == (3, "")
    assert err == (
        "error: lesson.html: is a page, not a table of points: open it in the browser.\n"
    )


def test_the_page_is_served_until_it_is_interrupted():
    process = spawn(
        "teach", "points.csv", "--no-browser", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    address = process.stdout.readline().strip()
    with urllib.request.urlopen(address) as answer:
        assert b"points.csv" in answer.read()
    taken = spawn("teach", "--port", address.split(":")[2].strip("/"), stderr=subprocess.PIPE)
    assert "cannot be used: Address already in use." in taken.communicate()[1]
    assert taken.returncode == 1
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130


def test_a_number_of_more_digits_than_the_page_takes_is_refused(tmp_path, call):
    path = tmp_path / "long.csv"
    path.write_text("a,b,label\n0.1,0.2,n\n0.3,0.4,n\n0.2,0.30000000000000001,y\n")
    status, _, err = call("teach", str(path), "--export", str(tmp_path / "page.html"))
    assert status != 0
    assert "line 4 has a number of more digits" in " ".join(err.split())
    path.write_text("a,b,label\n0.1,0.2,n\n0.2,0.30000000000000004,y\n")
    assert call("teach", str(path), "--export", str(tmp_path / "page.html"))[0] == 0
