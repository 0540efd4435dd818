"""Where alerts go: a webhook or an e-mail address."""

import json
import smtplib
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from understudy.errors import UnderstudyError
from understudy.serve.alerts import E_MAIL

AlertKind: TypeAlias = Literal[
    "server_started", "events_lost", "disk_low", "error_rate", "quota_full", "dropout_jump", "stop_rule", "test"
]
_PATIENCE_S = 10.0
_SMTP = "UNDERSTUDY_SMTP"
_LOCAL = ("localhost", "127.0.0.1", "::1")


class Alert(NamedTuple):
    """One thing that researchers should know now; it names no participant."""

    kind: AlertKind
    text: str
    """One sentence or two."""
    at_ms: int
    study: str = ""
    """The study it is about; empty for the whole server."""


class NotDelivered(Exception):
    """An alert did not reach its receiver; the text says why."""


@dataclass(frozen=True)
class Webhook:
    """An address that takes alerts as JSON; chat programs show the field `text`."""

    url: str

    @property
    def label(self) -> str:
        """The receiver as it may be shown: the path of a webhook is often its password."""
        return f"the webhook at {urlsplit(self.url).hostname}"

    def send(self, alert: Alert) -> None:
        """Send an alert, or raise NotDelivered."""
        body = json.dumps({"alert": alert.kind, "study": alert.study, "text": alert.text, "at_ms": alert.at_ms})
        request = urllib.request.Request(  # noqa: S310 - channels_from lets nothing but http and https through
            self.url, body.encode(), {"Content-Type": "application/json", "User-Agent": "understudy"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE_S):  # noqa: S310 - as above
                return
        except urllib.error.HTTPError as error:
            error.close()
            raise NotDelivered(f"it answers with status {error.code}") from None
        except (OSError, ValueError) as error:
            raise NotDelivered(f"it cannot be reached ({getattr(error, 'reason', error)})") from None


@dataclass(frozen=True)
class Mailbox:
    """An e-mail address, and the mail server that delivers to it."""

    address: str
    server: SplitResult

    @property
    def label(self) -> str:
        """The receiver as it may be shown."""
        return self.address

    def send(self, alert: Alert) -> None:
        """Send an alert, or raise NotDelivered."""
        message = EmailMessage()
        message["Subject"] = f"understudy: {alert.kind.replace('_', ' ')}{f' ({alert.study})' if alert.study else ''}"
        message["To"] = self.address
        message["From"] = self._sender
        message.set_content(alert.text + "\n")
        try:
            with self._connected() as connection:
                connection.send_message(message)
        except smtplib.SMTPException as error:
            raise NotDelivered(f"the mail server {self.server.hostname} refuses ({error})") from None
        except OSError as error:
            raise NotDelivered(f"the mail server {self.server.hostname} cannot be reached ({error})") from None

    @property
    def _sender(self) -> str:
        name = unquote(self.server.username or "")
        return name if "@" in name else self.address

    def _connected(self) -> smtplib.SMTP:
        host, port = self.server.hostname or "localhost", self.server.port
        if self.server.scheme == "smtps":
            safely = ssl.create_default_context()
            connection: smtplib.SMTP = smtplib.SMTP_SSL(host, port or 465, timeout=_PATIENCE_S, context=safely)
        else:
            connection = smtplib.SMTP(host, port or (25 if host in _LOCAL else 587), timeout=_PATIENCE_S)
        try:
            self._sign_in(connection, host)
        except BaseException:
            connection.close()
            raise
        return connection

    def _sign_in(self, connection: smtplib.SMTP, host: str) -> None:
        connection.ehlo()
        if self.server.scheme == "smtp" and connection.has_extn("starttls"):
            connection.starttls(context=ssl.create_default_context())
        elif self.server.scheme == "smtp" and self.server.password and host not in _LOCAL:
            raise smtplib.SMTPException("it offers no encryption, and the password would be readable on the way")
        if self.server.username:
            connection.login(unquote(self.server.username), unquote(self.server.password or ""))


Channel: TypeAlias = Webhook | Mailbox


def channels_from(texts: Iterable[str], environment: Mapping[str, str]) -> tuple[Channel, ...]:
    """Return the receivers that `--alert` names, or raise an error for one that is neither address."""
    channels: list[Channel] = []
    for text in texts:
        address = text.removeprefix("mailto:")
        if urlsplit(text).scheme in ("http", "https") and urlsplit(text).hostname:
            channels.append(Webhook(text))
        elif E_MAIL.fullmatch(address):
            channels.append(Mailbox(address, _mail_server(environment)))
        else:
            raise UnderstudyError(
                f"--alert {text!r} is not a receiver; give the https:// address of a webhook, or an e-mail address."
            )
    return tuple(channels)


def _mail_server(environment: Mapping[str, str]) -> SplitResult:
    server = urlsplit(environment.get(_SMTP) or "smtp://localhost")
    if server.scheme not in ("smtp", "smtps") or not server.hostname:
        raise UnderstudyError(
            f"{_SMTP} does not name a mail server; write smtp://name:password@mail.example.org:587, or smtps:// for "
            "port 465."
        )
    return server
