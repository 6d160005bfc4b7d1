"""What is public, as text: names and parameters, the command, HTTP, files, the page's object.

Run: python tests/support/public_surface.py, which writes tests/promises/public.txt. A line that
goes there needs an entry in CHANGELOG.md, and docs/stability.md says how long the old one stays.
"""

import dataclasses
import inspect
import json
import re
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import click
from click.testing import CliRunner

from rosenblatt.cli import main
from rosenblatt.learning.models import files as model_files
from rosenblatt.proofs import files as proof_files
from rosenblatt.serve.http.endpoint import openapi
from rosenblatt.serve.http.endpoints import all_endpoints
from rosenblatt.serve.store import layout
from rosenblatt.theory import rules

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))

import registries  # noqa: E402 (of the docs)

KEPT = ROOT / "tests" / "promises" / "public.txt"
_ENTRY = re.compile(r"^   ~?(\w[\w.]*)$")
_MODULE = re.compile(r"^\.\. (?:currentmodule|automodule|module):: ([\w.]+)$")
_LABEL = re.compile(r"\b(setosa|versicolor|virginica)\b")
RUNS = {
    "train": "train flowers.csv -m m -q --json",
    "train --holdout": "train flowers.csv -m h --rule pa1 --holdout 0.3 --epochs 2 -q --json",
    "evaluate": "evaluate m flowers.csv --json",
    "predict": "predict m flowers.csv --json",
    "inspect": "inspect m --json",
    "validate": "validate flowers.csv -q --json",
    "certify": "certify flowers.csv --proof p -q --json",
    "verify": "verify p flowers.csv --json",
    "diff": "diff m h --json",
    "tune": "tune flowers.csv --eta0 1 --epochs 1 -q --json",
}


def names():
    """Yield every name of the reference, with the module that its page gives."""
    pages = {path: path.read_text("utf-8") for path in registries.PAGE.parent.glob("*.rst")}
    pages[registries.PAGE] = registries.reference()
    for _, text in sorted(pages.items()):
        module = "rosenblatt"
        for line in text.splitlines():
            if found := _MODULE.match(line):
                module = found[1]
            elif found := _ENTRY.match(line):
                yield module, found[1]


def parameters(function):
    """Return the parameters of a function, with their defaults."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    kinds = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    shown, is_named = [], False
    for name, one in signature.parameters.items():
        if name in ("self", "cls"):
            continue
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not is_named:
            shown, is_named = [*shown, "*"], True
        is_named |= one.kind is inspect.Parameter.VAR_POSITIONAL
        has_default = one.default is not inspect.Parameter.empty
        plain = isinstance(one.default, str | int | float | bool | tuple | type(None))
        default = f"={one.default!r}" if has_default and plain else "=…" * has_default
        shown.append(f"{kinds.get(one.kind, '')}{name}{default}")
    return f"({', '.join(shown)})"


def members(full, kind):
    """Yield the fields, the methods and the properties of a class that are the library's own."""
    for one in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
        if not one.init and not one.name.startswith("_"):
            yield f"{full}.{one.name}"
    yield from (f"{full}.{field}" for field in getattr(kind, "_fields", ()))
    for name in sorted(dir(kind)):
        owner = next((base for base in kind.__mro__ if name in vars(base)), object)
        if name.startswith("_") or not owner.__module__.startswith("rosenblatt"):
            continue
        value = inspect.getattr_static(kind, name)
        if isinstance(value, classmethod | staticmethod) or callable(value):
            yield f"{full}.{name}{parameters(getattr(kind, name))}"
        elif isinstance(value, property):
            yield f"{full}.{name}"


def python():
    """Yield names of Python."""
    for module, name in names():
        value = import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
        full = f"{module}.{name}"
        yield f"{full}{parameters(value) if callable(value) else ''}"
        if (
            inspect.isclass(value) and value not in rules.RULES.values()
        ):  # all have the same methods
            yield from members(full, value)


def command():
    """Yield subcommands with their arguments and options, the exit statuses, and keys of JSON."""
    for one in main.commands_in_order():
        where = f"rosenblatt {one.name}"
        words = [p.make_metavar(click.Context(one)) for p in one.params if not _is_option(p)]
        yield " ".join([where, *words])
        for param in filter(_is_option, one.params):
            if not param.hidden:
                yield f"{where} {'/'.join([*param.opts, *param.secondary_opts])}"
    yield from (f"exit status {word.strip()}" for word in re.findall(r"\d+ \w+", main._EXIT_STATUS))
    with tempfile.TemporaryDirectory() as folder:
        for name, line in {"": "sample flowers", **RUNS}.items():
            keys = [_LABEL.sub("LABEL", key) for key in json_keys(line, Path(folder)) if name]
            yield from (f"rosenblatt {name} --json: {key}" for key in dict.fromkeys(keys))


def _is_option(param):
    return isinstance(param, click.Option)


def json_keys(line, folder):
    """Return the keys of the object that a command prints, of objects in it with a point."""
    words = [
        str(folder / word) if word in ("m", "h", "p", "flowers.csv") else word
        for word in line.split()
    ]
    if words[0] == "sample":
        words += ["-o", str(folder / "flowers.csv")]
    result = CliRunner().invoke(main.command, words, standalone_mode=False)
    if result.exception is not None:
        raise RuntimeError(f"{line}: {result.exception}") from result.exception
    first = result.stdout.partition("\n")[0]
    return sorted(keys_of(json.loads(first))) if first.startswith("{") else []


def keys_of(value, before=""):
    """Yield the keys of an object; where they are data, such as labels, only the object's own."""
    for key, inner in value.items():
        yield before + key
        if isinstance(inner, dict) and all(re.fullmatch("[a-z_]+", name) for name in inner):
            yield from keys_of(inner, f"{before}{key}.")


def http():
    """Yield methods and paths with their parameters, and the fields of all bodies."""
    document = openapi(all_endpoints())
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            words = [p["name"] for p in described["parameters"] if p["in"] != "path"]
            statuses = " ".join(s for s in described["responses"] if s.startswith("2"))
            yield " ".join([method.upper(), path, *(f"?{word}" for word in words), "->", statuses])
    for name, schema in sorted(document["components"]["schemas"].items()):
        needed = schema.get("required", ())
        for field in schema.get("properties", {}):
            yield f"{name}.{field}{' (always)' * (field in needed)}"


def files():
    """Yield the versions of the files that are read."""
    yield f"model files up to format {model_files.FORMAT}"
    yield f"proofs up to version {proof_files.VERSION}"
    yield f"stores of the service up to format {layout.FORMAT}"


def lesson():
    """Yield the functions of the page's object."""
    source = (ROOT / "src/rosenblatt/teach/page/main.js").read_text("utf-8")
    body = source.partition("window.lesson = {")[2].partition("\n};")[0]
    for name, arguments in re.findall(r"^  (\w+)(?:: )?(\([^)]*\))", body, re.MULTILINE):
        yield f"window.lesson.{name}{arguments}"


SECTIONS = {"Python": python, "Command": command, "HTTP": http, "Files": files, "Page": lesson}


def surface():
    """Return all of it, a section for each kind."""
    parts = ("\n".join([f"# {title}", *found()]) for title, found in SECTIONS.items())
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    KEPT.write_text(surface(), "utf-8")
