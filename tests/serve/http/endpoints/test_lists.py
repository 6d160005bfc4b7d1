"""Pages of models and of the log: each once, in order, whatever changes meanwhile."""

import time

import pytest
from serving import Served

from rosenblatt.serve import Client

NAMES = [f"m{j}" for j in (3, 1, 4, 0, 5, 9, 2, 6)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("store")) as server:
        for name in NAMES:
            server.post("/v1/models", {"name": name}, status=201)
        server.ask("DELETE", "/v1/models/m5")
        rows = [{"features": {"a": j}, "label": "xy"[j % 2], "weight": 2} for j in range(5)]
        server.post("/v1/models/m1/learn", rows)
        server.post("/v1/models/m1/rollback", {"version": 3})
        server.ask("DELETE", "/v1/models/m1/versions/2")
        server.post("/v1/models/m1/shadows", {"name": "s", "config": {"rule": "pa"}}, status=201)
        server.post("/v1/models/m1/shadows/s/promote", None)
        file = server.raw("GET", "/v1/models/m1/file")[2]
        assert server.raw("PUT", "/v1/models/m1/file", file)[0] == 200
        yield server


def pages(server, path):
    """All pages from a path on."""
    found = [server.get(path)]
    while "next" in found[-1]:
        found.append(server.get(found[-1]["next"]))
        assert len(found) < 100
    return found


def names(page, part="models"):
    return [model["name"] for model in page[part]]


def test_models_come_in_pages_by_their_names(server):
    living = sorted({*NAMES} - {"m5"})
    for limit in (1, 3, 7, 1000):
        found = pages(server, f"/v1/models?limit={limit}")
        assert [name for page in found for name in names(page)] == living
        assert [len(page["models"]) for page in found[:-1]] == [limit] * (len(found) - 1)
    assert names(server.get("/v1/models?after=m3")) == [name for name in living if name > "m3"]
    assert names(server.get("/v1/models?after=m9")) == []


def test_without_parameters_the_list_is_as_it_was(server):
    listed = server.get("/v1/models")
    assert (names(listed), list(listed)) == ([n for n in NAMES if n != "m5"], ["models"])
    listed = server.get("/v1/models?deleted=true")
    assert (names(listed, "deleted"), sorted(listed)) == (["m5"], ["deleted", "models"])


def test_a_model_that_was_brought_back_is_at_its_place(server):
    server.ask("DELETE", "/v1/models/m4")
    assert names(server.get("/v1/models?deleted=true"), "deleted") == ["m4", "m5"]
    server.post("/v1/models/m4/restore", None)
    assert names(server.get("/v1/models")) == [n for n in NAMES if n != "m5"]


def test_deleted_models_come_in_the_same_pages(server):
    found = pages(server, "/v1/models?deleted=true&limit=3")
    assert [names(page) + names(page, "deleted") for page in found] == [
        ["m0", "m1", "m2"], ["m3", "m4", "m5"], ["m6", "m9"],
    ]  # fmt: skip


def test_a_model_that_goes_between_two_pages_hides_no_other(server):
    server.post("/v1/models", {"name": "m3a"}, status=201)
    first = server.get("/v1/models?limit=5")
    assert names(first)[-1] == "m3a"
    server.ask("DELETE", "/v1/models/m3a")
    server.post("/v1/models/m3a/purge", None)
    assert names(server.get(first["next"])) == ["m4", "m6", "m9"]


def test_beyond_a_thousand_the_list_without_parameters_has_a_next_page(tmp_path):
    code = "import rosenblatt.serve.http.endpoints.lists as s; s.MAX_PAGE = 3"
    with Served(tmp_path / "store", code=code) as server:
        for name in NAMES:
            server.post("/v1/models", {"name": name}, status=201)
        found = pages(server, "/v1/models")
        assert [names(page) for page in found] == [
            ["m0", "m1", "m2"], ["m3", "m4", "m5"], ["m6", "m9"],
        ]  # fmt: skip
        with Client(f"http://127.0.0.1:{server.port}") as client:
            assert [model["name"] for model in client.models()] == sorted(NAMES)
            client.delete("m4")
            assert [model["name"] for model in client.deleted()] == ["m4"]


def test_the_log_comes_in_pages_with_what_each_record_says(server):
    whole = server.get("/v1/models/m1/log")
    assert list(whole) == ["records"]
    records = whole["records"]
    assert [record["version"] for record in records] == list(range(1, 10))
    assert [record["what"] for record in records] == [
        "example", "erased", *["example"] * 3, "rollback", "erasure", "promotion", "file",
    ]  # fmt: skip
    example = {key: records[2][key] for key in ("features", "label", "weight")}
    assert example == {"features": {"a": 2.0}, "label": "x", "weight": 2.0}
    assert (records[5]["of"], records[6]["of"]) == (3, 2)
    assert records[7]["config"] == {"rule": "pa"}
    assert set(records[8]) == {"version", "time", "what"}
    for limit in (1, 4, 9):
        found = pages(server, f"/v1/models/m1/log?limit={limit}")
        assert [record for page in found for record in page["records"]] == records
    assert server.get("/v1/models/m1/log?after=8")["records"] == records[8:]
    assert server.get("/v1/models/m1/log?after=99") == {"records": []}
    with Client(f"http://127.0.0.1:{server.port}") as client:
        assert client.log("m1", after=4) == records[4:]
        assert client.log("m0") == []


@pytest.mark.parametrize("path", ["/v1/models", "/v1/models/m1/log"])
@pytest.mark.parametrize("limit", ["0", "1001", "-1", "x", ""])
def test_a_limit_that_is_none_is_refused(server, path, limit):
    assert "limit must" in server.get(f"{path}?limit={limit}", status=422)["detail"]


def test_a_page_of_long_records_ends_early_and_a_short_log_begins_where_it_does(tmp_path):
    code = "import rosenblatt.serve.http.endpoints.lists as s; s.PAGE_BYTES = 3_000"
    code += "; import rosenblatt.serve.maintenance as m; m.SECONDS = 0.05"
    options = ("--keep-examples", "10", "--snapshot-every", "5")
    with Served(tmp_path / "store", *options, code=code) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        last, first = 0, 1
        while first == 1:  # more, since a busy machine may take one snapshot of all before
            assert last < 2_000
            for j in range(40):
                row = {"features": "word " * 200, "label": "xy"[j % 2]}
                last = server.post("/v1/models/m/learn", row)["version"]
            time.sleep(0.2)
            first = server.get("/v1/models/m/versions")["first"]
        found = []
        while found != (found := pages(server, "/v1/models/m/log")):
            pass  # until nothing is compacted while pages are read
        versions = [record["version"] for page in found for record in page["records"]]
        assert found[0]["records"][0]["what"] == "start"
        assert versions == list(range(versions[0], last + 1))
        assert versions[0] >= first > 1
        assert [len(page["records"]) for page in found[1:-1]] == [3] * (len(found) - 2)
        assert len(found) > 2
