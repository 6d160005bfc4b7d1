"""Storage options, and URLs with signatures: what no message shows."""

import copy
import pickle

import pytest

from rosenblatt.streams import DataError, open_stream, write_arrow
from rosenblatt.streams.aligning import ColumnAligner
from rosenblatt.streams.core.access import (
    Access,
    SourceNames,
    StorageOptions,
    Version,
    shown,
)
from rosenblatt.streams.core.options import ReadOptions

SECRET = "wJalrXUtnFEMI"
OPTIONS = StorageOptions(key="AKIAEXAMPLE", client={"secret": SECRET}, tries=[3, SECRET])


def test_options_travel_and_are_not_shown():
    for one in (OPTIONS, pickle.loads(pickle.dumps(OPTIONS)), copy.deepcopy(OPTIONS)):
        assert one == OPTIONS
        for text in (repr(one), str(one), f"{ReadOptions(storage_options=one)}"):
            assert "secret=…" not in text
            assert SECRET not in text
            assert "AKIAEXAMPLE" not in text
    assert SECRET not in Access(OPTIONS).without_secrets(f"no {SECRET} AKIAEXAMPLE")


def test_the_query_of_an_address_whose_begin_is_an_option_is_hidden():
    access = Access(StorageOptions(client_kwargs={"endpoint_url": "http://lake:9000?t=1"}))
    assert access.without_secrets("no answer of http://lake:9000?t=1") == "no answer of …"
    access = Access(StorageOptions(endpoint_url="http://lake:9000"))
    assert access.without_secrets("at http://lake:9000/b?sig=5e: no") == "at …/b?…: no"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a?b.svm", "a?b.svm"),
        ("s3://bucket/a.svm", "s3://bucket/a.svm"),
        ("https://h/a?sig=1&b=2: no rows", "https://h/a?…: no rows"),
        ("'https://u:p@h/a?sig=1', 'https://h/b'", "'https://…@h/a?…', 'https://h/b'"),
        ("https://h/a@b.svm", "https://h/a@b.svm"),
    ],
)
def test_urls_are_shown_without_user_and_query(text, expected):
    assert shown(text) == expected


def test_errors_of_signed_urls_have_no_signature():
    url = f"http://ann:{SECRET}@127.0.0.1:9/a.svm?X-Amz-Signature={SECRET}"
    with pytest.raises(DataError, match=r"^http://…@127\.0\.0\.1:9/a\.svm\?…: cannot") as caught:
        open_stream(url, storage_options={"headers": {"Authorization": SECRET}})
    assert SECRET not in repr(caught.value) + str(caught.value) + repr(SourceNames([url]))
    assert caught.value.__cause__ is None or SECRET not in str(caught.value.__cause__)


def test_versions_differ_as_far_as_they_are_known():
    assert Version(1, "").is_other(Version(2, ""))
    assert not Version(1, "").is_other(Version(1, "a"))
    assert not Version(None, "a").is_other(Version(3, "a"))


def test_a_stream_and_its_reports_show_no_signature():
    stream = open_stream("sklearn:iris")
    stream.name = f"http://ann:{SECRET}@h/a.csv?X-Amz-Signature={SECRET}"
    assert repr(stream) == "<SklearnStream 'http://…@h/a.csv?…': sklearn, target 'target'>"
    reports = []
    ColumnAligner(stream, ["petal width (cm)"], report=reports.append)
    assert [report[:41] for report in reports] == ["http://…@h/a.csv?…: ignored 3 columns tha"]
    stream.labelled = False
    with pytest.raises(ValueError, match=r"^the stream http://…@h/a\.csv\?… has no labels"):
        write_arrow(stream, "a.arrow")
