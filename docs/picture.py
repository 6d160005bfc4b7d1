"""Draw the README's picture: the demo's screen as docs/demo.svg. Run: python docs/picture.py."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).with_name("demo.svg")
LAST = "What now?"


def screen() -> str:
    """What the demo prints in a colour terminal of 80 columns, up to its last section."""
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


def main() -> None:
    """Draw it."""
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ rosenblatt demo\n"))
    console.print(Text.from_ansi(screen()))
    picture = console.export_svg(title="rosenblatt demo")
    picture = re.sub(r"\s*@font-face \{.*?\}", "", picture, flags=re.S)  # nothing from elsewhere
    PICTURE.write_text(picture.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas"))


if __name__ == "__main__":
    main()
