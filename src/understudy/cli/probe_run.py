"""`understudy probe run`: train both models of a concept test and judge them."""

import json
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from understudy.cli.commands.probe_options import Output
from understudy.cli.probe_output import require_names, show
from understudy.cli.progress import progress
from understudy.errors import UnderstudyError
from understudy.probe import probe, results_from_files
from understudy.probe.result_store import ConceptOrder
from understudy.probe.verdicts import require_threshold
from understudy.schema import Ref
from understudy.workflow.concept_runs import folder_of, run_concept, seeds_to_run


def run(
    concept: str,
    *,
    data: str,
    trainer: str,
    seeds: int,
    n_train: int,
    n_test: int,
    encoding: Literal["quadrants", "side_channel"],
    noise: Literal["uniform", "normal", "shuffled", "empty"],
    concept_param: list[str] | None,
    data_param: list[str] | None,
    trainer_param: list[str] | None,
    confidence: bool,
    out: Path | None,
    alpha: float,
    output: Output,
) -> None:
    """Train both models of a concept test, with and without extra information, and judge their results."""
    require_names(output)
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
    show(verdicts, [folder], output)


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
