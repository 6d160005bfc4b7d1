"""Build the page "The lectures" and the order of the gallery from rows.toml."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = HERE / "lectures.md"
NUMBER = re.compile(r"(?<=_)L\d_\d+")

INTRODUCTION = """# The lectures

{count} statements from five lectures on the perceptron, each with the code that implements it, the
tests with its number, and its figure.
"""


class Row(NamedTuple):
    """One statement of a lecture, with importable names and scripts below examples/."""

    statement: str
    code: list[str]
    gallery: list[str]


class Test(NamedTuple):
    """A test function and the path of its file below tests/."""

    file: str
    name: str


TABLE = tomllib.loads((HERE / "rows.toml").read_text(encoding="utf-8"))
LECTURES: dict[str, str] = TABLE["lectures"]
ROWS = {number: Row(**row) for number, row in TABLE["rows"].items()}
SCRIPTS = list(dict.fromkeys(script for row in ROWS.values() for script in row.gallery))


def tests() -> dict[str, list[Test]]:
    """Return the tests of each row: the name test_L0_1_by_hand has the number L0.1."""
    tests_of: dict[str, list[Test]] = {number: [] for number in ROWS}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        file = path.relative_to(ROOT / "tests").as_posix()
        for name in re.findall(r"^ *def (test_\w+)", path.read_text(encoding="utf-8"), re.M):
            for number in NUMBER.findall(name):
                tests_of[number.replace("_", ".")].append(Test(file, name))
    return tests_of


def position(script: str) -> tuple[int, str]:
    """Return the sort key of a script in the gallery: the order of rows.toml, then the name."""
    names = [Path(listed).name for listed in SCRIPTS]
    name = Path(script).stem
    return (names.index(name) if name in names else len(names), name)


def title(script: str) -> str:
    """Return the title of a script: the first line of its docstring."""
    source = (ROOT / "examples" / f"{script}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def figure(script: str) -> str:
    """Return the thumbnail of a script, linked to its page in the gallery."""
    folder, name = script.split("/")
    thumbnail = f"gallery/{folder}/images/thumb/sphx_glr_{name}_thumb.png"
    return f"[![{title(script)}]({thumbnail})](gallery/{script}.rst)"


def section(number: str, row: Row, row_tests: list[Test]) -> str:
    """Return the section of one row, in MyST Markdown."""
    code = ", ".join(
        f"{{py:obj}}`{name.removeprefix('rosenblatt.')} <{name}>`" for name in row.code
    )
    count = f"{len(row_tests)} test" + "s" * (len(row_tests) != 1)
    names = "\n".join(f"- `{test.name}` in `tests/{test.file}`" for test in row_tests)
    return f"""### {number}

:::::{{container}} row
::::{{container}} figures
{" ".join(map(figure, row.gallery))}
::::
::::{{container}} words
{row.statement}

{code}

<details><summary>{count}</summary>

{names}

</details>
::::
:::::
"""


def page() -> str:
    """Return the page: a section for each lecture, with a subsection for each row."""
    tests_of, parts = tests(), [INTRODUCTION.format(count=len(ROWS))]
    for lecture, name in LECTURES.items():
        parts.append(f"## {lecture} · {name}\n")
        parts += [
            section(number, row, tests_of[number])
            for number, row in ROWS.items()
            if number.startswith(lecture)
        ]
    return "\n".join(parts)


def write() -> None:
    """Write the page, unless it is unchanged."""
    text = page()
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
