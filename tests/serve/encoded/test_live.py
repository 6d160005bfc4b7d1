"""Models of raw rows in the service: what they learn, and what a store keeps of them."""

import json

import numpy as np
import pandas as pd
import pytest
from profiles import share
from raw_rows import OPTIONS, PEOPLE, answers_of, as_answered, raw_rows, trained
from service_runs import learn_rows, run_service
from serving import Served
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import rosenblatt
from rosenblatt.learning.linear.learners import Perceptron
from rosenblatt.learning.models import files
from rosenblatt.serve import changes
from rosenblatt.serve.encoded.files import file_of, of_snapshot, read_file
from rosenblatt.serve.encoded.live import EncodedLive
from rosenblatt.serve.erasure.find import find_value
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.rows import PlainRows
from rosenblatt.serve.schema import Shadow
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.log import Kind, Record


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("notes", [None, ["csv"], "csv", {"format": ["csv"]}], ids=str)
def test_notes_that_are_none_leave_a_plain_model(tmp_path, notes):
    learner = Perceptron(shuffle=False).fit([[0.0], [1.0]], ["a", "b"])
    files.save(learner, tmp_path / "m", notes=notes)
    assert type(read_file((tmp_path / "m").read_bytes())) is LiveModel


PRESETS = [
    rosenblatt.Perceptron(shuffle=False),
    rosenblatt.AveragedPerceptron(shuffle=False, rule="pa1"),
    rosenblatt.Adaline(shuffle=False, scale=True, class_weight={"no": 2.0}),
    rosenblatt.PassiveAggressiveClassifier(shuffle=False, C=0.5, fit_intercept=False),
]


@pytest.mark.parametrize("classifier", PRESETS, ids=lambda one: type(one).__name__)
def test_a_saved_pipeline_of_any_linear_classifier_is_served(folder, classifier):
    """It scores and learns as the pipeline does, to the last bit."""
    frame = pd.DataFrame([people(j) for j in range(40)]).drop(columns="note")
    y = [label_of(j) for j in range(40)]
    encoder = rosenblatt.RowEncoder(impute="zero", schema={"job": "category"})
    model = rosenblatt.RowModel([("encoder", encoder), ("classifier", clone(classifier))])
    rosenblatt.save(make_pipeline(*(step for _, step in model.fit(frame, y).steps)), "m")
    live = read_file((folder / "m").read_bytes())
    assert isinstance(live, EncodedLive)

    def check():
        found = [live.predict(people(j)).scores for j in range(40)]
        for scores, expected in zip(found, model.decision_function(frame).tolist(), strict=True):
            assert [scores[label] for label in model.classes_] == expected

    check()
    later = [people(j) for j in range(40, 60)]
    learned(live, [(row, label_of(40 + j), 1.0) for j, row in enumerate(later)], [1])
    for j, row in enumerate(later):
        model.partial_fit([row], [label_of(40 + j)])
    check()
    again = read_file(live.content()())
    assert again.predict(people(3)).scores == live.predict(people(3)).scores


