"""The tests of the engine run compiled code, however small the work is, unless they say more."""

import pytest
from engine_modes import MODES


@pytest.fixture(autouse=True)
def mode(request):
    with MODES[getattr(request, "param", "compiled")]():
        yield
