"""The cache of URLs on the disk: a budget, whole files only, deleted at the end."""

import os
import subprocess
import sys

import pytest
from range_server import range_server

from rosenblatt.streams import open_stream
from rosenblatt.streams.core.access import Access
from rosenblatt.streams.io.cache import DiskCache, cache_of
from rosenblatt.streams.io.remote import open_url

ROWS = "".join(f"{k % 2} 1:{k}\n" for k in range(900))


@pytest.fixture
def web(tmp_path):
    (tmp_path / "web").mkdir()
    for name in "abc":
        (tmp_path / "web" / f"{name}.svm").write_text(ROWS)
    with range_server(tmp_path / "web") as server:
        yield server


def access(folder, budget):
    return Access(cache_bytes=budget, cache_folder=str(folder))


def read(web, name, access, start=0, stop=None):
    with open_url(f"{web.url}/{name}.svm", access, start, stop) as file:
        return file.readall().decode()


def test_later_passes_read_the_disk(web):
    stream = open_stream(f"{web.url}/a.svm", cache_bytes=1 << 20)
    for _ in range(3):
        assert sum(len(batch.y) for batch in stream) == 900
    assert (len(web.asked), web.sent) == (2, 1 + len(ROWS))  # the version, the file


def test_the_environment_has_a_budget(web, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_CACHE", "1M")
    stream = open_stream(f"{web.url}/b.svm")
    for _ in range(2):
        list(stream)
    assert len(web.asked) == 2
    monkeypatch.setenv("ROSENBLATT_CACHE", "much")
    with pytest.raises(ValueError, match="ROSENBLATT_CACHE: 'much' is no size: write 0"):
        open_stream(f"{web.url}/b.svm")


def test_what_was_used_longest_ago_goes_first(web, tmp_path):
    two = access(tmp_path, 2 * len(ROWS))
    for name in "abac":  # c takes the place of b
        assert read(web, name, two) == ROWS
    folder = cache_of(two).folder
    assert sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)) == (
        2 * len(ROWS)
    )
    web.clear()
    read(web, "a", two)
    read(web, "c", two)
    assert [part for _, part in web.asked] == 2 * ["bytes=0-0"]  # the version


def test_ranges_are_kept_for_themselves_and_only_when_whole(web, tmp_path):
    large = access(tmp_path, 1 << 20)
    assert read(web, "a", large, 10, 30) == ROWS[10:30]
    assert read(web, "a", large, 10, 30) == ROWS[10:30]
    with open_url(f"{web.url}/a.svm", large) as file:
        file.read(5)
    folder = cache_of(large).folder
    assert [os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)] == [20]


def test_what_exceeds_the_budget_is_not_kept(web, tmp_path):
    small = access(tmp_path, len(ROWS) - 1)
    assert read(web, "a", small) == ROWS
    assert os.listdir(cache_of(small).folder) == []


def test_another_version_is_another_file(web, tmp_path):
    large = access(tmp_path, 1 << 21)
    read(web, "a", large)
    (tmp_path / "web" / "a.svm").write_text(ROWS[:-20])
    assert read(web, "a", large) == ROWS[:-20]


def test_the_folder_is_deleted_with_the_cache(tmp_path):
    cache = DiskCache(str(tmp_path), 9)
    assert os.listdir(tmp_path) != []
    del cache
    assert os.listdir(tmp_path) == []
    code = f"from rosenblatt.streams.io import cache; c = cache.DiskCache({str(tmp_path)!r}, 9)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert os.listdir(tmp_path) == []
