"""Names of products, cut into the names of their factors."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from rosenblatt.engine.text.crossing import split_interaction
from rosenblatt.streams.features.schema import in_group


class ProductNames:
    """The names that the interactions of named columns make.

    A product is called ``x*y``, and x and y may have stars, too: categories may have any letters.
    A factor is the name of a feature in the group of an interaction.

    Parameters
    ----------
    interactions : sequence of str
        Each ``"a*b"`` or ``"a*b*c"``.
    names : sequence of str
        All features, products among them.

    Examples
    --------
    >>> products = ProductNames(["a*b"], ["a", "b=red", "a*b=red", "a=2*3"])
    >>> "a*b=red" in products, "a=2*3" in products
    (True, False)
    >>> list(products.cuts("a*b=red"))
    [('a', 'b=red')]
    """

    def __init__(self, interactions: Sequence[str], names: Iterable[str]) -> None:
        self._interactions = [split_interaction(one) for one in interactions]
        self._names = frozenset(names) if interactions else frozenset()
        self._lengths = frozenset(map(len, self._names))

    def __contains__(self, name: str) -> bool:
        return next(self.cuts(name), None) is not None

    def cuts(self, name: str) -> Iterator[tuple[str, ...]]:
        """Yield each cut of a name at stars into factors, once for each interaction that makes it.

        Parameters
        ----------
        name : str
        """
        stars = [k for k, letter in enumerate(name) if letter == "*"] if self._interactions else []
        for groups in self._interactions if stars else ():
            yield from self._cuts(name, stars, groups, 0, set())

    def _cuts(
        self,
        name: str,
        stars: list[int],
        groups: tuple[str, ...],
        begin: int,
        failed: set[tuple[int, int]],
    ) -> Iterator[tuple[str, ...]]:
        """Yield the cuts of a name from a position on; those that have none are remembered."""
        node, is_last = (begin, len(groups)), len(groups) == 1
        if node in failed or not name.startswith(groups[0], begin):
            return
        has_any = False
        for end in [len(name)] if is_last else stars[bisect_left(stars, begin) :]:
            if end - begin not in self._lengths:
                continue
            factor = name[begin:end]
            if factor not in self._names or not in_group(factor, groups[0]):
                continue
            others: Iterable[tuple[str, ...]]
            others = [()] if is_last else self._cuts(name, stars, groups[1:], end + 1, failed)
            for rest in others:
                has_any = True
                yield (factor, *rest)
        if not has_any:
            failed.add(node)
