"""``train --workers`` and ``train --scheduler``: the model, its table, and runs that stop."""

import fcntl
import json
import re
import shutil
import signal
import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from cluster_bits import assert_same_weights
from cluster_processes import scheduler, worker
from command import spawn
from range_server import range_server
from sklearn.base import clone

import rosenblatt
from rosenblatt.dask import DaskPerceptron
from rosenblatt.estimators.models import load_estimator
from rosenblatt.streams import open_stream


@pytest.fixture
def client(processes):
    return processes


@pytest.fixture
def model(tmp_path):
    return tmp_path / "digits.rosenblatt"


def test_a_run_on_a_cluster_saves_the_model_of_its_shards(client, call, folder, model):
    sources = str(folder / "*.svm")
    address = client.scheduler.address
    options = ["--epochs", 3, "--shards", 2, "--average", "--json", "--scheduler", address]
    status, out, err = call("train", sources, "-m", model, *options)
    assert status == 0, err
    record = json.loads(out)
    assert (record["shards"], record["epochs"], record["examples"]) == (2, 3, 1797)
    assert record["progress"][0]["errors"] == record["errors"]
    assert "1,797" in err
    epochs = re.findall(r"^ +(\d) +1,797 +[0-9.]+ % .* 2$", err, re.MULTILINE)
    assert epochs == ["1", "2", "3"]
    assert sum(one["rows"] for one in record["shard_reports"]) == 1797
    assert sum(one["updates"] for one in record["shard_reports"]) == record["updates"]
    assert "2 shards on 2 workers" in err
    expected = DaskPerceptron(max_iter=3, shards=2, output="average", tol=None, shuffle=False)
    assert_same_weights(load_estimator(model), expected.fit(sources))
    assert not model.with_name(f"{model.name}.checkpoint").exists()

    status, out, err = call("evaluate", model, sources, "--json")
    assert json.loads(out)["error"] < 0.1
    again = model.with_name("again")
    assert call("train", sources, "-m", again, *options, "-q")[0] == 0
    assert again.read_bytes() == model.read_bytes()


def test_workers_of_this_machine_learn_a_table(call, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 9, (200, 3))
    names = ["ham", "spam"]
    text = "".join(f"{a},{b},{c},{names[int(a > b)]}\n" for a, b, c in rows)
    (tmp_path / "mail.csv").write_text("a,b,c,kind\n" + text)
    weights = json.dumps({"spam": 2})
    options = ["--workers", 2, "--epochs", 6, "--shuffle", "--class-weight", weights]
    command = ["train", tmp_path / "mail.csv", "-m", tmp_path / "m", *options, "--json"]
    status, out, err = call(*command)
    assert status == 0, err
    record = json.loads(out)
    assert (record["workers"], record["shards"], record["classes"]) == (2, 2, names)
    loaded = load_estimator(tmp_path / "m")
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    table = pd.DataFrame(rows, columns=["a", "b", "c"])
    assert loaded.score(table, np.take(names, rows[:, 0] > rows[:, 1])) > 0.9


def test_rows_in_the_order_of_their_classes_are_noted_and_dealt(client, call, model, tmp_path):
    rows = tmp_path / "sorted.svm"
    rows.write_text("0 1:1 2:3\n" * 200 + "1 1:2 2:1\n" * 200)
    train = ["train", rows, "-m", model, "--shards", 2, "--scheduler", client.scheduler.address]
    status, _, err = call(*train)
    assert (status, "note: the classes of 2 of 2 shards differ" in err) == (0, True), err
    assert "--interleave deals the rows" in " ".join(err.split())
    status, out, err = call(*train, "--interleave", "--json")
    assert (status, "note:" in err) == (0, False), err
    classes = [one["classes"] for one in json.loads(out)["shard_reports"]]
    assert min(map(min, classes)) > 90
    assert all(zeros == ones for zeros, ones in classes)


