"""Explaining: each item by itself and from a seed of its own, so that neither batches nor processes change a word."""

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
"""Explanations for which it does not pay to start other processes."""
_N_DIGITS = 6


class Explaining(NamedTuple):
    """Where explanations are kept, how many processes compute them, who is told of each, and whether all are made."""

    kept_in: Path | None = None
    n_workers: int = 1
    on_progress: Callable[[int], None] = lambda _: None
    n_tried: int | None = None
    """Where a method is only to be tried: how many items of each set a costly one explains; the rest stay bare."""


class _Portion(NamedTuple):
    """Items that travel to a process together."""

    method: str
    model: str
    places: tuple[int, ...]
    rows: Floats
    seeds: tuple[int, ...]


class ExplainedItems(NamedTuple):
    """Items with their explanations, and the pictures these show."""

    stimuli: tuple[Stimulus, ...]
    files: dict[str, bytes]


def explained(drawn: DrawnItems, bound: Bound, *, seed: int, root: Path, how: Explaining) -> ExplainedItems:
    """Attach the bound explanation to each item; items stay bare where none is bound."""
    if bound.explainer is None:
        return ExplainedItems(drawn.stimuli, {})
    if bound.model is None or drawn.inputs is None:
        raise MaterialsError(
            f"Explainer {bound.explainer.name!r} has no model or no numeric inputs to explain. "
            "Bind a model and a dataset."
        )
    method, model = with_paths("explainers", bound.explainer, root), with_paths("models", bound.model, root)
    seeds = [seed_from(seed, "prepare", "explain", stimulus.stimulus_id) for stimulus in drawn.stimuli]
    digests = _digests(bound, (method, model), drawn.inputs, seeds, root=root) if how.kept_in is not None else []
    said: dict[int, Explained] = {}
    for place, digest in enumerate(digests):
        found = kept_explanation(how.kept_in, digest) if how.kept_in is not None else None
        if found is not None:
            said[place] = found
    how.on_progress(len(said))
    n_wanted = len(seeds) if how.n_tried is None or not _is_costly(method) else how.n_tried
    missing = [place for place in range(len(seeds)) if place not in said][:n_wanted]
    for place, one in _computed(method, model, drawn.inputs, seeds, (missing, how)):
        said[place] = one
        if how.kept_in is not None:
            keep_explanation(how.kept_in, digests[place], one)
        how.on_progress(1)
    stimuli = tuple(
        stimulus.model_copy(update={"explanation": said[place].explanations[0] if place in said else None})
        for place, stimulus in enumerate(drawn.stimuli)
    )
    return ExplainedItems(stimuli, {address: file for one in said.values() for address, file in one.files.items()})


def _digests(bound: Bound, found: tuple[Ref, Ref], inputs: Floats, seeds: Sequence[int], *, root: Path) -> list[str]:
    """Name each explanation by all it depends on: program, model, method with its settings, grounds, item and seed.

    A model counts by its answers too, because one that is trained again keeps its name.
    """
    explainer, answering = _explainer(_written(found[0])), _model(_written(found[1]))
    grounds = [answering.predict(inputs), *cache_dependencies(explainer, inputs)]
    shared: Json = {
        "program": version("understudy"),
        "method": _by_content("explainers", bound.explainer, root),
        "model": _by_content("models", bound.model, root),
        "grounds": [_digest_of_numbers(one) for one in grounds],
    }
    return [
        digest_of({**shared, "item": _digest_of_numbers(row), "seed": seed})
        for row, seed in zip(inputs, seeds, strict=True)
    ]


def _by_content(catalogue: Catalogue, ref: Ref | None, root: Path) -> Json | None:
    """Write an entry with its files under the digests of their content."""
    return None if ref is None else json_from_record(with_addresses(catalogue, ref, root)[0])


def _digest_of_numbers(numbers: Floats) -> str:
    # Adding zero turns minus zero, which other bytes stand for, into zero.
    rounded = np.round(np.asarray(numbers, dtype=np.float64), _N_DIGITS) + 0.0
    return hashlib.sha256(repr(rounded.shape).encode() + rounded.tobytes()).hexdigest()


def _computed(
    method: Ref, model: Ref, inputs: Floats, seeds: Sequence[int], asked: tuple[list[int], Explaining]
) -> Iterator[tuple[int, Explained]]:
    places, how = asked
    is_shared = how.n_workers > 1 and len(places) > FEW and _is_costly(method)
    n_portions = min(len(places), 4 * how.n_workers) if is_shared else len(places)
    portions = [
        _Portion(
            _written(method), _written(model), tuple(some), inputs[some], tuple(seeds[place] for place in some)
        )
        for some in (places[start::n_portions] for start in range(n_portions))
    ]  # fmt: skip
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
            (place, explainer.explain(model, row[None], None, np.random.default_rng(seed)))
            for place, row, seed in zip(portion.places, portion.rows, portion.seeds, strict=True)
        ]


def _is_costly(method: Ref) -> bool:
    explainer = _explainer(_written(method))
    return isinstance(explainer, HasCost) and explainer.is_costly


def _written(ref: Ref) -> str:
    return canonical_json(json_from_record(ref))


@lru_cache(maxsize=8)
def _explainer(written: str) -> Explainer:
    made: Explainer = create("explainers", Ref.model_validate_json(written))
    return made


@lru_cache(maxsize=8)
def _model(written: str) -> Model:
    made: Model = create("models", Ref.model_validate_json(written))
    return made
