"""What the page is told: right counts, and a bounded size whatever was learned."""

import json

import pytest


@pytest.fixture
def model(server, request):
    name = request.node.name.split("[")[0][:64]
    server.post("/v1/models", {"name": name}, status=201)
    return f"/v1/models/{name}"


def facts(server, model):
    return next(server.events(f"{model}/stream"))


def test_counts_are_those_of_the_model(server, model):
    rows = [("a", True), ("b", False), ("a", True), ("b", True), ("b", False)]
    learned = server.post(f"{model}/learn", [{"features": x, "label": y} for x, y in rows])
    seen = facts(server, model)
    assert seen["model"] == server.get(model)
    assert seen["model"]["errors"] == sum(not answer["was_right"] for answer in learned)
    assert [point["examples"] for point in seen["points"]] == [1, 2, 4, 5]
    assert seen["points"][-1]["interval"] == seen["model"]["interval"]
    assert seen["constant"] == {"label": True, "error": 0.4}
    confusion = seen["confusion"]
    assert confusion["labels"] == [True, False]
    assert sum(map(sum, confusion["counts"])) == 5
    right = sum(confusion["counts"][i][i] for i in range(2))
    assert right == 5 - seen["model"]["errors"]
    assert confusion["counts"][0][2] == 1  # the first example found no prediction
    assert [e["version"] for e in seen["recent"]] == [5, 4, 3, 2, 1]
    assert seen["recent"][0] == {
        "version": 5, "label": False, "was_right": learned[-1]["was_right"], "text": "b",
        "values": [], "more": 0,
    }  # fmt: skip
    (group,) = seen["heaviest"]
    assert group["label"] is True  # the second of two, in order
    assert dict(group["features"]).keys() <= {"a", "b"}


def test_an_event_stays_small(server, model):
    long = {f"{'x' * 990}{j}": float(j) for j in range(5000)}
    examples = [{"features": long, "label": f"{i:02}{'y' * 990}"} for i in range(30)]
    for example in examples:
        server.post(f"{model}/learn", example)
    seen = facts(server, model)
    assert len(seen["recent"]) == 12
    assert len(seen["recent"][0]["values"]) == 12
    assert seen["recent"][0]["more"] == 5000 - 12
    assert len(seen["confusion"]["labels"]) == len(seen["heaviest"]) == 12
    assert len(json.dumps(seen)) < 200_000


def test_dense_rows_and_texts_are_shortened(server, model):
    server.post(f"{model}/learn", {"features": [float(j) for j in range(20)], "label": 1})
    (example,) = facts(server, model)["recent"]
    assert example["values"][:2] == [["0", 0.0], ["1", 1.0]]
    assert (len(example["values"]), example["more"]) == (12, 8)


def test_values_that_are_words_read_as_the_model_reads_them(server, model):
    server.post(f"{model}/learn", {"features": {"colour": "red", "size": 2}, "label": 1})
    assert facts(server, model)["recent"][0]["values"] == [["colour=red", 1.0], ["size", 2.0]]


def test_totals_and_times_are_those_of_the_service(server, model):
    before = facts(server, model)["service"]
    server.post(f"{model}/learn", [{"features": "a", "label": "x"}] * 7)
    server.post(f"{model}/predict", [{"features": "a"}] * 3)
    after = facts(server, model)["service"]
    assert after["examples"] - before["examples"] == 7
    assert after["predictions"] - before["predictions"] == 3
    for kind in ("learn", "predict"):
        assert after["seconds"][kind][-1] - before["seconds"][kind][-1] == 1
    assert after["seconds"]["commit"][-1] == after["commits"] > before["commits"]
    assert after["failed"] is None


def test_an_example_of_a_version_is_whole(server, model):
    example = {"features": {"a b": 1.5, "c": "d"}, "label": "x", "weight": 2.0}
    server.post(f"{model}/learn", example)
    seen = server.get(f"{model}/versions/1")
    assert seen.pop("time") > 1.7e9
    assert seen == {"version": 1, **example}
    assert "1 to 1" in server.get(f"{model}/versions/2", status=404)["error"]
    server.get(f"{model}/versions/x", status=422)
    server.post(f"{model}/rollback", {"version": 1})
    assert "no example" in server.get(f"{model}/versions/2", status=422)["error"]
