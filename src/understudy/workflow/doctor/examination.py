"""What the doctor looks at, and what one check says."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from understudy.defaults import LOW_DISK_GB
from understudy.record.log import now_ms
from understudy.serve.alerts.channels import Channel
from understudy.serve.alerts.settings import free_bytes_at


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
