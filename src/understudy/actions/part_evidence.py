"""Part evidence: whether the maps of a network point at the parts of creatures that its answer depends on.

The truth is measured and not assumed: each part of a creature is removed, the creature is drawn again, and the fall of the
model's answer says how much the part counted. HIVE's photos offer no such truth.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from understudy.inference.map_models import MODEL_FILE, OpenedMapModel, walk_of
from understudy.inference.onnx_graphs import with_shuffled_head
from understudy.inference.onnx_models import session_from_bytes
from understudy.models.trained_models import MapModel
from understudy.roles import Floats, Ints
from understudy.sources.picture_pools import model_inputs
from understudy.worlds.creature_sets import render_creatures
from understudy.worlds.creatures import Creature
from understudy.worlds.part_importance import (
    ImportanceSettings,
    PartAgreement,
    part_agreement,
    part_importance,
    part_scores,
)


class EvidenceAgreement(NamedTuple):
    """How well the maps of a network agree with the importance of parts, and those of shuffled networks."""

    maps: PartAgreement
    shuffled: tuple[PartAgreement, ...]
    """The maps of the same network with shuffled last weights, against the same importance."""


def evidence_agreement(folder: str, creatures: Sequence[Creature], *, n_shuffled: int = 5) -> EvidenceAgreement:
    """Compare what a map model shows for its answers with what removing each part does to them.

    Heat is averaged within a part, since a sum would favour large parts. Maps with two signs are compared with the signed
    fall of the log odds, others with its size.
    """
    model = MapModel(folder=folder)
    card, opened = model.card, model.opened()
    truth = part_importance(model, creatures, settings=ImportanceSettings(edge=card.size[1]))
    is_signed = card.method == "patch_logits"
    importance = truth.log_odds if is_signed else np.abs(truth.log_odds)
    pictures = model_inputs(np.stack([drawn.picture for drawn in render_creatures(creatures, edge=card.size[1])]))

    def agreement_of(shown: OpenedMapModel) -> PartAgreement:
        maps = evidence_maps(shown, pictures, truth.targets)
        scores = part_scores(maps, truth.masks, kinds=truth.kinds, reduction="mean")
        return part_agreement(scores, importance, is_visible=truth.is_visible)

    return EvidenceAgreement(
        agreement_of(opened), tuple(agreement_of(shuffled) for shuffled in _shuffled(opened, n_shuffled))
    )


def evidence_maps(model: OpenedMapModel, pictures: Floats, targets: Ints) -> Floats:
    """Return one map for each picture, of what speaks for a class: (n, rows, columns).

    Prototypes are added up with their weights, and the steps of a tree where a prototype was present.
    """
    card, maps = model.card, model.maps(pictures)
    if card.method == "class_maps":
        return np.maximum(maps[np.arange(len(maps)), targets], 0)
    if card.method == "patch_logits":
        return maps[np.arange(len(maps)), targets]
    if card.method == "prototypes":
        weights = np.array([[p.weight * (p.label == label) for p in card.prototypes] for label in card.labels])
        added: Floats = np.einsum("np,nprc->nrc", weights[targets], maps)
        return added
    summed = np.zeros((len(maps), *maps.shape[2:]))
    for position, shown in enumerate(maps):
        walk = walk_of(shown, card)
        for node, is_present in zip(walk.nodes, walk.is_present, strict=True):
            if is_present:
                summed[position] += shown[card.nodes[node].prototype]
    return summed


def _shuffled(model: OpenedMapModel, n: int) -> Iterator[OpenedMapModel]:
    content = (model.folder / MODEL_FILE).read_bytes()
    for seed in range(n):
        shuffled = with_shuffled_head(content, np.random.default_rng(seed))
        yield replace(model, session=session_from_bytes(shuffled, what="The shuffled network"))
