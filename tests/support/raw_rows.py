"""Raw rows of files, as a user of JSON has them, and the answers of the command on the files."""

import csv
import json
import lzma
from pathlib import Path

from rosenblatt.streams.core.missing import SPELLINGS

SEPARATORS = {"csv": ",", "tsv": "\t"}

PEOPLE = "age,job,pay,y\n39,Private,1.5,no\n50,Gov,,yes\n38,Private,7,no\n?,?,2,yes\n20,Own,3,no\n"
OBJECTS = "".join(
    json.dumps(row) + "\n"
    for row in [
        {"y": 1, "size": 2.5, "kind": "oak", "in.a": True},
        {"y": 2, "size": -1, "kind": "elm", "pay": None},
        {"y": 1, "kind": "oak", "size": None, "new": "x y"},
        {"y": 3, "size": 0.5, "kind": "fir"},
    ]
)
MAIL = "label\ttext\tlength\nham\tsee you at noon\t3\nspam\tWin a PRIZE, now!\t9\nham\tok\t1\n"
OPTIONS = [
    ["--impute", "mean"],
    ["--impute", "indicator", "--average"],
    ["--impute", "zero", "--bits", "10"],
    ["--impute", "mean", "--scale", "--average"],
    ["--impute", "mean", "--scale", "--bits", "9"],
    ["--impute", "mean", "--interactions", "age*job"],
    ["--impute", "zero", "--interactions", "job*job", "--bits", "12"],
    ["--impute", "mean", "--missing", "2", "--rule", "arow"],
    ["--schema", "age:category,pay:category"],
]


def text_of(path):
    """The text of a file, packed or not."""
    data = Path(path).read_bytes()
    return (lzma.decompress(data) if str(path).endswith(".xz") else data).decode()


def raw_rows(path, notes):
    """The rows of a file that a model with these notes was trained on: dicts, or texts."""
    if notes["format"] == "folder":
        files = (file for file in Path(path).rglob("*") if file.is_file())
        names = sorted(files, key=lambda file: str(file.relative_to(path)))
        return [file.read_text() for file in names]
    if notes["format"] == "jsonl":
        rows = map(json.loads, text_of(path).splitlines())
        return [{k: v for k, v in row.items() if k != notes["target"]} for row in rows]
    separator = notes.get("separator") or (";" if notes.get("decimal") else None)
    separator = separator or SEPARATORS[notes["format"]]
    lines = text_of(path).splitlines()
    names = notes.get("column_names") or None
    if notes["format"] == "tsv":
        cells = (line.split("\t") for line in lines)
        names = names or next(cells)
        rows = [dict(zip(names, row, strict=True)) for row in cells]
    else:
        rows = list(csv.DictReader(lines, names, delimiter=separator, skipinitialspace=True))
    missing = (*SPELLINGS, *(notes.get("missing") or ()))
    kinds = {k: kind for k, kind in notes["schema"].items() if kind not in ("label", "skip")}
    return [{name: _cell(row[name], kind, notes, missing) for name, kind in kinds.items()}
            for row in rows]  # fmt: skip


def _cell(text, kind, notes, missing):
    if kind != "number":
        return text.strip() if kind == "category" else text
    if text.strip() in missing:
        return None
    return float(text.replace(",", ".") if notes.get("decimal") == "," else text)


def answers_of(call, model, path, *options):
    """The labels and scores that ``rosenblatt predict`` prints, one of each for every row."""
    status, out, err = call("predict", model, path, "--scores", "--json", "-q", *options)
    assert status == 0, err
    found = [json.loads(line) for line in out.splitlines()]
    return [(one["prediction"], one.get("scores", one.get("score"))) for one in found]


def as_answered(prediction):
    """A prediction of the service in the form of :func:`answers_of`."""
    get = prediction.get if isinstance(prediction, dict) else vars_of(prediction).get
    scores = get("scores")
    return get("label"), scores if len(scores) > 2 else list(scores.values())[1]


def vars_of(prediction):
    """The fields of a struct."""
    return {name: getattr(prediction, name) for name in prediction.__struct_fields__}


def trained(call, path, *options):
    """The bytes of a model that the command trains on a file."""
    status, _, err = call("train", path, "-m", "m.rosenblatt", "-q", *options)
    assert status == 0, err
    with open("m.rosenblatt", "rb") as file:
        return file.read()
