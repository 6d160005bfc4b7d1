import json
from pathlib import Path

import pytest


@pytest.fixture
def put_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def put(*rows, name="a.jsonl"):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return name

    return put
