"""The routes under /v1, as a client sees them: a real process, real requests."""

import json

import pytest
from service_runs import call_of, run_service

from rosenblatt import OnlinePerceptron, Perceptron, load
from rosenblatt.learning.models import files
from rosenblatt.serve import schema
from rosenblatt.serve.changes import read_served
from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.http.endpoints.learn import learn
from rosenblatt.serve.served import Taught

NDJSON = {"Content-Type": "application/x-ndjson"}


@pytest.fixture
def m(server, request):
    """The path of a new model that has learned three examples."""
    name = request.node.name[:60].replace("[", ".").replace("]", "")
    server.post("/v1/models", {"name": name}, status=201)
    path = f"/v1/models/{name}"
    rows = [({"a": 1}, "x"), ({"b": 2}, "y"), ({"a": 1, "b": 1}, "x")]
    server.post(f"{path}/learn", [{"features": x, "label": y} for x, y in rows])
    return path


def twin():
    model = OnlinePerceptron(rule="auto", max_features=2**20)
    return model.learn_one({"a": 1}, "x").learn_one({"b": 2}, "y").learn_one({"a": 1, "b": 1}, "x")


def test_a_prediction_has_label_scores_margin_and_version(server, m):
    answer = server.post(f"{m}/predict", {"features": {"a": 1, "c": 5}})
    model, row = twin(), {"a": 1, "c": 5}
    scores = model.score_one(row)
    assert answer.pop("id").startswith("p")
    assert answer == {
        "label": max(scores, key=scores.get),
        "scores": scores,
        "margin": 2 * abs(scores["x"]),
        "probabilities": model.predict_proba_one(row),
        "version": 3,
    }
    both = server.post(f"{m}/predict", [{"features": {"a": 1}}, {"features": {"b": 1}}])
    assert [one["label"] for one in both] == list(twin().predict_many([{"a": 1}, {"b": 1}]))


def test_contributions_and_the_intercept_are_the_score(server, m):
    for path, body in ((f"{m}/predict?explain=true", {}), (f"{m}/predict", {"explain": True})):
        answer = server.post(path, {"features": {"a": 1, "b": -3, "c": 7}} | body)
        parts = {part["feature"]: part["contribution"] for part in answer["contributions"]}
        label, nothing = answer["label"], twin().score_one({})
        assert sum(parts.values()) + nothing[label] == pytest.approx(answer["scores"][label])
        assert parts["c"] == 0.0
        assert "contributions" not in server.post(f"{m}/predict", {"features": {"a": 1}})


def test_a_model_with_probabilities_gives_them(server, tmp_path):
    """Those of Python, also of its file and at an older version; without them there are none."""
    config = {"probabilities": True, "output": "average"}
    server.post("/v1/models", {"name": "calibrated", "config": config}, status=201)
    path, twin = "/v1/models/calibrated", OnlinePerceptron(**config, max_features=2**20)
    asked = {"features": {"a": 1}}
    plain = {"name": "scores", "config": {"rule": "perceptron"}}
    server.post("/v1/models", plain, status=201)
    server.post("/v1/models/scores/learn", asked | {"label": "x"})
    for name in ("calibrated", "scores"):  # of which the first has learned nothing
        assert "probabilities" not in server.post(f"/v1/models/{name}/predict", asked)
    for i in range(30):
        row, label = {"a": i % 3, "b": i % 5}, "xyz"[i % 2 + (i % 7 == 6)]
        server.post(f"{path}/learn", {"features": row, "label": label})
        twin.learn_one(row, label)
        if i == 19:
            at_20 = twin.predict_proba_one(asked["features"])
    answer = server.post(f"{path}/predict", asked)
    assert answer["probabilities"] == twin.predict_proba_one(asked["features"])
    assert sum(answer["probabilities"].values()) == pytest.approx(1.0)
    assert server.post(f"{path}/predict?version=20", asked)["probabilities"] == at_20
    (tmp_path / "m").write_bytes(server.raw("GET", f"{path}/file")[2])
    again = load(tmp_path / "m")
    assert again.predict_proba_one(asked["features"]) == answer["probabilities"]


