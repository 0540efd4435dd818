"""The maps of the shipped networks, compared with what removing parts of creatures does to their answers."""

import numpy as np
import pytest

from understudy.actions.part_evidence import evidence_agreement, evidence_maps
from understudy.inference.map_models import walk_of
from understudy.models.trained_models import MapModel
from understudy.sources.picture_pools import model_inputs
from understudy.worlds.creature_sets import CreatureSet, creatures_of, draw_creatures

pytest.importorskip("numba", reason="needs the extra scenes")
pytest.importorskip("onnx", reason="needs the extra torch")


def test_class_maps_follow_the_parts_that_count_and_those_of_shuffled_networks_do_not() -> None:
    creatures = creatures_of(CreatureSet(n=12, seed=5, part="test"))
    found = evidence_agreement("shipped:kim2022/gradcam", creatures, n_shuffled=4)
    assert found.maps.correlation > 0.3
    assert found.maps.low > 0
    assert abs(np.mean([copy.correlation for copy in found.shuffled])) < 0.25


def test_prototypes_add_up_with_their_weights_for_the_class_alone() -> None:
    opened = MapModel(folder="shipped:kim2022/protopnet").opened()
    pictures = model_inputs(draw_creatures(CreatureSet(n=2, seed=5, part="test")).pictures)
    targets = np.array([3, 0])
    maps = opened.maps(pictures)
    for place, target in enumerate(targets):
        wanted = np.zeros(maps.shape[2:])
        for number, prototype in enumerate(opened.card.prototypes):
            if prototype.label == opened.card.labels[target]:
                wanted += prototype.weight * maps[place, number]
        assert np.allclose(evidence_maps(opened, pictures, targets)[place], wanted)


def test_a_tree_adds_up_the_prototypes_that_it_found_on_its_way() -> None:
    opened = MapModel(folder="shipped:kim2022/prototree").opened()
    pictures = model_inputs(draw_creatures(CreatureSet(n=3, seed=5, part="test")).pictures)
    shown = evidence_maps(opened, pictures, np.zeros(3, dtype=np.int64))
    for maps, evidence in zip(opened.maps(pictures), shown, strict=True):
        walk = walk_of(maps, opened.card)
        found = [node for node, is_present in zip(walk.nodes, walk.is_present, strict=True) if is_present]
        assert np.allclose(evidence, sum((maps[opened.card.nodes[node].prototype] for node in found), np.zeros(1)))
