"""Bodies of lines: what breaks off in the middle hides nothing that was learned."""

import asyncio
import errno
import json
from tempfile import SpooledTemporaryFile

import pytest
from service_runs import call_of, learn_rows, learned, run_service

from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.http import lines
from rosenblatt.serve.http.call import Call
from rosenblatt.serve.schema import MAX_BODY
from rosenblatt.serve.served import Key

LINE = b'{"features": {"a": 1}, "label": "x"}\n'


def test_a_body_that_breaks_off_says_where(tmp_path):
    async def test(service, model):
        slow = RefusedError(408, "no data for 30 seconds.")
        answers = learned(await lines.learn_lines(service, model, call_of(LINE * 3, slow)))
        assert [answer.get("version") for answer in answers] == [1, 2, 3, None]
        assert answers[-1] == {"line": 4, "error": "no data for 30 seconds.", "status": 408}
        with pytest.raises(RefusedError):
            await lines.learn_lines(service, model, call_of(slow, LINE))
        assert model.live.version == 3
        for call in (call_of(LINE * 5), call_of(LINE * 3, slow)):  # sent again, with a key
            again = learned(await lines.learn_lines(service, model, call, "k"))
        assert [answer.get("version") for answer in again] == [4, 5, 6, None]
        assert again[-1] == answers[-1]

    run_service(tmp_path, test)


def test_a_line_that_is_too_long_is_refused_alone_however_it_comes(tmp_path):
    async def test(service, model):
        long = b'{"label": "x", "features": "' + b"x" * MAX_BODY
        for parts in ([LINE, long, b'"}\n', LINE], [LINE, long + b'"}\n' + LINE],
                      [LINE, long, long, long, b"\n" + LINE]):  # fmt: skip
            first = model.live.version + 1
            answers = learned(await lines.learn_lines(service, model, call_of(*parts)))
            assert [answer.get("version") for answer in answers] == [first, None, first + 1]
            assert answers[1] == {"line": 2, "error": "a line may have 8,388,608 bytes."}

    run_service(tmp_path, test)


def test_lines_of_another_kind_than_the_first_are_refused_alone(tmp_path):
    async def test(service, model):
        dense = b'{"features": [1], "label": "x"}\n'
        answers = learned(await lines.learn_lines(service, model, call_of(LINE + dense + LINE)))
        assert [answer.get("version") for answer in answers] == [1, None, 2]
        assert answers[1]["line"] == 2
        assert "this model has learned names" in answers[1]["error"]

    run_service(tmp_path, test)


def test_lines_that_the_disk_refuses_have_answers_of_their_own(tmp_path, monkeypatch):
    for name in ("ROWS", "PARSED"):
        monkeypatch.setattr(lines, name, 2)

    async def test(service, model):
        begin = service.writer._commit
        commits = []

        async def commit(works):
            commits.append(works)
            return StoreError("the disk is full.") if len(commits) == 2 else await begin(works)

        monkeypatch.setattr(service.writer, "_commit", commit)
        monkeypatch.setattr(lines, "AHEAD", 1)
        answer = await lines.learn_lines(service, model, call_of(LINE * 6))
        assert answer.headers == ((b"retry-after", b"5"),)
        answers = learned(answer)
        assert [answer.get("version") for answer in answers] == [1, 2, None, None, 3, 4]
        assert answers[2] == {"line": 3, "error": "the disk is full.", "status": 507}
        commits[:] = [[]]
        with pytest.raises(StoreError, match="the disk is full"):
            await lines.learn_lines(service, model, call_of(LINE * 2))

    run_service(tmp_path, test)


def test_a_full_disk_for_the_answers_hides_nothing(tmp_path, monkeypatch):
    class Full(SpooledTemporaryFile):
        def rollover(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(lines, "SpooledTemporaryFile", Full)
    monkeypatch.setattr(lines, "IN_MEMORY", 50)

    async def test(service, model):
        answer = await lines.learn_lines(service, model, call_of(LINE * 600, b"{", LINE))
        said = json.loads(answer.body)
        assert said["line"] == 601
        assert said["error"] == (
            "the answers are lost (No space left on device): of the 601 lines, 600 are in the log, "
            "up to version 600: do not send them all again."
        )
        assert model.live.version == 600

    run_service(tmp_path, test)


def test_a_line_nested_too_deeply_is_refused_alone(tmp_path):
    async def test(service, model):
        deep = b'{"label": "x", "features": ' + b"[" * 100_000 + b"\n"
        answers = learned(await lines.learn_lines(service, model, call_of(LINE, deep, LINE)))
        assert [answer.get("version") for answer in answers] == [1, None, 2]

    run_service(tmp_path, test)


def test_a_client_that_is_gone_is_not_answered(tmp_path):
    async def test(service, model):
        with pytest.raises(ConnectionResetError):
            await lines.learn_lines(service, model, call_of(LINE * 2, ConnectionResetError()))
        assert model.live.version == 2  # what had come is learned

    run_service(tmp_path, test)


@pytest.mark.parametrize("key", [None, "import"])
def test_lines_that_come_as_a_pause_ends_overtake_none_and_are_learned_once(tmp_path, key):
    sent = [b'{"features": "w%d", "label": "x"}\n' % n for n in range(20)]

    async def test(service, model):
        if key is not None:
            learned(await lines.learn_lines(service, model, call_of(b"".join(sent)), key))
        first, last = b"".join(sent[:12]), b"".join(sent[12:])
        parts = iter([first, last])

        async def receive():
            await asyncio.sleep(0.01)  # the lines before wait
            part = next(parts, None)
            if part == last:  # the pause ends in the turn in which their task begins
                asyncio.get_running_loop().call_soon(model.unlocked.set)
            return {"type": "http.request", "body": part or b"", "more_body": part is not None}

        model.unlocked.clear()
        call = Call({"headers": [], "query_string": b"", "path_params": {}}, receive, 0)
        answers = learned(await lines.learn_lines(service, model, call, key))
        assert [answer.get("version") for answer in answers] == list(range(1, 21))
        assert model.live.version == 20

    run_service(tmp_path, test)


def test_a_key_that_an_example_takes_while_lines_come_is_refused_for_them(tmp_path):
    async def test(service, model):
        parts = iter([LINE])

        async def receive():  # after the look for earlier uses of the key
            part = next(parts, None)
            if part is not None:
                await learn_rows(service, model, [("a text", "x", 1.0)], Key("import", b"digest"))
            return {"type": "http.request", "body": part or b"", "more_body": part is not None}

        call = Call({"headers": [], "query_string": b"", "path_params": {}}, receive, 0)
        (answer,) = learned(await lines.learn_lines(service, model, call, "import"))
        assert "was used with another body" in answer["error"]
        assert model.live.version == 1

    run_service(tmp_path, test)
