"""The client for asyncio: the same requests, many at once, over connections that it keeps."""

import asyncio
import socket
import threading
from contextlib import contextmanager

import pytest
from service_runs import run_apart
from serving import Served

from rosenblatt.serve import AsyncClient, Client, ServiceError
from rosenblatt.serve.clients import transports
from rosenblatt.serve.clients.methods import Methods

TOKEN = "correct-horse-battery"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    env = {"ROSENBLATT_TOKEN": TOKEN}
    with Served(tmp_path_factory.mktemp("store"), env=env) as server:
        yield server


def run(server, test, **options):
    """Run the coroutine function ``test(client)``."""

    async def main():
        async with AsyncClient(f"http://127.0.0.1:{server.port}", TOKEN, **options) as client:
            return await test(client)

    return run_apart(main())


def test_both_clients_have_the_same_methods():
    own = {name for name in vars(AsyncClient) if not name.startswith("_")}
    assert own == {name for name in vars(Client) if not name.startswith("_")} == {"close"}
    assert len([name for name in vars(Methods) if not name.startswith("_")]) > 20


def test_it_answers_as_the_client_that_waits(server):
    async def test(client):
        await client.create("m", {"rule": "arow"})
        learned = await client.learn("m", {"a": 1}, "x")
        await client.learn_list("m", [({"b": 1}, "y"), ({"a": 2}, "x", 0.5)])
        many = await client.learn_many("m", [({"a": j}, "xy"[j % 2]) for j in range(3000)])
        assert [answer["version"] for answer in many] == list(range(4, 3004))
        one = await client.predict("m", {"b": 1}, explain=True)
        corrected = await client.correct("m", one["id"], "y")
        await client.add_shadow("m", "s", {"rule": "pa"})
        file = await client.file("m")
        await client.put_file("copy", file)
        return learned, corrected, file, await client.model("m"), await client.models()

    learned, corrected, file, about, models = run(server, test)
    assert (learned["version"], corrected["version"]) == (1, 3004)
    with Client(f"http://127.0.0.1:{server.port}", TOKEN) as waits:
        assert (waits.file("m"), waits.model("m"), waits.models()) == (file, about, models)
        assert [record["what"] for record in waits.log("copy")] == ["file"]


def test_requests_go_together_over_few_connections(server, monkeypatch):
    monkeypatch.setattr(transports, "CONNECTIONS", 5)

    async def test(client):
        await client.create("together")
        rows = [({"a": float(j)}, "xy"[j % 2]) for j in range(200)]
        learned = await asyncio.gather(*(client.learn("together", *row) for row in rows))
        opened = len(client._transport._idle)
        await asyncio.gather(*(client.predict("together", row[0]) for row in rows))
        again = len(client._transport._idle)
        return sorted(answer["version"] for answer in learned), opened, again

    versions, opened, again = run(server, test)
    assert versions == list(range(1, 201))
    assert 1 < opened == again <= 5


def test_faults_have_a_status_and_a_message(server):
    async def test(client):
        with pytest.raises(ServiceError, match=r"^404: no model 'none'") as fault:
            await client.model("none")
        assert fault.value.status == 404
        with pytest.raises(ValueError, match="JSON compliant"):
            await client.learn("any", {"a": float("nan")}, "x")
        async with AsyncClient(client.url, "wrong") as other:
            with pytest.raises(ServiceError, match=r"^401: .*Bearer TOKEN"):
                await other.models()
        async with AsyncClient(client.url, "a\nb: c") as other:
            with pytest.raises(ValueError, match="not printable"):
                await other.models()
        async with AsyncClient(client.url, "€") as other:
            with pytest.raises(ValueError, match="latin-1"):
                await other.models()
        with pytest.raises(ServiceError, match="Connect") as fault:
            await AsyncClient("http://127.0.0.1:1", retries=0).models()
        assert fault.value.status is None

    run(server, test)


def test_a_request_that_is_cancelled_leaves_no_answer_to_the_next(server):
    async def test(client):
        await client.create("cancelled")
        await client.learn("cancelled", {"a": 1}, "x")
        for _ in range(20):
            asking = asyncio.create_task(client.versions("cancelled"))
            await asyncio.sleep(0.0005)
            asking.cancel()
            assert (await client.model("cancelled"))["name"] == "cancelled"

    run(server, test)


@contextmanager
def answering(*answers):
    """A server that answers each connection with the next bytes, as soon as something comes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            for answer in answers:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(2**16)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def get(answer, **options):
    """Return the model that a server with one answer gives, or its fault."""
    with answering(answer) as url:

        async def main():
            async with AsyncClient(url, **options) as client:
                return await client.model("m")

        try:
            return run_apart(main())
        except ServiceError as fault:
            return fault


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        HEAD + b"Content-Length: 12\r\n\r\n" + b'{"name":"m"}',
        HEAD + b"content-length: 12\r\nConnection: close\r\n\r\n" + b'{"name":"m"}',
        HEAD + b"Connection: close\r\n\r\n" + b'{"name":"m"}',
        b"HTTP/1.0 200 OK\r\n\r\n" + b'{"name":"m"}',
        HEAD
        + b"Transfer-Encoding: chunked\r\n\r\n5;a=b\r\n"
        + b'{"nam\r\n7\r\ne":"m"}\r\n0\r\n\r\n',
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nC\r\n" + b'{"name":"m"}\r\n0\r\nA: b\r\n\r\n',
        b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"Content-Length: 12\r\n\r\n" + b'{"name":"m"}',
    ],
)
def test_answers_of_every_form_are_read(answer):
    assert get(answer) == {"name": "m"}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "0 bytes read"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "no answer of HTTP"),
        (b"SSH-2.0-OpenSSH hello\r\n\r\n", "SSH-2.0-OpenSSH hello"),
        (HEAD + b"Content-Length: 20\r\n\r\n" + b'{"name":"m"}', "12 bytes read"),
        (HEAD + b"Content-Length: many\r\n\r\n", "no answer of HTTP"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nmany\r\n", "no answer of HTTP"),
        (HEAD + b"a: b\r\n" * 20_000, "no answer of HTTP"),
    ],
)
def test_what_is_no_answer_is_a_fault_without_a_status(answer, why):
    fault = get(answer)
    assert (type(fault), fault.status) == (ServiceError, None)
    assert why in fault.message


def test_it_waits_as_long_as_the_service_says_and_no_longer_than_its_timeout(monkeypatch):
    refused = b"HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    learned = HEAD + b"Content-Length: 13\r\nConnection: close\r\n\r\n" + b'{"version":1}'
    waited = []

    async def wait(transport, seconds):
        waited.append(seconds)

    monkeypatch.setattr(transports.Streams, "wait", wait)
    with answering(refused, refused, learned) as url:

        async def main():
            async with AsyncClient(url) as client:
                return await client.learn("m", {"a": 1}, "x")

        assert run_apart(main()) == {"version": 1}
    assert waited == [7.0, 7.0]
    with socket.create_server(("127.0.0.1", 0)) as silent:

        async def ask():
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            async with AsyncClient(url, timeout=0.2) as client:
                return await client.models()

        with pytest.raises(ServiceError, match="TimeoutError"):
            run_apart(ask())
