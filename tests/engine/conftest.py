"""The tests of the engine run compiled code, the core's where it has it, on however small work."""

import pytest
from engine_modes import MODES


@pytest.fixture(autouse=True)
def mode(request):
    with MODES[getattr(request, "param", "core")]():
        yield
