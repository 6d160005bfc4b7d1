"""``rosenblatt serve``: the service."""

from __future__ import annotations

import os
import re

import rich_click as click
from click.exceptions import Exit

from rosenblatt.cli.display.errors import Failure, naming_the_extra, stop_error
from rosenblatt.cli.options import shared

TOKEN = "ROSENBLATT_TOKEN"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Duration(click.ParamType[float]):
    """A time such as 90s, 15m, 12h or 7d; 0 is none."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return seconds."""
        if isinstance(value, float):
            return value
        if value == "0":
            return 0.0
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", str(value))
        if match is None:
            self.fail(f"{value!r} is no time: write 90s, 15m, 12h or 7d.", param, ctx)
        return float(match[1]) * _UNITS[match[2]]


class Bytes(click.ParamType[int]):
    """A number of bytes such as 500kB, 250MB, 1GB or 2TB."""

    name = "bytes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return bytes."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([kMGT])B", str(value))
        if match is None:
            self.fail(f"{value!r} is no size: write 500kB, 250MB, 1GB or 2TB.", param, ctx)
        return int(float(match[1]) * 1000 ** ("kMGT".index(match[2]) + 1))


@click.command(
    cls=shared.Command,
    panel="Service",
    rank=1,
    example="rosenblatt serve --store mail",
    caption="learn and predict over HTTP",
)
@shared.order_panels
@click.option("--store", required=True, metavar="DIR", help="Folder of the models and their log.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="H",
    help="Address to listen at. Another than this machine's own needs a token.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    metavar="P",
    help="Port; 0 is any free one.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help=f"File of the token that requests must bear; else the variable {TOKEN}.",
)
@click.option("--certificate", metavar="FILE", help="Certificate for HTTPS, as PEM.")
@click.option("--certificate-key", metavar="FILE", help="Key of the certificate, as PEM.")
@click.option(
    "--replica", is_flag=True, help="Follow a store that another process serves: predict only."
)
@click.option(
    "--snapshot-every",
    type=click.IntRange(1),
    default=50_000,
    show_default=True,
    metavar="N",
    help="Examples between two snapshots of a model.",
)
@click.option(
    "--keep-examples",
    type=click.IntRange(1),
    metavar="N",
    help="Keep the log of at least the last N examples of a model. By default all.",
)
@click.option(
    "--keep-predictions",
    type=Duration(),
    default="7d",
    show_default=True,
    metavar="T",
    help="Keep the features of predictions for this time, so that labels may come later; 0: none.",
)
@click.option(
    "--keep-keys",
    type=Duration(),
    default="7d",
    show_default=True,
    metavar="T",
    help="Keep the answers to requests with an Idempotency-Key for this time.",
)
@click.option(
    "--predictions-bytes",
    type=Bytes(),
    default="1GB",
    show_default=True,
    metavar="B",
    help="Keep so many bytes of predictions at most: the oldest go first.",
)
@click.option(
    "--keys-bytes",
    type=Bytes(),
    default="250MB",
    show_default=True,
    metavar="B",
    help="Keep so many bytes of keys and answers at most: the oldest go first.",
)
@click.option(
    "--log-bytes",
    type=Bytes(),
    metavar="B",
    help="Learn nothing more once the logs have so many bytes. By default, until the disk is full.",
)
def serve(
    store: str,
    host: str,
    port: int,
    token_file: str | None,
    certificate: str | None,
    certificate_key: str | None,
    replica: bool,
    snapshot_every: int,
    keep_examples: int | None,
    keep_predictions: float,
    keep_keys: float,
    predictions_bytes: int,
    keys_bytes: int,
    log_bytes: int | None,
) -> None:
    """Serve models that learn from labelled events over HTTP, and lose none of them.

    [bold]Examples[/]
        rosenblatt serve --store mail
        curl localhost:8000/v1/models -d '{"name": "mail"}'
        curl localhost:8000/v1/models/mail/learn -d '{"features": "win a prize", "label": "spam"}'
        curl localhost:8000/v1/models/mail/predict -d '{"features": "a prize"}'

    Every example that was answered is on the disk. SIGTERM and Ctrl-C end the service.
    """
    token = read_token(token_file)
    if token is None and not _is_loopback(host):
        raise click.UsageError(
            f"--host {host} can be reached by other machines: give --token-file FILE, or set "
            f"{TOKEN}."
        )
    if (certificate is None) != (certificate_key is None):
        raise click.UsageError("--certificate and --certificate-key go together.")
    if certificate is not None and certificate_key is not None:
        _check_certificate(certificate, certificate_key)
    with naming_the_extra():
        from rosenblatt.serve.errors import StoreError
        from rosenblatt.serve.maintenance import Policy
        from rosenblatt.serve.server import Address
        from rosenblatt.serve.server import serve as run
        from rosenblatt.serve.telemetry.logs import log_as_json, log_end
    log_as_json()
    policy = Policy(
        snapshot_every,
        keep_examples,
        keep_predictions,
        keep_keys,
        predictions_bytes,
        keys_bytes,
        log_bytes,
    )
    address = Address(host, port, certificate, certificate_key)
    try:
        run(store, address, policy, token, replica=replica)
    except StoreError as error:
        log_end(str(error))
        raise Exit(1) from error
    except OSError as error:
        log_end(f"{host}:{port}: cannot be served: {error.strerror or error}.")
        raise Exit(1) from error
    except Exception as error:
        log_end("a fault of the program: please report it.", error)
        raise Exit(1) from error
    except KeyboardInterrupt as stop:
        log_end("stopped while it started.")
        raise Exit(stop_error("", stop).exit_code) from stop


def _check_certificate(certificate: str, key: str) -> None:
    """Refuse files that are no certificate with its key, before anything asks for a passphrase."""
    for path in (certificate, key):
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise Failure(f"{path}: cannot be read: {error.strerror}.") from error
    import ssl

    prompts = []

    def no_passphrase() -> str:
        prompts.append(key)
        return ""

    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
            certificate, key, no_passphrase
        )
    except (ssl.SSLError, ValueError) as error:
        if prompts:
            raise Failure(
                f"{key}: the key has a passphrase, and nobody is there to type it: write it "
                "without one (openssl pkey -in KEY -out NEW), readable for the service alone."
            ) from error
        raise Failure(f"{certificate}, {key}: no certificate with its key: {error}.") from error


def read_token(path: str | None) -> bytes | None:
    """Return the token of a file, or of the environment; None if there is none.

    Raises
    ------
    Failure
        The file cannot be read, or the token is empty or has other characters than printable ones.
    """
    if path is None:
        text, source = os.environ.get(TOKEN, "").strip(), TOKEN
        if not text:
            return None
    else:
        source = path
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise Failure(f"{path}: the token cannot be read: {error}.") from error
    if not (text.isascii() and text.isprintable() and " " not in text and len(text) >= 8):
        raise Failure(f"{source}: a token has 8 or more printable ASCII characters, and no space.")
    return text.encode()


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
