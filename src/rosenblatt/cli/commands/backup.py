"""``rosenblatt backup``: a copy of a store that a service has open."""

from __future__ import annotations

import rich_click as click

from rosenblatt.cli.display import terminal
from rosenblatt.cli.display.errors import Failure, naming_the_extra
from rosenblatt.cli.options import shared


@click.command(
    cls=shared.Command,
    panel="Service",
    rank=2,
    example="rosenblatt backup --store mail mail.db",
    caption="copy a store while it runs",
)
@click.option("--store", required=True, metavar="DIR", help="Folder of the service.")
@click.argument("file", metavar="FILE")
def backup(store: str, file: str) -> None:
    """Copy the store of a service to one file, while it runs.

    [bold]Example[/]
        rosenblatt backup --store mail backup.db

    To restore: an empty folder with this file as store.db.
    """
    with naming_the_extra():
        from rosenblatt.serve.errors import StoreError
        from rosenblatt.serve.store.database import Database

    try:
        database = Database(store, readonly=True)
    except (StoreError, OSError, ValueError) as error:
        raise Failure(f"--store: {error}") from error
    try:
        database.backup(file)
    except StoreError as error:
        raise Failure(str(error)) from error
    except FileExistsError as error:
        raise Failure(
            f"FILE {file!r:.80} is there already, and is not overwritten: choose another name."
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Failure(f"FILE {file!r:.80}: cannot be written: {reason}.") from error
    finally:
        database.close()
    terminal.stderr().print(f"written  {file}", highlight=False)
