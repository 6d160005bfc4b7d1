"""A page of the gallery calls what its row of the lectures names.

The scripts are read, not run (`make docs` runs them). A name counts where it is called or handed
over in code that refers to it by the imports of the script: words in a comment, a docstring or an
import do not. A method counts where a method of its name is called on a value that is no module, in
a script that calls something which returns its class.
"""

import ast
import inspect
import re
import typing
from functools import cache

import pytest
import rows

import rosenblatt

SHOWN = [
    pytest.param(number, name, id=f"{number}-{name.removeprefix('rosenblatt.')}")
    for number, row in rows.ROWS.items()
    for name in row.code
]


@pytest.mark.parametrize(("number", "name"), SHOWN)
def test_a_page_of_the_gallery_calls_what_its_row_names(number, name):
    scripts = rows.ROWS[number].gallery
    assert any(calls(uses(script), name) for script in scripts), f"{scripts} do not call {name}"


@pytest.mark.parametrize("number", rows.ROWS)
def test_a_page_of_the_gallery_names_its_row(number):
    for script in rows.ROWS[number].gallery:
        source = (rows.ROOT / "examples" / f"{script}.py").read_text(encoding="utf-8")
        said = " ".join(ast.get_docstring(ast.parse(source)).split()).partition("Lecture row")[2]
        assert number in re.findall(r"L\d\.\d+", said), f"{script} does not name {number}"


def test_comments_imports_and_strings_are_no_calls():
    source = (
        '"""Shows perceptron."""\nfrom rosenblatt import textbook, theory\n# textbook.perceptron\n'
    )
    assert not calls(uses_of(source), "rosenblatt.textbook.perceptron")
    source += "run = textbook.perceptron(X, y)\n"
    assert calls(uses_of(source), "rosenblatt.textbook.perceptron")
    assert calls(uses_of(source), "rosenblatt.textbook.Trace")
    assert not calls(uses_of(source), "rosenblatt.textbook.Trace.explain")
    assert not calls(uses_of(source + "textbook.explain()\n"), "rosenblatt.textbook.Trace.explain")
    assert calls(uses_of(source + "run.explain()\n"), "rosenblatt.textbook.Trace.explain")
    assert not calls(uses_of(source), "rosenblatt.theory")


def test_an_erratum_has_a_place_a_correction_and_its_rows():
    page = (rows.HERE / "errata.md").read_text(encoding="utf-8")
    for lecture, text in re.findall(r"^## (L\d) · .*?$(.*?)(?=^## )", page, re.M | re.S):
        entries = re.findall(r"^- (.*)$", text, re.M)
        assert len(entries) > 5
        for entry in entries:
            assert re.match(r"\*\*.+\*\*", entry), entry
            named = re.fullmatch(r".*\(((?:L\d\.\d+(?:, )?)+)\)", entry)
            assert named, entry
            numbers = named[1].split(", ")
            assert set(numbers) <= set(rows.ROWS)
            assert any(number.startswith(lecture) for number in numbers)


def test_theory_lists_every_bound_of_the_code():
    page = (rows.HERE / "theory.md").read_text(encoding="utf-8")
    bounds = {name for name in rosenblatt.theory.__all__ if name.endswith("_bound")}
    classes = {
        name
        for name, value in vars(rosenblatt.rules).items()
        if inspect.isclass(value) and re.search(r"\((?:theorem|corollary) \d", value.__doc__ or "")
    }
    assert len(bounds) > 8
    assert len(classes) > 5
    assert {name for name in bounds | classes if f"`{name}`" not in page} == set()


class Uses(typing.NamedTuple):
    """What a script refers to: objects of rosenblatt, and attributes of its own values."""

    objects: list
    attributes: set


@cache
def uses(script):
    return uses_of((rows.ROOT / "examples" / f"{script}.py").read_text(encoding="utf-8"))


def uses_of(source):
    """Resolve the names of a script by its imports."""
    known, objects, attributes = {}, [], set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                known |= {a.asname or a.name: rosenblatt for a in names if a.name == "rosenblatt"}
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("rosenblatt"):
                known |= {a.asname or a.name: found(f"{module}.{a.name}") for a in names}
    notes = {id(n) for note in annotations(tree) for n in ast.walk(note)}
    for node in ast.walk(tree):
        if id(node) in notes or not isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        if isinstance(node, ast.Name) and node.id in known:
            objects.append(known[node.id])
        elif isinstance(node, ast.Attribute):
            target = resolved(node, known)
            if target is not None:
                objects.append(target)
            elif resolved(node.value, known) is None:
                attributes.add(node.attr)
    return Uses([value for value in objects if not inspect.ismodule(value)], attributes)


def annotations(tree):
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                yield getattr(node, name)


def resolved(node, known):
    """The object of a dotted name of the script, or None if it is a value of its own."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = resolved(node.value, known)
        return getattr(owner, node.attr, None) if inspect.ismodule(owner) else None
    return None


def found(name):
    """The object of a dotted name."""
    target = rosenblatt
    for part in name.split(".")[1:]:
        target = getattr(target, part)
    return target


def calls(used, name):
    """Whether a script uses an object, something of a module, a method, or what returns a class."""
    target = found(name)
    if inspect.ismodule(target):
        public = {id(getattr(target, part)) for part in target.__all__}
        return any(id(value) in public for value in used.objects)
    if any(value is target for value in used.objects):
        return True
    owner, _, part = name.rpartition(".")
    if inspect.isclass(found(owner)):
        return part in used.attributes and has_value_of(found(owner), used)
    return inspect.isclass(target) and has_value_of(target, used)


def has_value_of(target, used):
    """Whether a script calls the class, or a function or a field of a value that is one."""
    returned = [value for value in used.objects if value is target]
    for value in used.objects:
        if inspect.isfunction(value) or inspect.isbuiltin(value):
            result = typing.get_type_hints(value).get("return")
            for part in (result, *typing.get_args(result)):
                fields = typing.get_type_hints(part).values() if inspect.isclass(part) else ()
                returned += [each for each in (part, *fields) if each is target]
    return bool(returned)
