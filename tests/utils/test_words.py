"""Words of a command line, as a shell reads them."""

import subprocess

import pytest

from rosenblatt.utils.words import (
    file_word,
    missing_option,
    option_value,
    option_words,
    shell_words,
)

PLAIN = ["size", "Größe (mm)", "net, in €", '5" pipe', "it's", "", "$HOME"]
QUOTED = ['"', '"all"', '"open', 'close"', 'a",b', 'a"",b', ",", "'", "''"]
BLANKS = [" lead", "trail ", "two\nlines", "\r", "a\tb", "\x1b[31m", "\u202eabc", "it's\n'\\"]
COMMANDS = [
    "$(touch x)",
    "`touch x`",
    "it's $(touch x)",
    "';touch x;'",
    "*",
    "~",
    "!!",
    "-x",
    "\\n",
]
WORDS = [*PLAIN, *QUOTED, *BLANKS, *COMMANDS, 200_000 * "n"]


def test_bash_and_the_option_read_what_was_written(tmp_path):
    values = [option_value([word, "other"]) for word in WORDS[:-1]]  # bash takes 100 kB a word
    line = " ".join(["printf '%s\\0'", *values, shell_words(WORDS[:-1])])
    read = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, check=True)
    texts = read.stdout.decode().split("\0")[:-1]
    assert [option_words(text) for text in texts[: len(values)]] == [
        [w, "other"] for w in WORDS[:-1]
    ]
    assert texts[len(values) :] == WORDS[:-1]
    assert (read.stderr, list(tmp_path.iterdir())) == (b"", [])
    assert option_words(f'"{WORDS[-1]}",b') == [WORDS[-1], "b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a, b ,,", ["a", "b", "", ""]),
        ('"a, b" , "c"', ["a, b", "c"]),
        ('"a,b', ['"a', "b"]),
        ('a"b,c"', ['a"b', 'c"']),
        ('"a,b":skip,c', ["a,b:skip", "c"]),
        ('" a "', [" a "]),
        ("", [""]),
    ],
)
def test_a_word_in_quotes_is_whole_and_other_quotes_are_letters(text, words):
    assert option_words(text) == words


def test_a_file_is_no_option_and_a_long_cell_is_not_written():
    assert [file_word(path) for path in ("-m", "--help", "-", "a-b")] == [
        "./-m",
        "./--help",
        "-",
        "a-b",
    ]
    assert missing_option("$(x)") == "--missing '$(x)'"
    assert missing_option(41 * "x") == "--missing WORD"
