"""The installed package, tried from an empty folder: ``make wheel`` runs it without the checkout.

``python -I smoke.py`` writes its files into the folder where it runs, and raises where something is
not as it must be.
"""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np

import rosenblatt
from rosenblatt import OnlinePerceptron, Perceptron, _core, certify, load, save, streams

HERE = Path(__file__).resolve().parent
X = np.array([[2.0, 1.0], [3.0, 0.5], [1.5, 2.0], [-1.0, -2.0], [-2.0, 0.5], [-0.5, -1.5]])
Y = np.array(["up", "up", "up", "down", "down", "down"])
ROWS = "".join(
    f"{sign} {first}:{1.5 * second} {second}:-0.25\n"
    for sign, first, second in [("+1", 1, 3), ("-1", 2, 4), ("+1", 1, 5), ("-1", 2, 6)] * 25
)
WORDS = "".join(
    f"{label} |text {words}\n"
    for label, words in [(1, "win a prize now"), (-1, "the minutes of our meeting")] * 20
)


def check_that_the_package_is_installed():
    """It comes from the environment of this Python, with its core."""
    for file in (rosenblatt.__file__, _core.__file__):
        home = Path(sys.prefix).resolve()
        assert Path(file).resolve().is_relative_to(home), f"{file} is not of {home}"
        assert HERE not in Path(file).parents
    assert _core.instruction_set in _core.instruction_sets
    assert metadata.version("rosenblatt") == rosenblatt.__version__
    if os.name == "posix":
        manual = Path(sys.prefix, "share", "man", "man1", "rosenblatt.1").read_text("utf-8")
        assert f"rosenblatt {rosenblatt.__version__}" in manual


def check_tables():
    """A model learns, predicts, and is the same after it was saved."""
    model = Perceptron(random_state=0).fit(X, Y)
    assert (model.predict(X) == Y).all()
    save(model, "table.rosenblatt")
    other = load("table.rosenblatt")
    assert other.coef_.tobytes() == model.coef_.tobytes()
    assert (other.predict(X) == Y).all()


def check_certificates():
    """Rows are proved to be separable, or not."""
    assert certify(X, Y).status == "separable"
    assert certify([[0.0], [1.0], [2.0]], [0, 1, 0]).status == "inseparable"


def check_streams():
    """Texts of two formats are read in batches, and learned."""
    Path("rows.svm").write_text(ROWS, encoding="utf-8")
    rows, labels = streams.open_stream("rows.svm").read()
    assert rows.shape == (100, 6)
    assert (Perceptron().fit(rows, labels).predict(rows) == labels).all()
    online = OnlinePerceptron()
    for words, label in [("win a prize", "spam"), ("our meeting", "ham")] * 3:
        online.learn_one(words, label)
    assert online.predict_one("a prize") == "spam"


def check_the_command():
    """It trains on a file, predicts, evaluates and proves, and writes the lecture page."""
    Path("words.vw").write_text(WORDS, encoding="utf-8")
    for text in ("rows.svm", "words.vw"):
        run("train", text, "-m", f"{text}.rosenblatt", "--quiet")
        labels = [line.split()[0] for line in Path(text).read_text(encoding="utf-8").splitlines()]
        found = run("predict", f"{text}.rosenblatt", text).split()
        assert [float(label) for label in found] == [float(label) for label in labels]
        assert "error" in run("evaluate", f"{text}.rosenblatt", text)
    assert "hyperplane" in run("certify", "rows.svm", "--proof", "rows.json")
    run("verify", "rows.json", "rows.svm")
    run("teach", "--export", "lesson.html")
    assert "<script" in Path("lesson.html").read_text(encoding="utf-8")
    assert run("--version") == f"rosenblatt {rosenblatt.__version__} ({_core.instruction_set})\n"


def run(*arguments):
    """Return what the command prints."""
    line = [sys.executable, "-I", "-m", "rosenblatt", *arguments]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(line)}\n{done.stderr}"
    return done.stdout


def main():
    """Run all checks, in order."""
    check_that_the_package_is_installed()
    check_tables()
    check_certificates()
    if os.name == "posix":  # what reads files
        check_streams()
        check_the_command()
    print(f"rosenblatt {rosenblatt.__version__} works in {sys.prefix}.")


if __name__ == "__main__":
    main()
