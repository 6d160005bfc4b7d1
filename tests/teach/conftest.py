"""One browser for the tests of a file."""

import browser as machine
import pytest


@pytest.fixture(scope="module")
def browser():
    with machine.chromium() as opened:
        yield opened