def test_learning_answers_with_version_and_whether_it_was_right(server, m):
    one = server.post(f"{m}/learn", {"features": {"a": 1}, "label": "y", "weight": 2})
    head = server.get(m)["head"]
    assert one == {"version": 4, "was_right": twin().predict_one({"a": 1}) == "y", "head": head}
    assert server.post(f"{m}/learn", []) == []
    late = server.post(f"{m}/predict", {"features": {"b": 9}})["id"]
    assert server.post(f"{m}/learn", {"id": late, "label": "x"})["version"] == 5
    about = server.get(m)
    assert (about["version"], about["examples"], about["features"]) == (5, 5, 2)
    assert about["labels"] == [["x", 3], ["y", 2]]


def test_a_list_is_learned_whole_or_not_at_all(server, m):
    rows = [{"features": {"a": 1}, "label": "x"}, {"features": {"a": 1}, "label": 3}]
    error = server.ask("POST", f"{m}/learn", rows, status=422)["error"]
    assert "of another kind" in error
    assert server.get(m)["version"] == 3
    many = [{"features": {}, "label": "x"}] * 1001
    assert "NDJSON" in server.ask("POST", f"{m}/learn", many, status=413)["error"]


def test_each_line_has_an_answer_of_its_own(server, m):
    lines = [{"features": {"a": 1}, "label": "x"}, {"features": {"a": 1}}, None,
             {"features": {"b": 1}, "label": "y"}, {"features": {"b": 1}, "label": 1}]  # fmt: skip
    body = b"\n".join(b"" if line is None else json.dumps(line).encode() for line in lines)
    status, headers, data = server.raw("POST", f"{m}/learn", body + b"\r\nnot json", NDJSON)
    answers = [json.loads(line) for line in data.splitlines()]
    assert (status, headers["Content-Type"]) == (200, "application/x-ndjson")
    assert [answer.get("version") for answer in answers] == [4, None, 5, None, None]
    assert [answer.get("line") for answer in answers] == [None, 2, None, 5, 6]
    assert "label" in answers[1]["error"]
    status, _, data = server.raw("POST", f"{m}/predict", b'{"features":"text"}\n' * 1200, NDJSON)
    assert len(data.splitlines()) == 1200


def test_thousands_of_lines_are_those_of_single_requests(server, m):
    rows = [({"a": j % 3, f"f{j % 11}": 1.5}, "xyz"[j % 3]) for j in range(2500)]
    body = b"\n".join(json.dumps({"features": x, "label": y}).encode() for x, y in rows)
    _, _, data = server.raw("POST", f"{m}/learn", body, NDJSON)
    versions = [json.loads(line)["version"] for line in data.splitlines()]
    assert versions == list(range(4, 2504))
    model = twin()
    for x, y in rows:
        model.learn_one(x, y)
    _, _, data = server.raw("GET", f"{m}/file")
    assert same_arrays(data, files.to_bytes(model))


def same_arrays(one, other):
    from safetensors.numpy import load as arrays

    one, other = arrays(one), arrays(other)
    return one.keys() == other.keys() and all((one[k] == other[k]).all() for k in one)


def test_a_model_file_goes_out_and_in(server, m, tmp_path):
    status, headers, data = server.raw("GET", f"{m}/file")
    assert status == 200
    assert headers["Content-Disposition"].endswith('.rosenblatt"')
    path = tmp_path / "model.rosenblatt"
    path.write_bytes(data)
    assert load(path).predict_one({"b": 1}) == twin().predict_one({"b": 1})
    new = f"{m}-new"
    status, _, answer = server.raw("PUT", f"{new}/file", data)
    assert (status, json.loads(answer)["version"]) == (200, 1)
    asked = {"features": {"a": 1, "b": 1}}
    assert server.post(f"{new}/predict", asked)["scores"] == twin().score_one(asked["features"])
    status, _, answer = server.raw("PUT", f"{new}/file", b"no model")
    assert status == 422
    assert "cannot be served" in json.loads(answer)["error"]
    server.post("/v1/models", {"name": f"{new}er".rpartition("/")[2]}, status=201)
    assert "nothing yet" in server.get(f"{new}er/file", status=409)["error"]


