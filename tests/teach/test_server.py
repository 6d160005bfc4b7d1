"""The server of the page: this machine, one page, nothing else."""

import threading
import urllib.error
import urllib.request

import pytest

from rosenblatt.teach.server import address, make_server


@pytest.fixture
def server():
    with make_server("<!doctype html><p>γ") as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_the_page_is_answered_with_a_policy_that_fetches_nothing(server):
    with urllib.request.urlopen(f"{address(server)}?a=1#state") as answer:
        assert answer.read().decode() == "<!doctype html><p>γ"
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"


def test_other_paths_do_not_exist(server):
    with pytest.raises(urllib.error.HTTPError, match="404") as error:
        urllib.request.urlopen(f"{address(server)}../etc/passwd")
    error.value.close()


@pytest.mark.parametrize("host", ["elsewhere.test", "127.0.0.1", ""])
def test_a_name_of_elsewhere_is_refused(server, host):
    request = urllib.request.Request(address(server), headers={"Host": host})
    with pytest.raises(urllib.error.HTTPError, match="421") as error:
        urllib.request.urlopen(request)
    error.value.close()


def test_localhost_is_this_machine(server):
    with urllib.request.urlopen(address(server).replace("127.0.0.1", "localhost")) as answer:
        assert answer.status == 200


def test_it_listens_on_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"
    with pytest.raises(OSError, match="in use"):
        make_server("", server.server_port)
