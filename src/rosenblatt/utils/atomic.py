"""Atomic file writes: the complete file, or no change."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


def atomic_write_bytes(path: str | os.PathLike[str], data: bytes, kind: str) -> None:
    """Write ``data`` to ``path`` as :func:`atomic_write` does.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     atomic_write_bytes(f"{folder}/a", b"text", "note")
    ...     os.listdir(folder), os.path.getsize(f"{folder}/a")
    (['a'], 4)
    """
    with atomic_write(path, kind, f"{len(data)} bytes of room") as file:
        file.write(data)


@contextmanager
def atomic_write(
    path: str | os.PathLike[str], kind: str, required: str = "room"
) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``path`` at the end; on failure ``path`` is unchanged.

    The temporary file is in the folder of ``path``; its permissions are those of the umask, without
    any that an old file does not have. It is flushed to the disk, then renamed: at any moment
    ``path`` is the complete old file or the complete new one.

    Parameters
    ----------
    path : str or path
    kind : str
        Kind of file, for the error message: "model".
    required : str, default "room"
        Space that the folder must have, for the error message.

    Raises
    ------
    OSError
        The file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(f"{folder}/a", "note") as file:
    ...         _ = file.write(b"te"), file.write(b"xt"), print(os.path.exists(f"{folder}/a"))
    ...     os.listdir(folder), os.path.getsize(f"{folder}/a")
    False
    (['a'], 4)
    """
    path = os.fspath(path)
    target = os.path.realpath(path)  # a link stays a link
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".rosenblatt-{os.urandom(8).hex()}.tmp")
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            raise OSError(errno.EISDIR, "a folder or a device is there")
        with open(temporary, "xb") as file:
            with suppress(OSError):  # there is no old file, or the file system has no permissions
                mode = os.stat(temporary).st_mode & os.stat(target).st_mode
                os.chmod(temporary, stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise OSError(
            error.errno,
            f"The {kind} was not saved ({error.strerror}); an earlier file is untouched. Name a "
            f"file in a folder that exists, is writable and has {required}",
            path,
        ) from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    if os.name == "posix":
        _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Flush a rename to the disk, where the file system supports it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
