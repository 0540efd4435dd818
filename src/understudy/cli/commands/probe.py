"""The options of `understudy probe`."""

from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import typer

from understudy.cli.commands.listed_names import CONCEPTS, RULE_OPTIONS, TRAINERS
from understudy.cli.plain_commands import PlainGroup

# Options of `understudy probe`, each with its help.

Paths: TypeAlias = Annotated[
    list[Path] | None,
    typer.Argument(
        help="A folder with M.D, M.D_plus, M_plus.D and M_plus.D_plus (.csv or .parquet) or with one such folder "
        "for each run; or those four tables in that order; or one table with columns model and data.",
    ),
]
MD: TypeAlias = Annotated[Path | None, typer.Option("--md", help="Table of M on D.")]
MP: TypeAlias = Annotated[Path | None, typer.Option("--mp", help="Table of M on D+.")]
PD: TypeAlias = Annotated[Path | None, typer.Option("--pd", help="Table of M+ on D.")]
PP: TypeAlias = Annotated[Path | None, typer.Option("--pp", help="Table of M+ on D+.")]
Concept: TypeAlias = Annotated[
    str | None, typer.Option(help="What to call the concept. Default: the name of the folder.")
]
Alpha: TypeAlias = Annotated[float, typer.Option(help="A difference counts if its p-value is below this threshold.")]
Correction: TypeAlias = Annotated[Literal["none", "holm"], typer.Option(help="Correction over the six comparisons.")]
Test: TypeAlias = Annotated[Literal["t", "sign_flip"], typer.Option(help="Paired t test, or sign-flip permutation.")]
GroupBy: TypeAlias = Annotated[str | None, typer.Option(help="Also judge groups of objects: truth, or another column.")]
GroupCorrection: TypeAlias = Annotated[
    Literal["holm", "none"], typer.Option(help="Correction of each comparison over the groups.")
]
Correctness: TypeAlias = Annotated[
    str, typer.Option(help="equal; or for values within:NUMBER, linear:NUMBER, exponential:NUMBER.")
]
Incomplete: TypeAlias = Annotated[
    Literal["refuse", "drop"], typer.Option(help="What to do with objects that have no row or no value.")
]
Difference: TypeAlias = Annotated[
    float | None, typer.Option(help="Also say how many objects are needed to detect a difference of this size.")
]
Power: TypeAlias = Annotated[float, typer.Option(help="With --difference: the power to aim for.")]
Option: TypeAlias = Annotated[
    list[str] | None, typer.Option(help=f"A choice in the rules, as name=value: {', '.join(RULE_OPTIONS)}.")
]
Seed: TypeAlias = Annotated[int, typer.Option(min=0, help="Seed of drawn sign patterns.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON only.")]
Html: TypeAlias = Annotated[
    Path | None, typer.Option("--html", help="Write a self-contained page with the interactive picture.")
]
Svg: TypeAlias = Annotated[
    Path | None, typer.Option("--svg", help="Write the picture; the file can also be .png or .pdf.")
]
Layout: TypeAlias = Annotated[
    Literal["horizontal", "vertical"], typer.Option(help="Layout of the picture: for wide or for narrow screens.")
]
Serve: TypeAlias = Annotated[bool, typer.Option("--serve", help="Show the interactive picture in a browser.")]


class Output(NamedTuple):
    """Where the verdicts of a concept test go, besides the terminal."""

    html: Path | None
    svg: Path | None
    layout: Literal["horizontal", "vertical"]
    serve: bool
    as_json: bool


# The options of `understudy probe run`.

_PARAM = "as name=value; repeat for more."


def run(
    concept: Annotated[str, typer.Argument(help=f"One of: {', '.join(CONCEPTS)}.")],
    data: Annotated[str, typer.Option(help="A dataset with labels, such as fashion_mnist.")] = "drawn_shapes",
    trainer: Annotated[str, typer.Option(help=f"One of: {', '.join(TRAINERS)}.")] = "perceptron",
    seeds: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many times both models are trained.")] = 5,
    n_train: Annotated[int, typer.Option(min=2, max=1_000_000, help="Objects to train with.")] = 2000,
    n_test: Annotated[int, typer.Option(min=2, max=1_000_000, help="Objects to test with.")] = 1000,
    encoding: Annotated[
        Literal["quadrants", "side_channel"], typer.Option(help="Where the extra information is placed.")
    ] = "quadrants",
    noise: Annotated[
        Literal["uniform", "normal", "shuffled", "empty"],
        typer.Option(help="What fills the place without information; shuffled uses the same numbers in random order."),
    ] = "uniform",
    concept_param: Annotated[list[str] | None, typer.Option(help=f"A parameter of the concept, {_PARAM}")] = None,
    data_param: Annotated[list[str] | None, typer.Option(help=f"A parameter of the dataset, {_PARAM}")] = None,
    trainer_param: Annotated[list[str] | None, typer.Option(help=f"A parameter of the trainer, {_PARAM}")] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Score the model's confidence, not only whether it is right.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the results. Default: a folder in runs/probe.")] = None,
    alpha: Alpha = 0.05,
    html: Html = None,
    svg: Svg = None,
    layout: Layout = "horizontal",
    serve: Serve = False,
    as_json: AsJson = False,
) -> None:
    """Train both models of a concept test, with and without extra information, and judge their results.

    Example: understudy probe run rotation --seeds 3
    """
    from understudy.cli import probe as work

    work.run(
        concept,
        data=data,
        trainer=trainer,
        seeds=seeds,
        n_train=n_train,
        n_test=n_test,
        encoding=encoding,
        noise=noise,
        concept_param=concept_param,
        data_param=data_param,
        trainer_param=trainer_param,
        confidence=confidence,
        out=out,
        alpha=alpha,
        output=Output(html, svg, layout, serve, as_json),
    )


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
    from understudy.cli import probe as work

    work.results(
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
