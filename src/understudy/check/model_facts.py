"""What people are told about a model next to what it does, and dials that do nothing."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from understudy.participants.dial_page import SLACK, DialPage
from understudy.prepare import Prepared
from understudy.prepare.assets import with_paths
from understudy.prepare.bindings import Bound, bound_for, level_combinations
from understudy.registry import create
from understudy.roles import Dataset, Floats, HasMaps, Model, Sample
from understudy.schema import Levels, Stage, Study, blocks_in
from understudy.simulate.actor import scene_of
from understudy.sources.picture_pools import answers_to_pool
from understudy.statistics.describe import wilson_interval

N_POSITIONS = 9
"""Positions of a dial that are tried."""
MAX_QUESTIONS = 12
"""Questions of a model that are tried; more would only make the check slower."""
NARROW = 0.1
"""A dial has collapsed if its range is below this share of the usual one, and nothing visible depends on it."""
STILL = 0.25
"""Share of questions in which a dial may do nothing visible before people should hear of it."""


class _Question(NamedTuple):
    page: DialPage
    target: Floats
    """The code of the target."""


class _Model(NamedTuple):
    name: str
    """Levels of factors under which the decoder is shown."""
    questions: list[_Question]


def dial_sentences(prepared: Prepared) -> list[str]:
    """Return one sentence for each dial of a live model that people cannot learn anything about by turning it."""
    return [sentence for model in _models(prepared).values() for sentence in _model_sentences(model)]


def _models(prepared: Prepared) -> dict[str, _Model]:
    """Return the decoders of the main stages, by address."""
    main = {block.block_id for block in blocks_in(prepared.study.flow) if _is_main(block)}
    models: dict[str, _Model] = {}
    for trial_set in prepared.materials.trial_sets:
        for trial_id in trial_set.trial_ids if trial_set.block_id in main else ():
            trial = prepared.materials.trials[trial_id]
            page = DialPage.of(trial, scene_of(trial, prepared.files))
            code = prepared.key.truth.get(trial_id, {}).get("target_code")
            if page is None or code is None:
                continue
            live = trial.params["decoder"]
            address = str(live["address"]) if isinstance(live, dict) else ""
            model = models.setdefault(address, _Model(model_name(trial_set.levels), []))
            if len(model.questions) < MAX_QUESTIONS:
                model.questions.append(_Question(page, np.asarray(json.loads(str(code)), dtype=np.float64)))
    return models


def _is_main(block: object) -> bool:
    return isinstance(block, Stage) and block.purpose == "main"


def model_name(levels: Levels) -> str:
    """Return the model that these levels of factors show, in words."""
    return ", ".join(f"{factor} {level}" for factor, level in levels.items()) or "the model"


def _model_sentences(model: _Model) -> Iterator[str]:
    dials = model.questions[0].page.dials
    widths = [dial.width for dial in dials if dial.kind != "discrete"]
    for index, dial in enumerate(dials):
        losses = [_loss(question, index) for question in model.questions]
        limits = [1 - question.page.threshold + SLACK for question in model.questions]
        n_still = sum(loss <= limit for loss, limit in zip(losses, limits, strict=True))
        if n_still < STILL * len(losses):
            continue
        where = f"Dial {index + 1} ({model.name})"
        if dial.kind != "discrete" and dial.width < NARROW * median(widths):
            yield (
                f"{where} has collapsed: its range of {dial.width:.2g} is {dial.width / median(widths):.0%} of what is "
                f"usual for this model, and nothing visible depends on it. Leave it out of the card, or tell people."
            )
        else:
            yield (
                f"{where} changes nothing visible in {n_still} of {len(losses)} questions: with all other dials right, "
                f"the question counts as solved wherever it is (the agreement falls by {median(losses):.2f} at most, in "
                "the median). People cannot learn from such questions what it does; choose other targets, or a stricter "
                "distance."
            )


def _loss(question: _Question, dial: int) -> float:
    """Return by how much one dial alone can lower the agreement at the target."""
    page, spec = question.page, question.page.dials[dial]
    positions = (
        np.arange(spec.n_inputs, dtype=np.float64)
        if spec.kind == "discrete"
        else np.linspace(spec.low, spec.high, N_POSITIONS)
    )
    return float(1 - page.look(page.codes_along(question.target, dial, positions)).agreements.min())


# Stated facts: what a study tells people about its model, compared with the model itself.

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
