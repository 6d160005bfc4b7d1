"""Text of mail, also of malformed and hostile mail."""

from email.message import EmailMessage

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt.streams.features.ngrams import NgramHasher
from rosenblatt.streams.formats.mail import extract_text, strip_tags


def test_the_text_of_a_mail():
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = (
        "Grüße",
        "Ann Ä <ann@example.org>",
        "bob@example.org",
    )
    mail["X-Spam"] = "hidden"
    mail.set_content("Schöne Grüße\n", charset="iso-8859-1")
    mail.add_alternative("<p>Viele <b>Grüße</b></p>", subtype="html", cte="base64")
    mail.add_attachment(b"\0\1", "application", "zip", filename="a.zip")
    text = extract_text(mail.as_bytes())
    wanted = "Grüße Ann Ä <ann@example.org> bob@example.org Schöne Grüße Viele Grüße"
    assert " ".join(text.split()) == wanted


def test_a_file_that_is_no_mail_is_all_text():
    for text in (
        "Note: buy milk\n\nand more",
        "Date: never",
        "a: b\nc: d\n\ne",
        "",
        "\n\n",
        "From me",
    ):
        assert extract_text(text.encode()) == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("é".encode(), "é"),
        (b"\xe9", "é"),
        (b"\xff\xfe\0", "ÿþ\0"),
        (b"Subject: a\nFrom: b\nContent-Type: text/plain; charset=none\n\n\xc3\xa9", "a b é"),
        (b"Subject: a\nFrom: b\nContent-Type: text/plain; charset=us-ascii\n\n\xe9", "a b é"),
        (b"Subject: a\nFrom: b\nContent-Type: text/plain; charset=base64\n\nx", "a b x"),
        (b"Subject: =?none?q?x?=\nFrom: =?utf-8?b?!?=\n\nx", "=?none?q?x?= x"),
        (b"Subject: \xe9\nFrom: b\n\nx", "\ufffd b x"),
        (b"Subject: =?\x9d?q?x?=\nFrom: b\n\nx", "=?\ufffd?q?x?= b x"),
        (b"Subject: a\nFrom: b\nContent-Transfer-Encoding: base64\n\n!!!", "a b"),
        (b"Subject: a\nFrom: b\nContent-Type: multipart/mixed\n\nx", "a b"),
        (b"Subject: a\nFrom: b\nContent-Type: image/png\n\nx", "a b"),
    ],
)
def test_broken_mail_is_read_as_far_as_possible(raw, text):
    assert extract_text(raw).split() == text.split()


HEADERS = [
    b"Subject: ",
    b"From: ",
    b"Content-Type: ",
    b"Content-Transfer-Encoding: ",
    b"\n",
    b"\n\n",
]
VALUES = [
    *(b"text/html", b"text/plain; charset=", b"multipart/mixed; boundary=b", b"message/rfc822"),
    *(
        b"base64",
        b"quoted-printable",
        b"x-uuencode",
        b"--b\n",
        b"--b--",
        b"=?utf-8?q?",
        b"?=",
        b"=3D",
    ),
    *(
        b'"',
        b";",
        b"utf-16",
        b"idna",
        b"utf-7",
        b"<!--",
        b"<![",
        b"<script",
        b"&#x110000;",
        b"begin 6 a\n",
    ),
]


@thorough(400)
@given(
    st.lists(st.sampled_from(HEADERS + VALUES) | st.binary(max_size=8), max_size=30).map(b"".join)
)
@example(b"From: a\nSubject: b\nContent-Type: text/plain; charset*=x'\xff'y\n\n")
def test_any_bytes_have_a_text(noise):
    for raw in (noise, b"From: a\nSubject: b\n" + noise):
        text = extract_text(raw)
        assert isinstance(text, str)
        NgramHasher(["word:1"], 4).rows([text]).tocsr()


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Type: text/plain; " + b'";' * 400_000 + b"\n\nx",
        b"Subject: " + b"=?a?q?" * 170_000 + b"\n\nx",
        b"Content-Type: text/html\n\n" + b"<" * 1_000_000,
        b"Content-Type: text/html\n\n" + b"<!--" * 250_000,
        b"Content-Type: text/html\n\n" + b"<script" * 140_000,
        b"Content-Type: text/html\n\n" + b"</script <script " * 60_000,
        b"Content-Type: text/html\n\n" + b"&" * 1_000_000,
        b"".join(
            b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (k, k) for k in range(1500)
        ),
        b"X: y\n" * 100_000 + b"\nx",
        b"Content-Type: text/plain; charset=punycode\n\n" + b"a-" + b"9" * 500_000,
    ],
    ids=lambda body: ascii(body[:40]),
)
def test_hostile_mail_takes_little_time(body):
    """Each would take minutes, or the whole stack, if time were quadratic in its length."""
    assert extract_text(b"From: a\nSubject: b\n" + body)


def test_html():
    assert strip_tags("a<br>b<SCRIPT>x<y</script >c<!-- > -->d &lt;e&gt; <f").split() == [
        *("a", "b", "cd", "<e>", "<f"),
    ]
