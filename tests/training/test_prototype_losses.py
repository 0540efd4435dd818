"""Losses of prototypes: near to their own class, far from the other, near to some case."""

import pytest

torch = pytest.importorskip("torch", reason="needs the extra torch")

from understudy.training.classifiers import move_onto_cases  # noqa: E402
from understudy.training.losses import MAX_DISTANCE, PrototypeWeights, prototype_loss  # noqa: E402
from understudy.training.prototypes import Prototypes  # noqa: E402


def head_at(*places: float) -> Prototypes:
    head = Prototypes(2, len(places) // 2, 1)
    with torch.no_grad():
        head.places.copy_(torch.tensor(places)[:, None])
    return head


def loss_of(head: Prototypes, weights: PrototypeWeights) -> float:
    return float(prototype_loss(head, torch.tensor([[0.0], [1.0]]), torch.tensor([0, 1]), weights).detach())


@pytest.mark.parametrize(
    ("weights", "added"),
    [
        # Each case is 0.1 from its prototype and 0.9 from the other, squared.
        (PrototypeWeights(separation=0.0, clustering=1.0), 0.01),
        (PrototypeWeights(separation=1.0), -0.81),
        (PrototypeWeights(separation=0.0, grounding=1.0), 0.01),
    ],
)
def test_a_distance_counts_by_its_weight(weights: PrototypeWeights, added: float) -> None:
    head = head_at(0.1, 0.9)
    plain = loss_of(head, PrototypeWeights(separation=0.0))
    assert loss_of(head, weights) - plain == pytest.approx(added, abs=1e-6)


def test_prototypes_of_the_other_class_are_far_enough_at_some_distance() -> None:
    near, far = (
        loss_of(head_at(-place, 1 + place), PrototypeWeights(1.0))
        - loss_of(head_at(-place, 1 + place), PrototypeWeights(0.0))
        for place in (2.0, 9.0)
    )
    assert near == pytest.approx(-MAX_DISTANCE)
    assert far == pytest.approx(-MAX_DISTANCE)


def test_only_allowed_cases_become_prototypes_where_there_are_enough() -> None:
    latents, labels = torch.tensor([[0.0], [0.4], [1.0], [0.6]]), torch.tensor([0, 0, 1, 1])
    allowed = torch.tensor([False, True, True, False]).numpy()
    assert move_onto_cases(head_at(0.1, 0.5), latents, labels, allowed=allowed).tolist() == [1, 2]
    assert move_onto_cases(head_at(0.1, 0.5), latents, labels, allowed=~allowed & False).tolist() == [0, 3]
