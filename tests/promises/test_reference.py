"""Docstrings of the reference: a sentence first, parameters, results, errors, an example.

Examples run as doctests of their modules. A method may leave its parameters to its class, or to a
method of its name in another one, and its example to its class. Interfaces and errors need none.
"""

import ast
import inspect
import re
import textwrap
from importlib import import_module

import public_surface

from rosenblatt.theory import rules

_UNDERLINE = re.compile("-{3,}")
_WORD = re.compile(r"\w+")


def sections(value):
    """Return the lines of a docstring by the titles of its sections; "" has what stands before."""
    lines, title, found = inspect.cleandoc(value.__doc__ or "").splitlines(), "", {"": []}
    for line, after in zip(lines, [*lines[1:], ""], strict=False):
        if line and _UNDERLINE.fullmatch(after):
            title = line
            found[title] = []
        elif found[title] or not _UNDERLINE.fullmatch(line):
            found[title].append(line)
    return found


def described(value):
    """Return the names that the sections of parameters and attributes describe."""
    found = sections(value)
    lines = [*found.get("Parameters", ()), *found.get("Attributes", ())]
    heads = [line.split(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return {name.strip("* ") for head in heads for name in head.split(",")}


def parameters(value):
    """Return the names of the parameters of a function or a class; interfaces have none."""
    if getattr(value, "_is_protocol", False) or is_error(value):
        return []
    names = inspect.signature(value).parameters
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def is_error(value):
    return inspect.isclass(value) and issubclass(value, BaseException)


def public():
    """Return the functions and classes of the reference by their names."""
    found = {}
    for module, name in public_surface.names():
        value = import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
        if callable(value):
            found[f"{module}.{name}"] = value
    return found


def methods():
    """Return the methods of these classes by their names, each once, with its class."""
    found, seen = {}, set()
    for name, kind in PUBLIC.items():
        if not inspect.isclass(kind) or kind in rules.RULES.values():
            continue
        for base in kind.__mro__:
            for own, value in vars(base).items():
                value = getattr(value, "__func__", value)
                is_ours = base.__module__.startswith("rosenblatt") and inspect.isfunction(value)
                if is_ours and not own.startswith("_") and value not in seen:
                    seen.add(value)
                    found[f"{name}.{own}"] = (kind, value)
    return found


PUBLIC = public()
METHODS = methods()


def test_the_first_line_is_one_sentence():
    values = PUBLIC | {name: value for name, (_, value) in METHODS.items()}
    for name, value in values.items():
        lines = inspect.cleandoc(value.__doc__ or "").splitlines()
        assert lines, f"{name} has no docstring"
        assert lines[0].endswith((".", ":")), name
        assert lines[1:2] in ([], [""]), name


def test_every_parameter_is_described():
    lost = {}
    for name, value in PUBLIC.items():
        kinds = value.__mro__ if inspect.isclass(value) else [value]
        known = set().union(*map(described, kinds))
        lost[name] = [one for one in parameters(value) if one not in known]
    assert {name: names for name, names in lost.items() if names} == {}


def test_every_parameter_of_a_method_is_named():
    lost = {}
    for name, (_, value) in METHODS.items():
        own = value.__name__
        texts = [other.__doc__ for _, other in METHODS.values() if other.__name__ == own]
        texts += [
            kind.__doc__ for kind in PUBLIC.values() if inspect.isclass(kind) and own in dir(kind)
        ]
        words = set(_WORD.findall(" ".join(filter(None, texts))))
        lost[name] = [one for one in parameters(value) if one not in words]
    assert {name: names for name, names in lost.items() if names} == {}


def test_what_a_function_returns_is_said():
    for name, value in PUBLIC.items():
        if not inspect.isclass(value) and value.__annotations__["return"] != "None":
            found = sections(value)
            says = re.match("(Return|Yield|Bound) ", found[""][0])
            assert says or "Returns" in found or "Yields" in found, name


def test_what_raises_an_error_says_so():
    functions = {name: value for name, value in PUBLIC.items() if not inspect.isclass(value)}
    for name, value in (functions | {name: own for name, (_, own) in METHODS.items()}).items():
        tree = ast.parse(textwrap.dedent(inspect.getsource(value)))
        raised = [one for one in ast.walk(tree) if isinstance(one, ast.Raise) and one.exc]
        is_abstract = [ast.unparse(one) for one in raised] == ["raise NotImplementedError"]
        assert not raised or is_abstract or re.search("Raises|rror|efuse", value.__doc__), name


def test_arrays_have_their_shapes():
    arrays = re.compile(r"(?:\w+, )*(?:X|y|w|u|Z|x|scores|weights)(?:, \w+)* : ")
    for name, value in PUBLIC.items():
        lines = sections(value).get("Parameters", [])
        for line, after in zip(lines, [*lines[1:], ""], strict=False):
            if arrays.match(line):
                assert re.search("shape|As in", line + after), f"{name}: {line}"


def test_there_is_an_example():
    without = [
        name
        for name, value in PUBLIC.items()
        if not (is_error(value) or getattr(value, "_is_protocol", False))
        and not any(line.startswith(">>> ") for line in sections(value).get("Examples", ()))
    ]
    assert without == []
