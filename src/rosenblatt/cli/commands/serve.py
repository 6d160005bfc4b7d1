"""``rosenblatt serve``: the service."""

from __future__ import annotations

import os
import re
from dataclasses import fields

import click
from click.exceptions import Exit

from rosenblatt.cli.display.errors import Failure, naming_the_extra, stop_error
from rosenblatt.cli.options.declared import FiniteRange, Options, command, option

TOKEN = "ROSENBLATT_TOKEN"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_duration(text: str) -> float:
    """Return the seconds of a time such as 90s, 15m, 12h or 7d; 0 is none."""
    if text == "0":
        return 0.0
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)([smhd])", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is no time: write 90s, 15m, 12h or 7d.")
    return float(match[1]) * _SECONDS[match[2]]


def _parse_bytes(text: str) -> int:
    from rosenblatt.streams.core.options import parse_bytes

    try:
        return parse_bytes(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


class ServeOptions(Options):
    """All options of ``rosenblatt serve``."""

    store: str = option("--store DIR", "Folder of the models and their log.", required=True)
    host: str = option(
        "--host H",
        "Address to listen at. Another than this machine's own needs a token.",
        default="127.0.0.1",
    )
    port: int = option(
        "--port P", "Port; 0 is any free one.", click.IntRange(0, 65535), default=8000
    )
    token_file: str | None = option(
        "--token-file FILE",
        f"File of the token that requests must bear; else the variable {TOKEN}.",
    )
    tokens: str | None = option(
        "--tokens FILE",
        "File of tokens with names and scopes, read again when it changes and at SIGHUP. The token "
        "above has all scopes.",
    )
    certificate: str | None = option("--certificate FILE", "Certificate for HTTPS, as PEM.")
    certificate_key: str | None = option(
        "--certificate-key FILE", "Key of the certificate, as PEM."
    )
    replica: bool = option("--replica", "Follow a store that another process serves: predict only.")
    ship: str | None = option(
        "--ship URL", "Send the log to a folder, or to s3://…, so that it outlives this machine."
    )
    ship_seconds: float = option(
        "--ship-seconds S",
        "Time between two segments that are sent: what a loss of the machine may cost.",
        FiniteRange(0.05),
        default=1.0,
    )
    restore: str | None = option(
        "--restore URL",
        "First build the store, in an empty folder, from what was sent. With --ship to the same "
        "URL it takes over.",
    )
    standby: str | None = option(
        "--standby URL",
        "Follow what a primary sends, predict only, and wait for rosenblatt promote; from then on, "
        "learn, and send it there.",
    )
    snapshot_every: int = option(
        "--snapshot-every N",
        "Examples between two snapshots of a model.",
        click.IntRange(1),
        default=50_000,
    )
    keep_examples: int | None = option(
        "--keep-examples N",
        "Keep the log of at least the last N examples of a model. By default all.",
        click.IntRange(1),
    )
    keep_predictions: float = option(
        "--keep-predictions T",
        "Keep the features of predictions for this time, so that labels may come later; 0: none.",
        parse_duration,
        default="7d",
    )
    keep_keys: float = option(
        "--keep-keys T",
        "Keep the answers to requests with an Idempotency-Key for this time.",
        parse_duration,
        default="7d",
    )
    predictions_bytes: int = option(
        "--predictions-bytes B",
        "Keep so many bytes of predictions at most: the oldest go first.",
        _parse_bytes,
        default="1GB",
    )
    keys_bytes: int = option(
        "--keys-bytes B",
        "Keep so many bytes of keys and answers at most: the oldest go first.",
        _parse_bytes,
        default="250MB",
    )
    log_bytes: int | None = option(
        "--log-bytes B",
        "Learn nothing more once the logs have so many bytes. By default, until the disk is full.",
        _parse_bytes,
    )
    drain: float = option(
        "--drain T",
        "After SIGTERM answer requests for this time, and be unready, before the end.",
        parse_duration,
        default="0",
    )
    drift_webhook: str | None = option(
        "--drift-webhook URL", "Address that is told of each alarm of drift, by POST of JSON."
    )
    drift_webhook_secret: str | None = option(
        "--drift-webhook-secret FILE", "File of the secret with which these requests are signed."
    )


@command(ServeOptions, "Service", 1)
def serve(options: ServeOptions) -> None:
    """Serve models that learn from labelled events over HTTP, and lose none of them.

    Examples
    --------
        rosenblatt serve --store mail  # learn and predict over HTTP
        curl localhost:8000/v1/models -d '{"name": "mail"}'
        curl localhost:8000/v1/models/mail/learn -d '{"features": "win a prize", "label": "spam"}'
        curl localhost:8000/v1/models/mail/predict -d '{"features": "a prize"}'

    Every example that was answered is on the disk. SIGTERM and Ctrl-C end the service.
    """
    token = read_token(options.token_file)
    has_tokens = token is not None or options.tokens is not None
    if not has_tokens and not _is_loopback(options.host):
        raise click.UsageError(
            f"--host {options.host} can be reached by other machines: give --tokens FILE or "
            f"--token-file FILE, or set {TOKEN}."
        )
    if (options.certificate is None) != (options.certificate_key is None):
        raise click.UsageError("--certificate and --certificate-key go together.")
    _check_roles(options)
    if options.certificate is not None and options.certificate_key is not None:
        _check_certificate(options.certificate, options.certificate_key)
    if options.drift_webhook is None and options.drift_webhook_secret is not None:
        raise click.UsageError("--drift-webhook-secret goes with --drift-webhook.")
    if options.drift_webhook is not None and options.replica:
        raise click.UsageError("--drift-webhook is for the service that the replica follows.")
    with naming_the_extra():
        from rosenblatt.serve.errors import StoreError, TokensError
        from rosenblatt.serve.http.tokens import Tokens
        from rosenblatt.serve.maintenance import Policy
        from rosenblatt.serve.roles import Shipping
        from rosenblatt.serve.roles import serve as run
        from rosenblatt.serve.server import Address, Front
        from rosenblatt.serve.telemetry.logs import log_as_json, log_end
        from rosenblatt.serve.telemetry.webhook import Webhook
    webhook = None
    if options.drift_webhook is not None:
        secret = read_token(options.drift_webhook_secret) if options.drift_webhook_secret else None
        try:
            webhook = Webhook(options.drift_webhook, secret)
        except ValueError as error:
            raise click.UsageError(f"--drift-webhook: {error}") from error
    try:
        tokens = Tokens(options.tokens, token) if has_tokens else None
    except TokensError as error:
        raise Failure(str(error)) from error
    log_as_json()
    policy = Policy(**{field.name: getattr(options, field.name) for field in fields(Policy)})
    address = Address(options.host, options.port, options.certificate, options.certificate_key)
    shipping = None
    if url := options.ship or options.standby:
        shipping = Shipping(url, options.ship_seconds, follows=options.standby is not None)
    front = Front(address, tokens, webhook, options.drain)
    try:
        run(
            options.store,
            policy,
            front,
            replica=options.replica,
            shipping=shipping,
            restored=options.restore,
        )
    except Exception as error:
        if isinstance(error, StoreError):
            log_end(str(error))
        elif isinstance(error, OSError):
            log_end(f"{options.host}:{options.port}: cannot be served: {error.strerror or error}.")
        else:
            log_end("a fault of the program: please report it.", error)
        raise Exit(1) from error
    except KeyboardInterrupt as stop:
        log_end("stopped while it started.")
        raise Exit(stop_error("", stop).exit_code) from stop


def _check_roles(options: ServeOptions) -> None:
    """Refuse options of two roles."""
    values = {
        "--replica": options.replica, "--ship": options.ship, "--standby": options.standby,
        "--restore": options.restore,
    }  # fmt: skip
    roles = [name for name, value in values.items() if value]
    if len(roles) > 1 and roles != ["--ship", "--restore"]:
        raise click.UsageError(f"{' and '.join(roles)} do not go together.")


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
            raise Failure(f"{path}: the file of the token cannot be read: {error}.") from error
    if not (text.isascii() and text.isprintable() and " " not in text and len(text) >= 8):
        raise Failure(f"{source}: a token has 8 or more printable ASCII characters, and no space.")
    return text.encode()


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
