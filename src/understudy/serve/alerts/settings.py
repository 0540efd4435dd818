"""What is worth an alert, and who gets it."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from understudy.defaults import LOW_DISK_GB
from understudy.serve.alerts.channels import Channel


def free_bytes_at(folder: Path) -> int:
    """Return the free space of the disk that a folder is on."""
    return shutil.disk_usage(folder).free


@dataclass(frozen=True)
class AlertSettings:
    """Who is told, and from when on."""

    channels: tuple[Channel, ...] = ()
    low_disk_gb: float = LOW_DISK_GB
    error_share: float = 0.05
    """Share of requests that the server could not answer, since the last look."""
    n_requests: int = 20
    """Fewer requests than this say nothing about a share."""
    n_recent: int = 20
    """How many people who ended last are compared with everybody before them."""
    dropout_jump: float = 0.25
    """By how much the share of people who leave must rise."""
    usual_dropout: float = 0.1
    """What the share is taken to be before there is anybody to compare with."""
    every_s: float = 60.0
    pauses_s: tuple[float, ...] = (5.0, 60.0, 600.0)
    """How long to wait before each further try to deliver."""
    free_bytes: Callable[[Path], int] = free_bytes_at