def test_a_version_a_rollback_an_erasure_and_a_shadow(server, m):
    asked = f"{m}/predict?version=%d", {"features": {"b": 1}}
    at_2 = server.post(asked[0] % 2, asked[1])
    assert at_2["version"] == 2
    rolled = server.post(f"{m}/rollback", {"version": 2})
    assert (rolled["version"], rolled["examples"]) == (4, 2)
    assert server.post(f"{m}/predict", asked[1])["scores"] == at_2["scores"]
    erased = server.ask("DELETE", f"{m}/versions/2")
    assert (erased["version"], erased["examples"], erased["labels"]) == (5, 1, [["x", 1]])
    past, now = server.get(f"{m}/versions?at=5"), server.get(f"{m}/versions?at=99999999999")
    assert (past["until"], now["until"]) == (0, 5)
    changes = [change["what"] for change in server.get(f"{m}/versions")["changes"]]
    assert changes == ["erased", "rollback", "erasure"]
    compared = server.post(f"{m}/shadows", {"name": "s", "config": {"rule": "cw"}}, status=201)
    assert [one["examples"] for one in compared["models"]] == [1, 1]
    server.post(f"{m}/learn", {"features": {"b": 1}, "label": "y"})
    assert [one["examples"] for one in server.get(f"{m}/shadows")["models"]] == [2, 2]
    assert len(server.ask("DELETE", f"{m}/shadows/s")["models"]) == 1
    for path, status in (
        (f"{m}/versions/99", 404),
        (f"{m}/versions/4", 422),
        (f"{m}/shadows/s", 404),
    ):
        assert server.ask("DELETE", path, status=status)["error"]
    assert server.post(f"{m}/rollback", {"version": 99}, status=404)["error"]


def test_a_shadow_may_have_the_name_of_its_model(server, m):
    name = server.get(m)["name"]
    server.post(f"{m}/shadows", {"name": name, "config": {"rule": "pa"}}, status=201)
    compared = [(one["name"], one["shadow"]) for one in server.get(f"{m}/shadows")["models"]]
    assert compared == [(name, False), (name, True)]


def test_dense_rows_and_labels_of_any_kind(server):
    for name, labels in (("dense.bool", [True, False]), ("dense.int", [-1, 7, 3])):
        server.post("/v1/models", {"name": name, "config": {"rule": "pa1"}}, status=201)
        for j in range(6):
            example = {"features": [1.0 * j, -j % 4], "label": labels[j % len(labels)]}
            server.post(f"/v1/models/{name}/learn", example)
        answer = server.post(f"/v1/models/{name}/predict", {"features": [2, 1]})
        assert answer["label"] in labels
        assert set(answer["scores"]) == {json.dumps(label) for label in labels}
        short = server.post(f"/v1/models/{name}/predict", {"features": [2]}, status=422)
        assert "has 2 numbers; got 1" in short["error"]


def test_deleted_models_are_restored(server, m):
    assert server.ask("DELETE", m)["deleted"] is not None
    assert server.get(m, status=404)["error"]
    assert server.post(f"{m}/restore", None)["examples"] == 3
    assert server.get(m)["deleted"] is None


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/models", b"{", 400),
        ("POST", "/v1/models", b'{"name": "a/b"}', 422),
        ("POST", "/v1/models", b'{"name": "ok", "more": 1}', 422),
        ("POST", "/v1/models", b"\xff\xfe", 400),
        ("PUT", "/v1/models", b"{}", 405),
        ("GET", "/v1/models/nothing", None, 404),
        ("GET", "/v1/models/..%2f..%2fetc", None, 404),
        ("POST", "/v1/models/{m}/predict?version=x", b'{"features": {}}', 422),
        ("POST", "/v1/models/{m}/predict?version=99", b'{"features": {}}', 404),
        ("POST", "/v1/models/{m}/predict?explain=maybe", b'{"features": {}}', 422),
        ("POST", "/v1/models/{m}/learn", b'{"features": {"a": NaN}, "label": "x"}', 400),
        ("POST", "/v1/models/{m}/learn", b'{"features": {"a": 1e999}, "label": "x"}', 422),
        ("POST", "/v1/models/{m}/learn", b'{"features": {"a": [1]}, "label": "x"}', 422),
        ("POST", "/v1/models/{m}/learn", b'{"features": {"a": 1}, "label": 1.5}', 422),
        ("POST", "/v1/models/{m}/learn", b"", 400),
        ("POST", "/v1/models/{m}/predict?verison=3", b'{"features": {}}', 422),
        ("GET", "/v1/models/{m}/heaviest?count=3", None, 422),
        ("GET", "/v1/models/{m}?top=3", None, 422),
    ],
)
def test_what_is_wrong_is_said_with_the_status_it_deserves(server, method, path, body, status):
    server.raw("POST", "/v1/models", b'{"name": "faults"}')
    got, headers, data = server.raw(method, path.replace("{m}", "faults"), body)
    assert (got, headers["Content-Type"]) == (status, "application/problem+json")
    assert json.loads(data)["error"]


