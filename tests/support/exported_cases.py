"""Models of texts, and of hostile names and values, whose exports programs are tested on."""

import lzma
import tarfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from exported import of_text, predictions, trained
from real_data import real_data

from rosenblatt.streams.formats.mail import extract_text


def messages(call, folder, *options, step=1):
    """Train on short messages, every ``step``-th of them."""
    text = lzma.decompress(real_data("sms_spam", "SMSSpamCollection.xz").read_bytes()).decode()
    lines = [line.split("\t", 1) for line in text.splitlines()][::step]
    data = folder / "sms.tsv"
    data.write_text("label\ttext\n" + "".join(f"{y}\t{x}\n" for y, x in lines))
    rows = [{"text": x} for _, x in lines]
    return trained(call, data, folder / "sms.rosenblatt", rows, "--no-quotes", *options)


def newsgroups(call, folder, *options):
    """Train on seven texts of each of the first newsgroups of the archive; a row is a text."""
    rows, data, counts = {}, folder / "news", Counter()
    with tarfile.open(real_data("20newsgroups", "20news-bydate.tar.xz")) as archive:
        for member in archive:
            group = Path(member.name).parent.name
            if member.isfile() and counts[group] < 7:
                counts[group] += 1
                path = data / group / f"{counts[group]}.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.extractfile(member).read())
                rows[f"{path.parent.name}/{path.name}"] = extract_text(path.read_bytes())
                if len(rows) == 20:
                    break
    done = trained(call, data, folder / "news.rosenblatt", [], *options)
    ids = [line["id"] for line in predictions(call, done.model, data)]
    return replace(done, rows=[rows[id] for id in ids])


HOSTILE = (
    "'); DROP TABLE data; --", '"', "`", "${x}", "*/", "/*", "</script>", "a\nb", "\\", "é𝒳", "int",
    "1e308", "-0.0", "NaN", "__proto__", "constructor", "a*b", "x=y", "??/", "\\u0041", "%s", "//",
    "\u2028z", "linux", "#define x", "toString", "hasOwnProperty", "x.y", "\x7f\x01z",
)  # fmt: skip
"""Names, categories and labels that are only texts."""


def hostile(call, folder, *options):
    """Train on a table with hostile names of columns, categories and labels, and on extremes."""
    quoted = ['"{}"'.format(text.replace('"', '""')) for text in HOSTILE]
    lines = [",".join([*(f'"n {name[1:]}' for name in quoted), '"c"', '"y"'])]
    labels = [text for text in quoted if text != '"NaN"']  # which is no label
    for i, text in enumerate(quoted):
        numbers = [str((i * 7 + k * 3) % 5 - 2) for k in range(len(quoted))]
        lines.append(",".join([*numbers, text, labels[i // 2]]))
    extremes = ["1e100", "-0.0", "4.9e-324", "0.1", "-1e-300"]
    numbers = [*extremes, *["0"] * (len(quoted) - len(extremes))]
    lines.append(",".join([*numbers, quoted[0], quoted[0]]))
    return of_text(call, folder, "\n".join(lines) + "\n", "--epochs", "4", *options)


MISSING = "a,b,c,y\n1,-999,u,0\n3,2,v,1\n-999.0,?,?,0\n,7,,1\nNA,0,u,1\n 5 , NaN , u ,0\n"
"""A table with missing cells of every spelling; −999 is one, by an option."""


def missing_cells(call, folder, *options):
    """Train on missing cells of every kind."""
    return of_text(call, folder, MISSING, "--missing=-999", "--epochs", "3", *options)


def hashed_pairs(call, folder, classes=2):
    """Train on pairs of hashed names that collide, and cancel."""
    rows = [f"{i % 3 * 0.1},{'uvwxyz'[i % 6]},{i % 4},{i * i % classes}" for i in range(48)]
    pairs = ("--interactions", "a*b", "--interactions", "b*b", "--interactions", "a*c")
    return of_text(call, folder, "\n".join(["a,b,c,y", *rows, ""]), *pairs, "--bits", "3")