def is_locked(model):
    """Whether a run has locked a model file."""
    with open(f"{model}.lock", "ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_model_that_another_run_writes_is_refused(client, call, folder, model):
    train = ["train", folder / "part-0.svm", "-m", model, "--scheduler", client.scheduler.address]
    with open(f"{model}.lock", "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for options in ([], ["--resume"]):
            status, _, err = call(*train, *options)
            assert (status, "is being written by another run" in err) == (1, True), err
    assert call(*train)[0] == 0
    assert not is_locked(model)


def test_a_stopped_run_resumes_with_the_same_bits(client, call, folder, model):
    sources = str(folder / "part-[01].svm")
    options = ["--epochs", 25, "--shards", 2, "--scheduler", client.scheduler.address]
    options += ["--rule", "logistic"]
    checkpoint = model.with_name(f"{model.name}.checkpoint")
    run = spawn("train", sources, "-m", model, *options, stderr=subprocess.PIPE)
    while not checkpoint.exists():
        assert run.poll() is None
        time.sleep(0.01)
    assert is_locked(model)
    run.send_signal(signal.SIGINT)
    err = run.communicate(timeout=30)[1]
    assert run.returncode == 130
    assert "continue with --resume" in err
    assert "exception" not in err.lower()
    assert not model.exists()
    epochs = rosenblatt.load(checkpoint).n_iter_
    assert 0 < epochs < 25

    status, _, err = call("train", sources, "-m", model, *options, "--resume", "--shuffle")
    assert status == 1
    assert "the checkpoint was made with shuffle=False, this fit has shuffle=True" in err
    assert call("train", sources, "-m", model, *options, "--resume", "-q")[0] == 0
    whole = model.with_name("whole")
    assert call("train", sources, "-m", whole, *options, "-q")[0] == 0
    assert model.read_bytes() == whole.read_bytes()


def test_other_data_and_other_reading_do_not_resume(client, call, model, tmp_path):
    rows = [f"{i},{i * i % 7},{i * i % 7},{'ab'[i % 5 > 1]}\n" for i in range(60)]
    table = tmp_path / "a.csv"
    table.write_text("n,x,z,kind\n" + "".join(rows))
    begun = DaskPerceptron(max_iter=1, shards=2, tol=None, shuffle=False)
    begun.fit(str(table), checkpoint=f"{model}.checkpoint")
    options = ["--epochs", 3, "--shards", 2, "--scheduler", client.scheduler.address, "--resume"]
    train = ["train", table, "-m", model, "--rule", "perceptron", *options]
    status, _, err = call(*train, "--schema", "x:skip")
    assert status == 1
    assert "made with schema={'x': 'number'}, this fit has schema={'x': 'skip'}" in err
    table.write_text("n,x,z,kind\n" + "".join([rows[1], rows[0], *rows[2:]]))
    status, _, err = call(*train)
    assert status == 1
    assert "a.csv#bytes=0-" in err
    assert "had other rows. Give the same data and options, or leave out --resume" in err
    table.write_text("n,x,z,kind\n" + "".join(rows))
    assert call(*train)[0] == 0
    whole = clone(begun).set_params(max_iter=3).fit(str(table))
    assert_same_weights(load_estimator(model), whole)


def test_a_folder_of_parquet_is_learned_and_predicted_in_parts(client, call, model, tmp_path):
    x = np.random.default_rng(0).integers(0, 9, (90, 2))
    rows = pd.DataFrame(x, columns=["a", "b"]).assign(day=np.repeat([1, 2, 3], 30))
    rows["kind"] = np.where(rows.a + rows.day > rows.b, "spam", "ham")
    pq = tmp_path / "pq"
    rows.to_parquet(pq, partition_cols=["day"])
    (pq / "_SUCCESS").touch()
    address = client.scheduler.address
    own = ["--rule", "perceptron", "--epochs", 3, "--resume"]
    train = ["train", pq, "-m", model, "--scheduler", address, *own]
    status, _, err = call(*train)
    assert status == 0, err
    fitted = DaskPerceptron(max_iter=3, tol=None, shuffle=False).fit(str(pq))
    assert_same_weights(load_estimator(model), fitted)
    assert fitted.feature_names_in_.tolist() == ["day", "a", "b"]
    expected = fitted.to_local().predict(open_stream(pq).read()[0])
    (part,) = (pq / "day=2").iterdir()
    status, out, err = call("predict", model, part)
    assert (status, out.split()) == (0, expected[30:60].tolist()), err
    assert fitted.predict(str(part))[0].compute().tolist() == expected[30:60].tolist()
    assert np.concatenate([one.compute() for one in fitted.predict(str(pq))]).tolist() == [
        *expected
    ]
    rows[:9].drop(columns="day").to_parquet(pq / "day=1" / "more.parquet")
    status, _, err = call(*train)
    assert (status, "DATA has other files or sizes" in err) == (1, True), err


def test_a_run_that_was_finished_resumes_as_in_one_process(client, call, model, tmp_path):
    rows = tmp_path / "a.svm"
    rows.write_text("0 1:1\n1 2:1\n0 1:2\n1 2:3\n" * 9)
    address = client.scheduler.address
    options = ["--shards", 2, "--scheduler", address, "--json", "--resume"]
    train = ["train", rows, "-m", model, *options, "--epochs", 3]
    status, first, err = call(*train)
    assert status == 0, err
    saved = model.read_bytes()
    status, again, err = call(*train)
    assert (status, "the run was finished; learned 0 new rows" in err) == (0, True), err
    first, again = json.loads(first), json.loads(again)
    assert [again[name] for name in ("epochs", "norm", "mistakes", "shards")] == [
        first[name] for name in ("epochs", "norm", "mistakes", "shards")
    ]
    assert model.read_bytes() == saved
    held_out = ["train", rows, "-m", model, *options[:-1], "--epochs", 2, "--holdout", 0.2]
    status, first, err = call(*held_out)
    assert status == 0, err
    again = json.loads(call(*held_out, "--resume")[1])["holdout"]
    assert again == json.loads(first)["holdout"]
    assert again["examples"] > 0
    assert call(*train[:-3], "--epochs", 3)[0] == 0
    status, _, err = call(*train[:-1], 5)
    assert (status, "--epochs 5 does not go with --resume" in err) == (2, True), err
    with rows.open("a") as file:
        file.write("1 2:7\n")
    status, _, err = call(*train)
    assert (status, "DATA has other files or sizes" in err) == (1, True), err
    assert call("train", rows, "-m", model)[0] == 0
    status, _, err = call(*train)
    assert (status, "is of no run on a cluster" in err) == (1, True), err


def test_a_late_worker_and_a_lost_scheduler_are_told_in_a_line(call, folder, model, tmp_path):
    file, sources = tmp_path / "scheduler", str(folder / "*.svm")
    with scheduler(file) as head:
        while not file.exists() or not file.read_text().endswith("}"):
            time.sleep(0.01)
        address = json.loads(file.read_text())["address"]
        options = ["--scheduler", address, "--epochs", 4000, "--shards", 2]
        run = spawn("train", sources, "-m", model, *options, stderr=subprocess.PIPE)
        assert "waiting for a worker" in run.stderr.readline()
        with worker(address):
            while not model.with_name(f"{model.name}.checkpoint").exists():
                assert run.poll() is None
                time.sleep(0.01)
            head.kill()
            err = run.communicate(timeout=60)[1]
    assert run.returncode == 1
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("error: the scheduler was lost")
    assert "--resume" in err


def test_all_models_of_a_table_read_new_tables_alike(client, call, model, tmp_path):
    table, new = tmp_path / "trees.csv", tmp_path / "new.csv"
    trees = ["oak", "elm", "ash"]
    rows = [(i % 10 / 10, trees[i % 3], f"{i % 4}" if i % 9 else "", i) for i in range(120)]
    lines = [f"{h};{tree};{s};{k};{'ab'[h > 0.4 or tree == 'oak']}\n" for h, tree, s, k in rows]
    table.write_text("height;tree;s;id;kind\n" + "".join(lines))
    new.write_text("id;s;tree;height\n" + "".join(f"{k};{s};{t};{h}\n" for h, t, s, k in rows))
    options = ["--separator", ";", "--bits", 10, "--schema", "id:id", "--impute", "zero"]
    options += ["--interactions", "tree*height", "--rule", "perceptron"]
    train = ["train", table, *options, "--epochs", 2, "-q", "-m"]
    assert call(*train, tmp_path / "serial")[0] == 0
    address = client.scheduler.address
    assert call(*train, model, "--scheduler", address, "--shards", 2)[0] == 0
    fitted = DaskPerceptron(max_iter=2, shards=2, tol=None, shuffle=False)
    reading = {"separator": ";", "bits": 10, "schema": {"id": "id"}, "impute": "zero"}
    reading["interactions"] = ["tree*height"]
    checkpoint = tmp_path / "checkpoint"
    fitted.fit(table, **reading, checkpoint=checkpoint)
    rosenblatt.save(fitted.to_local(), tmp_path / "saved", notes=fitted.noted())

    noted = json.loads(json.dumps(fitted.noted()))
    assert (noted["separator"], noted["bits"], noted["impute"]) == (";", 10, "zero")
    labels = fitted.to_local().predict(open_stream(table, **reading).read()[0])
    for path in (tmp_path / "serial", model, tmp_path / "saved", checkpoint):
        notes = rosenblatt.models.describe(path)["notes"]
        assert {name: notes[name] for name in noted} == noted
        status, out, err = call("predict", path, new)
        assert status == 0, err
        if path != tmp_path / "serial":
            assert [line.split()[-1] for line in out.splitlines()] == labels.tolist()


def test_a_table_of_numbers_keeps_the_names_of_its_columns(client, tmp_path):
    (tmp_path / "a.csv").write_text("a,b,kind\n1,2,no\n3,1,yes\n0,1,no\n")
    fitted = DaskPerceptron(max_iter=1, tol=None).fit(tmp_path / "a.csv")
    assert fitted.to_local().feature_names_in_.tolist() == ["a", "b"]
    assert fitted.noted()["schema"] == {"a": "number", "b": "number"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", 2, "--holdout", 0.1, "--sets"], "--sets does not go with --workers"),
        (["--scheduler", "a:1", "--kernel", "rbf"], "--kernel does not go with --scheduler"),
        (["--workers", 2, "--scheduler", "a:1"], "two clusters: give one"),
        (["--shards", 2], "--shards goes with --workers or --scheduler"),
        (["--interleave"], "--interleave goes with --workers or --scheduler"),
        (["--scheduler", "here"], "is no address of a scheduler"),
        (["--workers", 1, "--rule", "pa", "--cost", 1, 2], "--cost needs probabilities"),
    ],
)
def test_options_that_do_not_go_together_are_named(call, folder, model, options, message):
    status, _, err = call("train", folder / "part-0.svm", "-m", model, *options)
    assert (status, message in err) == (2, True), err
    assert not model.with_name(f"{model.name}.checkpoint").exists()  # before any work


def test_a_pipe_is_refused(call, model):
    status, _, err = call("train", "-", "-m", model, "--workers", 2, stdin="1 1:1\n")
    assert status == 2
    assert "can be read by one process only" in err


def test_bad_data_and_a_silent_scheduler_are_named(client, call, model, tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.cluster.clients.CONNECT_SECONDS", 1)
    rows = tmp_path / "a.svm"
    rows.write_text("1 1:1\n" * 9)
    status, _, err = call("train", rows, "-m", model, "--scheduler", "127.0.0.1:1")
    assert status == 1
    assert "no scheduler answers" in err
    address = ["--scheduler", client.scheduler.address]
    status, _, err = call("train", rows, "-m", model, *address)
    assert status == 1
    assert "got 1 class" in err
    rows.write_text("1 1:1\n0 1:1\n" * 9 + "1 x\n")
    status, _, err = call("train", rows, "-m", model, *address)
    assert (status, "a.svm:19" in err) == (3, True), err
    assert not model.exists()


def test_a_server_without_ranges_is_one_shard_and_said(call, folder, model):
    with range_server(folder) as web:
        web.has_ranges = False
        url = f"{web.url}/part-0.svm"
        status, _, said = call("train", url, "-m", model, "--workers", 2, "--epochs", 1)
        assert status == 0
        words = " ".join(said.split())
        assert f"{url}: the server sends no ranges of bytes" in words
        assert "1 shard on 2 workers" in words
        other = f"{web.url}/part-1.svm"
        train = ["-m", model, "--workers", 2, "--epochs", 1, "--resume"]
        assert "learned 0 new rows" in call("train", url, *train)[2]
        status, _, said = call("train", other, *train)
        assert (status, "DATA has other files or sizes" in said) == (1, True), said
        web.tags["part-0.svm"] = '"another"'
        status, _, said = call("train", url, *train)
        words = " ".join(said.split())
        assert (status, f"{url} has changed since then" in words) == (1, True), said


def test_a_finished_run_of_a_folder_at_a_url_misses_a_file(client, call, folder, model, tmp_path):
    for name in ("part-0.svm", "part-1.svm"):
        shutil.copy(folder / name, tmp_path)
    url = f"file://{tmp_path}/part-*.svm"
    train = ["train", url, "-m", model, "--scheduler", client.scheduler.address, "--epochs", 1]
    assert call(*train)[0] == 0
    assert "learned 0 new rows" in call(*train, "--resume")[2]
    (tmp_path / "part-1.svm").unlink()
    status, _, said = call(*train, "--resume")
    words = " ".join(said.split())
    assert (status, "part-1.svm has changed since then" in words) == (1, True), said


def test_a_signed_url_is_located_once_and_its_signature_not_shown(call, folder, tmp_path, model):
    rows = sorted((folder / "part-0.svm").read_text().splitlines())
    (tmp_path / "sorted.svm").write_text("\n".join(rows) + "\n")
    with range_server(tmp_path) as web:
        url = f"{web.url}/sorted.svm?signature=5ecret"
        status, out, said = call("train", url, "-m", model, "--workers", 2, "--epochs", 1, "--json")
        assert status == 0, said
        assert sum(asked == "bytes=0-0" for _, asked in web.asked) == 1
        assert json.loads(out)["shards"] == 2
    assert "5ecret" not in out + said
