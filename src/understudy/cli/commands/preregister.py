"""The options of `understudy preregister`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import StudyArgument


def preregister(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help="Folder for the form and its frozen digest.")] = Path("preregistration"),
    authors: Annotated[str, typer.Option(help="Who runs the study.")] = "",
    recruitment: Annotated[str, typer.Option(help="Where participants come from and who may take part.")] = "",
    data_collected: Annotated[str, typer.Option(help="Whether any data exist already.")] = "",
    power: Annotated[str, typer.Option(help="Why this many participants.")] = "",
    run: Annotated[
        Path | None,
        typer.Option(help="Record the freeze in the log of this prepared folder, before anyone takes part."),
    ] = None,
    registry_link: Annotated[str, typer.Option(help="Where a public registry keeps the form.")] = "",
    timestamp_token: Annotated[
        Path | None, typer.Option(help="File with a timestamp token (RFC 3161) of the form.")
    ] = None,
) -> None:
    """Write the study as a preregistration form (AsPredicted and OSF questions), and freeze its digest.

    Example: understudy preregister my-study.toml --out preregistration --run runs/my-study
    """
    from understudy.cli import preregister as work

    work.preregister(
        study,
        out=out,
        authors=authors,
        recruitment=recruitment,
        data_collected=data_collected,
        power=power,
        run=run,
        registry_link=registry_link,
        timestamp_token=timestamp_token,
    )
