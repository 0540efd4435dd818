"""The options of `understudy probe`."""

from typing import Any

import typer

from understudy.cli.commands import work
from understudy.cli.commands.probe_options import (
    MD,
    MP,
    PD,
    PP,
    Alpha,
    AsJson,
    Concept,
    Correction,
    Correctness,
    Difference,
    GroupBy,
    GroupCorrection,
    Html,
    Incomplete,
    Layout,
    Option,
    Output,
    Paths,
    Power,
    Seed,
    Serve,
    Svg,
    Test,
)
from understudy.cli.commands.probe_run import run
from understudy.cli.plain_commands import PlainGroup

DEFAULT = "results"


class PathsOrCommands(PlainGroup):
    """A command group whose first argument may also be a path of results."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Treat anything but a command or --help as paths of results."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


probe = typer.Typer(
    name="probe",
    cls=PathsOrCommands,
    no_args_is_help=True,
    help="Test what a concept does to a model: two models, two data sets, six comparisons, twelve hypotheses.\n\n"
    "`understudy probe PATH` is short for `understudy probe results PATH`.\n\n"
    "Example: understudy probe results/rotation --alpha 0.01",
)


@probe.callback()
def group() -> None:
    """Do nothing; the callback makes Typer treat a single command as a group."""


probe.command("run")(run)


@probe.command(DEFAULT)
def results(
    paths: Paths = None,
    md: MD = None,
    mp: MP = None,
    pd: PD = None,
    pp: PP = None,
    concept: Concept = None,
    alpha: Alpha = 0.05,
    correction: Correction = "none",
    test: Test = "t",
    group_by: GroupBy = None,
    group_correction: GroupCorrection = "holm",
    correctness: Correctness = "equal",
    incomplete: Incomplete = "refuse",
    difference: Difference = None,
    power: Power = 0.8,
    option: Option = None,
    seed: Seed = 0,
    html: Html = None,
    svg: Svg = None,
    layout: Layout = "horizontal",
    serve: Serve = False,
    as_json: AsJson = False,
) -> None:
    """Judge results: which hypotheses about the concept are confirmed, and why.

    Example: understudy probe results/rotation --group-by truth
    """
    work.probe.results(
        paths,
        md=md,
        mp=mp,
        pd=pd,
        pp=pp,
        concept=concept,
        alpha=alpha,
        correction=correction,
        test=test,
        group_by=group_by,
        group_correction=group_correction,
        correctness=correctness,
        incomplete=incomplete,
        difference=difference,
        power=power,
        option=option,
        seed=seed,
        output=Output(html, svg, layout, serve, as_json),
    )
