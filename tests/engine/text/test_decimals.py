"""Decimals in text are parsed to the bits of Python's ``float``."""

import math
import random
import struct
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt._core.text import nearest_float, parse_decimal, parse_int
from rosenblatt.engine.text.scanning import TextError
from rosenblatt.engine.text.svmlight import parse


def bits(values):
    return struct.pack(f"{len(values)}d", *values)


def assert_as_float(tokens):
    """The tokens that a float64 can hold, as labels and as values."""
    tokens = [token for token in tokens if math.isfinite(float(token))]
    parsed = parse("".join(f"{token} 7:{token}\n" for token in tokens).encode())
    assert bits(parsed.labels) == bits(parsed.data) == bits([float(token) for token in tokens])


def as_text(token):
    return np.frombuffer(f"{token}        \n".encode(), np.uint8)


# --- what programs write -------------------------------------------------------------------------
# Hypothesis tries the special numbers; thousands of random ones need no search.

patterns = st.integers(0, 2**64 - 1).map(lambda n: struct.unpack("d", struct.pack("Q", n))[0])
any_float = patterns.filter(math.isfinite) | st.floats(allow_nan=False, allow_infinity=False)
usual_float = st.floats(-1e6, 1e6) | st.floats(-1, 1)


def random_floats(n):
    """Floats of any bits, of everyday size, and below 1."""
    rng = np.random.default_rng(0)
    of_any_bits = rng.integers(0, 2**64, n, np.uint64).view(np.float64)
    of_any_bits = of_any_bits[np.isfinite(of_any_bits)].tolist()
    return [*of_any_bits, *rng.uniform(-1e6, 1e6, n).tolist(), *rng.uniform(-1, 1, n).tolist()]


def as_written(x, digits):
    return repr(x), f"{x:.{digits}g}", f"{x:+.{digits}e}"


@given(st.lists(any_float | usual_float, min_size=1, max_size=20), st.integers(1, 25))
def test_floats_as_programs_write_them(floats, digits):
    assert_as_float(token for x in floats for token in as_written(x, digits))


def test_random_floats_as_programs_write_them():
    assert_as_float(
        token for i, x in enumerate(random_floats(5000)) for token in as_written(x, 1 + i % 25)
    )


@given(st.lists(usual_float, min_size=1, max_size=20), st.integers(0, 40))
def test_floats_with_a_fixed_point(floats, digits):
    assert_as_float(f"{x:.{digits}f}" for x in floats)


def test_random_floats_with_a_fixed_point():
    floats = [x for x in random_floats(5000) if abs(x) <= 1e6]
    assert_as_float(f"{x:.{i % 41}f}" for i, x in enumerate(floats))


def mantissa_and_power(w, q):
    return f"{w}e{q}", f"-{w >> 44}E{q:+05d}"


@given(st.lists(st.tuples(st.integers(0, 2**64), st.integers(-350, 310)), min_size=1, max_size=20))
def test_any_mantissa_and_any_power(pairs):
    assert_as_float(token for w, q in pairs for token in mantissa_and_power(w, q))


def test_random_mantissas_and_powers():
    rng = random.Random(0)
    pairs = [(rng.getrandbits(rng.randint(1, 64)), rng.randint(-350, 310)) for _ in range(10_000)]
    assert_as_float(token for w, q in pairs for token in mantissa_and_power(w, q))


# --- halfway between two floats ------------------------------------------------------------------


def decimal_of(fraction):
    """(digits, power of ten) of a fraction whose denominator is a power of two."""
    k = fraction.denominator.bit_length() - 1
    return fraction.numerator * 5**k, -k


def tie_and_neighbours(x):
    x = abs(x)
    digits, power = decimal_of(Fraction(x) + Fraction(math.ulp(x)) / 2)
    length = len(str(digits))
    for kept in (15, 16, 17, 18, 19, 20, 25, length):
        cut = max(length - kept, 0)
        yield from (f"{digits // 10**cut + step}e{power + cut}" for step in (-1, 0, 1))


@given(any_float)
def test_ties_and_their_neighbours(x):
    assert_as_float(tie_and_neighbours(x))


def test_ties_of_random_floats():
    assert_as_float(token for x in random_floats(400) for token in tie_and_neighbours(x))


def tie_of_few_digits(m, q):
    """(2 m + 1) · 2^z / 10^q is an integer: ties within 64 bits and a power of ten."""
    odd = m | 1
    if q < 0:
        mantissas = [odd * 5**-q << z for z in range(12)]
    else:
        odd = m // 5**q | 1  # of 54 bits, times 5^q
        mantissas = [odd << z for z in range(12)]
    near = [w + step for w in mantissas for step in (-1, 0, 1) if w + step < 10**19]
    yield from (f"{w}{end}" for w in near for end in (f"e{q}", ".0"))
    yield from (f"{w}{end}e{q - 4}" for w in near for end in ("0000", "0001"))


