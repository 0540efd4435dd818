"""`understudy doctor`: say whether a server is ready for people, and what to do where it is not."""

import json
import os
from pathlib import Path

import typer

from understudy.actions.doctor import machine_checks
from understudy.actions.doctor_site import Examined, Patient, site_checks
from understudy.serve.alert_channels import channels_from

_SIGNS = {True: ("ok", "green"), False: ("FAIL", "red"), None: ("-", "yellow")}


def doctor(
    url: str,
    *,
    run: Path | None,
    backup: Path | None,
    alert: list[str] | None,
    time_zone: str,
    backup_hours: float,
    low_disk: float,
    authority: Path | None,
    as_json: bool,
) -> None:
    """Check a server before people take part."""
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
