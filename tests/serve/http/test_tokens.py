"""Tokens with scopes: what each may do, and a file that is read again while the service runs."""

import json
import os
import re
import signal
import time
from hashlib import sha256

import pytest
from serving import Served

from rosenblatt.serve import Client, ServiceError
from rosenblatt.serve.errors import TokensError
from rosenblatt.serve.http import call
from rosenblatt.serve.http.endpoints import all_endpoints
from rosenblatt.serve.http.tokens import SCOPES, Tokens

PARTS = {"model": "m", "shadow": "s", "number": "1", "file:path": "serve/page/main.js"}
ALL = "correct-horse-battery"


def secret(name):
    return f"token-of-{name}"


def line(name, *scopes):
    return f"{name} {','.join(scopes)} sha256:{sha256(secret(name).encode()).hexdigest()}\n"


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokens") / "tokens"
    path.write_text("# one for each scope\n\n" + "".join(line(s, s) for s in SCOPES))
    return path


@pytest.fixture(scope="module")
def server(tmp_path_factory, file):
    store = tmp_path_factory.mktemp("store")
    with Served(store, "--tokens", str(file), env={"ROSENBLATT_TOKEN": ALL}) as server:
        server.post("/v1/models", {"name": "m"}, status=201, **bearer(ALL))
        rows = [{"features": {"kryptonite": 1}, "label": label} for label in "xy"]
        server.post("/v1/models/m/learn", rows, **bearer(secret("learn")))
        yield server


@pytest.mark.parametrize("endpoint", all_endpoints(), ids=lambda endpoint: endpoint.name)
def test_an_endpoint_is_for_tokens_of_its_scope_alone(server, endpoint):
    for path in endpoint.paths:
        asked = re.sub(r"{([\w:]+)}", lambda match: PARTS[match[1]], path)
        if endpoint.is_public:
            assert server.raw(endpoint.method, asked)[0] == 200
            continue
        status, headers, _ = server.raw(endpoint.method, asked, b"{")
        assert (status, headers["WWW-Authenticate"]) == (401, "Bearer")
        for scope in set(SCOPES) - {endpoint.needs}:
            status, headers, body = server.raw(endpoint.method, asked, b"{", bearer(secret(scope)))
            assert (status, f"the scope '{endpoint.needs}'" in body.decode()) == (403, True)
            assert f"the token '{scope}' has {scope}" in body.decode()
            assert f'scope="{endpoint.needs}"' in headers["WWW-Authenticate"]
        if endpoint.gives is not call.ENDLESS and not endpoint.changes:
            for token in (secret(endpoint.needs), ALL):
                assert server.raw(endpoint.method, asked, b"{", bearer(token))[0] not in (401, 403)


def test_every_endpoint_needs_a_scope_that_there_is():
    assert {endpoint.needs for endpoint in all_endpoints() if not endpoint.is_public} == set(SCOPES)


def test_what_was_learned_is_for_those_who_may_read_it(server):
    path = "/v1/models/m/stream"
    blind = next(server.events(path, bearer(secret("predict"))))
    seeing = next(server.events(path, bearer(ALL)))
    assert "kryptonite" not in json.dumps(blind)
    assert "kryptonite" in json.dumps(seeing)
    assert (blind["reads"], blind["learns"]) == (False, False)
    assert (seeing["reads"], seeing["learns"]) == (True, True)


def test_the_client_says_which_scope_is_missing(server):
    url = f"http://127.0.0.1:{server.port}"
    with Client(url, secret("predict")) as client:
        assert client.predict("m", {"a": 1})["version"] == 2
        with pytest.raises(ServiceError, match="needs the scope 'learn'") as refused:
            client.learn("m", {"a": 1}, "x")
    assert refused.value.status == 403


def status_of(server, token):
    return server.raw("GET", "/v1/models", headers=bearer(token))[0]


