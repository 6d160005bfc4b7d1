"""Rows that the core has parsed, and rows of Python: the same in the log and in the model."""

import asyncio
import json
import random

from service_runs import call_of, learn_rows, learned, run_service

from rosenblatt.learning.models import files
from rosenblatt.serve.changes import add_shadow
from rosenblatt.serve.http import lines
from rosenblatt.serve.http.call import decode_example
from rosenblatt.serve.http.endpoints.learn import learn
from rosenblatt.serve.rows import LONGEST, ParsedRows, PlainRows, parse_examples, parts
from rosenblatt.serve.schema import Shadow
from rosenblatt.serve.store.log import decode_row

PA = {"rule": "pa1"}


def example(rng, labels="ab"):
    """An example with values of every kind."""
    row = {f"n{rng.randrange(50)}": round(rng.gauss(0, 1), 3) for _ in range(rng.randrange(1, 8))}
    row |= {"colour": rng.choice(["red", "blü", 'a "b"\n', ""]), "new": rng.random() < 0.5}
    row |= {"none": None, "−": -0.0, "whole": rng.randrange(9)}
    return {"features": row, "label": rng.choice(labels), "weight": rng.choice([1.0, 2.0])}


def test_both_kinds_have_the_same_bytes_and_values():
    rng = random.Random(1)
    examples = [example(rng) for _ in range(50)]
    block, left = parse_examples([json.dumps(e).encode() for e in examples])
    parsed = ParsedRows(block)
    plain = PlainRows([(e["features"], e["label"], e["weight"]) for e in examples])
    assert left == []
    assert parsed.labels == plain.labels
    assert parsed.kinds == plain.kinds == {(dict, str)}
    for i, e in enumerate(examples):
        row = (e["features"], e["label"], e["weight"])
        assert (
            parsed[i] == plain[i] == decode_row(parsed.body(i)) == decode_row(plain.body(i)) == row
        )
    assert b"".join(map(parsed.body, range(50))) == parsed.bodies
    assert b"".join(map(plain.body, range(50))) == plain.bodies
    assert parsed.ends[-1] == len(parsed.bodies)
    for rows in (parsed, plain):
        for most in (0, 100, 10**9):
            runs = list(parts(rows, most))
            assert [i for run in runs for i in range(*run)] == list(range(50))
            assert len(runs) == {0: 50, 10**9: 1}.get(most, len(runs))


def test_a_line_of_many_bytes_is_left():
    line = b'{"features": {"a": 1}, "label": "x"}'
    block, left = parse_examples([line, line + b" " * LONGEST, line])
    assert (len(block), left) == (2, [1])


