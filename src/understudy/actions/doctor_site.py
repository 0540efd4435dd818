"""What the doctor looks at, and what one check says."""

import http.client
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from http.cookies import SimpleCookie
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo, available_timezones

from pydantic import ValidationError

from understudy.actions.recruit import platform_file
from understudy.actions.run_folder import existing_run
from understudy.errors import UnderstudyError
from understudy.record.log import now_ms
from understudy.recruiters.prolific import SIGNATURE, TIMESTAMP, signature_of
from understudy.schema.wire.desk import ConnectionSeen
from understudy.serve.alert_channels import Channel
from understudy.serve.alerts import LOW_DISK_GB
from understudy.serve.settings import free_bytes_at


def _has_address(domain: str) -> bool:
    try:
        socket.getaddrinfo(domain, None)
    except OSError:
        return False
    return True


class Examined(NamedTuple):
    """What one check found."""

    name: str
    is_well: bool | None
    """None if there was nothing to look at."""
    words: str
    """What is well, what is wrong and what to do, or what the check needs."""


@dataclass(frozen=True)
class Patient:
    """A server and everything around it that can be wrong."""

    url: str
    folder: Path | None = None
    """The run folder, if the doctor is on the server's machine."""
    backup: Path | None = None
    channels: tuple[Channel, ...] = ()
    authority: Path | None = None
    """Certificates of a private authority, for a server that no public one has signed for."""
    time_zone: str = ""
    """The zone that the server should be in; any will do if this is empty."""
    backup_hours: float = 24.0
    """Maximum age of a backup, in hours."""
    low_disk_gb: float = LOW_DISK_GB
    http_port: int = 80
    clock: Callable[[], int] = now_ms
    free_bytes: Callable[[Path], int] = free_bytes_at
    has_address: Callable[[str], bool] = _has_address


# Checks from outside: what people's browsers meet at an address.

_PATIENCE_S = 15.0
_SPARE_DAYS = 14
"""A certificate that lasts less long may end during the study."""
_SKEW_MS = 2000
_NOBODY = "192.0.2.77"
"""An address that is reserved for documentation: no client can come from it."""
_LARGEST = 1024 * 1024
"""As large as a chunk of a voice recording."""
_UNKNOWN_SIGNERS = (18, 19, 20, 21)
"""OpenSSL's codes for a certificate that no known authority has signed."""
_EXPIRED, _WRONG_NAME = 10, 62
_PROTO = "proxy_set_header X-Forwarded-Proto $scheme"
_FOR = "proxy_set_header X-Forwarded-For $remote_addr"


class _Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    sent_ms: int
    got_ms: int


class _Site:
    """The server behind an address."""

    def __init__(self, patient: Patient) -> None:
        self._patient = patient
        self.url: SplitResult = urlsplit(patient.url)
        try:
            port = self.url.port
        except ValueError:
            port = -1
        if self.url.scheme not in ("http", "https") or not self.url.hostname or port == -1:
            raise UnderstudyError(
                f"{patient.url!r} is not the address of a server; write https://study.example.org, or a link to a study."
            )
        self.host = self.url.hostname
        try:
            self._trusted = ssl.create_default_context(cafile=patient.authority)
        except (OSError, ssl.SSLError):
            raise UnderstudyError(
                f"{patient.authority} cannot be read as certificates of an authority; give a file in PEM format."
            ) from None

    @property
    def where(self) -> str:
        """The name and the port."""
        return f"{self.host}:{self.url.port or (443 if self.url.scheme == 'https' else 80)}"

    def connection(self) -> http.client.HTTPConnection:
        if self.url.scheme == "http":
            return http.client.HTTPConnection(self.host, self.url.port or 80, timeout=_PATIENCE_S)
        return http.client.HTTPSConnection(self.host, self.url.port or 443, timeout=_PATIENCE_S, context=self._trusted)

    def ask(self, path: str, headers: dict[str, str] | None = None, body: bytes | None = None) -> _Reply:
        connection = self.connection()
        try:
            sent_ms = self._patient.clock()
            connection.request("GET" if body is None else "POST", path, body, headers or {})
            got = connection.getresponse()
            return _Reply(got.status, got.headers, got.read(), sent_ms, self._patient.clock())
        finally:
            connection.close()


