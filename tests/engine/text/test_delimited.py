import csv
import io
import random

import numpy as np
import pytest
from colliding import words_of_one_slot
from csv_twin import RecordError, records_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt.engine.text.categories import encode_categories
from rosenblatt.engine.text.delimited import TRUTHS, make_layout, parse
from rosenblatt.engine.text.scanning import TextError, complete_records

NAMES = ["x", "kind", "z"]
KINDS = [True, False, True]


def layout(separator=","):
    return make_layout(NAMES, ["x", "z"], ["kind"], "kind", separator)


def digest_of(parsed):
    """Return the records as text that shows every bit."""
    (kinds,) = parsed.words
    words = [kinds.words[code] for code in kinds.codes.tolist()]
    assert parsed.labels.tolist() == kinds.codes.tolist()
    assert len(set(kinds.words)) == len(kinds.words)
    numbers = parsed.numbers.tolist()
    return repr([[x, word, z] for (x, z), word in zip(numbers, words, strict=True)])


def agrees(text, separator=","):
    """Check that the text is read as the twin reads it, or refused at its record's line."""
    try:
        records = records_of(text, KINDS, separator)
    except RecordError as wrong:
        with pytest.raises(TextError) as caught:
            parse(text.encode(), layout(separator))
        (line, _), error = wrong.args, caught.value
        longest = len(text.split("\n")[line - 1].encode()) + 1
        assert error.line == line
        assert 1 <= error.column <= longest
    else:
        assert digest_of(parse(text.encode(), layout(separator))) == repr(records)


# --- records -------------------------------------------------------------------------------------

numbers = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(st.characters(codec="utf-8", exclude_characters="\0\r")).map(
    lambda w: w.strip(" \t")
)


@settings(deadline=None)
@given(
    st.lists(st.tuples(numbers, words, numbers)),
    st.sampled_from(",\t;"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
def test_written_records_are_read_back(rows, separator, end, quoting):
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
    text = written.getvalue()
    assert digest_of(parse(text.encode(), layout(separator))) == repr([list(row) for row in rows])
    agrees(text, separator)


pieces = st.sampled_from(
    [
        *'",,,,\n\n\r -+.0123e',
        '""',
        '",',
        ',"',
        '"\n',
        "\r\n",
        "1.5,",
        "2,oak,3\n",
        "\t",
        "é",
        "1e999",
        "True,",
        '"false"',
        "TRUEe,",
    ]
)


@thorough(300)
@example(text='1,"a\nb"\n', separator=",")
@example(text='1,"a"",2\n3,b,4', separator=",")
@example(text="1,a,2\n\n3,b\n", separator=",")
@example(text='"1" ,a,2', separator=",")
@example(text="1,a,1e999\n2,b,x\n", separator=",")
@example(text='1, oak \t,2\n1," elm ",2\n', separator=",")
@example(text='True,a, FALSE\n"true",b,false \nTRUE,c,"False"\n', separator=",")
@example(text="True,a,1\ntRUE,b,2\n", separator=",")
@given(text=st.lists(pieces, max_size=40).map("".join), separator=st.sampled_from(",\t"))
def test_any_text_is_parsed_by_the_grammar(text, separator):
    agrees(text.replace(",", separator), separator)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 63, 64, 65])
def test_words_of_every_length(size):
    text = "".join(f"1,{letter * size},2\n" for letter in "aba")
    parsed = parse(text.encode(), layout())
    assert parsed.labels.tolist() == ([0, 1, 0] if size else [0, 0, 0])
    agrees(text)


def test_numbers_of_many_digits_are_exact():
    random.seed(0)
    rows = 200
    cells = [
        "".join(random.choices("0123456789", k=random.randint(1, 40)))
        + "." + "".join(random.choices("0123456789", k=random.randint(0, 30)))
        + f"e{random.randint(-330, 260)}"
        for _ in range(2 * rows)
    ]  # fmt: skip
    agrees("".join(f"{x},a, {z}\t\n" for x, z in zip(cells[:rows], cells[rows:], strict=True)))


def test_true_and_false_are_1_and_0_unless_they_spell_a_missing_cell():
    for word, number in TRUTHS.items():
        assert parse(f'{word},a,"{word}"\n'.encode(), layout()).numbers.tolist() == [[number] * 2]
        for other in (word[:-1], f"{word}e", f"{word}\u00a0", f"+{word}", word.swapcase()):
            if other not in TRUTHS:
                with pytest.raises(TextError, match=r"column 'x': found .*, expected a number"):
                    parse(f"{other},a,1\n".encode(), layout())
    missing = make_layout(["x"], ["x"], [], None, missing=["False"])
    assert np.isnan(parse(b"False\nfalse\n", missing).numbers.ravel()).tolist() == [True, False]


