"""Public addresses: where people and platforms reach a server, told before anything is sent."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from understudy.errors import UnderstudyError

_AT_HOME = (".local", ".localhost", ".internal", ".lan", ".home.arpa")
"""Names that only one's own network knows."""


def public_address(text: str) -> str:
    """Return an address that platforms can send people to, or raise an error that says what is wrong with it."""
    fault = _fault(text)
    if fault is not None:
        raise UnderstudyError(f"--address is {text!r}; {fault}.")
    return text.strip().rstrip("/")


def _fault(text: str) -> str | None:
    try:
        parts = urlsplit(text.strip())
        host = (parts.hostname or "") if parts.port is None or parts.port else ""
    except ValueError:
        return "give the whole address, such as https://study.example.org"
    if parts.scheme == "http":
        return "platforms and browsers take https:// addresses only"
    if parts.scheme != "https" or not host:
        return "give the whole address, such as https://study.example.org"
    if not _is_public(host):
        return f"nobody outside can reach {host!r}; give the name under which everybody finds the server"
    if _has_more(parts):
        return f"give it without anything after the name, such as https://{parts.netloc.rpartition('@')[2]}"
    return None


def _has_more(parts: SplitResult) -> bool:
    return parts.path not in ("", "/") or bool(parts.query or parts.fragment or "@" in parts.netloc)


def _is_public(host: str) -> bool:
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host.strip(".") and not f".{host}".endswith(_AT_HOME) and not any(map(str.isspace, host))
