"""Names of products: every cut into known factors, in time that the stars do not multiply."""

from itertools import combinations, pairwise
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.text.crossing import split_interaction
from rosenblatt.streams.features.products import ProductNames
from rosenblatt.streams.features.schema import in_group

PIECES = st.lists(st.sampled_from(["a", "b", "a=", "b.x", "a=b", "c", ""]), max_size=5)


def all_cuts(name, groups, names):
    """Every cut at stars into names of the groups."""
    pieces = name.split("*")
    for cut in combinations(range(1, len(pieces)), len(groups) - 1):
        bounds = pairwise((0, *cut, len(pieces)))
        factors = tuple("*".join(pieces[start:stop]) for start, stop in bounds)
        if all(map(in_group, factors, groups)) and set(factors) <= set(names):
            yield factors


@given(
    pieces=PIECES,
    others=st.lists(PIECES.map("*".join)),
    interactions=st.lists(
        st.lists(st.sampled_from("abc"), min_size=2, max_size=3).map("*".join), max_size=2
    ),
    data=st.data(),
)
def test_a_product_is_cut_into_names_of_its_groups(pieces, others, interactions, data):
    name = "*".join(pieces)
    parts = ["*".join(pieces[i:j]) for i in range(len(pieces)) for j in range(i + 1, 6)]
    names = [name, *others, *data.draw(st.lists(st.sampled_from([*parts, "a"])))]
    products = ProductNames(interactions, names)
    expected = [
        cut for one in interactions for cut in all_cuts(name, split_interaction(one), names)
    ]
    assert sorted(products.cuts(name)) == sorted(expected)
    assert (name in products) == (expected != [])


def test_a_category_with_stars_is_a_product_of_known_factors_alone():
    assert "colour=a*size" not in ProductNames(["colour*size"], ["size", "colour=a*size"])
    assert "colour=a*size" in ProductNames(["colour*size"], ["size", "colour=a", "colour=a*size"])


def test_a_name_of_many_stars_takes_linear_time():
    long = "a=x" + "*" * 50_000
    names = [long, "b=u", "c", f"{long}*b=u*c", "a=" + "*b=*c" * 10_000]
    products = ProductNames(["a*b*c", "b*a"], names)
    begin = process_time()
    assert names[3] in products
    assert names[4] not in products
    assert names[0] not in products
    assert process_time() - begin < 2  # seconds; all cuts would take hours
