"""A file that is written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress


def replace_file(path: str | os.PathLike[str], data: bytes, what: str) -> None:
    """Write ``data`` to ``path``: all of it or, where that fails, nothing.

    The file is written beside ``path``, brought to the disk, then renamed: at any moment ``path``
    is the old file or the new one, whole.

    Parameters
    ----------
    path : str or path
    data : bytes
    what : str
        What the file holds, for the message: "model".

    Raises
    ------
    OSError
        The file cannot be written; what was at ``path`` is untouched.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replace_file(f"{folder}/a", b"text", "note")
    ...     os.listdir(folder), os.path.getsize(f"{folder}/a")
    (['a'], 4)
    """
    path = os.fspath(path)
    target = os.path.realpath(path)  # a link stays a link
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".rosenblatt-{secrets.token_hex(8)}.tmp")
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            raise OSError(errno.EISDIR, "a folder or a device is there")
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise OSError(
            error.errno,
            f"The {what} was not saved ({error.strerror}), and what was there is untouched. Name a "
            f"file in a folder that exists, may be written and has {len(data)} bytes of room",
            path,
        ) from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    if os.name == "posix":
        _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Bring a rename to the disk; some network file systems have no way to."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
