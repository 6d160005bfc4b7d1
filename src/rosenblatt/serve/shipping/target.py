"""The place to which a store is shipped: a folder, or what fsspec reads, such as ``s3://…``.

Objects are created whole, once, under new names, and never changed: S3 has no append and no rename.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from rosenblatt.serve.errors import StoreError

_S3 = {"connect_timeout": 5, "read_timeout": 10, "retries": {"max_attempts": 2}}
"""A target that is away is known as such within a minute."""
MISSING = "needs fsspec: pip install 'rosenblatt[serve]', and 'rosenblatt[s3]' for s3://."


class Target:
    """Objects by name, under a URL.

    Parameters
    ----------
    url : str
        A folder, or a URL of fsspec whose file system creates objects exclusively.

    Raises
    ------
    StoreError
        fsspec cannot read the URL, or is missing.

    Examples
    --------
    >>> import tempfile
    >>> target = Target(tempfile.mkdtemp())
    >>> target.create("segments/1", b"data")
    >>> target.read("segments/1"), target.names("segments")
    (b'data', ['segments/1'])
    """

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            from fsspec import url_to_fs
        except ImportError:
            raise StoreError(f"{url}: {MISSING}") from None
        options: dict[str, Any] = {"use_listings_cache": False}
        if url.startswith(("s3://", "s3a://")):
            options["config_kwargs"] = _S3
        try:
            self._fs, self._root = url_to_fs(url, **options)
        except ImportError as error:
            raise StoreError(f"{url}: {error}. {MISSING}") from error
        except ValueError as error:
            raise StoreError(f"{url}: unknown kind of address ({error}).") from error
        self._is_folder = "file" in self._fs.protocol

    def path(self, name: str) -> str:
        """Return the path of an object as messages name it."""
        return f"{self.url.rstrip('/')}/{name}"

    def create(self, name: str, data: bytes) -> None:
        """Create an object, whole or not at all.

        Raises
        ------
        FileExistsError
            There is one of this name: of several who create it, one alone succeeds.
        """
        if self._is_folder:
            create_file(Path(self._root, name), data, os.link)
        else:
            self._fs.pipe_file(f"{self._root}/{name}", data, mode="create")

    def check_exclusive(self) -> None:
        """Refuse a file system without a fence.

        Raises
        ------
        StoreError
            It lets two writers create the same object.
        """
        name = f"probe-{secrets.token_hex(8)}"
        self.create(name, b"1")
        try:
            self.create(name, b"2")
        except FileExistsError:
            return
        finally:
            self.delete(name)
        raise StoreError(
            f"{self.url}: its file system creates an object that is there already, so that a "
            "primary cannot be fenced. Use a folder, or S3."
        )

    def replace(self, name: str, data: bytes) -> None:
        """Write an object that says how far its writer is: the last one counts."""
        if self._is_folder:
            create_file(Path(self._root, name), data, os.replace)
        else:
            self._fs.pipe_file(f"{self._root}/{name}", data)

    def read(self, name: str) -> bytes:
        """Return an object.

        Raises
        ------
        FileNotFoundError
            There is none of this name.
        """
        data: bytes = self._fs.cat_file(f"{self._root}/{name}")
        return data

    def names(self, folder: str) -> list[str]:
        """Return the names of the objects of a folder, in order."""
        return [name for name in self._all(folder) if not name.startswith(f"{folder}/.")]

    def delete_all(self, folder: str, kept: Callable[[str], bool]) -> int:
        """Delete the objects of a folder for whose names ``kept`` is false; return how many."""
        old = [name for name in self._all(folder) if not kept(name)]
        if old:
            self._fs.rm([f"{self._root}/{name}" for name in old])
        return len(old)

    def delete(self, name: str) -> None:
        """Delete an object, if there is one of this name."""
        with suppress(FileNotFoundError):
            self._fs.rm_file(f"{self._root}/{name}")

    def _all(self, folder: str) -> list[str]:
        try:
            paths = self._fs.ls(f"{self._root}/{folder}", detail=False, refresh=True)
        except FileNotFoundError:
            return []
        return sorted(f"{folder}/{name}" for path in paths if (name := path.rpartition("/")[2]))


def create_file(path: Path, data: bytes, name: Callable[[Path, Path], None]) -> None:
    """Create a file that is on the disk before it has its name.

    ``name`` gives it: ``os.link`` where there is none of it, ``os.replace`` in any case.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        name(unfinished, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(unfinished)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