def site_checks(patient: Patient) -> Iterator[Examined]:
    """Examine a server from outside; without a connection, nothing further can be said."""
    site = _Site(patient)
    if site.url.scheme != "https":
        yield Examined(
            "certificate", False,
            f"{patient.url} is not encrypted; put nginx or Caddy with a certificate in front, and give its https address.",
        )  # fmt: skip
        yield from _answered(site, _open_checks(site, patient))
        return
    days_left = _days_left(site, patient)
    if isinstance(days_left, str):
        yield Examined("certificate", False, days_left)
        return
    yield _certificate(days_left)
    yield from _answered(site, _server_checks(site, patient))


def _answered(site: _Site, checks: Iterator[Examined]) -> Iterator[Examined]:
    """Yield checks, and one more where the server stops answering them."""
    try:
        yield from checks
    except ConnectionRefusedError:
        yield Examined("server", False, f"Nobody answers at {site.where}; start the server, or correct the port.")
    except (OSError, http.client.HTTPException) as error:
        yield Examined("server", False, f"{site.host} breaks off ({error}); look at the logs of proxy and server.")
    except ValidationError:
        yield Examined(
            "server", False, f"{site.host} answers, but not as understudy does; check the address and what the proxy leads to."
        )  # fmt: skip


def _open_checks(site: _Site, patient: Patient) -> Iterator[Examined]:
    """Examine what does not depend on encryption."""
    yield _readiness(site)
    reply = site.ask("/api/connection")
    seen = ConnectionSeen.model_validate_json(reply.body)
    for name in ("https", "cookies", "addresses"):
        yield Examined(name, None, "looked at over https only")
    yield _answers(site, seen)
    yield from _place_checks(site, patient, seen, reply)


def _place_checks(site: _Site, patient: Patient, seen: ConnectionSeen, reply: _Reply) -> Iterator[Examined]:
    yield _clock(seen, reply)
    yield _time_zone(seen, patient)
    if patient.folder is not None:
        yield _webhook(site, existing_run(patient.folder).script.study.name, patient)


def _server_checks(site: _Site, patient: Patient) -> Iterator[Examined]:
    yield _plain_http(site, patient)
    yield _readiness(site)
    reply = site.ask("/api/connection")
    seen = ConnectionSeen.model_validate_json(reply.body)
    yield _https(seen, reply)
    yield _cookies(reply)
    yield _addresses(site, seen)
    yield _answers(site, seen)
    yield from _place_checks(site, patient, seen, reply)


def _days_left(site: _Site, patient: Patient) -> float | str:
    """Return how long browsers will believe the certificate, or why they do not."""
    connection = site.connection()
    try:
        connection.connect()
        found = (connection.sock.getpeercert() if isinstance(connection.sock, ssl.SSLSocket) else None) or {}
    except ssl.SSLCertVerificationError as error:
        return _certificate_fault(error, site.host)
    except ConnectionRefusedError:
        return (
            f"Nobody answers at {site.where}; check that the proxy runs, and that the port is open and the right one."
        )
    except OSError as error:
        return (
            f"{site.host} does not answer over https ({error}); check that the name leads to this server, that the proxy "
            "runs and that port 443 is open."
        )
    finally:
        connection.close()
    return (ssl.cert_time_to_seconds(str(found["notAfter"])) - patient.clock() / 1000) / 86400


def _certificate(days_left: float) -> Examined:
    if days_left < _SPARE_DAYS:
        return Examined(
            "certificate", False, f"It ends in {days_left:.0f} days; renew it, and check that renewing works by itself."
        )
    return Examined("certificate", True, f"valid for {days_left:.0f} more days")


