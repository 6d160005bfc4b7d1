"""Folders at URLs: their tables, in which order, and how often a server is asked."""

import logging
import re

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem
from s3_server import s3_bucket

from rosenblatt.streams import DataError, open_stream, reopen
from rosenblatt.streams.core.access import Access, Version
from rosenblatt.streams.io.listing import one_listing
from rosenblatt.streams.io.paths import expand_paths, list_files

TABLE = b"x,y\n1,a\n2,b\n"
PARTS = [f"day={day}/land=CH/part-{k}.csv" for day in (1, 2) for k in (0, 1)]


@pytest.fixture(params=["memory", "file"])
def lake(request, tmp_path):
    """The URL of an empty folder, and a function that writes files into it."""
    files = fsspec.filesystem(request.param)
    folder = str(tmp_path)
    url = f"{request.param}://{folder}/lake"

    def put(*names, **texts):
        for name, text in [*((name, TABLE) for name in names), *texts.items()]:
            path = f"{folder}/lake/{name}"
            files.makedirs(path.rpartition("/")[0], exist_ok=True)
            files.pipe(path, text)

    yield url, put
    files.rm(folder, recursive=True)


def below(url, names):
    return [name.removeprefix(f"{url}/") for name in names]


def test_the_tables_of_a_folder_are_those_of_a_disk(lake, tmp_path):
    url, put = lake
    put(*PARTS, "day=1/land=CH/_SUCCESS", "_metadata", ".hidden/a.csv", "day=1/_temporary/b.csv")
    put(**{"day=1/land=CH/empty.csv": b"", "day=1_$folder$": b""})
    for name in (url, f"{url}/"):
        assert below(url, expand_paths(name)) == PARTS
        stream = open_stream(name)
        X, y = stream.read()
        assert (stream.name, X.columns, len(y)) == (name, ("day", "x", "land=CH"), 8)
        assert X.toarray()[:, 0].tolist() == [1, 1, 1, 1, 2, 2, 2, 2]
    files = list_files(url)
    assert {file.folder for file in files} == {url}
    assert [file.version.size for file in files] == [len(TABLE)] * 4


def test_a_pattern_may_match_folders_at_a_url(lake):
    url, put = lake
    put(*PARTS, "day=3/land=CH/part-0.csv", "a.csv")
    assert below(url, expand_paths(f"{url}/day=[12]")) == PARTS
    assert len(expand_paths(f"{url}/**")) == 6  # each once
    assert open_stream(f"{url}/day=[12]").read()[0].columns == ("day", "x", "land=CH")
    both = [f"{url}/day=2", f"{url}/a.csv"]
    assert below(url, expand_paths(both)) == [*PARTS[2:], "a.csv"]


class Served(LocalFileSystem):
    """The disk of a server, whose name stands in the URLs alone, as of ``sftp``."""

    protocol = "served"

    def __init__(self, server, **options):
        super().__init__(**options)

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(re.sub("^served://[^/]*", "", path))

    @staticmethod
    def _get_kwargs_from_urls(url):
        return {"server": url.split("/")[2]}


def test_files_of_a_pattern_are_at_its_server(tmp_path):
    fsspec.register_implementation("served", Served, clobber=True)
    (tmp_path / "day=1").mkdir()
    (tmp_path / "day=1" / "a{}.csv").write_bytes(TABLE)
    url = f"served://ann@here{tmp_path}"
    for pattern in (f"{url}/day=?/*.csv", f"{url}/day=*", f"{url}/day=*/"):
        assert expand_paths(pattern) == [f"{url}/day=1/a{{}}.csv"]
        assert len(open_stream(pattern).read()[1]) == 2


def test_a_format_makes_all_files_at_a_url_tables(lake):
    url, put = lake
    put("part-00000", "part-00001", "_SUCCESS")
    assert open_stream(url, format="csv").read()[1].tolist() == ["a", "b", "a", "b"]
    with pytest.raises(DataError, match=r"lake: no tables: found no file with the suffix of one"):
        open_stream(url)


def test_the_name_of_a_file_is_no_pattern(lake):
    url, put = lake
    put("a1.csv", "a[1].csv", "b?.csv", "bc.csv")
    assert expand_paths(f"{url}/a[1].csv") == [f"{url}/a[1].csv"]
    assert expand_paths(f"{url}/b?.csv") == [f"{url}/b?.csv"]
    assert below(url, expand_paths(f"{url}/b[c].csv")) == ["bc.csv"]


