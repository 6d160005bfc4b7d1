"""Notes of the library's logger on standard error."""

import logging

from rosenblatt.cli.display import terminal


def test_the_log_is_printed_as_notes(capsys):
    terminal.log_as_notes()
    terminal.log_as_notes()  # each run of the command: one handler all the same
    logging.getLogger("rosenblatt").warning("compiling %s.", "loops")
    assert capsys.readouterr() == ("", "note: compiling loops.\n")


def test_a_quiet_command_prints_no_notes(capsys):
    terminal.log_as_notes(quiet=True)
    logging.getLogger("rosenblatt").warning("compiling")
    assert capsys.readouterr() == ("", "")