@pytest.mark.parametrize(
    ("classifier", "problem"),
    [
        (rosenblatt.PassiveAggressiveClassifier(), "the file has a PassiveAggressive.* pa1"),
        (rosenblatt.KernelPerceptron(), "the file has a KernelPerceptron, which cannot learn on"),
        (rosenblatt.VotedPerceptron(), "the file has a VotedPerceptron, .*no linear classifier"),
        (rosenblatt.Perceptron(expansion=True), "its learner has expansion=True"),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("is_encoded", [False, True])
def test_what_cannot_learn_on_is_refused_with_the_reason(folder, classifier, problem, is_encoded):
    rows, y = pd.DataFrame({"x": [0.0, 1.0], "c": ["a", "b"]}), ["no", "yes"]
    if is_encoded:
        model = make_pipeline(rosenblatt.RowEncoder(), clone(classifier)).fit(rows, y)
    else:
        model = clone(classifier).fit(rows[["x"]], y)
    rosenblatt.save(model, "m")
    with pytest.raises(RefusedError, match=f"the file cannot be served: {problem}"):
        changes.read_served((folder / "m").read_bytes())


def test_scaled_rows_need_an_encoder(folder):
    rosenblatt.save(rosenblatt.AveragedPerceptron(scale=True).fit([[0.0], [1.0]], [0, 1]), "m")
    with pytest.raises(RefusedError, match="its learner has scale=True, and an OnlinePerceptron"):
        changes.read_served((folder / "m").read_bytes())


# --- learning ------------------------------------------------------------------------------------


def people(j):
    """Person j, always the same; some have a job that no file had, or no pay."""
    rng = np.random.default_rng(j)
    job = ["Private", "Gov", "Own", None, f"new {j % 7}", 3.0][j % 6]
    pay = None if j % 5 == 0 else round(float(rng.normal(4, 2)), 3)
    return {"age": int(rng.integers(20, 60)), "job": job, "pay": pay, "note": "ignored"}


def label_of(j):
    return ["no", "yes", "maybe"][j % 3 if j > 4 else j % 2]


def learned(live, rows, sizes):
    """A model that learns examples, so many at once; what it predicted before."""
    outcomes, start = [], 0
    while start < len(rows):
        stop = min(start + sizes[len(outcomes) % len(sizes)], len(rows))
        outcomes += live.learn_rows(PlainRows(rows), start, stop, live.version + 1)
        start = stop
    return outcomes


EXAMPLES = [(people(j), label_of(j), 0.5 + j % 2) for j in range(60)]


@pytest.mark.parametrize("options", share(OPTIONS[:7], 2, 0), ids=" ".join)
def test_the_bits_do_not_depend_on_how_rows_are_learned(folder, call, options):
    (folder / "people.csv").write_text(PEOPLE)
    data = trained(call, "people.csv", "--target", "y", *options)
    found = []
    for sizes in ([1], [60], [7, 3, 11]):
        live = read_file(data)
        outcomes = learned(live, EXAMPLES, sizes)
        shadow = EncodedLive.untrained({"rule": "pa1", "output": "average"}, live.how)
        outcomes += learned(shadow, EXAMPLES, sizes)
        found.append((outcomes, live.content()(), shadow.content()(), live.progress.snapshot()))
    assert found[0] == found[1] == found[2]
    assert {True, False} <= set(found[0][0])
    again = of_snapshot(live.freeze()())
    learned(live, EXAMPLES, [9])
    learned(again, EXAMPLES, [4])
    assert again.content()() == live.content()()
    (folder / "m.rosenblatt").write_bytes(live.content()())
    (folder / "new.csv").write_text(PEOPLE.replace("Own", "new 4"))
    expected = answers_of(call, "m.rosenblatt", "new.csv")
    rows = raw_rows("new.csv", live.how.notes)
    assert [as_answered(live.predict(row)) for row in rows] == expected


def test_costs_of_a_file_decide_in_the_service_and_in_the_file_that_it_gives(folder, call):
    (folder / "people.csv").write_text(PEOPLE)
    options = ["--target", "y", "--impute", "mean", "--scale", "--rule", "logistic"]
    live = read_file(trained(call, "people.csv", *options, "--cost", "1", "9"))
    plain = read_file(trained(call, "people.csv", *options))
    rows = raw_rows("people.csv", live.how.notes)
    labels = [live.predict(row).label for row in rows]
    assert labels != [plain.predict(row).label for row in rows]
    assert [as_answered(live.predict(row)) for row in rows] == answers_of(
        call, "m.rosenblatt", "people.csv", "--cost", "1", "9"
    )
    learned(live, EXAMPLES[:3], [1])
    again = of_snapshot(live.freeze()())
    assert [again.predict(row) for row in rows] == [live.predict(row) for row in rows]


def test_hashed_features_have_the_names_and_the_signs_of_the_file(folder, call):
    lines = [f"{n % 5},c{n % 5},{n % 5 > 2}" for n in range(60)]
    (folder / "hashed.csv").write_text("\n".join(["x,code,y", *lines]) + "\n")
    live = read_file(trained(call, "hashed.csv", "--bits", "10"))

    def check():
        heaviest = dict(live.heaviest(9)["True"])
        for j in range(1, 5):
            answer = live.predict({"x": j, "code": f"c{j}"}, explain=True)
            toward = 1.0 if answer.label == "True" else -1.0
            for part in answer.contributions:
                weight = toward * part.contribution / part.value
                assert heaviest[part.feature] == pytest.approx(weight)
        assert {"x", "code=c1", "code=c4"} <= set(heaviest)
        assert min(heaviest.values()) < 0.0 < max(heaviest.values())

    check()
    learned(live, [({"x": 1, "code": "c1"}, "True", 1.0)], [1])
    check()


def test_what_is_learned_is_what_the_learner_learns_of_the_matrix(folder, call):
    (folder / "people.csv").write_text(PEOPLE)
    live = read_file(trained(call, "people.csv", "--target", "y", "--impute", "mean"))
    learner = files.load("m.rosenblatt")
    del learner.feature_names_in_
    learned(live, [({"age": 30, "job": "Gov", "pay": None}, "no", 2.0)], [1])
    names = live.how.names
    row = np.zeros((1, len(names)))
    row[0, [names.index("age"), names.index("job=Gov"), names.index("pay")]] = 30, 1, 13.5 / 4
    learner.partial_fit(row, ["no"], sample_weight=[2.0])
    assert np.array_equal(learner.coef_, live.model._fitted().coef_[:, : len(names)])
    learned(live, [({"age": 30, "job": "Sea", "pay": 1}, "yes", 1.0)], [1])
    assert live.how.names == [*names, "job=Sea"]
    assert live.how.notes["means"] == {"age": 36.75, "pay": 3.375}  # those of the file


def test_a_model_that_learned_here_has_no_totals_to_go_on_from(folder, call):
    """Its means are those of the file: the rows since are in no total."""
    (folder / "people.csv").write_text(PEOPLE)
    data = trained(call, "people.csv", "--target", "y", "--impute", "mean")
    totals = files.describe("m.rosenblatt")["notes"]["totals"]
    live = read_file(data)
    shadow = EncodedLive.untrained({"rule": "pa1"}, live.how)
    learned(live, [("no row", "no", 1.0)], [1])  # refused: nothing is learned
    assert live.how.notes["totals"] == totals
    (folder / "before").write_bytes(live.content()())
    assert call("train", "people.csv", "--from", "before", "-m", "on", "-q")[0] == 0
    learned(live, EXAMPLES[:1], [1])
    learned(shadow, EXAMPLES, [60])
    again = of_snapshot(live.freeze()())
    for one in (live, shadow, again):
        (folder / "after").write_bytes(one.content()())
        notes = files.describe("after")["notes"]
        assert ("totals" in notes, notes["means"]) == (False, {"age": 36.75, "pay": 3.375})
        assert "totals" not in one.how.notes
        status, _, err = call("train", "people.csv", "--from", "after", "-m", "on", "-q")
        assert status == 3
        assert "has the means of its columns, but not the number of their values" in err


def test_names_are_bounded(folder, call, monkeypatch):
    (folder / "people.csv").write_text(PEOPLE)
    data = trained(call, "people.csv", "--target", "y", "--impute", "mean")
    found = []
    for sizes in ([1], [60]):
        live = read_file(data)
        live.model._encoder.limit = 7  # two more than the file has
        learned(live, EXAMPLES, sizes)
        found.append(live.content()())
        assert live.how.names[5:] == ["job=new 4", "job=3"]
    assert found[0] == found[1]


def test_rows_of_another_form_in_the_log_change_nothing(folder, call):
    """As stores may have them: of a rollback to before the file, or of a shadow."""
    (folder / "people.csv").write_text(PEOPLE)
    live = read_file(trained(call, "people.csv", "--target", "y", "--impute", "mean"))
    before = live.content()()
    bad = [("a text", "no", 1.0), ([1.0], "no", 1.0), ({"age": "old"}, "no", 1.0),
           (people(1), 7, 1.0), ({"age": 1.0, "job": "x"}, "no", 1.0)]  # fmt: skip
    outcomes = live.learn_rows(PlainRows(bad), 0, len(bad), 2)
    assert [type(outcome) for outcome in outcomes] == [RefusedError] * 5
    assert (live.version, live.content()()) == (6, before)
    rows = PlainRows([EXAMPLES[0], bad[0], EXAMPLES[1]])
    assert [type(one) for one in live.learn_rows(rows, 0, 3, 7)] == [bool, RefusedError, bool]


def test_weights_that_leave_the_range_say_at_which_row(folder, call):
    (folder / "people.csv").write_text(PEOPLE)
    data = trained(call, "people.csv", "--target", "y", "--impute", "mean")
    rows = [(people(j) | {"pay": 1e30}, label_of(j % 2), 1e30) for j in range(40)]
    found = []
    for sizes in ([1], [40]):
        live = read_file(data)
        live.model.set_params(rule="lms", eta0=1e30)
        outcomes = learned(live, rows, sizes)
        found.append((live.overflow, [str(one) for one in outcomes]))
        with pytest.raises(RefusedError, match="left the floating-point range"):
            live.check(people(1))
    assert found[0] == found[1]
    assert found[0][0] > 1


# --- the service ---------------------------------------------------------------------------------


def twin(data, examples, config=None):
    """The model of a file, or of a shadow beside it, that learned examples one by one."""
    live = read_file(data)
    live = live if config is None else EncodedLive.untrained(config, live.how)
    learned(live, examples, [1])
    return live


def test_every_version_is_what_its_history_says(folder, call):
    (folder / "people.csv").write_text(PEOPLE)
    data = trained(call, "people.csv", "--target", "y", "--impute", "mean", "--average")
    pa = {"rule": "pa1"}

    async def test(service, model):
        await learn_rows(
            service, model, [({"other": 1.0}, "left", 1.0), ({"x": 2.0}, "right", 1.0)]
        )
        assert await changes.put_file(service, model, data) == 3
        assert (await service.at(model, 2)).how is None
        await changes.add_shadow(service, model, Shadow("s", pa))
        await learn_rows(service, model, EXAMPLES[:20])  # versions 4 to 23
        await changes.take_snapshot(service, model)
        assert await changes.roll_back(service, model, 13) == 24
        await learn_rows(service, model, EXAMPLES[20:25])  # 25 to 29
        await changes.erase(service, model, 6)  # 30
        examples = [*EXAMPLES[:2], *EXAMPLES[3:10], *EXAMPLES[20:25]]
        assert model.live.content()() == twin(data, examples).content()()
        assert model.shadows["s"].content()() == twin(data, examples, pa).content()()
        at_10 = twin(data, [*EXAMPLES[:2], *EXAMPLES[3:7]])
        assert (await service.at(model, 10)).content()() == at_10.content()()
        assert await changes.promote_shadow(service, model, "s") == 31
        promoted = twin(data, examples, pa).content()()
        assert model.live.content()() == promoted
        await changes.add_shadow(service, model, Shadow("t", {"rule": "arow"}))
        assert model.shadows["t"].how.notes["schema"] == model.live.how.notes["schema"]
        await learn_rows(service, model, EXAMPLES[30:33])  # 32 to 34
        shadow = twin(data, EXAMPLES[30:33], {"rule": "arow"})  # it begins at the promotion
        assert model.shadows["t"].content()() == shadow.content()()
        log = model.log(service.reader)
        assert [change.what for change in service.versions(model).changes] == [
            "file", "erased", "rollback", "erasure", "promotion"]  # fmt: skip
        assert log.record(3).kind == Kind.ENCODED_FILE
        about = service.about(model).rows
        assert (about.rows, about.impute, about.scale) == ("table", "mean", False)
        before = model.live.content()()
        await changes.roll_back(service, model, 2)  # 35: rows as before the file
        assert (model.live.how, model.shadows["t"].how) == (None, None)
        await learn_rows(service, model, [({"x": 1.0}, "left", 1.0)])
        await changes.roll_back(service, model, 34)  # 37
        assert model.live.content()() == before
        assert model.shadows["t"].content()() == shadow.content()()
        return before

    before = run_service(folder / "store", test)

    async def again(service, model):
        await changes.start_shadows(service)
        assert model.live.content()() == before
        assert model.shadows["t"].how is not None
        found = await changes.erase(service, model, 33)
        assert found == []
        remains = await changes.erase(service, model, 3)  # the file: rows are what they are now
        assert (model.live.how, remains) == (None, [])
        assert model.live.model.classes_

    run_service(folder / "store", again)


def test_a_shortened_log_keeps_how_rows_are_read(folder, call):
    (folder / "people.csv").write_text(PEOPLE)
    data = trained(call, "people.csv", "--target", "y", "--impute", "mean")

    async def test(service, model):
        await changes.put_file(service, model, data)
        await learn_rows(service, model, EXAMPLES[:9])
        write = service.database.writer
        live = await service.at(model, 5)
        tables.save_snapshot(write, model.number, live.freeze()())
        model.log(write).drop_before(5)
        service.forget(model)
        await changes.add_shadow(service, model, Shadow("s", {}))
        shadow = twin(data, EXAMPLES[4:9], {})
        assert model.shadows["s"].content()() == shadow.content()()
        assert (await service.at(model, 7)).content()() == twin(data, EXAMPLES[:6]).content()()
        remains = await changes.erase(service, model, 8)
        assert [(one.version, one.what) for one in remains] == [(5, "start")]

    run_service(folder / "store", test)


def test_files_of_stores_of_before_are_read_as_before(folder, call):
    """A record of kind FILE has a model whose notes nobody read: its replay must not change."""
    (folder / "people.csv").write_text(PEOPLE)
    data = trained(call, "people.csv", "--target", "y", "--impute", "mean")
    plain = LiveModel.from_file(data)
    rows = [({"age": 30.0, "new": "x"}, "no", 1.0), ({"job": "Gov"}, "yes", 1.0)]
    learned(plain, rows, [1])

    async def test(service, model):
        record = Record(1, Kind.FILE, 0.0, data)
        await service.writer.do(lambda c: model.log(c).append([record]))
        model.live = await service.compute(model, 1)
        await learn_rows(service, model, rows)
        assert model.live.content()() == plain.content()()
        assert model.live.how is None
        await changes.take_snapshot(service, model)

    run_service(folder / "store", test)

    async def again(service, model):
        assert model.live.content()() == plain.content()()
        assert model.live.model.feature_names_[-1] == "new=x"

    run_service(folder / "store", again)
    assert file_of(Record(1, Kind.ENCODED_FILE, 0.0, data)).how is not None


def test_a_process_of_the_service_takes_raw_rows(folder, call):
    (folder / "people.csv").write_text(PEOPLE)
    data = trained(call, "people.csv", "--target", "y", "--impute", "mean", "--average")
    expected = answers_of(call, "m.rosenblatt", "people.csv")
    rows = raw_rows("people.csv", read_file(data).how.notes)
    with Served(folder / "store") as server:
        put = server.raw("PUT", "/v1/models/m/file", data)
        assert put[0] == 200
        assert json.loads(put[2])["rows"]["columns"] == {
            "age": "number", "job": "category", "pay": "number"}  # fmt: skip
        ask = "/v1/models/m/predict"
        found = server.post(ask, [{"features": row} for row in rows])
        assert [as_answered(one) for one in found] == expected
        lines = b"".join(json.dumps({"features": row}).encode() + b"\n" for row in rows)
        ndjson = {"Content-Type": "application/x-ndjson"}
        status, _, answer = server.raw("POST", ask, lines, ndjson)
        answers = [json.loads(line) for line in answer.splitlines()]
        assert (status, [as_answered(one) for one in answers]) == (200, expected)
        told = server.post(ask, {"features": rows[1], "explain": True})
        parts = {one["feature"]: one["value"] for one in told["contributions"]}
        assert parts == {"age": 50.0, "job=Gov": 1.0, "pay": 3.375}
        teach = "/v1/models/m/learn"
        server.post(teach, {"id": told["id"], "label": "no"})
        server.post(
            teach, [{"features": row, "label": y, "weight": w} for row, y, w in EXAMPLES[:20]]
        )
        body = b"".join(
            json.dumps({"features": row, "label": y, "weight": w}).encode() + b"\n"
            for row, y, w in EXAMPLES[20:]
        )
        bad = [
            b'{"features": {"age": "old", "job": "x", "pay": 1}, "label": "no"}\n',
            b'{"features": {"age": 1, "job": {"of": 1}, "pay": 1}, "label": "no"}\n',
        ]
        _, _, answer = server.raw("POST", teach, bad[0] + body + bad[1], ndjson)
        answers = [json.loads(line) for line in answer.splitlines()]
        assert answers[0]["error"] == "column 'age' takes a number; got the text 'old'."
        assert answers[-1]["error"].startswith("column 'job'")
        assert [answer["version"] for answer in answers[1:-1]] == list(range(23, 63))
        model = twin(data, [(rows[1], "no", 1.0), *EXAMPLES])
        for path, value, message in [
            (ask, {"features": {"age": 1, "job": "x"}}, "the row lacks the column 'pay'"),
            (ask, {"features": {"age": [1], "job": "x", "pay": 1}}, "column 'age'"),
            (ask, {"features": {"age": 1, "job": {"a": 1}, "pay": 1}}, "column 'job'"),
            (ask, [{"features": rows[0]}, {"features": {"age": {}, "job": 1}}], "column 'age'"),
            (
                ask,
                {"features": "a text"},
                "a row of this model is an object with the columns 'age'",
            ),
            (ask, {"features": [1, 2, 3]}, "got a list"),
            (teach, {"features": {"age": "x", "job": 1, "pay": 1}, "label": "no"}, "column 'age'"),
            (teach, {"features": {"age": 1, "job": [1], "pay": 1}, "label": "no"}, "column 'job'"),
            (teach, [{"features": {"age": 1}, "label": "no"}], "the columns 'job', 'pay'"),
        ]:
            assert message in server.ask("POST", path, value, 422)["error"]
        server.kill()
    with Served(folder / "store") as server, Served(folder / "store", "--replica") as replica:
        for one in (server, replica):
            found = one.post(ask, [{"features": row} for row, _, _ in EXAMPLES])
            expected = [as_answered(model.predict(row)) for row, _, _ in EXAMPLES]
            assert [as_answered(answer) for answer in found] == expected
        got = server.raw("GET", "/v1/models/m/file")[2]
        (folder / "m.rosenblatt").write_bytes(got)
        found = server.post(ask, [{"features": row} for row in rows])
        assert [as_answered(one) for one in found] == answers_of(call, "m.rosenblatt", "people.csv")
        assert server.raw("PUT", "/v1/models/again/file", got)[0] == 200
        assert as_answered(server.post("/v1/models/again/predict", {"features": rows[0]})) == (
            as_answered(found[0])
        )
        assert server.get("/v2/models/m/ready", status=422)["ready"] is False


def test_an_erased_row_is_in_no_file_of_the_store(folder, call):
    (folder / "people.csv").write_text(PEOPLE)
    data = trained(call, "people.csv", "--target", "y", "--impute", "mean")
    secret = ({"age": 41, "job": "kryptonite smith", "pay": None}, "no", 1.0)

    async def test(service, model):
        await changes.put_file(service, model, data)
        await changes.add_shadow(service, model, Shadow("s", {"rule": "arow"}))
        await learn_rows(service, model, [*EXAMPLES[:5], secret, *EXAMPLES[5:9]])
        told = service.predict(model, secret[0])
        await changes.take_snapshot(service, model)
        assert "job=kryptonite smith" in model.live.how.names
        assert await changes.erase(service, model, 7) == []
        assert "job=kryptonite smith" not in model.live.how.names
        with pytest.raises(RefusedError, match="its features are not kept"):
            service.features_of(model, told.id)
        assert model.live.content()() == twin(data, EXAMPLES[:9]).content()()

    run_service(folder / "store", test)
    assert find_value(folder / "store", b"kryptonite") == ([], [])
    found = find_value(folder / "store", b"Private").places
    assert any("table snapshots" in place for place in found)
    assert any("table log, model 'm', version 1" in place for place in found)