def test_weights_that_left_the_range_answer_nothing_and_the_document_says_so(server):
    config = {"rule": "lms", "eta0": 1e30}
    server.post("/v1/models", {"name": "overflowed", "config": config}, status=201)
    row, path = {"features": {"a": 1e30}}, "/v1/models/overflowed"
    for label in "xyxyxy":
        if server.raw("POST", f"{path}/learn", json.dumps({**row, "label": label}))[0] != 200:
            break
    last = server.get(path)["overflow"]
    described = server.get("/openapi.json")["paths"]
    for method, what, body in [
        ("POST", "learn", {**row, "label": "x"}), ("POST", "predict", row),
        ("GET", "heaviest", None), ("GET", "file", None), ("POST", "rollback", {"version": last}),
    ]:  # fmt: skip
        assert server.ask(method, f"{path}/{what}", body, status=409)["error"]
        assert "409" in described[f"/v1/models/{{model}}/{what}"][method.lower()]["responses"]


def test_an_example_is_found_by_its_text_and_erased(server, m):
    server.ask("POST", f"{m}/learn", {"features": {"from": "ann@example.org"}, "label": "x"})
    (found,) = server.get(f"{m}/examples?contains=ann%40example.org")
    assert (found["version"], found["features"]) == (4, {"from": "ann@example.org"})
    server.ask("DELETE", f"{m}/versions/{found['version']}")
    assert server.get(f"{m}/examples?contains=ann%40example.org") == []
    server.post("/v1/models", {"name": "numbered"}, status=201)
    labels = [2**53, 2**53 + 1, 2**63 - 1]  # the last two are no floats
    rows = [{"features": {"a": 1}, "label": label} for label in labels]
    server.post("/v1/models/numbered/learn", rows)
    for label in labels[1:]:
        found = server.get(f"/v1/models/numbered/examples?contains={label}")
        assert label in [example["label"] for example in found]
    for query in ("", "?contains=", "?before=3", "?contains=a&before=x"):
        assert server.ask("GET", f"{m}/examples{query}", status=422)["error"]


def test_a_shadow_is_promoted(server, m):
    server.ask("POST", f"{m}/shadows", {"name": "s", "config": {"rule": "arow"}}, status=201)
    about = server.ask("POST", f"{m}/shadows/s/promote")
    assert (about["config"], about["version"], about["examples"]) == ({"rule": "arow"}, 4, 0)
    assert server.ask("POST", f"{m}/shadows/s/promote", status=404)["error"]


def test_an_answer_without_a_body_is_sent_at_once(server, m):
    assert server.raw("HEAD", f"{m}/predict")[0] == 405


def test_lines_without_their_type_are_told_it(server, m):
    lines = b'{"features": "a", "label": "x"}\n{"features": "b", "label": "y"}\n'
    status, _, data = server.raw("POST", f"{m}/learn", lines)
    assert (status, b"Content-Type: application/x-ndjson" in data) == (400, True)


def test_metrics_and_health_are_there(server, m):
    assert server.get("/v1/health/live") == {"live": True}
    assert server.get("/v1/health/ready") == {"ready": True}
    _, headers, data = server.raw("GET", "/metrics")
    assert headers["Content-Type"].startswith("text/plain")
    for name in (b"rosenblatt_predictions_total", b"rosenblatt_commit_seconds_count",
                 b'rosenblatt_request_seconds_count{what="learn"}'):  # fmt: skip
        assert name in data


@pytest.mark.parametrize(
    "body",
    [
        '{"label": "x", "features": {"a": 1, "a": 2}}',
        '{"label": "x", "label": "y", "features": {"a": 1}}',
        '{"label": "x", "features": {"a": 1, "b:": "c:", "a" :2}}',
        '[{"label": "x", "features": {"b": 1}}, {"label": "x", "features": {"a": 1, "a": 1}}]',
        '{"label": "x", "features": {"a": 1, "\\u0061": 2}}',
        '{"label": "x", "features": {"a": 1}, "weight": 1.0, "weight": 1.0}',
    ],
    ids=["feature", "label", "colons", "list", "escaped", "weight"],
)
def test_a_name_that_stands_twice_is_refused(server, m, body):
    before = server.get(m)["version"]
    status, _, answer = server.raw("POST", f"{m}/learn", body.encode())
    assert (status, "twice in one object" in answer.decode()) == (422, True)
    if not body.startswith("["):
        _, _, answer = server.raw("POST", f"{m}/learn", body.encode() + b"\n", NDJSON)
        assert json.loads(answer)["line"] == 1
    assert server.get(m)["version"] == before


