"""Stated facts: what a study tells people about its model, compared with the model itself."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from understudy.analyses.kernels.binomial import wilson_interval
from understudy.prepare.assets import with_paths
from understudy.prepare.bindings import Bound, bound_for, level_combinations
from understudy.registry import create
from understudy.roles import Dataset, HasMaps, Model, Sample
from understudy.schema import Study, blocks_in
from understudy.sources.picture_pools import answers_to_pool

N_TRIED = 500
"""Photos that a model without a card answers, to find how accurate it is."""
_ROUNDING = 0.051
_CONFIDENCE = 0.99


class _Known(NamedTuple):
    """An accuracy in per cent, with the values that it is compatible with, and where it is from."""

    share: float
    low: float
    high: float
    source: str


def stated_sentences(study: Study, root: Path) -> list[str]:
    """Return one sentence for each number about a model that the model itself contradicts."""
    return list(dict.fromkeys(_contradictions(study, root)))


def _contradictions(study: Study, root: Path) -> Iterator[str]:
    factors = tuple(factor.name for factor in study.factors if factor.scope == "between")
    for block in blocks_in(study.flow):
        stated, n_classes = block.task.params.get("accuracy"), block.task.params.get("n_classes")
        if block.task.name != "trade_off" or not isinstance(stated, int | float):
            continue
        for levels in level_combinations(study, factors):
            if any(levels.get(name, level) != level for name, level in block.when.items() if isinstance(level, str)):
                continue
            bound = bound_for(study, levels)
            if bound.model is None:
                continue
            model: Model = create("models", with_paths("models", bound.model, root))
            if isinstance(n_classes, int) and model.labels and n_classes != len(model.labels):
                yield (
                    f"People are told that the model knows {n_classes:,} classes, but it has {len(model.labels):,}. "
                    "Correct n_classes."
                )
            yield from _unknown_labels(model, bound, root)
            known = _known_accuracy(model, bound, root)
            if known is not None and not known.low <= stated <= known.high:
                yield (
                    f"People are told that the model is right for {stated:g}% of photos, but {known.source} "
                    f"{known.share:.1f}%. Correct the accuracy."
                )


def _known_accuracy(model: Model, bound: Bound, root: Path) -> _Known | None:
    if isinstance(model, HasMaps):
        scored = model.card.scores.get("accuracy")
        share = scored.get("test") if isinstance(scored, dict) else scored
        if not isinstance(share, int | float):
            return None
        return _Known(100 * share, 100 * share - _ROUNDING, 100 * share + _ROUNDING, "its card says")
    return _measured_accuracy(model, bound, root)


def _unknown_labels(model: Model, bound: Bound, root: Path) -> Iterator[str]:
    """Say which photos the model can only be wrong about; often a folder is misspelt."""
    photos = _labelled_photos(model, bound, root)
    if photos is None:
        return
    counts = Counter(str(label) for label in photos.attributes["label"])
    unknown = sorted({*counts} - {*model.labels})
    if unknown:
        yield (
            f"{sum(counts[label] for label in unknown):,} photos have the label {', '.join(map(repr, unknown[:5]))}, which "
            f"the model does not have among its classes ({', '.join(model.labels[:8])}), so that each of its answers to them "
            "counts as wrong. Correct the label (the name of the folder), or leave these photos out."
        )


def _labelled_photos(model: Model, bound: Bound, root: Path) -> Sample | None:
    if bound.dataset is None or not model.labels:
        return None
    dataset: Dataset = create("datasets", with_paths("datasets", bound.dataset, root))
    whole = getattr(dataset, "whole", None)
    sample = whole() if callable(whole) else None
    return sample if sample is not None and sample.pictures is not None and "label" in sample.attributes else None


def _measured_accuracy(model: Model, bound: Bound, root: Path) -> _Known | None:
    """Try the model on photos of the study; the stated accuracy may differ as far as so many photos can."""
    sample = _labelled_photos(model, bound, root)
    if sample is None or sample.pictures is None:
        return None
    n = sample.pictures.shape[0]
    # Spread over the whole folder, because photos are sorted by class.
    places = range(0, n, -(-n // N_TRIED))
    answers = [int(answers_to_pool(model, sample.pictures, k, k + 1).argmax()) for k in places]
    n_right = sum(
        model.labels[answer] == sample.attributes["label"][k] for answer, k in zip(answers, places, strict=True)
    )
    interval = wilson_interval(n_right, len(places), level=_CONFIDENCE)
    share = 100 * n_right / len(places)
    return _Known(
        share, 100 * interval.low, 100 * interval.high, f"on {len(places)} photos of the study it is right for"
    )
