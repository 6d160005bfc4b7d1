"""Parsers of text files, hashing, and category columns.

Texts are uint8 arrays; those of scans end with a newline. Arrays are C-ordered. Spans are int64
arrays of shape (n, 4): a row, a column, the start of a token and its end. A ValueError tells that
lengths or indices do not fit each other.
"""

from numpy import bool_, float64, int16, int32, int64, uint8, uint64
from numpy.typing import NDArray

_Bytes = NDArray[uint8]
_Floats = NDArray[float64]
_Int16 = NDArray[int16]
_Int32 = NDArray[int32]
_Int64 = NDArray[int64]
_Counts = tuple[int, bool]
"""The number of lines, and whether the text is plain."""

# --- formats: see the modules of rosenblatt.engine.text -------------------------------------------

def complete_records(text: _Bytes, separator: int, quoted: bool, /) -> tuple[int, bool]: ...
def scan_svmlight(
    text: _Bytes, labelled: bool, largest: int, written: bool, /
) -> tuple[tuple[_Floats, _Floats, _Int32, _Int64, _Int64], _Counts, _Int64, _Int64, bool, int]:
    """Return (labels, data, indices, indptr, starts), counts, deferred and long numbers.

    The row of a span is the index in ``data``, or −1 − the index in ``labels``. Also returns
    whether the indices of every row increase, and the start of a malformed token, or −1.
    """

def scan_delimited(
    text: _Bytes,
    numbers: _Int64,
    words: _Int64,
    separator: int,
    quote: int,
    missing: _Bytes,
    written: bool,
    /,
) -> tuple[tuple[_Floats, _Int64, _Int64, _Int64], _Counts, _Int64, _Int64, _Int64, int]:
    """Return (numbers, begins, stops, starts), counts, deferred numbers, words, long numbers.

    The words are those with doubled quotes; begins and stops have a column per line. Also returns
    the start of a malformed field, or −1; its row counts.
    """

def parse_cell(
    text: _Bytes, begin: int, separator: int, quote: int, /
) -> tuple[int, int, int, bool]: ...
def scan_vowpal_wabbit(
    text: _Bytes,
    labelled: bool,
    tagged: bool,
    named: bool,
    names: _Bytes,
    ends: _Int64,
    grouped: bool,
    /,
) -> tuple[
    tuple[_Floats, _Floats],
    tuple[_Int32, _Floats, _Int64],
    _Counts,
    tuple[_Int16, _Int64, _Int64],
    _Int64,
    int,
]:
    """Return (labels, weights), CSR rows of hashes, counts, (groups, starts of names, tags).

    Also returns the deferred numbers, and the start of a malformed token, or −1.
    """

def write_names(text: _Bytes, starts: _Int64, most: int, /) -> tuple[bytes, _Int64]: ...
def read_written(text: _Bytes, spans: _Int64, /) -> tuple[_Int64, _Int64, NDArray[bool_]]: ...

# --- hashing, and rows of hashes ------------------------------------------------------------------

def hash_names(names: _Bytes, ends: _Int64, /) -> _Int32: ...
def sort_and_sum(columns: _Int32, data: _Floats, indptr: _Int64, bits: int, /) -> int:
    """Sort rows in place; return the number of entries."""

def add_pairs(
    columns: _Int32,
    data: _Floats,
    indptr: _Int64,
    groups: _Int16,
    pairs: _Int64,
    n_groups: int,
    with_parents: bool,
    /,
) -> tuple[tuple[_Int32, _Floats, _Int64], _Int32, int, int]:
    """Return CSR rows, parents, and the rows with too many pairs or too large ones, or −1."""

def new_hashes(hashes: _Int32, table: _Int32, bits: int, /) -> _Int64: ...
def insert_hashes(table: _Int32, bits: int, hashes: _Int32, new: NDArray[bool_], /) -> None: ...

# --- category columns -----------------------------------------------------------------------------

def encode_words(text: _Bytes, begins: _Int64, stops: _Int64, /) -> tuple[_Int32, _Int64]: ...
def assemble_rows(
    numbers: _Floats,
    codes: _Int32,
    of_numbers: _Int32,
    of_words: _Int32,
    values: _Floats,
    starts: _Int64,
    /,
) -> tuple[_Int32, _Floats, _Int64]: ...

# --- parts that only tests call -------------------------------------------------------------------

def tells_written(text: _Bytes, begin: int, stop: int, value: float, /) -> bool: ...
def parse_decimal(text: _Bytes, begin: int, /) -> tuple[int, float, bool]: ...
def parse_int(text: _Bytes, begin: int, /) -> tuple[int, int]: ...
def nearest_float(mantissa: int, power: int, /) -> float: ...
def hash_pieces(words: NDArray[uint64], sizes: _Int64, /) -> int: ...
def column_of(hash: int, bits: int, /) -> int: ...
