"""A target with everything that a store can have, and the store itself, at rest."""

import pytest
from serving import Served
from shipped import commits_of, fill, wait_for


@pytest.fixture(scope="session")
def shipped(tmp_path_factory):
    """Return a store whose service was killed, and the folder to which it had sent all."""
    folder = tmp_path_factory.mktemp("shipped")
    store, target = folder / "store", folder / "target"
    served = Served(store, "--ship", str(target), "--ship-seconds", "0.1")
    wait_for(lambda: list(target.glob("bases/*")))
    fill(served)
    wait_for(lambda: served.get("/v1/shipping")["commits"] == commits_of(store))
    served.kill()
    return store, target
