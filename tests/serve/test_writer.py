"""The writer: works that share a commit, what waits for one, the journal that is emptied."""

import asyncio
import shutil
import time

import apsw
from service_runs import learn_rows, run_service

from rosenblatt.serve import served
from rosenblatt.serve import writer as writer_module
from rosenblatt.serve.store import tables

ROW = ({"a": 1.0}, "x", 1.0)


def test_examples_that_wait_together_share_a_commit(tmp_path):
    commits = []

    async def test(service, model):
        service.writer._report = commits.append
        rows = [[({"a": float(j)}, "xy"[j % 2], 1.0)] for j in range(200)]
        answers = await asyncio.gather(*(learn_rows(service, model, row) for row in rows))
        assert [learned.version for (learned,) in answers] == list(range(1, 201))

    run_service(tmp_path, test)
    assert sum(commit.works for commit in commits) >= 200
    assert len(commits) < 20


def test_a_commit_has_a_bounded_number_of_examples(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "MAX_EXAMPLES", 5)

    async def test(service, model):
        sizes = []
        commit = service.writer._commit

        async def note(works):
            sizes.append(sum(work.size for work in works))
            return await commit(works)

        monkeypatch.setattr(service.writer, "_commit", note)
        row = ({"a": 1.0}, "x", 1.0)
        await asyncio.gather(*(learn_rows(service, model, [row] * n) for n in (2, 2, 2, 9, 1)))
        assert sizes == [4, 2, 9, 1]
        assert model.live.version == 16

    run_service(tmp_path, test)


def test_works_are_finished_in_order_while_the_next_commit_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "MAX_EXAMPLES", 1)
    monkeypatch.setattr(writer_module, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(served, "TURN_BYTES", 0)

    async def test(service, model):
        events, seen = [], []
        commit = service.writer._commit

        async def note(works):
            events.append(("commit", model.live.version))
            return await commit(works)

        monkeypatch.setattr(service.writer, "_commit", note)
        rows = [({"a": float(j)}, "xy"[j % 2], 1.0) for j in range(50)]
        learned = [asyncio.ensure_future(learn_rows(service, model, rows)) for _ in range(4)]
        await asyncio.sleep(0)
        await service.writer.do(lambda connection: seen.append(model.live.version))
        answers = [[answer.version for answer in await one] for one in learned]
        assert answers == [list(range(50 * j + 1, 50 * j + 51)) for j in range(4)]
        assert seen == [200]  # a function comes after all that was submitted before it
        assert any(version < 50 * j for j, (_, version) in enumerate(events[:4]))

    run_service(tmp_path, test)


def test_a_journal_that_cannot_be_emptied_does_not_undo_commits(tmp_path, monkeypatch):
    async def test(service, model):
        row = ({"a": 1.0}, "x", 1.0)
        journal = service.database.journal
        empty = journal.empty_journal

        def fail():
            raise apsw.FullError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(journal, "empty_journal", fail)
            emptied = service.writer.empty_journal()
            for version in (1, 2, 3):
                assert (await learn_rows(service, model, [row]))[0].version == version
        assert (emptied.done(), service.failed) == (False, None)
        assert model.log(service.reader).bounds() == (1, 3)
        assert journal.empty_journal == empty
        await asyncio.wait_for(emptied, 10)  # soon tried again

    run_service(tmp_path, test)


def test_the_first_commits_empty_the_journal_of_a_process_that_died(tmp_path):
    run_service(tmp_path / "store", lambda service, model: learn_rows(service, model, [ROW]))
    for name in ("store.db", "store.db-wal", "store.db-shm"):
        assert (tmp_path / "store" / name).exists() == (name == "store.db")

    async def test(service, model):
        for _ in range(2):  # the first one empties the journal, as it does below
            await learn_rows(service, model, [ROW])
        copy = tmp_path / "killed"
        shutil.copytree(tmp_path / "store", copy)  # as a power cut would leave it
        return (copy / "store.db-wal").stat().st_size

    assert run_service(tmp_path / "store", test) > 0

    async def again(service, model):
        assert model.live.version == 3
        async with asyncio.timeout(10):
            while (tmp_path / "killed" / "store.db-wal").stat().st_size:
                await asyncio.sleep(0.05)

    run_service(tmp_path / "killed", again)


def test_predictions_that_keep_coming_hold_up_no_barrier(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "MAX_ROWS", 2)

    async def test(service, model):
        commit = service.writer._commit

        async def slowly(works):
            for _ in range(5):  # more than a commit takes
                service.predict(model, {"a": 1.0})
            return await commit(works)

        monkeypatch.setattr(service.writer, "_commit", slowly)
        for _ in range(9):
            service.predict(model, {"a": 1.0})
        await asyncio.wait_for(service.writer.barrier(), 10)
        assert tables.find_features(service.reader, model.number, 9) is not None

    run_service(tmp_path, test)


def test_a_barrier_waits_for_the_commit_that_takes_the_last_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "MAX_ROWS", 2)
    monkeypatch.setattr(writer_module, "FLUSH_SECONDS", 1000.0)

    async def test(service, model):
        end, started = service.writer._end, asyncio.Event()

        def slowly():
            service.writer._loop.call_soon_threadsafe(started.set)
            time.sleep(0.1)
            end()

        monkeypatch.setattr(service.writer, "_end", slowly)
        ids = [int(service.predict(model, {"a": 1.0}).id[1:]) for _ in range(4)]
        barrier = asyncio.create_task(service.writer.barrier())
        await started.wait()  # the barrier's commit has the first two
        learning = asyncio.create_task(
            learn_rows(service, model, [ROW])
        )  # the next one has the others
        await barrier
        kept = [tables.find_features(service.reader, model.number, n) for n in ids]
        assert None not in kept
        await learning

    run_service(tmp_path, test)


def test_an_emptied_journal_waits_for_those_who_read(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [({"secret": 1.0}, "x", 1.0)])
        reader = service.database.connect()
        reader.execute("BEGIN; SELECT count(*) FROM log")
        emptied = service.writer.empty_journal()
        await asyncio.sleep(0.7)  # longer than until the next try
        assert not emptied.done()
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)])  # nobody waits for the reader
        reader.close()
        await asyncio.wait_for(emptied, 10)
        assert (tmp_path / "store.db-wal").stat().st_size == 0

    run_service(tmp_path, test)


def test_a_commit_that_is_done_is_answered_where_the_folder_was_moved(tmp_path, monkeypatch):
    """The look for room fails then: it must undo nothing, and not be the last one."""
    monkeypatch.setattr(writer_module, "FLUSH_SECONDS", 0.02)
    store, moved = tmp_path / "store", tmp_path / "moved"

    async def test(service, model):
        await learn_rows(service, model, [ROW])
        store.rename(moved)
        for version in (2, 3):
            (learned,) = await learn_rows(service, model, [ROW])
            assert (learned.version, model.live.version) == (version, version)
        assert (service.failed, service.writer.has_room) == (None, False)
        moved.rename(store)
        async with asyncio.timeout(10):
            while not service.writer.has_room:
                await asyncio.sleep(0.01)

    run_service(store, test)
