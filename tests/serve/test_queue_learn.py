"""deploy/queue_learn.py: each message is learned once and in order, whatever is killed."""

import json
import os
import random
import shutil
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from bash_page import FILE, ROOT, check_blocks, free_port
from forked import Forked, script
from kill_service import bits, bits_of, fresh, records_of
from profiles import is_thorough
from serving import Served

from rosenblatt.serve.store.log import decode_row

PAGE = (ROOT / "docs" / "howto" / "queue.md").read_text("utf-8")
CONFIG = {"rule": "arow"}
MODEL = "/v1/models/m"
SEGMENT = 300
"""Messages of a file of a partition."""
CUTS = """
import random, sys
from pathlib import Path

import queue_learn
from file_queue import FileQueue


class Cuts(FileQueue):
    def poll(self, most):
        return super().poll(random.choice([1, 7, 40, most]))


folder = Path(sys.argv[1])
sys.exit(queue_learn.main(Cuts(folder, [0]), folder / "dead-0.jsonl"))
"""
"""A program that reads partition 0 in batches of any size."""
SECONDS = 60.0
"""Longest wait for what is sure to come."""


def value(partition, offset, *, is_bad=False):
    """A message: its features say where it stands in the queue."""
    rng = random.Random(f"{partition} {offset}")
    features = {"partition": partition, "offset": offset, f"w{rng.randrange(9)}": rng.random()}
    return {"features": 7 if is_bad else features, "label": rng.choice("xyz")}


def append(folder, partition, offset, text):
    """Append a message to a partition, as any program does."""
    place = folder / str(partition)
    place.mkdir(parents=True, exist_ok=True)
    with open(place / f"{offset - offset % SEGMENT:020}.jsonl", "a") as file:
        file.write(text + "\n")


@contextmanager
def consuming(port, folder, *partitions, program=None, token_file="none", cwd=None):
    """A process that reads partitions of a folder, or another program; killed at the end.

    What it writes to standard error is in its standard output.
    """
    words = program or [ROOT / "deploy" / "file_queue.py", folder, *partitions]
    env = {
        **os.environ,
        "ROSENBLATT_URL": f"http://127.0.0.1:{port}{MODEL}",
        "ROSENBLATT_TOKEN_FILE": str(token_file),
        "http_proxy": "http://127.0.0.1:1",
    }
    code = f"import os, sys; os.dup2(1, 2); os.chdir({str(cwd or Path.cwd())!r})\n"
    code += f"sys.path.insert(0, {str(ROOT / 'deploy')!r})\n"
    process = Forked(code + script(*words), env=env)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def wait_until(is_so):
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def committed(folder, partition):
    file = folder / str(partition) / "committed"
    return int(file.read_text()) if file.exists() else 0


def learned(store):
    """The examples of the log: pairs of partition and offset, and rows."""
    rows = [decode_row(record.body) for _, record in sorted(records_of(store).items())]
    return [(int(row[0]["partition"]), int(row[0]["offset"])) for row in rows], rows


def dead(folder):
    """The messages of partition 0 that were refused, as they were written."""
    return [json.loads(line) for line in (folder / "dead-0.jsonl").read_text().splitlines()]


def test_messages_are_learned_once_and_in_order_while_all_sides_are_killed(tmp_path):
    store, folder, port = tmp_path / "store", tmp_path / "clicks", free_port()
    cuts, rng = [tmp_path / "cuts.py", folder], random.Random(3)
    cuts[0].write_text(CUTS)
    ended, bad, count = threading.Event(), set(), 0

    def produce():
        nonlocal count
        while not ended.is_set():
            for _ in range(rng.randrange(100)):
                if count % 50 == 20:
                    bad.add(count)
                append(folder, 0, count, json.dumps(value(0, count, is_bad=count in bad)))
                count += 1
            time.sleep(0.05)

    def serve():
        return Served(store, "--port", str(port))

    server = serve()
    server.post("/v1/models", {"name": "m", "config": CONFIG}, status=201)
    producer = threading.Thread(target=produce)
    producer.start()
    try:
        for turn in range(20 if is_thorough() else 3):
            with consuming(port, folder, program=cuts):
                before = committed(folder, 0)
                wait_until(lambda: committed(folder, 0) > before)  # noqa: B023
                with consuming(port, folder, program=cuts):  # as after a rebalance
                    time.sleep(rng.uniform(0.0, 0.6))
                if turn % 4 == 1:
                    server.kill()
                    time.sleep(rng.uniform(0.0, 0.2))
                    server = serve()
        ended.set()
        producer.join()
        with consuming(port, folder, 0) as last:
            append(folder, 0, count, json.dumps(value(0, count)))  # it is ready where it has this
            count += 1
            wait_until(lambda: committed(folder, 0) == count)
            last.send_signal(signal.SIGTERM)
            assert last.wait(SECONDS) == 0
        assert bits_of(server, store) == expected_bits(count, bad)
    finally:
        ended.set()
        server.stop()
    offsets = [offset for offset in range(count) if offset not in bad]
    assert learned(store)[0] == [(0, offset) for offset in offsets]
    assert {message["offset"] for message in dead(folder)} == bad
    assert 0 < len(bad) < count


