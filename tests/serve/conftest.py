"""The server that the tests of a file share."""

import pytest
from serving import Served


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("store")) as server:
        yield server
