"""Run a concept test by name for each seed without stored results."""

from collections.abc import Callable, Sequence
from pathlib import Path

from understudy.probe.concept_test import ConceptTest
from understudy.probe.result_files import ConceptOrder, is_stored, open_result_folder, store_results
from understudy.registry import create
from understudy.schema import digest_of

ROOT = Path("runs") / "probe"


def folder_of(order: ConceptOrder) -> Path:
    """Return the default folder for the results of a concept test."""
    return ROOT / f"{order.concept.name}-{digest_of(order)[:12]}"


def seeds_to_run(order: ConceptOrder, seeds: Sequence[int], folder: Path) -> tuple[int, ...]:
    """Return the seeds that have no results yet."""
    open_result_folder(folder, order)
    return tuple(seed for seed in seeds if not is_stored(folder, seed))


def run_concept(
    order: ConceptOrder, seeds: Sequence[int], folder: Path, *, on_model: Callable[[str], None] = lambda _: None
) -> Path:
    """Train and test two models for each seed without results, and return the folder of results."""
    test = ConceptTest(
        dataset=create("datasets", order.dataset),
        concept=create("concepts", order.concept),
        trainer=create("trainers", order.trainer),
        encoding=order.encoding,
        noise=order.noise,
        n_train=order.n_train,
        n_test=order.n_test,
    )
    for seed in seeds_to_run(order, seeds, folder):
        results = test.results(seed, data_seed=order.data_seed, on_model=on_model)
        store_results(results, folder, seed=seed, with_confidence=order.keeps_confidence)
    return folder
