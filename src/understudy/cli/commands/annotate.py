"""The options of `understudy annotate`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument


def annotate(
    folder: RunArgument,
    scheme: Annotated[str | None, typer.Option(help="Which coding scheme, if the study has several.")] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write all codes to this file: .csv, or .qdc and .qdpx for other programs.")
    ] = None,
    texts: Annotated[
        Path | None, typer.Option(help="Write the texts to a CSV file, shuffled and without anything about people.")
    ] = None,
    import_: Annotated[
        Path | None,
        typer.Option(
            "--import", help="Import codes from a file that was written by --texts or --export and filled in."
        ),
    ] = None,
    annotator: Annotated[str | None, typer.Option(help="Who filled in the imported file.")] = None,
    new_annotator: Annotated[
        bool, typer.Option("--new-annotator", help="Allow the name of somebody who has not coded here before.")
    ] = False,
    simulate: Annotated[
        int | None, typer.Option(min=1, max=20, help="Let this many simulated annotators code a rehearsal.")
    ] = None,
    error: Annotated[float, typer.Option(min=0, max=1, help="How often a simulated annotator makes a mistake.")] = 0.1,
    shares: Annotated[
        str | None, typer.Option(help="How often each code is right in a rehearsal, such as 0.8,0.05,0.15.")
    ] = None,
    settle: Annotated[
        bool, typer.Option("--settle", help="Settle the disagreements of simulated annotators as well.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulated annotators.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the state of coding as JSON only.")] = False,
) -> None:
    """Show the progress and agreement of annotators; export, import or rehearse codes.

    Annotators code at /admin/annotate of a served study, in their own order and blind to conditions and answers.

    Example: understudy annotate runs/my-study
    """
    from understudy.cli import annotate as work

    if simulate is not None:
        work.simulate(folder, scheme, work.Rehearsal(simulate, error, shares, seed, settles=settle))
    elif import_ is not None:
        work.take(folder, import_, annotator, is_new=new_annotator)
    elif export is not None:
        work.export(folder, export, scheme)
    elif texts is not None:
        work.write_texts(folder, texts, scheme)
    else:
        work.status(folder, as_json=as_json)
