"""The page "The lectures, row by row" and the gallery's order, both from rows.toml."""

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

INTRODUCTION = """# The lectures, row by row

Five documents on the perceptron, and what each of them says that the algorithm does: {count} rows.
Every row is a promise. The code that keeps it, the tests that carry its number and the figure that
shows it stand beside it.
"""


class Row(NamedTuple):
    """A row of the lectures: the promise, importable names, and scripts below examples/."""

    promise: str
    code: list[str]
    gallery: list[str]


class Test(NamedTuple):
    """A test function, and its file below tests/."""

    file: str
    name: str


TABLE = tomllib.loads((HERE / "rows.toml").read_text(encoding="utf-8"))
LECTURES: dict[str, str] = TABLE["lectures"]
ROWS = {number: Row(**row) for number, row in TABLE["rows"].items()}
SCRIPTS = list(dict.fromkeys(script for row in ROWS.values() for script in row.gallery))


def tests() -> dict[str, list[Test]]:
    """The tests of each row: a name such as test_L0_1_by_hand carries the number L0.1."""
    found: dict[str, list[Test]] = {number: [] for number in ROWS}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^ *def (test_\w+)", path.read_text(encoding="utf-8"), re.M):
            for number in NUMBER.findall(name):
                found[number.replace("_", ".")].append(Test(path.name, name))
    return found


def place(script: str) -> tuple[int, str]:
    """Where a script stands in its part of the gallery: as in rows.toml, then by name."""
    names = [Path(known).name for known in SCRIPTS]
    name = Path(script).stem
    return (names.index(name) if name in names else len(names), name)


def title(script: str) -> str:
    """The title of a script: the first line of its docstring."""
    source = (ROOT / "examples" / f"{script}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def figure(script: str) -> str:
    """A script's thumbnail, linked to its page in the gallery."""
    folder, name = script.split("/")
    thumbnail = f"gallery/{folder}/images/thumb/sphx_glr_{name}_thumb.png"
    return f"[![{title(script)}]({thumbnail})](gallery/{script}.rst)"


def section(number: str, row: Row, kept: list[Test]) -> str:
    """One row of the page, in MyST's Markdown."""
    code = ", ".join(
        f"{{py:obj}}`{name.removeprefix('rosenblatt.')} <{name}>`" for name in row.code
    )
    count = f"{len(kept)} test" + "s" * (len(kept) != 1)
    names = "\n".join(f"- `{test.name}` in `tests/{test.file}`" for test in kept)
    return f"""### {number}

:::::{{container}} row
::::{{container}} figures
{" ".join(map(figure, row.gallery))}
::::
::::{{container}} words
{row.promise}

{code}

<details><summary>{count}</summary>

{names}

</details>
::::
:::::
"""


def page() -> str:
    """The whole page: a section for every lecture, a part of it for every row."""
    found, parts = tests(), [INTRODUCTION.format(count=len(ROWS))]
    for lecture, name in LECTURES.items():
        parts.append(f"## {lecture} · {name}\n")
        parts += [
            section(number, row, found[number])
            for number, row in ROWS.items()
            if number.startswith(lecture)
        ]
    return "\n".join(parts)


def write() -> None:
    """Write the page, and leave its time alone where nothing is new."""
    text = page()
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
