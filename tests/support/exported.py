"""Models to export, raw rows as a program has them, and what the command predicts for them."""

import csv
import io
import json
from dataclasses import dataclass, replace

from real_data import text_of_table

from rosenblatt import load

NO_HEADER = ("--no-header",)
IMPUTE = ("--impute", "mean")
LOGISTIC = ("--rule", "logistic", "--scale", "--average")

TABLES = {
    "soybean": (("tables", "soybean.csv.xz"), (*LOGISTIC, "--impute", "indicator")),
    "hypothyroid": (("tables", "hypothyroid.csv.xz"), ("--scale", "--average", *IMPUTE)),
    "kr.vs.kp": (("tables", "kr.vs.kp.csv.xz"), ("--average", "--epochs", "3")),
    "iris": (("uci_small", "iris.csv"), (*NO_HEADER, "--multi-class", "joint", *LOGISTIC)),
    "ionosphere": (("uci_small", "ionosphere.csv"), (*NO_HEADER, "--rule", "pa1")),
    "wisconsin": (("uci_small", "breast-cancer-wisconsin.data"), (*NO_HEADER, *LOGISTIC, *IMPUTE)),
    "pima": (("uci_small", "pima-indians-diabetes.csv"), (*NO_HEADER, "--interactions", "c2*c8")),
    "glass": (("uci_small", "glass.csv"), (*NO_HEADER, "--average")),
    "soybean, auto": (("tables", "soybean.csv.xz"), ("--rule", "auto", *IMPUTE)),
    "pima, auto": (("uci_small", "pima-indians-diabetes.csv"), (*NO_HEADER, "--rule", "auto")),
}
"""Real tables: their files, and the options to train on them."""


HOSTILE = (
    "'; DROP TABLE data; --", '"', "`", "${x}", "*/", "</script>", "a\nb", "\\", "é𝒳", "select",
    "1e308", "-0.0", "__proto__", "constructor", "a*b", "x=y",
)  # fmt: skip


def hostile_table():
    """A table with hostile names, categories and labels."""
    quoted = ['"{}"'.format(word.replace('"', '""')) for word in HOSTILE]
    lines = [",".join([*(f'"n {q[1:]}' for q in quoted), '"c"', '"y"'])]
    for i, word in enumerate(quoted):
        numbers = [str((i * 7 + k * 3) % 5 - 2) for k in range(len(quoted))]
        lines.append(",".join([*numbers, word, quoted[i // 6]]))
    numbers = ["1e100", "-0.0", "4.9e-324", *["0"] * (len(quoted) - 3)]
    lines.append(",".join([*numbers, quoted[0], quoted[0]]))
    return "\n".join(lines) + "\n"


@dataclass
class Exported:
    """A model of the command, its raw rows, and its predictions of them.

    Attributes
    ----------
    model : path
    rows : list of dict
        The cells of each row by the names of their columns, as text.
    labels : list
    scores : list
        A number, or a dict by class.
    probabilities : list of dict, or None
    """

    model: object
    rows: list
    labels: list
    scores: list
    probabilities: object = None


_TRAINED = {}


def table(call, folder, name):
    """Train on a real table, with the options of :data:`TABLES`, once in a process."""
    parts, options = TABLES[name]
    text = text_of_table(*parts)
    if name not in _TRAINED:
        done = of_text(call, folder, text, *options)
        _TRAINED[name] = done, done.model.read_bytes()
    done, model = _TRAINED[name]
    (folder / "data.csv").write_text(text, encoding="utf-8", newline="")
    (folder / "table.rosenblatt").write_bytes(model)
    return replace(done, model=folder / "table.rosenblatt", rows=[dict(row) for row in done.rows])


def of_text(call, folder, text, *options, suffix=".csv"):
    """Train on a table in CSV, and predict its rows."""
    data, model = folder / f"data{suffix}", folder / "a.rosenblatt"
    data.write_text(text, encoding="utf-8", newline="")
    header = "--no-header" not in options
    return trained(call, data, model, cells(text, header), *options)


def trained(call, data, model, rows, *options):
    """Train on a file, and predict its rows."""
    status, _, err = call("train", data, "-m", model, "-q", *options)
    assert status == 0, err
    lines = predictions(call, model, data, "--scores")
    scores = [line.get("score", line.get("scores")) for line in lines]
    labels = [line["prediction"] for line in lines]
    probabilities = None
    if hasattr(load(model), "predict_proba"):
        lines = predictions(call, model, data, "--proba")
        probabilities = [line["probabilities"] for line in lines]
    return Exported(model, rows, labels, scores, probabilities)


def predictions(call, model, data, *options):
    """Return the objects that ``predict --json`` prints."""
    status, out, err = call("predict", model, data, "--json", "-q", *options)
    assert status == 0, err
    return [json.loads(line) for line in out.splitlines()]


def cells(text, header=True):
    """Return the rows of CSV as dicts of text."""
    lines = list(csv.reader(io.StringIO(text, newline="")))
    names = lines.pop(0) if header else [f"c{k + 1}" for k in range(len(lines[0]))]
    return [dict(zip(names, line, strict=True)) for line in lines if line]
