"""``rosenblatt backup``: a copy of a store that a service has open."""

from __future__ import annotations

from rosenblatt.cli.display import terminal
from rosenblatt.cli.display.errors import Failure, naming_the_extra
from rosenblatt.cli.options.declared import Options, argument, command, option


class BackupOptions(Options):
    """The store and the copy."""

    store: str = option("--store DIR", "Folder of the service.", required=True)
    file: str = argument("FILE", "The file to write.")


@command(BackupOptions, "Service", 2)
def backup(options: BackupOptions) -> None:
    """Copy the store of a service to one file, while it runs.

    Examples
    --------
        rosenblatt backup --store mail mail.db  # copy a store while it runs
        rosenblatt backup --store mail backup.db

    To restore: an empty folder with this file as store.db.
    """
    with naming_the_extra():
        from rosenblatt.serve.errors import StoreError
        from rosenblatt.serve.store.database import Database

    try:
        database = Database(options.store, readonly=True)
    except (StoreError, OSError, ValueError) as error:
        raise Failure(f"--store: {error}") from error
    try:
        database.backup(options.file)
    except StoreError as error:
        raise Failure(str(error)) from error
    except FileExistsError as error:
        raise Failure(
            f"FILE {options.file!r:.80} is there already, and is not overwritten: choose another "
            "name."
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Failure(f"FILE {options.file!r:.80}: cannot be written: {reason}.") from error
    finally:
        database.close()
    terminal.stderr().print(f"written  {options.file}", markup=False)
