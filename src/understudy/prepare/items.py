"""Draws the items of a set: from the bound dataset, under the bound model, balanced over its strata."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from understudy.conduct import balanced_order
from understudy.errors import MaterialsError
from understudy.prepare.assets import with_paths
from understudy.prepare.balance import pick_balanced
from understudy.prepare.bindings import Bound
from understudy.registry import create
from understudy.roles import Floats, Model, Rng, Sample
from understudy.schema import ItemSet, Json, Stimulus, Study, digest_of
from understudy.sources.legends import require_same_legend

MAX_POOL = 200_000
"""How many inputs are looked through before a balance is called impossible."""


@dataclass(frozen=True)
class DrawnItems:
    """Items of one set under one combination of levels, with the numbers explainers need."""

    stimuli: tuple[Stimulus, ...]
    inputs: Floats | None
    assets: Mapping[str, bytes]


def draw_items(
    study: Study, item_set: ItemSet, bound: Bound, rng: Rng, *, taken: Collection[str], root: Path
) -> DrawnItems:
    """Draw until the set is full and balanced, or say why it cannot be."""
    ref = item_set.dataset or bound.dataset
    if ref is None:
        raise MaterialsError(
            f"Item set {item_set.name!r} has no data: name a dataset in the set, or bind one to its conditions."
        )
    dataset = create("datasets", with_paths("datasets", ref, root))
    model = create("models", with_paths("models", bound.model, root)) if bound.model else None
    n_pool = item_set.n_items if not (item_set.strata or taken) else max(64, 8 * item_set.n_items)
    while True:
        sample: Sample = dataset.draw(n_pool, rng)
        attributes = _attributes(sample, model)
        if model is not None:
            require_same_legend(model, sample.legend, of=f"item set {item_set.name!r} has")
        _require_strata(item_set, attributes)
        _require_same_labels(item_set, attributes, model)
        ids = _stimulus_ids(sample.contents)
        free = [k for k, one in enumerate(ids) if one not in taken]
        chosen = _chosen(study, item_set, attributes, free, rng)
        if chosen is not None:
            return _drawn(item_set, sample, attributes, [(ids[k], k) for k in chosen])
        if len(sample.contents) < n_pool or n_pool >= MAX_POOL:
            raise MaterialsError(_shortage(study, item_set, attributes, free))
        n_pool *= 4


def _attributes(sample: Sample, model: Model | None) -> dict[str, Sequence[Any]]:
    attributes: dict[str, Sequence[Any]] = dict(sample.attributes)
    if model is not None and sample.inputs is not None and model.labels:
        attributes["prediction"] = [model.labels[int(k)] for k in np.argmax(model.predict(sample.inputs), axis=1)]
        if "label" in attributes:
            pairs = zip(attributes["prediction"], attributes["label"], strict=True)
            attributes["model_is"] = ["right" if one == other else "wrong" for one, other in pairs]
    return attributes


def _require_same_labels(item_set: ItemSet, attributes: Mapping[str, Sequence[Any]], model: Model | None) -> None:
    """Refuse a model that could never be right, where its being right or wrong is to be balanced."""
    is_judged = "model_is" in item_set.strata or {"label", "prediction"} <= {*item_set.strata}
    if model is None or not model.labels or not is_judged or "label" not in attributes:
        return
    known = sorted({str(one) for one in attributes["label"]})
    if not {*known} & {*model.labels}:
        raise MaterialsError(
            f"Item set {item_set.name!r} has the labels {', '.join(map(repr, known[:8]))}, but the model answers "
            f"{', '.join(map(repr, model.labels[:8]))}, so that it would never be right. Give the model the labels of the "
            "dataset, in the order of its outputs."
        )


def _require_strata(item_set: ItemSet, attributes: Mapping[str, Sequence[Any]]) -> None:
    absent = [name for name in item_set.strata if name not in attributes]
    if absent:
        raise MaterialsError(
            f"Item set {item_set.name!r} is to be balanced over {', '.join(map(repr, absent))}, which its items do not "
            f"have. They have: {', '.join(attributes) or 'no attributes'}."
        )


def _chosen(
    study: Study, item_set: ItemSet, attributes: Mapping[str, Sequence[Any]], free: list[int], rng: Rng
) -> list[int] | None:
    if not item_set.strata:
        return free[: item_set.n_items] if len(free) >= item_set.n_items else None
    strata = [tuple(str(attributes[name][k]) for name in item_set.strata) for k in free]
    wanted = _wanted_strata(study, item_set, strata)
    if _only_answer(item_set, attributes) is not None:
        return None
    if item_set.n_items % len(wanted):
        raise MaterialsError(
            f"Item set {item_set.name!r} cannot be balanced: {item_set.n_items} items over {len(wanted)} strata "
            f"({' x '.join(item_set.strata)}). Use a multiple of {len(wanted)}."
        )
    picked = pick_balanced(strata, item_set.n_items, wanted)
    if picked is None:
        return None
    order = balanced_order([strata[k] for k in picked], rng)
    return [free[picked[k]] for k in order]


def _wanted_strata(study: Study, item_set: ItemSet, found: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    declared = {factor.name: factor.levels for factor in study.factors if factor.scope == "item"}
    values = [
        declared.get(name) or tuple(sorted({stratum[place] for stratum in found}))
        for place, name in enumerate(item_set.strata)
    ]
    return list(product(*values))


def _drawn(
    item_set: ItemSet, sample: Sample, attributes: Mapping[str, Sequence[Any]], chosen: list[tuple[str, int]]
) -> DrawnItems:
    stimuli = tuple(
        Stimulus(
            stimulus_id=stimulus_id,
            content=sample.contents[k],
            truth={name: values[k] for name, values in attributes.items()},
            strata={name: attributes[name][k] for name in item_set.strata},
        )
        for stimulus_id, k in chosen
    )
    inputs = None if sample.inputs is None else sample.inputs[[k for _, k in chosen]]
    return DrawnItems(stimuli, inputs, sample.assets)


def _stimulus_ids(contents: Sequence[Json]) -> list[str]:
    """Name items by content; twins are numbered in the order of their drawing."""
    n_seen: dict[str, int] = {}
    ids = []
    for content in contents:
        digest = digest_of(content)[:16]
        n_seen[digest] = n_seen.get(digest, 0) + 1
        ids.append(digest if n_seen[digest] == 1 else f"{digest}-{n_seen[digest]}")
    return ids


def _only_answer(item_set: ItemSet, attributes: Mapping[str, Sequence[Any]]) -> str | None:
    """Return the answer of a model that is to be balanced over its answers, and gives one only."""
    answers = {str(one) for one in attributes["prediction"]} if "prediction" in item_set.strata else set()
    return answers.pop() if len(answers) == 1 else None


def _shortage(study: Study, item_set: ItemSet, attributes: Mapping[str, Sequence[Any]], free: Sequence[int]) -> str:
    over = f" in equal numbers over {' x '.join(item_set.strata)}" if item_set.strata else ""
    apart = f" that stand in none of {', '.join(item_set.apart_from)}" if item_set.apart_from else ""
    return (
        f"Item set {item_set.name!r} wants {item_set.n_items} items{over}{apart}, but its dataset gives too few "
        f"({len(free)} looked at{', attributes ' + ', '.join(attributes) if attributes else ''}). "
        f"{_rarest(study, item_set, attributes, free)}"
    )


def _rarest(study: Study, item_set: ItemSet, attributes: Mapping[str, Sequence[Any]], free: Sequence[int]) -> str:
    """Say which items there are too few of, and what to do."""
    only = _only_answer(item_set, attributes)
    if only is not None:
        return f"The model answers {only!r} to all of them. Bind a model that gives every answer, or other cases."
    if not item_set.strata or not free:
        return "Ask for fewer, or give more data."
    strata = [tuple(str(attributes[name][k]) for name in item_set.strata) for k in free]
    wanted = _wanted_strata(study, item_set, strata)
    rare = min(wanted, key=strata.count)
    told = " and ".join(f"{name} {value!r}" for name, value in zip(item_set.strata, rare, strict=True))
    of_them = dict(zip(item_set.strata, rare, strict=True))
    differs = "label" in of_them and of_them.get("prediction", of_them["label"]) != of_them["label"]
    is_wrong = differs or of_them.get("model_is") == "wrong"
    fitted = ", such as cases that the model was not fitted on" if is_wrong else ""
    return (
        f"{item_set.n_items // len(wanted)} with {told} are wanted, and there are {strata.count(rare)}. "
        f"Ask for fewer, or give more data{fitted}."
    )