@given(st.integers(2**53, 2**54), st.integers(-5, 25))
def test_ties_of_few_digits(m, q):
    assert_as_float(tie_of_few_digits(m, q))


def test_random_ties_of_few_digits():
    rng = random.Random(0)
    pairs = [(rng.randint(2**53, 2**54), q) for q in range(-5, 26) for _ in range(40)]
    assert_as_float(token for m, q in pairs for token in tie_of_few_digits(m, q))


def test_ties_of_integers():
    assert_as_float(str(2**53 + k) for k in range(-9, 10))
    assert_as_float(str(2**63 + k) for k in range(-1025, 2050, 41))
    assert_as_float(str(2**64 + k) for k in range(-1025, 4100, 41))


# --- known to be hard ----------------------------------------------------------------------------

TINY = 2.0**-1074
HALF_TINY = "{}e{}".format(*decimal_of(Fraction(TINY) / 2))
MOST = decimal_of(Fraction(sys.float_info.max) + Fraction(math.ulp(sys.float_info.max)) / 2)[0]
NUMBERS = f"""
    0 -0 +0 -0.0 0e0 -0e-5 0.000 0e999999999999 0e18446744073709551617 -0.e-99999999999999999999999
    1e-18446744073709551617 1e-400 1e-9223372036854775808 1e-00000000000000000000000000003 .1e+1
    2.2250738585072011e-308 2.2250738585072012e-308 2.2250738585072014e-308 2.225073858507201e-308
    5e-324 4.9406564584124654e-324 3e-324 2.4703282292062327e-324 2.4703282292062328e-324
    2.470328229206232720e-324 2.470328229206232721e-324 2.47032822920623272088284396434110686e-324
    2.47e-324 2.48e-324 7.4e-324 7.5e-324 1e-323 {HALF_TINY} {HALF_TINY.replace("e", "1e")}
    1.7976931348623157e308 1.7976931348623158e308 179769313486231570000e289 {MOST - 1}
    9007199254740991 9007199254740992 9007199254740993 9007199254740994 9007199254740995
    9007199254740993.00000000000000000000000 9007199254740993.00000000000000000000001
    9007199254740992.99999999999999999999999 90071992547409930e-1 900719925474099300000e-5
    10141204801825835211973625643008 10141204801825834086073718800384 1e22 1e23 8.5e22 1e-22 1e-23
    18446744073709551615 18446744073709551616 9999999999999999999 10000000000000000000
    9999999999999999999e-19 9223372036854775807 9223372036854775808 99999999999999999999
    6929495644600919.5 3.7455744005952583e15 89255e-22 104110013277974872254e-225
    0.500000000000000166533453693773481063544750213623046875 1448997445238699 65584535e48
    7.2057594037927933e16 3.518437208883201171875e13 62.5364939768271845828 1e0000000000000000000001
    0.{400 * "0"}1 0.{400 * "0"}1e400 {400 * "0"}1 {400 * "0"}.{400 * "0"}3e401 {300 * "9"}
    0.{330 * "0"}{99 * "7"}e20 1{300 * "0"} 1{400 * "0"}e-400 0.{"3" * 1000} {"3" * 1000}e-1000
    0.{19 * "0"}{19 * "9"} {19 * "9"}.{19 * "9"} 0.1{1000 * "0"} 0.5{1000 * "0"}1
    {99 * "0"}.{99 * "0"}
    12345678 1234567.8 123456.78 12345.678 .12345678 1234567812345678 12345678.12345678
"""
HARD_CASES = NUMBERS.split()


@pytest.mark.parametrize("token", HARD_CASES, ids=lambda token: token[:40])
def test_published_hard_cases(token):
    assert_as_float([token, f"-{token.lstrip('+-')}"])


@pytest.mark.parametrize(
    "token",
    [
        *(
            "1.7976931348623159e308",
            "1e309",
            "2e308",
            "1e400",
            "-1e999",
            "18446744073709551615e289",
        ),
        *(str(MOST), f"{MOST}1e-1", f"1{309 * '0'}", f"{400 * '9'}", f"{400 * '9'}e-80"),
        *("1e18446744073709551617", "1e9223372036854775807", f"0.{99 * '0'}1e409"),
    ],
    ids=lambda token: token[:40],
)
def test_numbers_beyond_float64_are_refused(token):
    assert math.isinf(float(token))
    with pytest.raises(TextError, match=r"line 2, column 3: .*a number that fits a float64"):
        parse(f"1 1:1\n1 7:{token}\n".encode())
    with pytest.raises(TextError, match=r"line 1, column 1: .*a number that fits a float64"):
        parse(f"{token} 7:1\n".encode())