def eventually(server, token, status):
    end = time.monotonic() + 10
    while status_of(server, token) != status:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_tokens_change_while_the_service_runs_and_a_broken_file_changes_none(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(line("old", "predict", "metrics"))
    with Served(tmp_path / "store", "--tokens", str(path)) as server:

        def stale():
            text = server.raw("GET", "/metrics", headers=bearer(secret("old")))[2]
            return float(re.search(rb"^rosenblatt_tokens_stale (.*)$", text, re.M)[1])

        assert (status_of(server, secret("old")), status_of(server, secret("new"))) == (200, 401)
        path.write_text(line("old", "predict", "metrics") + line("new", "predict"))
        eventually(server, secret("new"), 200)  # nobody was asked
        assert stale() == 0
        for broken in ("", "new predict oops\n"):
            path.write_text(broken)
            server.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + 10
            while not stale():
                assert time.monotonic() < end
        path.unlink()
        server.process.send_signal(signal.SIGHUP)
        assert status_of(server, secret("new")) == 200
        time.sleep(1.0)  # a refusal within a second of another has no line
        path.write_text(line("new", "predict"))
        server.process.send_signal(signal.SIGHUP)
        eventually(server, secret("old"), 401)
        assert status_of(server, secret("new")) == 200
        log = [json.loads(entry) for entry in server.stop().splitlines()]
    faults = [entry["fault"] for entry in log if entry["level"] == "error"]
    assert any("there is no token in it" in fault for fault in faults)
    assert any("line 1: expected a name" in fault for fault in faults)
    assert any("No such file" in fault for fault in faults)
    assert log[-1]["message"] != "the tokens were read again"
    assert [entry["names"] for entry in log if "names" in entry][-1] == ["new"]
    assert "oops" not in str(log)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "there is no token in it"),
        ("# a comment\n\n", "there is no token in it"),
        (line("a", "predict") + "b predict\n", "line 2: expected a name"),
        ("a predict " + "f" * 64, "line 1: expected a name"),  # as is: perhaps the token itself
        ("a predict sha256:" + "f" * 63, "line 1: expected a name"),
        ("a b predict sha256:" + "f" * 64, "line 1: expected a name"),
        (line("a", "predict", "all"), "the scopes are predict, learn, admin, metrics"),
        (line("a", "predict") + line("a", "learn"), "line 2: the name 'a' or the token stands"),
        (line("a", "predict") + line("a", "learn").replace("a ", "b ", 1), "line 2: the name 'b'"),
        (line("token", "predict"), "line 1: the name 'token'"),
    ],
)
def test_a_file_that_is_not_as_described_is_refused(tmp_path, text, fault):
    path = tmp_path / "tokens"
    path.write_text(text)
    with pytest.raises(TokensError, match=re.escape(fault)) as refused:
        Tokens(str(path), ALL.encode())
    assert "f" * 63 not in str(refused.value)


def test_a_start_with_a_broken_file_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match=r"the tokens cannot be read: .*No such file"):
        Served(tmp_path / "store", "--tokens", str(tmp_path / "none"))
    assert not (tmp_path / "store").exists()


def test_each_token_of_many_is_found_and_no_other(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("".join(line(f"n{j}", "predict", "learn") for j in range(50)))
    tokens = Tokens(str(path), ALL.encode())
    for j in range(50):
        assert tokens.find(secret(f"n{j}").encode()) == (f"n{j}", {"predict", "learn"})
    assert tokens.find(ALL.encode()) == ("token", set(SCOPES))
    for other in (b"", secret("n50").encode(), sha256(secret("n1").encode()).hexdigest().encode()):
        assert tokens.find(other) is None


def test_a_change_that_keeps_size_and_time_is_seen(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(line("one", "learn"))
    tokens, before = Tokens(str(path)), path.stat()
    with open(path, "r+") as file:  # as a change of rights, which content and time do not show
        file.write(line("two", "learn"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    tokens.reload(if_changed=True)
    assert tokens.find(secret("one").encode()) is None


def test_the_hash_of_no_token_is_refused(tmp_path):
    (tmp_path / "tokens").write_text(f"a learn sha256:{sha256(b'').hexdigest()}\n")
    with pytest.raises(TokensError, match="line 1: the hash is that of an empty token"):
        Tokens(str(tmp_path / "tokens"))
