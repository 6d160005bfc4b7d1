"""Figures as SVG files: the same figure gives the same bytes in every run."""

from __future__ import annotations

from pathlib import Path

from rosenblatt.plots import style


def write(figure: style.Figure, path: Path) -> None:
    """Write a figure, and close it."""
    plt = style.pyplot()
    how = {"metadata": {"Date": None}, "bbox_inches": "tight", "pad_inches": 0.1, "dpi": 96}
    with plt.rc_context({"svg.hashsalt": "rosenblatt"}):
        figure.savefig(path, **how)
    plt.close(figure)
