"""What grids are made from: networks cut in two, concept rows, and counterfactuals of networks that cannot be inverted."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra torch")

from tests.training.squares import SMALL_CNN, TINY, square_rows, tiny_flow  # noqa: E402
from understudy.errors import MaterialsError  # noqa: E402
from understudy.training.concepts import ConceptOptions, Subject, concept_rows, flow_subject, look_at, net_subject  # noqa: E402  # noqa: E402
from understudy.training.flow_nets import (  # noqa: E402
    FlowShape,
    PictureCnn,
)
from understudy.training.flow_run import latent_counterfactuals  # noqa: E402
from understudy.training.picture_data import levels_to_values  # noqa: E402
from understudy.training.picture_models import interpolated, realised, realised_logits  # noqa: E402
from understudy.training.picture_training import picture_net_from_recipe  # noqa: E402

torch.set_num_threads(1)
FEW = ConceptOptions(n_components=3, n_vectors=100, n_scored=50, n_kept=2, n_columns=3)


def small_net() -> PictureCnn:
    net = picture_net_from_recipe(replace(SMALL_CNN, widths=(6, 6)), 0).eval()
    last: Any = net.head[-1]
    with torch.no_grad():
        last.weight.mul_(20)
    return net


def subjects() -> list[tuple[str, Subject]]:
    return [("flow", flow_subject(tiny_flow())), ("net", net_subject(small_net(), 8))]


@pytest.mark.parametrize(("name", "subject"), subjects())
def test_the_logit_from_the_map_is_that_of_the_whole_network(name: str, subject: Subject) -> None:
    levels = square_rows(20).levels
    net = tiny_flow() if name == "flow" else small_net()
    with torch.no_grad():
        whole = net.logits(levels_to_values(levels)).numpy()
    look = look_at(subject, levels)
    assert look.logits == pytest.approx(whole, abs=1e-4)
    assert look.maps.ndim == 4


def test_a_flow_is_cut_in_the_block_with_maps_of_eight_by_eight() -> None:
    shape = FlowShape(32, (1, 2, 1), (4, 4, 4))
    values = torch.zeros(2, 32, 32, 3)
    assert flow_subject(tiny_flow(shape=replace(TINY))).map_of(values[:, :8, :8]).shape[1:3] == (2, 2)
    generator = torch.Generator().manual_seed(1)
    flow = type(tiny_flow())(shape, generator)
    assert flow_subject(flow).map_of(values).shape[1:3] == (8, 8)


def test_progress_is_told() -> None:
    told: list[int] = []
    look_at(flow_subject(tiny_flow()), square_rows(30).levels, say=told.append)
    assert told == [30]


@pytest.mark.parametrize("subject", [subject for _, subject in subjects()], ids=["flow", "net"])
def test_each_concept_has_a_row_of_high_and_one_of_low_similarity(subject: Subject) -> None:
    look = look_at(subject, square_rows(60).levels)
    rows = concept_rows(subject, look, np.random.default_rng(1), FEW)
    assert [row.is_high for row in rows] == [True, False] * 2
    for high, low in zip(rows[::2], rows[1::2], strict=True):
        assert high.concept == low.concept
        assert high.similarity.sum((1, 2)).min() > low.similarity.sum((1, 2)).max()
        assert len(set(high.places.tolist())) == 3
    assert abs(rows[0].r) >= abs(rows[2].r)


def test_the_same_randomness_gives_the_same_rows() -> None:
    subject = flow_subject(tiny_flow())
    look = look_at(subject, square_rows(60).levels)
    once, again = (concept_rows(subject, look, np.random.default_rng(1), FEW) for _ in range(2))
    assert all(np.array_equal(row.places, other.places) for row, other in zip(once, again, strict=True))


def test_too_few_pictures_for_examples_are_refused() -> None:
    subject = flow_subject(tiny_flow())
    with pytest.raises(MaterialsError, match="gives 2 examples of a concept, but a row shows 3"):
        concept_rows(subject, look_at(subject, square_rows(20).levels), np.random.default_rng(1), FEW)


def test_realised_logits_are_those_the_deviation_is_about() -> None:
    flow, targets = tiny_flow(), (-1.0, 0.0, 2.0)
    pictures = interpolated(flow, square_rows(4).levels, targets)
    logits = realised_logits(flow, pictures, is_rounded=True)
    assert logits.shape == (4, 3)
    error = (logits - torch.tensor(targets)).abs()
    assert float(error.max()) == pytest.approx(realised(flow, pictures, is_rounded=True).largest)


def test_a_flow_draws_counterfactuals_of_a_network_that_cannot_be_inverted() -> None:
    flow, net, levels = tiny_flow(), small_net(), square_rows(3).levels
    with torch.no_grad():
        start = net.logits(levels_to_values(levels))
    targets = (float(start.min()) - 0.3, float(start.mean()), float(start.max()) + 0.3)
    pictures = latent_counterfactuals(flow, net.logits, levels, targets)
    with torch.no_grad():
        reached = net.logits(pictures.values.flatten(0, 1)).reshape(3, 3)
    assert float((reached - torch.tensor(targets)).abs().max()) < 0.02


def test_a_target_that_is_already_reached_changes_nothing() -> None:
    flow, net, levels = tiny_flow(), small_net(), square_rows(1).levels
    with torch.no_grad():
        logit = float(net.logits(levels_to_values(levels))[0])
    pictures = latent_counterfactuals(flow, net.logits, levels, (logit,))
    assert float((pictures.values[:, 0] - levels_to_values(levels)).abs().max()) < 1e-4