def _certificate_fault(error: ssl.SSLCertVerificationError, host: str) -> str:
    if error.verify_code == _EXPIRED:
        return "The certificate has expired; renew it: certbot renew, or look at the log of Caddy."
    if error.verify_code == _WRONG_NAME:
        return f"The certificate is for another name than {host}; get one for this name."
    if error.verify_code in _UNKNOWN_SIGNERS:
        return (
            "The certificate is signed by nobody that browsers know; get one from a public authority, or name a private "
            "one by --authority."
        )
    return f"Browsers refuse the certificate ({error.verify_message}); get a new one."


def _plain_http(site: _Site, patient: Patient) -> Examined:
    if site.url.port not in (None, 443) and patient.http_port == 80:
        return Examined("http", None, "looked at for servers at port 443 only")
    connection = http.client.HTTPConnection(site.host, patient.http_port, timeout=_PATIENCE_S)
    try:
        connection.request("GET", "/")
        got = connection.getresponse()
    except OSError:
        return Examined("http", True, "closed; people come by https only")
    finally:
        connection.close()
    if got.status in (301, 302, 307, 308) and str(got.headers["Location"]).startswith("https://"):
        return Examined("http", True, "leads to https")
    return Examined(
        "http", False,
        f"http://{site.host} answers without encryption (status {got.status}); let the proxy send it to https.",
    )  # fmt: skip


def _readiness(site: _Site) -> Examined:
    status = site.ask("/readyz").status
    if status == 200:
        return Examined("server", True, "up, and events can be stored")
    if status == 503:
        return Examined("server", False, "The server is up but cannot store events; look at its log and at its disk.")
    return Examined(
        "server", False, f"The proxy answers with status {status}; check that understudy serve runs where it leads to."
    )


def _https(seen: ConnectionSeen, reply: _Reply) -> Examined:
    if seen.scheme != "https":
        return Examined(
            "https", False,
            f"The server does not know that people come by https; let the proxy send X-Forwarded-Proto (nginx: {_PROTO};), "
            "and name the proxy by --proxy if it is on another machine.",
        )  # fmt: skip
    if "max-age=" not in str(reply.headers["Strict-Transport-Security"]):
        return Examined(
            "https", False,
            "Strict-Transport-Security does not reach the browser; let the proxy pass on the server's headers.",
        )  # fmt: skip
    return Examined("https", True, "known to the server, and browsers are told to stay with it")


def _cookies(reply: _Reply) -> Examined:
    cookie = next(iter(SimpleCookie(str(reply.headers["Set-Cookie"] or "")).values()), None)
    if cookie is None:
        return Examined(
            "cookies", False, "The cookie of the server does not reach the browser; let the proxy pass it on."
        )
    missing = [name for name in ("Secure", "HttpOnly", "SameSite") if not cookie[name.lower()]]
    if missing:
        return Examined(
            "cookies", False,
            f"Cookies come without {' and '.join(missing)}; do not let the proxy change them, and see the line https.",
        )  # fmt: skip
    return Examined("cookies", True, "Secure, closed to scripts, not sent to other sites")


def _addresses(site: _Site, seen: ConnectionSeen) -> Examined:
    if not seen.is_forwarded:
        return Examined(
            "addresses", False,
            f"The server sees the address of the proxy in place of people's; let the proxy send X-Forwarded-For (nginx: {_FOR};).",
        )  # fmt: skip
    claimed = ConnectionSeen.model_validate_json(site.ask("/api/connection", {"X-Forwarded-For": _NOBODY}).body)
    if claimed.address == _NOBODY:
        return Examined(
            "addresses", False,
            f"Anybody can claim any address and so escape the limits; let the proxy set X-Forwarded-For (nginx: {_FOR};), "
            "and believe only the proxy.",
        )  # fmt: skip
    return Examined("addresses", True, "limits count people's own addresses")


