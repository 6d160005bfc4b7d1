"""Elements of an HTML page."""

from rosenblatt.cli.report.html import element, page, section, table


def test_elements_escape_text_only():
    assert element("p", "<b>", element("i", "&"), title='"<') == (
        '<p title="&quot;&lt;">&lt;b&gt;<i>&amp;</i></p>'
    )
    assert "<em>" not in page("<em>", section("<em>", table(["<em>"], [["<em>"]]), note="<em>"))