def expected_bits(count, bad):
    """The bits of a model that has learned the messages once, in their order."""
    model = fresh(CONFIG)
    for offset in range(count):
        if offset not in bad:
            model.learn_one(*value(0, offset).values())
    return bits(model)


def test_two_consumers_of_two_partitions_keep_the_order_of_each(tmp_path):
    store, folder, count = tmp_path / "store", tmp_path / "clicks", 2 * SEGMENT + 50
    with Served(store) as server:
        server.post("/v1/models", {"name": "m", "config": CONFIG}, status=201)
        for offset in range(count):
            for partition in (0, 1):
                append(folder, partition, offset, json.dumps(value(partition, offset)))
        with consuming(server.port, folder, 0), consuming(server.port, folder, 1):
            wait_until(lambda: {committed(folder, p) for p in (0, 1)} == {count})
        about = server.get(MODEL)
        assert about["examples"] == 2 * count
        model = fresh(CONFIG)
        places, rows = learned(store)
        for row in rows:
            model.learn_one(*row)
        assert bits_of(server, store) == bits(model)
    for partition in (0, 1):
        assert [o for p, o in places if p == partition] == [*range(count)]
    assert places != sorted(places)  # neither waited for the other


def test_bad_messages_go_to_the_dead_with_their_reasons_and_stop_nothing(tmp_path):
    folder = tmp_path / "clicks"
    texts = ["", "{", '{"features": 7, "label": "x"}', "\0", "null", json.dumps(value(0, 5)), "7"]
    for offset, text in enumerate(texts):
        append(folder, 0, offset, text)
    with Served(tmp_path / "store") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        with consuming(server.port, folder, 0):
            wait_until(lambda: committed(folder, 0) == len(texts))
        assert server.get(MODEL)["examples"] == 1
    assert [(message["offset"], message["value"]) for message in dead(folder)] == [
        (offset, text) for offset, text in enumerate(texts) if offset != 5
    ]
    assert all(message["error"] and message["topic"] == "clicks" for message in dead(folder))
    assert (folder / "dead-0.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_refusal_of_everything_ends_the_program_and_loses_nothing(tmp_path):
    folder = tmp_path / "clicks"
    append(folder, 0, 0, json.dumps(value(0, 0)))
    (tmp_path / "token").write_text("correct-horse-battery\n")
    with Served(tmp_path / "store", "--token-file", str(tmp_path / "token")) as server:
        with consuming(server.port, folder, 0) as process:
            assert process.wait(SECONDS) == 78
            assert "401" in process.stdout.read().decode()
        with consuming(server.port, folder, 0, token_file=tmp_path / "token") as process:
            assert process.wait(SECONDS) == 78
            assert "404" in process.stdout.read().decode()
    assert committed(folder, 0) == 0
    assert not (folder / "dead-0.jsonl").exists()


def test_a_model_that_left_the_floats_stops_the_queue_until_the_step_is_erased(tmp_path):
    folder = tmp_path / "clicks"
    rows = [({"a": 1.0}, "x"), ({"b": 1.0}, "y"), ({"c": 1e-160}, "y"), ({"a": 1.0}, "y")]
    for offset, (features, label) in enumerate(rows):
        append(folder, 0, offset, json.dumps({"features": features, "label": label}))
    with Served(tmp_path / "store") as server:
        config = {"rule": "pa", "fit_intercept": False}
        server.post("/v1/models", {"name": "m", "config": config}, status=201)
        with consuming(server.port, folder, 0) as process:
            assert process.wait(SECONDS) == 78
            assert "version 3 left the floating-point range" in process.stdout.read().decode()
        assert committed(folder, 0) == 0
        server.ask("DELETE", f"{MODEL}/versions/3")
        with consuming(server.port, folder, 0):
            wait_until(lambda: committed(folder, 0) == len(rows))
        assert server.get(MODEL)["examples"] == 3  # all but the one that was erased
    assert not (folder / "dead-0.jsonl").exists()


def test_what_the_service_takes_later_is_waited_for(tmp_path):
    folder, store = tmp_path / "clicks", tmp_path / "store"
    for offset in range(100):
        append(folder, 0, offset, json.dumps(value(0, offset)))
    with Served(store, "--log-bytes", "2kB") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        port = str(server.port)
        with consuming(port, folder, 0) as process:
            assert "the log has reached its budget" in process.stdout.readline().decode()
            server.stop()
            assert committed(folder, 0) == 0
            with Served(store, "--port", port):
                wait_until(lambda: committed(folder, 0) == 100)
    assert learned(store)[0] == [(0, offset) for offset in range(100)]
    assert not (folder / "dead-0.jsonl").exists()


def test_a_store_of_an_earlier_moment_learns_what_it_lacks_where_the_queue_is_set_back(tmp_path):
    folder, store, saved = tmp_path / "clicks", tmp_path / "store", tmp_path / "saved"

    def learn_until(count):
        for offset in range(committed(folder, 0), count):
            append(folder, 0, offset, json.dumps(value(0, offset)))
        with consuming(server.port, folder, 0):
            wait_until(lambda: committed(folder, 0) == count)

    with Served(store) as server:
        server.post("/v1/models", {"name": "m", "config": CONFIG}, status=201)
        learn_until(130)
    shutil.copytree(store, saved)
    with Served(store) as server:
        learn_until(200)
    (folder / "0" / "committed").write_text("60")
    with Served(saved) as server:
        with consuming(server.port, folder, 0):
            wait_until(lambda: committed(folder, 0) == 200)
        assert bits_of(server, saved) == expected_bits(200, ())
    assert learned(saved)[0] == [(0, offset) for offset in range(200)]


def test_a_stop_without_a_service_notes_nothing_as_done(tmp_path):
    folder = tmp_path / "clicks"
    append(folder, 0, 0, json.dumps(value(0, 0)))
    with consuming(free_port(), folder, 0) as process:
        assert "refused" in process.stdout.readline().decode()
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 0
    assert committed(folder, 0) == 0


def test_a_partition_whose_next_file_is_gone_is_named(tmp_path):
    folder = tmp_path / "clicks"
    append(folder, 0, SEGMENT, json.dumps(value(0, SEGMENT)))
    with consuming(free_port(), folder, 0) as process:
        assert process.wait(SECONDS) == 1
        assert "no file has the message 0" in process.stdout.read().decode()


def test_the_program_for_kafka_learns_all_partitions_and_notes_what_is_done(tmp_path):
    kafka = pytest.importorskip("confluent_kafka")
    program, count = tmp_path / "kafka_queue.py", 200
    program.write_text(dict(FILE.findall(PAGE))["kafka_queue.py"])
    # The broker that librdkafka has for tests: it speaks Kafka's protocol, with groups.
    producer = kafka.Producer({"test.mock.num.brokers": 1, "log_level": 0})
    (broker,) = producer.list_topics(timeout=SECONDS).brokers.values()
    address = f"{broker.host}:{broker.port}"
    for offset in range(count):
        for partition in range(4):
            text = json.dumps(value(partition, offset, is_bad=offset == 7))
            producer.produce("clicks", text, partition=partition)
    assert producer.flush(SECONDS) == 0
    group = kafka.Consumer({"bootstrap.servers": address, "group.id": "group"})
    partitions = [kafka.TopicPartition("clicks", partition) for partition in range(4)]

    def is_done():
        return {done.offset for done in group.committed(partitions, SECONDS)} == {count}

    with Served(tmp_path / "store") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        words = [program, address, "clicks", "group"]
        with consuming(server.port, None, program=words, cwd=tmp_path) as process:
            wait_until(is_done)
            process.send_signal(signal.SIGTERM)
            assert process.wait(SECONDS) == 0
    group.close()
    places = learned(tmp_path / "store")[0]
    for partition in range(4):
        assert [o for p, o in places if p == partition] == [o for o in range(count) if o != 7]
    refused = [json.loads(line) for line in (tmp_path / "dead.jsonl").read_text().splitlines()]
    assert {(line["partition"], line["offset"]) for line in refused} == {(p, 7) for p in range(4)}


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_the_blocks_of_the_page_run_and_print_what_follows(tmp_path):
    check_blocks(PAGE, tmp_path)