def test_what_only_looks_like_a_name_is_learned(server, m):
    for row in ({"a:": "b:c", "d": '":'}, "a text: with colons", {"a": 1}):
        body = {"features": row, "label": "x", "weight": 1.0}
        assert server.post(f"{m}/learn", body)["version"]


@pytest.mark.parametrize(
    ("labels", "scale", "why"),
    [
        ([1.0, 2.0], 1.0, "neither text nor an integer"),
        (["x", "y"], 1e250, "larger than 1e+200"),
    ],
)
def test_a_model_file_that_could_not_answer_is_refused(server, m, labels, scale, why):
    model = Perceptron(shuffle=False).fit([[1.0, 0.0], [0.0, 1.0]] * 2, labels * 2)
    model.coef_ = model.coef_ * scale
    status, _, answer = server.raw("PUT", f"{m}/file", files.to_bytes(model))
    assert (status, why in answer.decode()) == (422, True), answer
    assert server.get(m)["version"] == 3


FILES = {
    "501 labels": ([({"a": 1.0}, f"y{j}") for j in range(501)], {}, "has 501 labels"),
    "a long label": ([({"a": 1.0}, "y" * 1001), ({"b": 1.0}, "x")], {}, "1,001 characters in a l"),
    "a long name": ([({"a" * 100_001: 1.0}, "y"), ({"b": 1.0}, "x")], {}, "characters in a name"),
    "too many columns": ([([1.0] * 10_001, "y"), ([0.0] * 10_001, "x")], {}, "10,001 features"),
    "too large a rate": ([({"a": 1.0}, "y"), ({"b": 1.0}, "x")], {"eta0": 1e31}, "eta0 may be"),
}


def test_a_model_file_has_the_limits_of_other_models(server, m):
    for examples, params, why in FILES.values():
        file = files.to_bytes(OnlinePerceptron(**params).learn_many(*zip(*examples, strict=True)))
        for path in (m, f"{m}-new"):
            status, _, answer = server.raw("PUT", f"{path}/file", file)
            assert (status, why in answer.decode()) == (422, True), answer
    assert server.get(m)["version"] == 3
    assert server.get(f"{m}-new", status=404)


def test_a_model_file_may_have_so_many_names(monkeypatch):
    monkeypatch.setattr(schema, "MAX_NAMES", 16)
    most, more = (
        OnlinePerceptron().learn_many([{f"n{j}": 1.0 for j in range(names)}, {}], ["y", "x"])
        for names in (16, 17)
    )
    assert set(read_served(files.to_bytes(most)).model.classes_) == {"x", "y"}
    with pytest.raises(RefusedError, match="17 features, and may have 16"):
        read_served(files.to_bytes(more))


def test_a_model_file_without_a_bound_gets_that_of_other_models(server, m):
    rows = [{"a": 1.0}, {"b": 1.0}]
    trained = OnlinePerceptron(rule="arow").learn_many(rows, ["x", "y"])
    bounded = OnlinePerceptron(max_features=2).learn_many(rows, ["x", "y"])
    dense = Perceptron(shuffle=False).fit([[1.0, 0.0], [0.0, 1.0]], ["x", "y"])
    for model, config, features in [
        (trained, {"rule": "arow"}, 3),
        (bounded, {"max_features": 2}, 2),
        (dense, {}, 2),
    ]:
        status, _, answer = server.raw("PUT", f"{m}/file", files.to_bytes(model))
        assert (status, json.loads(answer)["config"]) == (200, config)
        row = [1.0, 1.0] if model is dense else {"a": 1.0, "new": 1.0}
        asked = {"features": row}
        expected = model.decision_function([row]) if model is dense else model.score_one(row)
        scores = server.post(f"{m}/predict", asked)["scores"]
        assert scores["y"] == (expected[0] if model is dense else expected["y"])
        server.post(f"{m}/learn", asked | {"label": "y"})
        assert server.get(m)["features"] == features


def good(n):
    return {"features": {"a": 1, f"n{n}": 1}, "label": "xy"[n % 2]}


