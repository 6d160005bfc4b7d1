"""The check of the site's widths, on pages that are wide and narrow."""

import pytest
import widths

PAGE = '<!doctype html><body style="margin:0"><div style="width:{}px">x</div>'


def test_a_page_that_is_wider_than_the_window_is_found(tmp_path):
    program = widths.chromium()
    if program is None:
        pytest.skip("needs Chromium")
    (tmp_path / "sub").mkdir()
    (tmp_path / "narrow.html").write_text(PAGE.format(300))
    (tmp_path / "phone.html").write_text(PAGE.format(400))
    (tmp_path / "sub" / "wide.html").write_text(PAGE.format(1500))
    assert widths.overflows(tmp_path, program) == [
        ("phone.html", 390, 400),
        ("sub/wide.html", 390, 1500),
        ("sub/wide.html", 1280, 1500),
    ]
