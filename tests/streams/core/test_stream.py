"""The description of a stream's rows, which streams over streams take over."""

from rosenblatt.streams import open_stream
from rosenblatt.streams.core.stream import StreamInfo
from rosenblatt.streams.interactions import InteractionStream

TABLE = "n,colour,mid,w,when,y\n1,red,a,1,noon,u\n2,blue,b,2,night,v\n"
SCHEMA = {"mid": "id", "w": "weight", "*": "skip", "n": "number", "colour": "category"}


def test_info_describes_the_rows(write):
    stream = open_stream(write("a.csv", TABLE), schema=SCHEMA, target="y")
    expected = StreamInfo(
        sparse=True,
        feature_names=["n"],
        target="y",
        weight_column="w",
        id_column="mid",
        schema={"n": "number", "colour": "category", "mid": "id", "w": "weight", "when": "skip"},
        left_out=("when",),
    )
    assert vars(stream.info) == vars(expected)
    assert repr(stream) == f"<TableStream {stream.name!r}: csv, target 'y'>"


def test_several_files_have_the_info_of_the_first(write):
    paths = [write("a.csv", TABLE), write("b.csv", TABLE)]
    first, both = (open_stream(source, schema=SCHEMA, target="y") for source in (paths[0], paths))
    assert vars(both.info) == vars(first.info)
    assert both.noted() == first.noted()
    assert both.feature_names == ["n"]
    both.read()
    assert both.feature_names == ["n", "colour=red", "colour=blue"]


def test_interactions_change_names_and_nothing_else(write):
    path = write("a.csv", TABLE)
    plain = open_stream(path, schema=SCHEMA, target="y")
    crossed = open_stream(path, schema=SCHEMA, target="y", interactions=["n*colour"])
    assert isinstance(crossed, InteractionStream)
    assert crossed.interactions == ("n*colour",)
    for name, value in vars(plain.info).items():
        if name not in ("interactions", "feature_names"):
            assert getattr(crossed, name) == value


def test_an_index_base_that_is_read_is_that_of_the_whole(write):
    paths = [write("a.svm", "1 0:1 2:1\n"), write("b.svm", "-1 1:1\n")]
    both = open_stream(paths)
    assert both.index_base is None
    X, _ = both.read()
    assert (both.index_base, both.info.index_base) == (0, 0)
    assert X.toarray().tolist() == [[1, 0, 1], [0, 1, 0]]
