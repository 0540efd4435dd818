"""The options of `understudy probe run`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from understudy.cli.commands import work
from understudy.cli.commands.listed_names import CONCEPTS, TRAINERS
from understudy.cli.commands.probe_options import Alpha, AsJson, Html, Layout, Output, Serve, Svg

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
    work.probe_run.run(
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
