"""A service in this process, for tests of its parts."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.call import Call
from rosenblatt.serve.rows import PlainRows, Rows
from rosenblatt.serve.schema import MAX_BODY, NewModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.database import Database


def in_a_thread(function, *args, **options):
    """Call a function in a thread of its own: the loop of a browser may run in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *args, **options).result()


def run_apart(coroutine):
    """Run a coroutine in a thread of its own."""
    return in_a_thread(asyncio.run, coroutine)


def run_service(folder, test, config=None, **options):
    """Run the coroutine function ``test(service, model)`` on a service with one model, "m"."""

    async def main():
        database = Database(folder)
        service = Service(database, **options)
        service.restore()
        await service.start()
        if "m" not in service.models:
            await service.create(NewModel("m", config or {}))
        try:
            return await test(service, service.model("m"))
        finally:
            await service.stop()
            database.close()

    return run_apart(main())


async def learn_rows(service, model, rows, key=None):
    """Learn rows, such as (features, label, weight); the first refusal is raised at the end."""
    rows = rows if isinstance(rows, Rows) else PlainRows(rows)
    outcomes, _ = await service.learn(model, rows, key)
    for outcome in outcomes:
        if isinstance(outcome, RefusedError):
            raise outcome
    return outcomes


def learn_one(live, row, version):
    """Let a live model learn a row, such as (features, label, weight)."""
    return live.learn_rows(PlainRows([row]), 0, 1, version)


def learned(answer):
    """The answers to the lines of a body."""
    with answer.body as file:
        file.seek(0)
        return [json.loads(line) for line in file.read().splitlines()]


def call_of(*parts, headers=()):
    """A request to the model "m" that sends these parts; an exception is raised in its turn."""
    waiting = iter(parts)

    async def receive():
        part = next(waiting, None)
        if isinstance(part, Exception):
            raise part
        return {"type": "http.request", "body": part or b"", "more_body": part is not None}

    scope = {"headers": [*headers], "query_string": b"", "path_params": {"model": "m"}}
    return Call(scope, receive, MAX_BODY)