def test_columns_have_the_order_of_the_layout():
    parts = make_layout(["a", "b", "c", "d"], ["d", "a"], ["c"], None)
    parsed = parse(b'1,"left\nout",w,4\n5,,v,6\n', parts)
    assert parsed.numbers.tolist() == [[4, 1], [6, 5]]
    assert (parsed.words[0].words, parsed.labels.tolist()) == (["w", "v"], [0, 0])
    assert (parsed.starts.tolist(), parsed.lines, parsed.plain) == ([0, 17], 3, True)
    assert not parse("1,é,w,4\n".encode(), parts).plain


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ('1,"a,2\n', (1, 4), "(its quote is never closed): check its quotes"),
        ('1,a,2\n1,"a"b,2\n', (2, 4), "(text follows its closing quote)"),
        ("1,a\rb,2\n", (1, 3), "(it has a carriage return)"),
        ("1,a\n", (1, 1), "found 2 fields, expected the 3 of the header."),
        ("x,a\n", (1, 1), "found 2 fields, expected the 3 of the header."),
        ("1,a,b,2\n", (1, 1), "found 4 fields"),
        ("1,a,x\n", (1, 5), "column 'z': found 'x', expected a number: .* --schema z:category"),
        ('1,"a\nb",x\n', (1, 1), "column 'z': found 'x'"),
        ("1,a, \n", (1, 5), "column 'z': found nothing, expected a number: fill it in"),
        ("1,a,-Inf\n", (1, 5), "expected a finite number"),
        ("1,a,2\n3,a,1e999\nx,a,2\n", (2, 5), "found '1e999', expected a number that fits"),
        ("\n\n\n1,a,2\n3,a,1e999\n\n", (5, 5), "found '1e999', expected a number that fits"),
        (f"1,a,{'9' * 99}x\n", (1, 5), f"found '{'9' * 37}...', expected a number"),
    ],
)
def test_errors_name_their_position_and_cause(text, position, message):
    with pytest.raises(TextError, match=message.replace("(", "[(]").replace(")", "[)]")) as caught:
        parse(text.encode(), layout())
    assert (caught.value.line, caught.value.column) == position


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, words, numbers)), st.sampled_from("\t;"))
def test_without_quotes_every_byte_of_a_cell_counts(rows, separator):
    rows = [
        (x, word.replace(separator, "").replace("\n", "").strip(" \t"), z) for x, word, z in rows
    ]
    text = "".join(f"{x}{separator}{word}{separator}{z}\n" for x, word, z in rows)
    unquoted = layout(separator)._replace(quote=-1)
    assert digest_of(parse(text.encode(), unquoted)) == repr([list(row) for row in rows])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('1\t"a\t"2"\n', "column 'z': found '\"2\"', expected a number"),
        ('1\t"a\tb"\t2\n', "found 4 fields"),
        ("1\ta\rb\t2\n", "it has a carriage return"),
    ],
)
def test_errors_without_quotes(text, message):
    with pytest.raises(TextError, match=message):
        parse(text.encode(), layout("\t")._replace(quote=-1))


# --- whole records -------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, words, numbers), min_size=1), st.data())
def test_texts_are_cut_between_records(rows, data):
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows(rows)
    text = written.getvalue().encode()
    ends = [k + 1 for k in range(len(text)) if text[k] == ord("\n")]
    cut = data.draw(st.sampled_from(ends))
    stop, quoted = complete_records(text[:cut], ",", False)
    records = list(csv.reader(io.StringIO(text[:stop].decode(), newline=""), strict=True))
    assert quoted == (stop < cut)
    assert [row[1] for row in records] == [row[1] for row in rows[: len(records)]]
    assert complete_records(text[cut:], ",", quoted) == (len(text) - cut, False)


# --- words ---------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.text("abc", max_size=3) | st.binary(max_size=20).map(str), max_size=200))
def test_equal_words_have_one_code(cells):
    ends = np.cumsum([len(cell.encode()) for cell in cells], dtype=np.int64)
    text = np.frombuffer("".join(cells).encode() + b"\n", np.uint8)
    words = encode_categories(
        text, np.concatenate([[0], ends[:-1]]).astype(np.int64)[: len(cells)], ends
    )
    assert words.words == list(dict.fromkeys(cells))
    assert [words.words[code] for code in words.codes.tolist()] == cells


# --- missing numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_spellings_of_missing_numbers(separator):
    spellings = ("", "NA", "n/a", "-")
    cells = ["", "NA", " n/a ", '"NA"', '""', "-", "-1", "2"]
    missing = make_layout(NAMES, ["x", "z"], ["kind"], "kind", separator, spellings)
    text = "".join(separator.join((cell, "oak", "1")) + "\r\n" for cell in cells)
    numbers = parse(text.encode(), missing).numbers
    assert np.isnan(numbers[:6, 0]).all()
    assert numbers[6:, 0].tolist() == [-1.0, 2.0]
    assert numbers[:, 1].tolist() == [1.0] * 8
    for cell in ("N", "NAN", "NA NA", "n/", "--", '"NA'):
        with pytest.raises(TextError, match=r"line 1, column [12]: "):
            parse(separator.join((cell, "oak", "1")).encode(), missing)


def test_blank_lines_take_no_place_in_a_wide_table():
    width, blanks = 2000, 1_000_000
    names = [f"c{j}" for j in range(width)]
    row = b",".join([b"1"] * width) + b"\n"
    parsed = parse(row + blanks * b"\n" + row, make_layout(names, names, [], None))
    assert parsed.numbers.shape == (2, width)  # lines × columns of numbers were 16 GB
    assert parsed.lines == blanks + 2


@pytest.mark.parametrize("count", [400, 2000])
def test_words_that_were_made_to_collide_have_the_codes_of_others(count):
    words = words_of_one_slot(count)
    text = ",".join(words * 2).encode()
    stops = np.cumsum([9] * 2 * count) - 1
    column = encode_categories(np.frombuffer(text, np.uint8), stops - 8, stops)
    assert column.words == words
    assert column.codes.tolist() == [*range(count)] * 2
