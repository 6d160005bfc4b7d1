"""Vowpal Wabbit text in plain Python: regular expressions, and scikit-learn's hash."""

import itertools
import math
import re
from typing import NamedTuple

from sklearn.utils.murmurhash import murmurhash3_bytes_s32

NUMBER = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
HEAD = re.compile(
    rb"[ \t]*(?:(%b)[ \t]+)?(?:(%b)[ \t]+)?('[^ \t|]*|[^ \t|]+(?=\|))?[ \t]*(\|.*)"
    % (NUMBER, NUMBER),
    re.DOTALL,
)
NAMESPACE = re.compile(rb"([^ \t:]*)(?::(%b))?(|[ \t].*)" % NUMBER, re.DOTALL)
FEATURE = re.compile(rb"([^:]+)(?::(%b))?" % NUMBER, re.DOTALL)


class Row(NamedTuple):
    """A line: features are pairs of a name and a value, in the order of the text."""

    label: float
    weight: float
    features: list
    tag: str = ""

    def hashed(self, bits, interactions=()):
        """Columns with their values, sorted by column."""
        cells = {}
        for h, value in self.signed(interactions):
            column = abs(h) % 2**bits
            cells[column] = cells.get(column, 0.0) + (value if h >= 0 else -value)
        return sorted(cells.items())

    def signed(self, interactions=()):
        """Hashes and values of the features and their pairs; only namespaces have a ^ in them."""
        plain = [(space_of(name), murmurhash3_bytes_s32(name, 0), x) for name, x in self.features]
        plain = [one for one in plain if one[2]]
        entries = [(h, x) for _, h, x in plain]
        products = [interaction.encode().split(b"*") for interaction in interactions]
        for a, b in (product for product in products if len(product) == 2):
            first, second = ([one for one in plain if one[0] == group] for group in (a, b))
            for i, (_, h, x) in enumerate(first):
                for _, k, y in second[i:] if a == b else second:
                    one, other = sorted((h, k)) if a == b else (h, k)
                    pair = (one * 16777619 ^ other) % 2**32
                    if x * y:
                        entries.append((pair - 2**32 * (pair >= 2**31), x * y))
        for product in (product for product in products if len(product) == 3):
            entries += triples(plain, sorted(product, key=product.index))
        return entries


def triples(plain, groups):
    """Hashes and values of the products of three, each once."""
    for places in itertools.product(range(len(plain)), repeat=3):
        chosen = [plain[place] for place in places]
        if [space for space, _, _ in chosen] != groups:
            continue
        if any(
            g == h and i > j
            for g, h, i, j in zip(groups, groups[1:], places, places[1:], strict=False)
        ):
            continue
        parts = sorted((groups.index(space), h) for space, h, _ in chosen)
        one, two, three = (h for _, h in parts)
        crossed = ((one * 16777619 ^ two) * 16777619 ^ three) % 2**32
        value = chosen[0][2] * chosen[1][2] * chosen[2][2]
        if value:
            yield crossed - 2**32 * (crossed >= 2**31), value


def space_of(name):
    return name.split(b"^")[0] if b"^" in name else b""


class LineError(ValueError):
    """The number of the first malformed line, and the rows before it."""


def rows_of(text, labelled=True):
    rows = []
    for number, line in enumerate(text.split(b"\n"), 1):
        line = line.removesuffix(b"\r")
        if line.strip(b" \t"):
            try:
                rows.append(_row(line, labelled))
            except ValueError:
                raise LineError(number, rows) from None
    return rows


def _row(line, labelled):
    label, weight, tag, body = _match(HEAD, line).groups()
    weight = 1.0 if weight is None else _finite(weight)
    if (labelled and label is None) or weight < 0:
        raise ValueError
    features = []
    for part in body.split(b"|")[1:]:
        namespace, scale, rest = _match(NAMESPACE, part).groups()
        if scale is not None and not namespace:
            raise ValueError
        factor = _finite(b"1" if scale is None else scale)
        for token in filter(None, re.split(rb"[ \t]+", rest)):
            name, value = _match(FEATURE, token).groups()
            number = _finite(b"1" if value is None else value) * factor
            if math.isinf(number):
                raise ValueError
            features.append((namespace + b"^" + name if namespace else name, number))
    name = (tag or b"").removeprefix(b"'").decode("utf-8", "replace")
    return Row(math.nan if label is None else _finite(label), weight, features, name)


def _match(pattern, text):
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError
    return match


def _finite(token):
    number = float(token)
    if math.isinf(number):
        raise ValueError
    return number
