"""Explaining: each item alone and from its own seed, so that batches and processes do not change the result."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from understudy.errors import MaterialsError
from understudy.prepare.assets import with_addresses, with_paths
from understudy.prepare.bindings import Bound
from understudy.prepare.cache_dependencies import cache_dependencies
from understudy.prepare.explanation_store import keep_explanation, kept_explanation
from understudy.prepare.items import DrawnItems
from understudy.registry import Catalogue, create
from understudy.roles import Explained, Explainer, Floats, HasCost, Model
from understudy.schema import Json, Ref, Stimulus, canonical_json, digest_of, json_from_record, seed_from

FEW = 8
"""Up to so many explanations, starting other processes takes longer than it saves."""
_N_DIGITS = 6


class Explaining(NamedTuple):
    """Where explanations are cached, how many processes compute them, and how many are computed."""

    kept_in: Path | None = None
    n_workers: int = 1
    on_progress: Callable[[int], None] = lambda _: None
    n_tried: int | None = None
    """For a trial run: how many items of each set a costly method explains; the rest get no explanation."""


class _Task(NamedTuple):
    """Everything that is needed to explain the items of a set."""

    method: Ref
    model: Ref
    inputs: Floats
    seeds: Sequence[int]


class _Portion(NamedTuple):
    """Items that are sent to a process together."""

    method: str
    model: str
    indices: tuple[int, ...]
    rows: Floats
    seeds: tuple[int, ...]


class ExplainedItems(NamedTuple):
    """Items with their explanations, and the pictures these show."""

    stimuli: tuple[Stimulus, ...]
    files: dict[str, bytes]


def explained(drawn: DrawnItems, bound: Bound, *, seed: int, root: Path, how: Explaining) -> ExplainedItems:
    """Attach the bound explanation to each item, if one is bound."""
    if bound.explainer is None:
        return ExplainedItems(drawn.stimuli, {})
    if bound.model is None or drawn.inputs is None:
        raise MaterialsError(
            f"Explainer {bound.explainer.name!r} has no model or no numeric inputs to explain. "
            "Bind a model and a dataset."
        )
    method, model = with_paths("explainers", bound.explainer, root), with_paths("models", bound.model, root)
    seeds = [seed_from(seed, "prepare", "explain", stimulus.stimulus_id) for stimulus in drawn.stimuli]
    task = _Task(method, model, drawn.inputs, seeds)
    digests = _digests(bound, task, root=root) if how.kept_in is not None else []
    by_index: dict[int, Explained] = {}
    for index, digest in enumerate(digests):
        cached = kept_explanation(how.kept_in, digest) if how.kept_in is not None else None
        if cached is not None:
            by_index[index] = cached
    how.on_progress(len(by_index))
    n_wanted = len(seeds) if how.n_tried is None or not _is_costly(method) else how.n_tried
    missing = [index for index in range(len(seeds)) if index not in by_index][:n_wanted]
    for index, computed in _computed(task, missing, how):
        by_index[index] = computed
        # Stored one by one, so that an interrupted run continues where it stopped.
        if how.kept_in is not None:
            keep_explanation(how.kept_in, digests[index], computed)
        how.on_progress(1)
    stimuli = tuple(
        stimulus.model_copy(update={"explanation": by_index[index].explanations[0] if index in by_index else None})
        for index, stimulus in enumerate(drawn.stimuli)
    )
    files = {address: file for item in by_index.values() for address, file in item.files.items()}
    return ExplainedItems(stimuli, files)


def _digests(bound: Bound, task: _Task, *, root: Path) -> list[str]:
    """Name each explanation by all it depends on: program, model, method and its settings, other numbers, item and seed.

    The model's answers count too, because a model that is trained again keeps its name.
    """
    explainer, model = _explainer(_written(task.method)), _model(_written(task.model))
    dependencies = [model.predict(task.inputs), *cache_dependencies(explainer, task.inputs)]
    shared: Json = {
        "program": version("understudy"),
        "method": _by_content("explainers", bound.explainer, root),
        "model": _by_content("models", bound.model, root),
        "grounds": [_digest_of_numbers(numbers) for numbers in dependencies],
    }
    return [
        digest_of({**shared, "item": _digest_of_numbers(row), "seed": seed})
        for row, seed in zip(task.inputs, task.seeds, strict=True)
    ]


def _by_content(catalogue: Catalogue, ref: Ref | None, root: Path) -> Json | None:
    """Write an entry with its files under the digests of their content."""
    return None if ref is None else json_from_record(with_addresses(catalogue, ref, root)[0])


def _digest_of_numbers(numbers: Floats) -> str:
    # Adding zero turns minus zero, which has other bytes, into zero.
    rounded = np.round(np.asarray(numbers, dtype=np.float64), _N_DIGITS) + 0.0
    return hashlib.sha256(repr(rounded.shape).encode() + rounded.tobytes()).hexdigest()


def _computed(task: _Task, missing: list[int], how: Explaining) -> Iterator[tuple[int, Explained]]:
    is_shared = how.n_workers > 1 and len(missing) > FEW and _is_costly(task.method)
    n_portions = min(len(missing), 4 * how.n_workers) if is_shared else len(missing)
    method, model = _written(task.method), _written(task.model)
    portions = [
        _Portion(method, model, tuple(indices), task.inputs[indices], tuple(task.seeds[index] for index in indices))
        for indices in (missing[start::n_portions] for start in range(n_portions))
    ]
    if not is_shared:
        done: Iterator[list[tuple[int, Explained]]] = map(_explained_portion, portions)
    else:
        run = Parallel(n_jobs=how.n_workers, return_as="generator_unordered", batch_size=1)
        done = run(delayed(_explained_portion)(portion) for portion in portions)
    for portion in done:
        yield from portion


def _explained_portion(portion: _Portion) -> list[tuple[int, Explained]]:
    explainer, model = _explainer(portion.method), _model(portion.model)
    # One thread, because sums that are split among threads differ in their last digits.
    with threadpool_limits(limits=1, user_api="blas"):
        return [
            (index, explainer.explain(model, row[None], None, np.random.default_rng(seed)))
            for index, row, seed in zip(portion.indices, portion.rows, portion.seeds, strict=True)
        ]


def _is_costly(method: Ref) -> bool:
    explainer = _explainer(_written(method))
    return isinstance(explainer, HasCost) and explainer.is_costly


def _written(ref: Ref) -> str:
    return canonical_json(json_from_record(ref))


@lru_cache(maxsize=8)
def _explainer(written: str) -> Explainer:
    explainer: Explainer = create("explainers", Ref.model_validate_json(written))
    return explainer


@lru_cache(maxsize=8)
def _model(written: str) -> Model:
    model: Model = create("models", Ref.model_validate_json(written))
    return model
