"""The options of `understudy doctor`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import AlertOption, LowDiskOption
from understudy.serve.alerts import LOW_DISK_GB


def doctor(
    url: Annotated[str, typer.Argument(help="Address of the server, or the link of a study.")],
    run: Annotated[Path | None, typer.Option(help="The study's run folder, on the server's machine.")] = None,
    backup: Annotated[Path | None, typer.Option(help="The folder that understudy backup writes.")] = None,
    alert: AlertOption = None,
    time_zone: Annotated[
        str, typer.Option(help="The time zone that the server should use, such as Europe/Berlin.")
    ] = "",
    backup_hours: Annotated[float, typer.Option(min=0, help="Maximum age of a backup, in hours.")] = 24.0,
    low_disk: LowDiskOption = LOW_DISK_GB,
    authority: Annotated[Path | None, typer.Option(help="Certificates of a private authority, in PEM format.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON only.")] = False,
) -> None:
    """Check a server before people arrive: encryption, cookies, addresses, clock, files, disk, backup, alerts, contact.

    Exits with 1 if something is wrong. Sends a test message to everyone who receives alerts.

    Example: understudy doctor https://study.example.org --run runs/my-study --backup /mnt/backups/my-study
    """
    from understudy.cli import doctor as work

    work.doctor(
        url,
        run=run,
        backup=backup,
        alert=alert,
        time_zone=time_zone,
        backup_hours=backup_hours,
        low_disk=low_disk,
        authority=authority,
        as_json=as_json,
    )