def test_all_powers_of_ten_and_of_two():
    assert_as_float(f"{w}e{q}" for q in range(-350, 310) for w in (1, 9, 10**18 + 1, 2**64 - 1))
    assert_as_float(repr(2.0**k) for k in range(-1074, 1024))
    assert_as_float(repr(math.nextafter(2.0**k, 0)) for k in range(-1073, 1024))


# --- the parts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("w", "q", "value"),
    [
        *((0, 400, 0.0), (1, -400, 0.0), (1, 0, 1.0), (3, -1, 0.3), (5, -324, 5e-324)),
        *((2**53 + 1, 0, 2.0**53), (2**53 + 3, 0, 2.0**53 + 4), (17, 307, 1.7e308)),
        *((18, 307, math.inf), (19, 308, math.inf), (1, 400, math.inf)),
    ],
)
def test_nearest(w, q, value):
    assert nearest_float(w, q) == value


@pytest.mark.parametrize(
    ("token", "exact"),
    [
        ("0.1", True),
        ("9007199254740993", True),
        ("0.1000000000000000055511151231257827", True),
        ("1e308", True),
        ("1.7976931348623157e308", True),
        ("0.00000000000000000000000012345678901234567", True),
        ("9007199254740993.0000000000000000", False),
        ("1e400", False),
    ],
)
def test_exact_marks_decided_values(token, exact):
    stop, value, decided = parse_decimal(as_text(token), 0)
    assert (stop, decided) == (len(token), exact)
    assert not decided or value == float(token)


@pytest.mark.parametrize("token", ["", "+", "-", ".", "-.", "e5", ".e5", "1e", "1e+", "+-1", "x"])
def test_malformed_decimals(token):
    assert parse_decimal(as_text(token), 0)[0] == 0


@pytest.mark.parametrize("behind", " /:.e-+x\t\r\n\0\x7f\x80\xba\xff")
def test_digits_stop_at_any_other_byte(behind):
    for digits in range(26):
        text = np.frombuffer((digits * "7" + behind + "999999999\n").encode("latin-1"), np.uint8)
        stop, value = parse_int(text, 0)
        assert stop == digits
        assert value == min(int(digits * "7" or 0), 9 * 10**17)


# --- no byte behind the end ----------------------------------------------------------------------


@pytest.mark.parametrize("token", ["1", "1.5", "12345678", "0.12345678", "1e5", "1.5E-12"])
def test_bytes_after_the_end_do_not_matter(token):
    for n in range(30):
        text = f"{n * '0'}{token} 7:{n * '0'}{token}\n".encode()
        for behind in (b"", b"0", b"1234567890123456", b" 8:1\n"):
            parsed = parse(memoryview(text + behind)[: len(text)])
            assert bits(parsed.labels) == bits(parsed.data) == bits([float(token)])
            parsed = parse(memoryview(text + behind)[: len(text) - 1])
            assert bits(parsed.labels) == bits(parsed.data) == bits([float(token)])


AT_THE_EDGE = """
import ctypes, mmap
import numpy as np
from rosenblatt.engine.text.scanning import TextError
from rosenblatt.engine.text.svmlight import parse
page = mmap.PAGESIZE
memory = np.frombuffer(mmap.mmap(-1, 2 * page), np.uint8)
libc = ctypes.CDLL(None, use_errno=True)
forbidden = ctypes.c_void_p(memory.ctypes.data + page)
assert libc.mprotect(forbidden, ctypes.c_size_t(page), 0) == 0, ctypes.get_errno()
for text in ("", "1 ", "1 2:", "1 2:0.", "1 2:1e", "1 qid:", "1 2:3 #", "-"):
    for n in range(40):
        line = (text + n * "1" + "\\n").encode()
        memory[page - len(line) : page] = np.frombuffer(line, np.uint8)
        for begin in range(max(0, len(line) - 12), len(line)):
            try:
                parse(memory[page - len(line) + begin : page])
            except TextError:
                pass
print("alive")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forbids a page as Linux does")
def test_no_byte_after_the_end_is_read():
    """The text ends at the end of a page; reading the next page kills the process."""
    done = subprocess.run(
        [sys.executable, "-c", AT_THE_EDGE], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "alive", (done.returncode, done.stderr)
