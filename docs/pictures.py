"""Draw the pictures of the README and the pages into docs/. Run: python docs/pictures.py.

demo.svg is the screen of the demo, which_rule.svg is drawn from its table in bench/tables.md,
auto.svg from accuracy/field.json; each other picture is a figure of a script of examples/. The
bytes are the same in every run, but for the speed on the screen of the demo, so a changed picture
means that a result changed.
"""

from __future__ import annotations

import io
import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
BENCH = HERE.parent / "bench"
sys.path.insert(0, str(BENCH))
DEMO, RULE_MAP, AUTO = HERE / "demo.svg", HERE / "which_rule.svg", HERE / "auto.svg"
SCRIPTS = {  # script: number of its figure
    "lectures/plot_one_step": 2,
    "lectures/plot_theorem": 1,
    "lectures/plot_machine_of_1958": 1,
    "lectures/plot_rings": 1,
    "lectures/plot_separability": 1,
    "lectures/plot_xor": 1,
    "studies/plot_digits_kernels": 1,
}
LAST = "Next steps"


def picture(script: str) -> Path:
    """Return the path of the picture of a script."""
    return HERE / f"{Path(script).name.removeprefix('plot_')}.svg"


def pictures() -> list[Path]:
    """Return the paths of all pictures that this script draws."""
    return [DEMO, RULE_MAP, AUTO, *map(picture, SCRIPTS)]


def draw(script: str, number: int) -> None:
    """Run a script and save one of its figures."""
    import matplotlib.pyplot as plt
    import svg

    plt.switch_backend("agg")
    plt.close("all")
    plt.rcdefaults()
    runpy.run_path(str(EXAMPLES / f"{script}.py"))
    svg.write(plt.figure(number), picture(script))


def screen() -> str:
    """Return the demo's output in a colour terminal of 80 columns, without its last section."""
    with tempfile.TemporaryDirectory() as folder:
        printed = subprocess.run(
            [sys.executable, "-m", "rosenblatt", "demo", "--folder", folder],
            env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": "80", "TERM": "xterm-256color"},
            capture_output=True,
            text=True,
            check=True,
        )
    text = printed.stdout + printed.stderr
    return text[: text.rfind("\n", 0, text.index(LAST))].strip("\n")


def draw_demo() -> None:
    """Draw the screen of the demo."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ rosenblatt demo\n"))
    console.print(Text.from_ansi(screen()))
    drawn = console.export_svg(title="rosenblatt demo")
    drawn = re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.S)  # no font from the network
    drawn = drawn.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas")
    DEMO.write_text(drawn, encoding="utf-8")


def draw_rule_map() -> None:
    """Draw the errors of all rules, from the table in bench/tables.md."""
    from tables import page, rule_map

    table = page.parts_of(page.PAGE.read_text("utf-8"))["which_rule"]
    rule_map.save(table, RULE_MAP.parent)


def draw_auto() -> None:
    """Draw the accuracy of auto beside that of others, from the kept figures."""
    from field import picture, runs

    picture.save(runs.load(), AUTO.parent)


if __name__ == "__main__":
    draw_demo()
    draw_rule_map()
    draw_auto()
    for script, number in SCRIPTS.items():
        draw(script, number)
