"""The checks of the site: widths and contents of pages, and links without the network."""

import layout
import links
import pytest

PAGE = '<!doctype html><body style="margin:0"><div style="width:{}px">x</div>'
LONG = '<!doctype html><body style="margin:0"><article style="height:6000px">{}</article>'
CONTENTS = '<nav class="on-page"><a href="#a">A</a></nav>'


@pytest.fixture(scope="module")
def program():
    return layout.chromium() or pytest.skip("needs Chromium")


def test_wide_pages_and_long_ones_without_contents_are_found(tmp_path, program):
    (tmp_path / "sub").mkdir()
    (tmp_path / "narrow.html").write_text(PAGE.format(300))
    (tmp_path / "phone.html").write_text(PAGE.format(400))
    (tmp_path / "sub" / "wide.html").write_text(PAGE.format(1500))
    (tmp_path / "long.html").write_text(LONG.format(""))
    (tmp_path / "listed.html").write_text(LONG.format(CONTENTS))
    away = CONTENTS.replace("<nav", '<nav style="position:fixed;left:1000px"')
    (tmp_path / "drawer.html").write_text(LONG.format(away))
    assert layout.faults(tmp_path, program) == [
        ("drawer.html", 390, "4.2 screens without contents"),
        ("long.html", 390, "4.2 screens without contents"),
        ("long.html", 1280, "4.2 screens without contents"),
        ("phone.html", 390, "400 pixels wide"),
        ("sub/wide.html", 390, "1500 pixels wide"),
        ("sub/wide.html", 1280, "1500 pixels wide"),
    ]


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.html").write_text(
        '<a href="sub/b.html#there"></a><a href="#gone"></a><a href="https://example.org/x"></a>'
        '<a href="sub/b.html#state=1"></a><a href="c.html"></a><script>"<a href="d.html">"</script>'
    )
    (tmp_path / "sub" / "b.html").write_text('<h1 id="there"></h1><img src="../e.svg">')
    assert links.broken(tmp_path) == [
        ("a.html", "#gone"),
        ("a.html", "c.html"),
        ("sub/b.html", "../e.svg"),
    ]
