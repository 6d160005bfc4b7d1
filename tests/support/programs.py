"""Exported programs, compiled and run: an ES module by Node, C99 by the compiler of the machine."""

import json
import math
import os
import shutil
import struct
import subprocess

from browser import requirement

WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")

_RUN_MODULE = """
import { readFileSync, writeFileSync } from "node:fs";
import { classes, predict } from "./model.mjs";
const spelled = (_, value) => typeof value === "bigint" ? value.toString() : value;
const attempt = row => {
  try { return predict(row); } catch (error) { return { error: error.message }; }
};
const rows = JSON.parse(readFileSync("rows.json", "utf8"));
writeFileSync("found.json", JSON.stringify({ classes, found: rows.map(attempt) }, spelled));
"""

_C_HEAD = """
#include <stdio.h>
#include <stdlib.h>
#define MODEL_DECLARATIONS
#include "model.c"

static double number(void) {
  double x;
  if (fread(&x, sizeof x, 1, stdin) != 1) exit(0);
  return x;
}

static const char *text(void) {
  int length;
  if (fread(&length, sizeof length, 1, stdin) != 1) exit(0);
  if (length < 0) return NULL;
  char *bytes = malloc((size_t)length + 1);
  if (bytes == NULL || fread(bytes, 1, (size_t)length, stdin) != (size_t)length) exit(2);
  bytes[length] = 0;
  return bytes;
}
"""


def program(name):
    """The path of a program, or a skip; where they are required, a failure."""
    path = shutil.which(name)
    if path is None:
        requirement(f"the machine has no {name}")
    return path


# --- JavaScript ----------------------------------------------------------------------------------


def run_module(folder, source, rows):
    """What an ES module predicts for rows: a list of dicts with label, scores and probabilities."""
    node = program("node")
    (folder / "model.mjs").write_bytes(source)
    (folder / "run.mjs").write_text(_RUN_MODULE)
    (folder / "rows.json").write_text(json.dumps(rows))
    done = subprocess.run([node, "run.mjs"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "found.json").read_text())["found"]


# --- C -------------------------------------------------------------------------------------------


def run_c(folder, source, plan, rows, *options):
    """What a C file predicts for rows: for each the index of a label, scores and probabilities."""
    compile_c(folder, source, plan, *options)
    packed = b"".join(_packed(plan, row) for row in rows)
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0"}  # the program frees no cell
    done = subprocess.run([folder / "run"], input=packed, capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    found = []
    for line in done.stdout.decode().splitlines():
        label, *numbers = line.split()
        found.append((int(label), [float.fromhex(x) for x in numbers]))
    assert len(found) == len(rows)
    return found


def compile_c(folder, source, plan, *options):
    """Compile the file by itself, and a program that reads rows."""
    (folder / "model.c").write_bytes(source)
    (folder / "run.c").write_text(_C_HEAD + _main(plan, source.decode()))
    compiler = program("cc")
    steps = [
        [*(options or WARNINGS), "-c", "model.c"],
        ["-std=c99", *options, "-Wno-unused-function", "-o", "run", "run.c", "model.o", "-lm"],
    ]
    for step in steps:
        done = subprocess.run([compiler, *step], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def _main(plan, source):
    struct = source.partition("struct model_row {")[2].partition("};")[0]
    fields = [line.split(";")[0].split()[-1].lstrip("*") for line in struct.strip().splitlines()]
    declared, argument = {
        "table": ("static struct model_row row;", "&row"),
        "matrix": ("static double row[MODEL_NUMBERS];", "row"),
        "text": ("const char *row;", "row"),
    }[plan.rows]
    reads = {
        "table": [
            f"row.{field} = {'number' if column.kind == 'number' else 'text'}();"
            for field, column in zip(fields, plan.columns, strict=False)
        ],
        "matrix": ["for (int j = 0; j < MODEL_NUMBERS; ++j) row[j] = number();"],
        "text": ["row = text();"],
    }[plan.rows]
    scratch = "" if plan.hashing is None else " &scratch,"
    lines = [
        "int main(void) {",
        declared,
        "" if plan.hashing is None else "static struct model_scratch scratch;",
        "for (;;) {",
        "double scores[MODEL_SCORES] = {0};",
        *reads,
        f'printf("%d", model_predict({argument},{scratch} scores));',
        'for (int k = 0; k < MODEL_SCORES; ++k) printf(" %a", scores[k]);',
    ]
    if plan.probabilities is not None:
        lines += [
            "double probabilities[MODEL_CLASSES];",
            "model_probabilities(scores, probabilities);",
            'for (int k = 0; k < MODEL_CLASSES; ++k) printf(" %a", probabilities[k]);',
        ]
    return "\n".join([*lines, 'printf("\\n");', "}", "}", ""])


def _packed(plan, row):
    """The cells of a row in bytes, as the program reads them."""
    if plan.rows == "text":
        return _packed_text(row)
    if plan.rows == "matrix":
        return struct.pack(f"<{len(row)}d", *row)
    packed = b""
    for name, kind in plan.columns:
        cell = row.get(name)
        if kind != "number":
            packed += _packed_text(cell)
            continue
        word = cell.strip() if isinstance(cell, str) else cell
        is_missing = word is None or word in plan.missing.spellings
        packed += struct.pack("<d", math.nan if is_missing else float(word))
    return packed


def _packed_text(text):
    if text is None:
        return struct.pack("<i", -1)
    raw = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<i", len(raw)) + raw