def test_a_name_of_a_listed_file_is_no_pattern(lake):
    url, put = lake
    put("pq/a[1].csv")
    assert len(open_stream(f"{url}/pq").read()[1]) == 2
    name = f"{url}/pq/a[1].csv"
    listed = list_files(name, Access(versions={name: Version(12, "")}))
    assert [file.name for file in listed] == [name]


def test_what_is_no_folder_is_refused_by_name(lake):
    url, put = lake
    put("a.csv")
    with pytest.raises(DataError, match="none/: cannot be read: there is no file at this address"):
        open_stream(f"{url}/none/")
    with pytest.raises(DataError, match=r"org/pq/: a web server does not list the files of a fold"):
        open_stream(["https://example.org/pq/"])


def test_a_name_that_fsspec_takes_apart_is_refused(lake):
    url, put = lake
    put("host=fe80::1/a.csv")
    with pytest.raises(DataError, match=r"host=fe80::1/a\.csv: has :: in its name, .*: rename it"):
        open_stream(url)


def test_a_file_that_changes_after_it_was_listed_is_refused(lake):
    url, put = lake
    put("a.csv", "b.csv")
    stream = open_stream(url)
    put(**{"b.csv": TABLE + b"3,a\n"})
    with pytest.raises(DataError, match=r"b\.csv: cannot be read: it has changed since"):
        list(stream)


def test_a_run_lists_several_folders_once_each(lake, monkeypatch):
    url, put = lake
    put("a/0.csv", "b/0.csv")
    asked, kind = [], type(fsspec.filesystem(url.partition(":")[0]))
    find = kind.find

    def counted(files, path, **options):
        asked.append(path)
        return find(files, path, **options)

    monkeypatch.setattr(kind, "find", counted)
    with one_listing():  # several names are asked for by threads
        lists = [list_files([f"{url}/a", f"{url}/b/"]) for _ in range(3)]
    assert (len(asked), len(lists[0]), lists[1:]) == (2, 2, lists[:2])


def test_a_key_may_be_a_file_and_a_folder():
    with s3_bucket() as url:
        import s3fs

        files = s3fs.S3FileSystem(skip_instance_cache=True)
        for name in ("pq.csv", "pq.csv/a.csv", "pq.csv/b.csv", "c.csv"):
            files.pipe(f"{url}/{name}", TABLE)
        assert below(url, expand_paths(f"{url}/pq.csv")) == ["pq.csv"]
        assert below(url, expand_paths(f"{url}/pq.csv/")) == ["pq.csv/a.csv", "pq.csv/b.csv"]
        assert below(url, expand_paths(f"{url}/c.csv/")) == ["c.csv/"]
        bucket, _, key = url.removeprefix("s3://").partition("/")
        for name in ("made", "made/day=1", "made/day=2"):  # as the console of AWS makes folders
            files.call_s3("put_object", Bucket=bucket, Key=f"{key}/{name}/", Body=b"")
        files.pipe(f"{url}/made/day=1/a.csv", TABLE)
        assert below(url, expand_paths(f"{url}/made")) == ["made/day=1/a.csv"]


def test_a_run_lists_a_folder_once(tmp_path, monkeypatch, caplog, call):
    monkeypatch.chdir(tmp_path)
    with s3_bucket() as url, caplog.at_level(logging.INFO, "werkzeug"):
        import s3fs

        files = s3fs.S3FileSystem(skip_instance_cache=True)
        for name in PARTS:
            files.pipe(f"{url}/pq/{name}", TABLE)

        def listings():
            """The listings of all files below a folder since the last call."""
            asked = [line for line in caplog.messages if re.search(r"delimiter=&", line)]
            caplog.clear()
            return len(asked)

        listings()
        stream = open_stream(f"{url}/pq/")
        stream.read()
        assert listings() == 1
        reopen(stream.noted(), stream.feature_names, f"{url}/pq").read()
        assert listings() == 1
        assert call("train", f"{url}/pq/", "-m", "m.rosenblatt", "-q", "--epochs", 2)[0] == 0
        assert listings() == 1
        status, out, _ = call("predict", "m.rosenblatt", f"{url}/pq")
        assert (status, out.split(), listings()) == (0, ["a", "b"] * 4, 1)
        assert (call("evaluate", "m.rosenblatt", f"{url}/pq/")[0], listings()) == (0, 1)
        assert (call("certify", f"{url}/pq/")[0], listings()) == (0, 1)
        assert (len(expand_paths(f"{url}/pq")), listings()) == (4, 1)  # each run asks anew
        with one_listing(), one_listing():
            assert expand_paths(f"{url}/pq") == expand_paths(f"{url}/pq/")
        assert listings() == 1
