"""Automatic scores of the decoders that a study binds to the groups of its table."""

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

from understudy.datasets.dials.reconstruction import Reconstruction
from understudy.errors import MaterialsError
from understudy.inference import OnnxDecoder
from understudy.registry import create
from understudy.report import ModelScores, PrintedResults, is_true_model, scores_from_card
from understudy.schema import Description, Levels, Study, matches
from understudy.workflow.training.decoder_scores import error_without_dials, shared_of_truth


class DecoderScores(NamedTuple):
    """Scores by group of the printed table, and why some are missing."""

    ours: Mapping[str, ModelScores]
    gaps: tuple[str, ...]


def automatic_scores_of(study: Study, printed: PrintedResults) -> DecoderScores:
    """Return the scores of the decoders for groups with printed automatic scores."""
    ours: dict[str, ModelScores] = {}
    gaps: list[str] = []
    for group, levels in _groups(study, printed).items():
        known = printed.scores.get(group)
        dataset = _questions(study, levels)
        if known is None or dataset is None:
            continue
        try:
            ours[group] = _scored(dataset.opened_decoder(), known)
        except MaterialsError as error:
            gaps.append(f"{known.label}: {error}")
    return DecoderScores(ours, tuple(gaps))


def _scored(decoder: OnnxDecoder, known: ModelScores) -> ModelScores:
    scores = scores_from_card(decoder.card, known.label, known.data)
    if is_true_model(decoder.card) and scores.shared is None:
        scores = scores._replace(shared=shared_of_truth(decoder.card))
    return scores._replace(error_without=error_without_dials(decoder))


def _groups(study: Study, printed: PrintedResults) -> dict[str, Levels]:
    """Return the factor levels of each group of the first printed measure that the study describes."""
    wanted = {column.description for column in printed.columns}
    description = next(
        (description for description in study.plan.descriptions if description.description_id in wanted), None
    )
    return {} if description is None else _levels_by_group(study, description)


def _levels_by_group(study: Study, description: Description) -> dict[str, Levels]:
    factors = [next(factor for factor in study.factors if factor.name == name) for name in description.by]
    return {
        ", ".join(levels): dict(zip(description.by, levels, strict=True))
        for levels in product(*(factor.levels for factor in factors))
    }


def _questions(study: Study, levels: Levels) -> Reconstruction | None:
    """Return the dial questions that are bound to these levels; later bindings win."""
    dataset = None
    for binding in study.bindings:
        ref = binding.dataset
        if ref is not None and ref.name == "reconstruction" and matches(binding.when, levels):
            dataset = create("datasets", ref)
    return dataset if isinstance(dataset, Reconstruction) else None
