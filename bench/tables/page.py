"""The page bench/tables.md: one part for each table, with the date and the machine of its run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

PAGE = Path(__file__).resolve().parents[1] / "tables.md"
PICTURES = PAGE.parents[1] / "docs"
"""The folder of the pictures, which the summary, docs/tables.md, shows, too."""

_SCRIPTS = {
    module.name: import_module(f"tables.{module.name}")
    for module in iter_modules([str(Path(__file__).parent)])
    if module.name != "page"
}
NAMES = sorted(
    (name for name, script in _SCRIPTS.items() if hasattr(script, "RANK")),
    key=lambda name: _SCRIPTS[name].RANK,
)
"""The tables in the order of the page: the scripts of this folder with a ``RANK``."""

LONG = [name for name in NAMES if getattr(_SCRIPTS[name], "TAKES_LONG", False)]
"""Those that run only where they are named."""

SHORT = [name for name in NAMES if name not in LONG]

INTRODUCTION = f"""# Published tables, cell by cell

The cells behind [the summary](../docs/tables.md). Tables of other programs and of papers, \
measured again with the rules of this one: what was published, the mean here ± its standard \
deviation over permutations of the rows, and whether the two agree or differ, in either direction. \
`make tables` measures all but \
{" and ".join(f"`{name}`" for name in LONG)}, which take long, and writes their parts of this \
page; `python bench/run_tables.py NAME ...` prints those that are named. They need the data, which \
does not come with the project."""
RUN = re.compile(r"^`python bench/run_tables\.py (\w+)`, ", re.MULTILINE)


def signed(name: str, text: str, date: str, machine: str) -> str:
    r"""Return a part of the page: a table's text, and below its heading who measured it.

    Examples
    --------
    >>> print(signed("sol", "## SOL\n\nA table.\n", "2026-01-02", "a machine"))
    ## SOL
    <BLANKLINE>
    `python bench/run_tables.py sol`, 2026-01-02: a machine.
    <BLANKLINE>
    A table.
    """
    heading, _, body = text.partition("\n")
    run = f"`python bench/run_tables.py {name}`, {date}: {machine}."
    return f"{heading}\n\n{run}\n\n{body.strip()}"


def parts_of(page: str) -> dict[str, str]:
    r"""Return the parts of a page by the names of their tables.

    Examples
    --------
    >>> part = signed("sol", "## SOL\n\nA table.\n", "2026-01-02", "a machine")
    >>> parts_of(f"# Title\n\n{part}\n") == {"sol": part}
    True
    """
    parts: dict[str, str] = {}
    for part in re.split(r"\n(?=## )", page)[1:]:
        run = RUN.search(part)
        if run is None:
            raise ValueError(f"this part of the page names no table: {part.splitlines()[0]!r}")
        parts[run[1]] = part.strip()
    return parts


def page_of(parts: Mapping[str, str], names: Iterable[str] = NAMES) -> str:
    """Return the page of these parts, in the order of ``names``."""
    return "\n\n".join([INTRODUCTION, *(parts[name] for name in names if name in parts)]) + "\n"