def test_lines_and_a_list_teach_the_same(tmp_path, monkeypatch):
    rng = random.Random(2)
    examples = [example(rng, "ab" if j < 1500 else "abc") for j in range(3000)]
    odd = [b"", b'{"features": ', b'{"features": {"a": 1}}', b'{"features": {"a": 1}, "label": 5}',
           b'{"features": {"a": 1, "a": 2}, "label": "a"}']  # fmt: skip
    body, good = [], []
    for j, e in enumerate(examples):
        if j % 97 == 0:
            body.append(rng.choice(odd))
        if j % 131 == 0:
            e = {"features": "a text of words", "label": "b"}
        body.append(json.dumps(e, ensure_ascii=rng.random() < 0.5).encode())
        good.append(decode_example(body[-1]))
    whole, pieces = b"\n".join(body), []
    while whole:
        cut = rng.choice([1, 50, 3000, 100_000])
        pieces.append(whole[:cut])
        whole = whole[cut:]
    decoded = []
    decode = lines.decode_example
    monkeypatch.setattr(lines, "decode_example", lambda line: decoded.append(line) or decode(line))
    results = []

    async def by_lines(service, model):
        await add_shadow(service, model, Shadow("s", {}))
        answers = learned(await lines.learn_lines(service, model, call_of(*pieces)))
        results.append(([a for a in answers if "version" in a], await state(service, model)))
        refused = [a["line"] for a in answers if "error" in a]
        assert refused == [j for j, line in enumerate(body, 1) if line in odd and line]
        numbers = [a.get("line") or a["version"] for a in answers]
        assert len(numbers) == sum(line != b"" for line in body)

    async def by_list(service, model):
        await add_shadow(service, model, Shadow("s", {}))
        rows = [service.row(model, e) for e in good]
        await learn_rows(service, model, rows)
        log = model.log(service.reader)
        results.append((None, await state(service, model)))
        assert [decode_row(r.body) for r in log.read()] == rows

    async def one_by_one(service, model):
        await add_shadow(service, model, Shadow("s", {}))
        calls = [call_of(text) for text in body if text not in odd]
        answers = []
        for at in range(0, len(calls), 500):  # half of the queue
            some = calls[at : at + 500]
            answers += await asyncio.gather(*(learn.handler(service, call) for call in some))
        for answer, of_line in zip(answers, results[0][0], strict=True):
            assert json.loads(answer.body) | {"head": ""} == of_line | {"head": ""}  # of its salts
        results.append((None, await state(service, model)))

    async def state(service, model):
        await service.writer.barrier()
        bodies = [r.body for r in model.log(service.reader).read()]
        recent = [(e.version, e.body, e.was_right) for e in model.recent]
        progress = model.live.progress.snapshot(), model.shadows["s"].progress.snapshot()
        models = files.to_bytes(model.live.model), files.to_bytes(model.shadows["s"].model)
        return bodies, recent, progress, models

    async def replayed(service, model):
        assert files.to_bytes(model.live.model) == results[0][1][3][0]
        assert model.live.progress.snapshot() == results[0][1][2][0]

    run_service(tmp_path / "lines", by_lines, PA)
    run_service(tmp_path / "list", by_list, PA)
    run_service(tmp_path / "one", one_by_one, PA)
    assert results[0][1] == results[1][1] == results[2][1]
    assert [a["version"] for a in results[0][0]] == list(range(1, 3001))
    assert sum(a["was_right"] for a in results[0][0]) == 3000 - _errors(results[0][1])
    assert len(decoded) < 2000  # the core has parsed the others, once the model had the labels
    run_service(tmp_path / "lines", replayed, PA)


def _errors(state):
    return state[2][0]["errors"]


def test_rows_from_the_one_that_leaves_the_range_on_are_refused(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0), ({"b": 1.0}, "y", 1.0)])
        fine = b'{"features": {"a": 1}, "label": "y"}'
        tiny = b'{"features": {"c": 1e-160}, "label": "y"}'  # PA's step is loss / ‖x‖²
        rows = ParsedRows(parse_examples([fine, fine, tiny, fine, tiny])[0])
        assert model.live.refusals(rows) == {}
        outcomes = model.live.learn_rows(rows, 1, 5, 4)
        assert isinstance(outcomes[0], bool)
        assert ["left the floating-point range at version 5" in str(o) for o in outcomes] == [
            False, True, True, True,
        ]  # fmt: skip
        assert (model.live.version, model.live.overflow, model.live.examples) == (7, 5, 3)
        assert {str(error) for error in model.live.refusals(rows).values()} == {str(outcomes[1])}

    run_service(tmp_path, test, {"rule": "pa", "fit_intercept": False})


def test_a_model_says_which_rows_it_does_not_take(tmp_path):
    def refused(model, *labels):
        texts = [b'{"features": {"a": 1}, "label": %s}' % label for label in labels]
        parsed = ParsedRows(parse_examples(texts)[0])
        plain = PlainRows([parsed[i] for i in range(len(parsed))])
        faults = model.live.refusals(parsed)
        assert {i: str(error) for i, error in faults.items()} == {
            i: str(error) for i, error in model.live.refusals(plain).items()
        }
        assert {error.status for error in faults.values()} <= {422}
        return list(faults)

    async def test(service, model):
        assert refused(model, b'"x"') == []
        assert refused(model, b'"x"', b'"y"', b"1", b"true", b'"x"') == [2, 3]  # the first decides
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0), ({"b": 1.0}, "y", 1.0)])
        assert refused(model, b'"x"', b'"y"', b'"x"', b'"z"') == []
        assert refused(model, b"1", b'"x"', b"true") == [0, 2]
        many = [b'"%d"' % i for i in range(500)]  # two of the 500 labels are known
        assert refused(model, *many) == [498, 499]
        assert refused(model, b"1", *many) == [0, 499, 500]
        written = PlainRows([({"a": 1.0}, "0", 1.0), ({"a": 1.0}, "new", 1.0)])
        with model.live.awaiting(written):
            assert refused(model, *many) == [497, 498, 499]
        assert refused(model, *many) == [498, 499]

    run_service(tmp_path, test)
