"""Errors of the command: one line on standard error, and an exit status."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click
from click.exceptions import Exit

from rosenblatt.cli.display import screen


class Failure(click.ClickException):
    """Failure that is caused neither by the usage nor by the data: exit status 1."""

    exit_code = 1


class BadData(click.ClickException):
    """Unusable data or model: exit status 3. The message names the file and the problem."""

    exit_code = 3


class Undecided(click.ClickException):
    """A question that has no answer here: exit status 4. The message says why."""

    exit_code = 4


def unreadable(path: str, error: OSError, hint: str = "") -> BadData:
    """Return the error of a file that is missing, or that may not be read."""
    return BadData(f"{path}: cannot be read: {error.strerror}.{hint}")


class Interrupted(click.ClickException):
    """SIGINT (Ctrl-C): exit status 128 + 2, as in shells."""

    exit_code = 130


class Terminated(Interrupted):
    """SIGTERM, as sent by service managers: exit status 128 + 15."""

    exit_code = 143


class Interruption(KeyboardInterrupt):
    """SIGINT (Ctrl-C), or a signal that ends a command as it does.

    A plain KeyboardInterrupt in code that Python runs from text, as in an import that makes named
    tuples, lets the process die of the signal at its end, although it was caught.
    """


class Termination(Interruption):
    """SIGTERM: it ends a command as Ctrl-C does, so that no temporary file is left."""


def stop_error(message: str, stop: BaseException | None) -> Interrupted:
    """Return the error of a command that was ended by this KeyboardInterrupt."""
    return Terminated(message) if isinstance(stop, Termination) else Interrupted(message)


def signal_error(message: str, signal_number: int) -> Interrupted:
    """Return the error of a command that was ended by this signal."""
    return Terminated(message) if signal_number == signal.SIGTERM else Interrupted(message)


@contextmanager
def naming_the_extra() -> Iterator[None]:
    """Say what to install where a package of the service is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Failure(
            f"the service needs {error.name}: pip install 'rosenblatt[serve]'."
        ) from error


_OF_THE_CORE = re.compile("ROSENBLATT_CPU|compiled core")
"""Is in what the import of the compiled core says where it cannot be used."""


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate exceptions of the library into errors of the command.

    A closed pipe (``rosenblatt predict ... | head``) ends the command with status 0.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        screen.silence(sys.stdout)
        raise Exit(0) from None
    except (click.ClickException, Exit, click.Abort):
        raise
    except OSError as error:
        prefix = f"{error.filename}: " if error.filename else ""
        raise Failure(f"{prefix}{error.strerror or error}.") from error
    except MemoryError as error:
        raise Failure("out of memory: the weights or the rows are too large.") from error
    except ValueError as error:
        raise _from_value_error(error) from error
    except Exception as error:
        if isinstance(error, ImportError) and _OF_THE_CORE.search(str(error)):
            raise Failure(_one_line(error)) from error
        if os.environ.get("ROSENBLATT_DEBUG"):
            raise
        raise Failure(
            f"{type(error).__name__}: {_one_line(error)}. This is a bug: please run the command "
            "again with ROSENBLATT_DEBUG=1, and report its output."
        ) from error


def _from_value_error(error: ValueError) -> click.ClickException:
    from rosenblatt.learning.models.files import ModelError
    from rosenblatt.proofs.files import ProofError
    from rosenblatt.streams import DataError

    message = _one_line(error).replace("set index_base=", "give --index-base ")
    if isinstance(error, DataError):  # arguments of open_stream are options of the command
        return BadData(re.sub(r"\bset (format|schema|target)\b", r"set --\1", message))
    return (BadData if isinstance(error, ModelError | ProofError) else Failure)(message)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).splitlines())
