"""JSON bodies: an object has a name once, and a body that is no JSON says what to do."""

from concurrent.futures import ThreadPoolExecutor

import anyio
import msgspec
import pytest

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.call import decode_query, read_examples
from rosenblatt.serve.schema import Example, Query


def test_a_body_is_its_type():
    assert decode_query(b'{"features": {"a:b": 1}}') == Query({"a:b": 1})
    body = b'[{"label": "x", "features": "a: b"}]'
    with ThreadPoolExecutor() as thread:  # a browser of other tests has the loop of this one
        assert thread.submit(anyio.run, read_examples, body).result() == [Example("x", "a: b")]


def test_a_name_stands_once_in_an_object():
    for name in (b"a", rb"\u0061"):
        with pytest.raises(RefusedError, match="the name 'a' stands twice") as refusal:
            decode_query(b'{"features": {"a": 1, "%b": 2}}' % name)
        assert refusal.value.status == 422


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        (b"", "the body is empty: send JSON"),
        (b" \n", "the body is empty: send JSON"),
        (b'{"features": {"a"', "ends before it is complete"),
        (rb'{"features": {"\ud800": 1}}', "half of a character"),
        (rb'{"features":"\ud800"}', "half of a character"),
    ],
)
def test_a_body_that_is_no_json_says_what_to_do(body, advice):
    with pytest.raises(RefusedError, match=advice) as refusal:
        decode_query(body)
    assert refusal.value.status == 400


def test_other_faults_are_those_of_the_parser():
    with pytest.raises(msgspec.DecodeError, match="malformed"):
        decode_query(b"a,b")
    with pytest.raises(msgspec.ValidationError, match="features"):
        decode_query(b"{}")
