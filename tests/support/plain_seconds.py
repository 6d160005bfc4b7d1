"""Each test has its own seconds of plain Python: those of earlier tests do not make it compile.

The library compiles a function once it has taken a second as plain Python. Without this limit, a
study of many small fits would take a minute.
"""

from rosenblatt.engine.jit import Compiled

_counting = set()  # functions that have counted seconds
_interpret = Compiled.interpret


def _counted(self, types, arguments):
    _counting.add(self)
    return _interpret(self, types, arguments)


def pytest_configure():
    Compiled.interpret = _counted


def pytest_runtest_setup():
    while _counting:
        _counting.pop()._seconds.clear()
