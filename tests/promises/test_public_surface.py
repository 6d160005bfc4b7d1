"""What is public is what is kept in public.txt: no name, option or field goes unnoticed."""

import public_surface


def test_the_public_surface_is_the_kept_one():
    kept, now = public_surface.KEPT.read_text("utf-8"), public_surface.surface()
    gone = sorted({*kept.splitlines()} - {*now.splitlines()})
    new = sorted({*now.splitlines()} - {*kept.splitlines()})
    advice = "say it in CHANGELOG.md, then run: python tests/support/public_surface.py"
    assert (gone, new) == ([], []), advice
    assert kept == now, "the order differs: run python tests/support/public_surface.py"


def test_parameters_and_keys_are_read():
    assert "rosenblatt.certify(" in public_surface.KEPT.read_text("utf-8")
    assert public_surface.parameters(lambda a, *b, c=1, d=print, **e: 0) == "(a, *b, c=1, d=…, **e)"
    assert list(public_surface.keys_of({"a": {"b": 1}, "c": {"é": 1}})) == ["a", "a.b", "c"]
