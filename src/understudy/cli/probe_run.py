"""`understudy probe run`: train both models of a concept test and judge them."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import JsonValue

from understudy.cli.probe_options import Alpha, AsJson, Html, Layout, Serve, Svg
from understudy.cli.probe_output import draw, require_names, show
from understudy.cli.progress import progress
from understudy.errors import UnderstudyError
from understudy.probe import probe, results_from_files
from understudy.probe.result_store import ConceptOrder
from understudy.probe.verdicts import require_threshold
from understudy.registry import names
from understudy.schema import Ref
from understudy.workflow.concept_runs import folder_of, run_concept, seeds_to_run

_PARAM = "as name=value; repeat for more."


def run(
    concept: Annotated[str, typer.Argument(help=f"One of: {', '.join(names('concepts'))}.")],
    data: Annotated[str, typer.Option(help="A dataset with labels, such as fashion_mnist.")] = "drawn_shapes",
    trainer: Annotated[str, typer.Option(help=f"One of: {', '.join(names('trainers'))}.")] = "perceptron",
    seeds: Annotated[int, typer.Option(min=1, help="How many times both models are trained anew.")] = 5,
    n_train: Annotated[int, typer.Option(min=2, help="Objects to train with.")] = 2000,
    n_test: Annotated[int, typer.Option(min=2, help="Objects to test with.")] = 1000,
    encoding: Annotated[
        Literal["quadrants", "side_channel"], typer.Option(help="Where the extra information lies.")
    ] = "quadrants",
    noise: Annotated[
        Literal["uniform", "normal", "shuffled", "empty"],
        typer.Option(help="What lies where there is no information; shuffled takes its numbers in random order."),
    ] = "uniform",
    concept_param: Annotated[list[str] | None, typer.Option(help=f"A parameter of the concept, {_PARAM}")] = None,
    data_param: Annotated[list[str] | None, typer.Option(help=f"A parameter of the dataset, {_PARAM}")] = None,
    trainer_param: Annotated[list[str] | None, typer.Option(help=f"A parameter of the trainer, {_PARAM}")] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Let a model's confidence count, not only whether it is right.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; one under runs/probe when absent.")] = None,
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
    require_names(html, svg)
    require_threshold(alpha)
    order = ConceptOrder(
        concept=Ref(name=concept, params=_params(concept_param)),
        dataset=Ref(name=data, params=_params(data_param)),
        trainer=Ref(name=trainer, params=_params(trainer_param)),
        encoding=encoding,
        noise=noise,
        n_train=n_train,
        n_test=n_test,
        keeps_confidence=confidence,
    )
    folder = out or folder_of(order)
    _train(order, range(seeds), folder)
    folders = tuple(folder / f"seed-{seed}" for seed in range(seeds))
    results = [result for path in folders for result in results_from_files([path])]
    verdicts = probe(results, alpha=alpha, concept=concept.replace("_", " "))
    show(verdicts, [folder], as_json=as_json)
    draw(verdicts, html=html, svg=svg, layout=layout, is_served=serve)


def _train(order: ConceptOrder, seeds: range, folder: Path) -> None:
    n_models = 2 * len(seeds_to_run(order, seeds, folder))
    with progress(f"Training {n_models} models", n_models, is_quiet=n_models == 0) as advance:
        run_concept(order, seeds, folder, on_model=lambda _: advance(1))


def _params(words: list[str] | None) -> dict[str, JsonValue]:
    """Parse name=value pairs; a value is JSON if possible, and text otherwise."""
    bad = [word for word in words or [] if "=" not in word]
    if bad:
        raise UnderstudyError(f"{bad[0]!r} is not a parameter. Write it as name=value.")
    return {name: _value(text) for name, _, text in (word.partition("=") for word in words or [])}


def _value(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return value
