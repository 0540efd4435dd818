"""The options of `understudy prepare` and `understudy rehearse`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import CastOption, EngineOption, PeopleSeedOption, StudyArgument

# The options of `understudy prepare`.


def prepare(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help="Folder to write to.")],
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Number of processes that compute explanations. Default: one per core."),
    ] = None,
    engine: EngineOption = "local",
) -> None:
    """Prepare the materials of a study, and its answer key in a separate file.

    Example: understudy prepare my-study.toml --out runs/my-study
    """
    from understudy.cli import rehearse as work

    work.prepare(study, out=out, workers=workers, engine=engine)


def rehearse(
    study: StudyArgument,
    out: Annotated[Path | None, typer.Option(help="Folder for materials and events. Default: runs/NAME.")] = None,
    people: Annotated[
        int | None,
        typer.Option(
            min=1, max=1_000_000, help="Number of simulated people. By default, they arrive until the study is full."
        ),
    ] = None,
    cast: CastOption = None,
    effect: Annotated[
        list[str] | None, typer.Option(help="What a condition does, as factor=level:shift; repeat for more.")
    ] = None,
    seed: PeopleSeedOption = 1,
    browser: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1_000_000,
            help="How many simulated people take part in a real Chromium, through the real server.",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Show the browser's windows, with --browser.")] = False,
    after: Annotated[
        Path | None,
        typer.Option(help="The rehearsal of the earlier part, whose people come back; for a later part only."),
    ] = None,
    return_rate: Annotated[
        float, typer.Option(min=0, max=1, help="The probability that a simulated person comes back, with --after.")
    ] = 0.8,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON only.")] = False,
) -> None:
    """Rehearse a study with simulated people and run its plan on them. They are never evidence about people.

    Example: understudy rehearse loan-demo --effect explanation=shown:0.6
    """
    from understudy.cli import rehearse as work

    work.rehearse(
        study,
        out=out,
        people=people,
        cast=cast,
        effect=effect,
        seed=seed,
        browser=browser,
        show=show,
        as_json=as_json,
        after=after,
        return_rate=return_rate,
    )
