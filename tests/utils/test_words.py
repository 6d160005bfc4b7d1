"""Words of a command line, as a shell reads them."""

import shlex

import pytest

from rosenblatt.utils.words import option_value, option_words


@pytest.mark.parametrize(
    "word",
    ["size", "Größe (mm)", "net, in €", '5" pipe', '"net", in €', "in\n(mm)", "it's", "", "$HOME"],
)
def test_a_shell_and_the_option_read_what_was_written(word):
    words = [word, "other"]
    (value,) = shlex.split(option_value(words))
    assert option_words(value) == words
