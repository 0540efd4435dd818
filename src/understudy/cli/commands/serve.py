"""The options of `understudy serve`."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from understudy.cli.arguments import AlertOption, LowDiskOption, OtherRuns
from understudy.serve.alerts import LOW_DISK_GB

PilotOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--pilot", help="Serve the pilot, in the folder pilot inside the run; its people may not take the study."
    ),
]
PilotPlacesOption: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, max=1_000_000, help="People in each condition of the pilot. Default: as in the study."),
]
NotAgainOption: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(help="A run whose people may not take part; repeat for more. A study's pilot is one of them."),
]
EarlierPartOption: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(help="The run of the earlier part of a longitudinal study, if this server does not serve it too."),
]


def serve(
    folders: Annotated[list[Path], typer.Argument(help="Folders made by understudy prepare, one for each study.")],
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    database: Annotated[
        str | None,
        typer.Option(
            envvar="UNDERSTUDY_DATABASE",
            help="URL of a PostgreSQL database for the events, so that several processes can serve the same studies.",
        ),
    ] = None,
    secret_file: Annotated[
        Path | None, typer.Option(help="File with the secrets. Default: serve.secret in the first folder.")
    ] = None,
    recruiter: Annotated[
        list[str] | None, typer.Option(help="Origin that may show a study in a frame; repeat for more.")
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(help="Address or network of a proxy to trust; repeat for more. Default: this machine."),
    ] = None,
    alert: AlertOption = None,
    low_disk: LowDiskOption = LOW_DISK_GB,
    rehearsal: Annotated[
        bool, typer.Option("--rehearsal", help="Mark everybody who takes part as simulated (synthetic).")
    ] = False,
    pilot: PilotOption = False,
    pilot_places: PilotPlacesOption = None,
    not_again: NotAgainOption = None,
    earlier_part: EarlierPartOption = None,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Continue with a damaged event log, and note in it what is missing.")
    ] = False,
    web: Annotated[Path | None, typer.Option(hidden=True, help="Another folder of the built front end.")] = None,
) -> None:
    """Serve prepared studies to participants; the dashboard is at /admin.

    Example: understudy serve runs/loan-demo --port 8000
    """
    from understudy.cli import serve as work

    work.serve(
        folders,
        host=host,
        port=port,
        database=database,
        secret_file=secret_file,
        recruiter=recruiter,
        proxy=proxy,
        alert=alert,
        low_disk=low_disk,
        rehearsal=rehearsal,
        accept_loss=accept_loss,
        web=web,
        others=OtherRuns(pilot or pilot_places is not None, pilot_places, not_again or (), earlier_part or ()),
    )
