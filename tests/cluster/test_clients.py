"""Clients of clusters of this machine: what their workers write on standard error."""

import logging
import socket
from concurrent.futures import ThreadPoolExecutor

import dask
import pytest

from rosenblatt.cluster import clients
from rosenblatt.cluster.clients import WorkerWatch, local_client, remote_client
from rosenblatt.dask import DaskPerceptron
from rosenblatt.streams import DataError


def log_error():
    logging.getLogger("distributed.worker").error("the disk of this worker is full")


def test_a_bad_row_is_raised_once_and_faults_of_workers_are_seen(tmp_path, capfd):
    rows = tmp_path / "torn.svm"
    rows.write_text("1 1:1\n0 2:1\n" * 99 + "1 1:")
    spawned = {"distributed.worker.multiprocessing-method": "spawn"}  # with this standard error
    with dask.config.set(spawned), local_client(1) as client:
        with pytest.raises(DataError, match=r"torn\.svm:199:3: "):
            DaskPerceptron(shards=2).fit(rows, client=client)
        client.run(log_error)
        err = capfd.readouterr().err
    assert "the disk of this worker is full" in err
    assert len(err.splitlines()) == 1, err


def test_workers_that_cannot_start_are_one_error_with_its_reason(capfd):
    with (
        dask.config.set({"distributed.worker.preload": ["no_such_module"]}),
        pytest.raises(
            RuntimeError,
            match=r"workers could not start: (No module named 'no_such_mod|Nanny failed)",
        ),
        local_client(1),
    ):
        pass
    assert capfd.readouterr().err == ""


def test_a_missing_worker_is_said_before_it_is_waited_for(monkeypatch):
    monkeypatch.setattr("rosenblatt.cluster.clients.PATIENCE_SECONDS", 0.1)
    said = []
    with local_client(0) as client:
        watch = WorkerWatch(client, said.append)
        watch.wait()
        assert watch.count() == 0
    assert said == ["waiting for a worker: dask worker ADDRESS starts one."]


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH_9.2\r\n", bytes(4096)])
def test_what_listens_and_is_no_scheduler_is_an_error(monkeypatch, answer):
    monkeypatch.setattr(clients, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:

        def accepted():
            peer, _ = server.accept()
            peer.sendall(answer)
            return peer

        peer = pool.submit(accepted)
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConnectionError, match="no scheduler answers"), remote_client(address):
            pass
        peer.result().close()
