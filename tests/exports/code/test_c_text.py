"""Texts in C: literals that a compiler reads back, names of fields, and comments."""

import re
import subprocess
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs import WARNINGS, program

from rosenblatt.exports.code.c_text import comment, field_names, literal, word
from rosenblatt.exports.terms import CannotExport

TEXTS = [
    "",
    '"',
    "\\",
    "a\nb",
    "??/",
    "\x001",
    "é𝒳",
    "%d",
    "*/",
    "/*",
    "\x7f",
    "\\x41",
    "'",
    "a\r\n#x",
]


def test_a_compiler_reads_literals_back(tmp_path):
    """Each as its bytes, with the length that the word says."""
    words = ", ".join(map(word, TEXTS))
    lines = [
        "#include <stdio.h>",
        *(f"/* {comment(text)} */" for text in TEXTS),
        f"static const struct {{ const char *bytes; unsigned length; }} W[] = {{{words}}};",
        "int main(void) {",
        f"  for (int i = 0; i < {len(TEXTS)}; ++i)",
        "    fwrite(W[i].bytes, 1, W[i].length, stdout), putchar(255);",
        "  return 0;",
        "}",
    ]
    (tmp_path / "a.c").write_text("\n".join(lines) + "\n")
    subprocess.run([program("cc"), *WARNINGS, "-o", "a", "a.c"], cwd=tmp_path, check=True)
    found = subprocess.run([tmp_path / "a"], capture_output=True, check=True).stdout
    assert found.split(b"\xff")[:-1] == [text.encode() for text in TEXTS]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_literals_and_comments_are_plain_ascii(text):
    for shown in (literal(text), comment(text)):
        assert shown.isascii()
        assert shown.isprintable()
        assert "??" not in shown
        assert "*/" not in shown
        assert "/*" not in shown
        assert '"' not in shown[1:-1].replace('\\"', "")


def test_a_literal_has_a_limit():
    assert literal("a" * 4095)
    with pytest.raises(CannotExport, match="has 4,096 bytes"):
        literal("a" * 4096)


@given(st.lists(st.text(max_size=8), max_size=8))
def test_fields_are_distinct_names(names):
    fields = field_names(names)
    assert len(set(fields)) == len(names)
    assert all(re.fullmatch("[a-z][a-z0-9_]*", field) for field in fields)


def test_fields_that_numbers_would_make_equal():
    assert field_names(["a", "a 2", "a", "A"]) == ["a", "a_2", "a_3", "a_4"]
    assert field_names(["int", "int_", "INT"]) == ["int_", "int__2", "int__3"]


def test_many_names_without_a_letter_of_c_take_linear_time():
    begin = time.process_time()
    fields = field_names(chr(0x4E00 + k) for k in range(20_000))
    assert time.process_time() - begin < 2
    assert (fields[0], fields[-1]) == ("c", "c_20000")