LAST_ROWS = {
    "no label": {"features": {"a": 1}},
    "another kind of row": {"features": [1.0], "label": "x"},
    "another kind of label": {"features": {"a": 1}, "label": 3},
    "a value too large": {"features": {"a": 1e31}, "label": "x"},
    "a weight too large": {"features": {"a": 1}, "label": "x", "weight": 1e31},
    "a negative weight": {"features": {"a": 1}, "label": "x", "weight": -1},
    "an id that nobody knows": {"id": "p999999", "label": "x"},
    "a field of another name": {"features": {"a": 1}, "label": "x", "text": "b"},
    "a long name": {"features": {"a" * 1001: 1}, "label": "x"},
    "a long label": {"features": {"a": 1}, "label": "y" * 1001},
    "neither features nor id": {"label": "x"},
    "both features and id": {"features": {"a": 1}, "id": "p1", "label": "x"},
    "many features": {"features": {f"f{j}": 1 for j in range(10_001)}, "label": "x"},
}
FIRST_LISTS = {
    "a list among names": [good(0), {"features": [1.0], "label": "x"}],
    "lists of two lengths": [
        {"features": [1.0, 2.0], "label": "x"},
        {"features": [1.0], "label": "y"},
    ],
    "labels of two kinds": [good(0), {"features": {"a": 1}, "label": True}],
    "501 labels": [{"features": {"a": 1}, "label": j} for j in range(501)],
}
CONFIGS = {
    "columns beyond a covariance": (
        {"rule": "arow_full"},
        [{"features": [float(j)] * 3000, "label": "xy"[j % 2]} for j in range(3)],
    ),
}


@pytest.mark.parametrize("fault", [*LAST_ROWS, *FIRST_LISTS, *CONFIGS])
def test_a_list_that_is_refused_has_learned_nothing(server, fault):
    """Neither the log nor the model, nor its shadow, nor the next example knows of it."""
    path, rows = f"/v1/models/{fault.replace(' ', '-')}", [*map(good, range(5))]
    rows.append(LAST_ROWS.get(fault))
    config, rows = CONFIGS.get(fault, ({}, FIRST_LISTS.get(fault, rows)))
    server.post("/v1/models", {"name": path.rpartition("/")[2], "config": config}, status=201)
    if fault in LAST_ROWS:
        server.post(f"{path}/learn", [good(0), good(1)])
    server.post(f"{path}/shadows", {"name": "s", "config": {"rule": "pa"}}, status=201)

    def known():
        return [
            server.get(path), server.get(f"{path}/versions"), server.get(f"{path}/shadows"),
            server.get(f"{path}/examples?contains=a"), server.raw("GET", f"{path}/file")[2],
        ]  # fmt: skip

    before = known()
    for headers in ({}, {"Idempotency_Key": "k"}):
        status = 404 if fault.startswith("an id") else 422
        server.ask("POST", f"{path}/learn", rows, status=status, **headers)
        assert known() == before
    taken = server.ask("POST", f"{path}/learn", [good(2)], Idempotency_Key="k")
    assert taken[0]["version"] == before[0]["version"] + 1


@pytest.mark.parametrize("key", ["a b", "é", "x" * 201], ids=["space", "letter", "long"])
def test_a_key_that_is_not_as_described_is_refused(server, m, key):
    body = b'{"features": {"a": 1}, "label": "x"}'
    before = server.get(m)["version"]
    status, _, answer = server.raw("POST", f"{m}/learn", body, {"Idempotency-Key": key})
    assert (status, "1 to 200 printable ASCII characters" in answer.decode()) == (422, True)
    assert server.get(m)["version"] == before


def test_a_retry_is_answered_while_the_disk_fails(tmp_path, monkeypatch):
    body = b'{"features": {"a": 1}, "label": "x"}'

    async def test(service, model):
        async def ask(key, body=body):
            headers = [] if key is None else [(b"idempotency-key", key)]
            return json.loads((await learn.handler(service, call_of(body, headers=headers))).body)

        learned = await ask(b"k")
        await service.writer.barrier()

        async def fail(model, rows, key):
            raise StoreError("the disk failed.")

        monkeypatch.setattr(service, "learn", fail)
        assert await ask(b"k") == learned
        for key, other in ((b"k", body + b" "), (b"new", body), (None, body)):
            with pytest.raises(StoreError, match="the disk failed"):
                await ask(key, other)

        async def learn_in_vain(model, rows, key):
            return Taught([RefusedError(422, "version 1 cannot be learned.")], 1)

        monkeypatch.setattr(service, "learn", learn_in_vain)
        with pytest.raises(RefusedError):  # the first answer to the key
            await ask(b"k")

    run_service(tmp_path, test)