def _answers(site: _Site, earlier: ConnectionSeen) -> Examined:
    """Send what the page sends with answers and recordings, and look whether the proxy keeps what it should not."""
    too_large = Examined(
        "answers", False,
        "The proxy refuses requests of 1 MB, such as pieces of a recording; allow 2 MB (nginx: client_max_body_size 2m;).",
    )  # fmt: skip
    try:
        reply = site.ask("/api/connection", {"Authorization": "Bearer doctor"}, bytes(_LARGEST))
    except (BrokenPipeError, ConnectionResetError):
        return too_large
    if reply.status == 413:
        return too_large
    if reply.status >= 500:
        return Examined("answers", None, "see the line server")
    if reply.status != 200:
        return Examined(
            "answers", False,
            f"The proxy does not let people's answers through (status {reply.status} to a POST); let it pass on every method.",
        )  # fmt: skip
    seen = ConnectionSeen.model_validate_json(reply.body)
    again = ConnectionSeen.model_validate_json(site.ask("/api/connection").body)
    if earlier.at_ms == again.at_ms or seen.n_bytes != _LARGEST:
        return Examined(
            "answers", False,
            "A cache answers in place of the server, and people would get each other's pages; switch it off for /api and /s.",
        )  # fmt: skip
    if not seen.has_token:
        return Examined(
            "answers", False,
            "The header Authorization does not reach the server, so that nobody could answer; let the proxy pass it on.",
        )  # fmt: skip
    return Examined("answers", True, "reach the server, up to 1 MB at once, and no cache answers for it")


def _clock(seen: ConnectionSeen, reply: _Reply) -> Examined:
    middle_ms = (reply.sent_ms + reply.got_ms) / 2
    ahead_ms = seen.at_ms - middle_ms
    if abs(ahead_ms) > _SKEW_MS + (reply.got_ms - reply.sent_ms) / 2:
        side = "ahead of" if ahead_ms > 0 else "behind"
        return Examined(
            "clock", False,
            f"The server's clock is {abs(ahead_ms) / 1000:.0f} s {side} this machine's; set the wrong one by the network "
            "(timedatectl set-ntp true).",
        )  # fmt: skip
    return Examined("clock", True, f"within {_SKEW_MS // 1000} s of this machine's")


def _time_zone(seen: ConnectionSeen, patient: Patient) -> Examined:
    name, offset_min = seen.time_zone, seen.utc_offset_min
    at = f"UTC{offset_min / 60:+g} h"
    if name and name in available_timezones():
        is_known = _offset_min(ZoneInfo(name), seen.at_ms) == offset_min
    else:
        is_known = not name or offset_min != 0
    if not is_known:
        return Examined(
            "time zone", False,
            f"TZ is {name!r}, which the server takes for {at}; correct the name, or install the package tzdata.",
        )  # fmt: skip
    if patient.time_zone and _offset_min(_zone(patient.time_zone), seen.at_ms) != offset_min:
        return Examined(
            "time zone", False,
            f"The server is at {at}, and not in {patient.time_zone}; set TZ={patient.time_zone} for the service.",
        )  # fmt: skip
    return Examined("time zone", True, f"{name or 'not set'}, {at}")


def _webhook(site: _Site, study_name: str, patient: Patient) -> Examined:
    """Send a message as the recruiter signs it, about nothing: proxy, server and clock must let it through."""
    known = None if patient.folder is None else platform_file(patient.folder)
    if known is None or not known.webhook_secret:
        return Examined("webhook", None, "the study expects no messages of its recruiter")
    at, body = str(patient.clock() // 1000), b'{"event_type": "doctor.test"}'
    signed = {
        TIMESTAMP: at,
        SIGNATURE: signature_of(known.webhook_secret, at, body),
        "Content-Type": "application/json",
    }
    reply = site.ask(f"/api/s/{study_name}/webhook", signed, body)
    if reply.status == 204:
        return Examined("webhook", True, "the recruiter's messages reach the server")
    return Examined(
        "webhook", False,
        f"A message signed as by the recruiter is refused (status {reply.status}); restart the server, or run: understudy "
        f"recruit webhook {patient.folder}",
    )  # fmt: skip


def _offset_min(zone: ZoneInfo, at_ms: int) -> float:
    offset = datetime.fromtimestamp(at_ms / 1000, zone).utcoffset()
    return offset.total_seconds() / 60 if offset is not None else 0.0


def _zone(name: str) -> ZoneInfo:
    if name not in available_timezones():
        raise UnderstudyError(f"--time-zone {name!r} is not a time zone; write one such as Europe/Berlin.")
    return ZoneInfo(name)
