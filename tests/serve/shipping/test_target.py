"""Objects of a target: whole, once, and by one writer."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from s3_server import s3_bucket

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.shipping.target import Target


@pytest.fixture(scope="module", params=["folder", "s3"])
def target(request, tmp_path_factory):
    if request.param == "folder":
        yield Target(str(tmp_path_factory.mktemp("target") / "new"))
    else:
        with s3_bucket() as url:
            yield Target(url)


def test_an_object_is_created_once_by_one_of_many(target):
    begin, won = threading.Barrier(8), []

    def create(number):
        begin.wait()
        try:
            target.create("manifests/1", b"%d" % number * 100_000)
        except FileExistsError:
            return
        won.append(number)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert target.read("manifests/1") == b"%d" % won[0] * 100_000
    target.check_exclusive()


def test_objects_are_listed_replaced_and_deleted(target):
    assert target.names("segments") == []
    for name in ("segments/2", "segments/1"):
        target.create(name, name.encode())
    assert target.names("segments") == ["segments/1", "segments/2"]
    target.replace("segments/1", b"new")
    assert target.read("segments/1") == b"new"
    with pytest.raises(FileNotFoundError):
        target.read("segments/3")
    target.delete("segments/3")
    assert target.delete_all("segments", lambda name: name.endswith("1")) == 1
    assert target.names("segments") == ["segments/1"]


def test_a_file_that_was_not_finished_is_no_object(tmp_path):
    target = Target(str(tmp_path))
    target.create("segments/1", b"data")
    (tmp_path / "segments" / ".2-a").write_bytes(b"half")
    assert target.names("segments") == ["segments/1"]
    assert target.delete_all("segments", lambda name: "/." not in name) == 1
    assert [path.name for path in (tmp_path / "segments").iterdir()] == ["1"]


def test_what_is_shipped_to_a_folder_is_for_its_owner_alone(tmp_path):
    old = os.umask(0)
    try:
        Target(str(tmp_path)).create("segments/1", b"data")
        Target(str(tmp_path)).replace("standbys/a.json", b"{}")
    finally:
        os.umask(old)
    for name in ("segments/1", "standbys/a.json"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
        assert (tmp_path / name).parent.stat().st_mode & 0o777 == 0o700


def test_a_file_system_without_a_fence_is_refused():
    class Loose(MemoryFileSystem):
        protocol = "loose"

        def pipe_file(self, path, value, mode="overwrite", **options):
            super().pipe_file(path, value)

    fsspec.register_implementation("loose", Loose)
    with pytest.raises(StoreError, match="cannot be fenced"):
        Target("loose://shipped").check_exclusive()


def test_an_address_that_nobody_reads_is_refused():
    with pytest.raises(StoreError, match="nothing://x: unknown kind of address"):
        Target("nothing://x")


def test_an_object_that_is_replaced_is_always_there(tmp_path):
    target = Target(str(tmp_path))
    target.replace("standbys/a", b"0")
    with ThreadPoolExecutor(1) as pool:
        replacing = pool.submit(lambda: [target.replace("standbys/a", b"1") for _ in range(100)])
        while not replacing.done():
            assert target.names("standbys") == ["standbys/a"]
            assert target.read("standbys/a") in (b"0", b"1")
    replacing.result()
