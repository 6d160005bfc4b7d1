"""Other websites: what a browser sends for them is refused where there is no token."""

import pytest
from serving import Served

EXAMPLE = b'{"features": "free prize", "label": "spam"}'
LEARN = "/v1/models/m/learn"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("store")) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        yield server


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:80", "127.0.0.1:9", "[::1]:8000", "[::1]"]
)
def test_the_names_of_this_machine_are_answered(server, host):
    assert server.raw("GET", "/v1/models", headers={"Host": host})[0] == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "",
     "evil@localhost", "localhost:80:80", "[::1].evil.example", "localhost.", "127.0.0.1, evil"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/v1/models", "/", "/v1/models/m/stream", "/nowhere"])
def test_another_name_is_refused(server, host, path):
    status, _, body = server.raw("GET", path, headers={"Host": host})
    assert status == 421
    assert b"Host names another server" in body


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", "x"]
)
def test_another_website_changes_nothing(server, origin):
    before = server.get("/v1/models/m")["version"]
    headers = {"Origin": origin, "Content-Type": "text/plain"}
    for method, path in [("POST", LEARN), ("DELETE", "/v1/models/m"), ("PUT", "/v1/models/m/file")]:
        assert server.raw(method, path, EXAMPLE, headers)[0] == 403
    assert server.get("/v1/models/m")["version"] == before


def test_the_own_page_and_programs_change_the_model(server):
    before = server.get("/v1/models/m")["version"]
    for origin in ({}, {"Origin": f"http://127.0.0.1:{server.port}"}):
        assert server.raw("POST", LEARN, EXAMPLE, origin)[0] == 200
    assert server.get("/v1/models/m")["version"] == before + 2


def test_reading_is_left_to_the_browsers_own_rule(server):
    status, headers, _ = server.raw("GET", "/v1/models", headers={"Origin": "https://evil.example"})
    assert status == 200
    assert not [name for name in headers if name.lower().startswith("access-control")]


def test_a_token_is_enough(tmp_path):
    with Served(tmp_path, env={"ROSENBLATT_TOKEN": "correct-horse"}) as server:
        headers = {"Host": "service.example", "Origin": "https://elsewhere.example"}
        assert server.raw("POST", "/v1/models", b'{"name": "m"}', headers)[0] == 401
        headers["Authorization"] = "Bearer correct-horse"
        assert server.raw("POST", "/v1/models", b'{"name": "m"}', headers)[0] == 201
