"""The options of `understudy report`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import BackgroundOption, PreregistrationOption, RunArgument


def report(
    folder: RunArgument,
    out: Annotated[
        Path | None, typer.Option(help="Where to write the page. Default: report.html in the folder.")
    ] = None,
    preregistration: PreregistrationOption = None,
    figures: Annotated[
        Path | None, typer.Option(help="Also write every figure as SVG and PNG into this folder.")
    ] = None,
    pdf: Annotated[Path | None, typer.Option(help="Also print the page to this PDF file.")] = None,
    language: Annotated[
        str | None, typer.Option(help="Also write the page in another language: de for German, as report.de.html.")
    ] = None,
    for_participants: Annotated[
        Path | None, typer.Option(help="Also write what was found, in plain words, for the people who took part.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Write the page even if nothing has changed since it was written.")
    ] = False,
    background: BackgroundOption = None,
) -> None:
    """Write the report of a run: participant flow, every hypothesis, figures, deviations, software and digests.

    Example: understudy report runs/loan-demo --pdf report.pdf
    """
    from understudy.cli import report as work

    copies = work.Copies(figures=figures, pdf=pdf, language=language, for_participants=for_participants)
    work.report(folder, out=out, preregistration=preregistration, copies=copies, again=again, background=background)
