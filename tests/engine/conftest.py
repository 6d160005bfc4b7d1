"""The tests of the engine run compiled code, however small the work is."""

import pytest

from rosenblatt.engine import jit


@pytest.fixture(autouse=True)
def everything_is_compiled(monkeypatch):
    monkeypatch.setattr(jit, "CALL_LIMIT", 0.0)
