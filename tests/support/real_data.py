"""Files of the real data that lies beside the project."""

import lzma
import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def real_data(*parts: str) -> Path:
    """A file of the real data, or a skip; where the data is required, a failure."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        message = f"the real data {'/'.join(parts)} lies beside the project, and is not here"
        if os.environ.get("ROSENBLATT_REQUIRE_DATA"):
            pytest.fail(message)
        pytest.skip(message)
    return path


def text_of_table(*parts: str) -> str:
    """The text of a real table: all of it, or some 600 lines from all over a longer one."""
    raw = real_data(*parts).read_bytes()
    text = (lzma.decompress(raw) if parts[-1].endswith(".xz") else raw).decode()
    head, *lines = text.splitlines(keepends=True)
    return "".join([head, *lines[:: max(1, len(lines) // 600)]])
