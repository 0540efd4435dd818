"""`understudy doctor`: say whether a server is ready for people, and what to do where it is not."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.server_options import AlertOption, LowDiskOption
from understudy.serve.alert_channels import channels_from
from understudy.workflow.doctor import Examined, Patient, machine_checks, site_checks

_SIGNS = {True: ("ok", "green"), False: ("FAIL", "red"), None: ("-", "yellow")}


def doctor(
    url: Annotated[str, typer.Argument(help="Address of the server, or the link of a study.")],
    run: Annotated[Path | None, typer.Option(help="The study's run folder, on the server's machine.")] = None,
    backup: Annotated[Path | None, typer.Option(help="The folder that understudy backup writes.")] = None,
    alert: AlertOption = None,
    time_zone: Annotated[str, typer.Option(help="The zone that the server should be in, such as Europe/Berlin.")] = "",
    backup_hours: Annotated[float, typer.Option(min=0, help="How old a backup may be.")] = 24.0,
    low_disk: LowDiskOption = 2.0,
    authority: Annotated[Path | None, typer.Option(help="Certificates of a private authority, in PEM format.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON only.")] = False,
) -> None:
    """Check a server before people come: encryption, cookies, addresses, clock, files, disk, backup, alerts, contact.

    Exits with 1 if something is wrong. Receivers of alerts get a test message.

    Example: understudy doctor https://study.example.org --run runs/my-study --backup /mnt/backups/my-study
    """
    patient = Patient(
        url, run, backup, channels_from(alert or (), os.environ), authority,
        time_zone=time_zone, backup_hours=backup_hours, low_disk_gb=low_disk,
    )  # fmt: skip
    found: list[Examined] = []
    for examined in (*site_checks(patient), *machine_checks(patient)):
        found.append(examined)
        if not as_json:
            _show(examined)
    n_wrong = sum(examined.is_well is False for examined in found)
    if as_json:
        typer.echo(json.dumps([examined._asdict() for examined in found], indent=2))
    else:
        n_done = sum(examined.is_well is not None for examined in found)
        typer.echo(f"{n_wrong} of {n_done} checks failed." if n_wrong else f"All {n_done} checks are good.")
    if n_wrong:
        raise typer.Exit(1)


def _show(examined: Examined) -> None:
    sign, hue = _SIGNS[examined.is_well]
    typer.echo(f"{typer.style(f'{sign:<4}', fg=hue)}  {examined.name:<11}  {examined.words}")
