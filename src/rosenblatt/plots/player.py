"""Animations as files: a GIF, or a page that fetches nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

# matplotlib's page takes the signs on its buttons from a web font: these are letters of any font.
SIGNS = {
    "minus": "−",
    "fast-backward": "⏮",
    "step-backward": "◁",
    "pause": "❚❚",
    "play": "▶",
    "flip-horizontal": "◀",  # of a button that is a play, too: the later rule holds
    "step-forward": "▷",
    "fast-forward": "⏭",
    "plus": "+",
}
RULES = "".join(f'.fa-{name}::before {{ content: "{sign}"; }}\n' for name, sign in SIGNS.items())
STYLE = f"<style>\n.fa {{ font-style: normal; }}\n{RULES}</style>"


def write_gif(animation: Any, path: Path, fps: float) -> None:
    """Write a GIF that plays for ever."""
    animation.save(path, writer="pillow", fps=fps)


def write_html(animation: Any, path: Path, fps: float) -> None:
    """Write a page with buttons, its pictures within it."""
    page = animation.to_jshtml(fps=fps, default_mode="once")
    page = re.sub(r"<link[^>]*>", STYLE, page, count=1)
    head = f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{path.stem}</title>'
    path.write_text(f"{head}\n{page}", encoding="utf-8")


WRITERS: dict[str, Callable[[Any, Path, float], None]] = {".gif": write_gif, ".html": write_html}
