"""Concepts: factors of both signs found again, importance as a derivative, and the rule by which they are kept."""

import numpy as np
import pytest

from understudy.errors import MaterialsError

torch = pytest.importorskip("torch", reason="needs the extra torch")

from tests.training.squares import square_rows, tiny_flow  # noqa: E402
from understudy.training.concepts import ConceptScores, concept_scores, factorised, kept_concepts  # noqa: E402
from understudy.training.flow_nets import Place  # noqa: E402
from understudy.training.picture_data import levels_to_values  # noqa: E402

torch.set_num_threads(1)


def test_a_low_rank_signal_of_both_signs_is_found_again() -> None:
    rng = np.random.default_rng(1)
    rows, channels = rng.normal(size=(200, 3)), rng.normal(size=(3, 12))
    matrix = rows @ channels + rng.normal(size=(200, 1)) + 5 * rng.normal(size=12)
    found = factorised(matrix, 3, rng)
    np.testing.assert_allclose(found.fitted, matrix, atol=1e-3)
    # The same space: every true concept is a mixture of those found, after the biases are taken out.
    spanned = np.vstack([found.channels, np.ones(12)])
    rest = channels - channels @ np.linalg.pinv(spanned) @ spanned
    assert np.abs(rest).max() < 1e-3


def test_more_rounds_never_fit_worse() -> None:
    matrix = np.random.default_rng(2).normal(size=(60, 10))
    errors = [
        float(((factorised(matrix, 4, np.random.default_rng(3), n_rounds=n).fitted - matrix) ** 2).sum())
        for n in (1, 5, 25)
    ]
    assert errors[0] > errors[1] > errors[2]


def test_the_fit_with_many_rounds_is_the_best_of_its_rank() -> None:
    matrix = np.random.default_rng(4).normal(size=(80, 9))
    fitted = factorised(matrix, 2, np.random.default_rng(5), n_rounds=400).fitted
    # Row and column means out, then the truncated singular values: the best that factors and biases can do is no worse.
    centred = matrix - matrix.mean(0) - matrix.mean(1, keepdims=True) + matrix.mean()
    best = float((np.linalg.svd(centred, compute_uv=False)[2:] ** 2).sum())
    assert float(((fitted - matrix) ** 2).sum()) <= best * 1.001


@pytest.mark.parametrize("n_components", [0, 9])
def test_an_impossible_number_of_concepts_is_refused(n_components: int) -> None:
    with pytest.raises(MaterialsError, match="Ask for 1 to 8"):
        factorised(np.zeros((20, 8)), n_components, np.random.default_rng(1))


def test_similarity_and_importance_are_those_of_a_linear_logit() -> None:
    rng = np.random.default_rng(1)
    maps = torch.from_numpy(rng.normal(size=(5, 2, 2, 3))).float()
    weights = torch.tensor([1.0, -2.0, 0.5])
    concepts = rng.normal(size=(4, 3))
    scores = concept_scores(maps, concepts, lambda values: (values @ weights).sum((1, 2)))
    np.testing.assert_allclose(scores.similarity[2, 1, 0], concepts @ maps[2, 1, 0].numpy(), atol=1e-5)
    # At all four positions at once.
    np.testing.assert_allclose(scores.importance, np.tile(4 * concepts @ weights.numpy(), (5, 1)), atol=1e-5)


def test_importance_is_the_slope_of_the_logit_of_a_flow() -> None:
    flow, place = tiny_flow(), Place(1, 1)
    with torch.no_grad():
        maps = flow.map_at(levels_to_values(square_rows(4).levels), place)
    concept = np.random.default_rng(1).normal(size=(1, maps.shape[-1]))
    scores = concept_scores(maps, concept, lambda values: flow.logit_from_map(values, place))
    step = 1e-3 * torch.from_numpy(concept[0]).float()
    with torch.no_grad():
        ahead, behind = (flow.logit_from_map(maps + sign * step, place) for sign in (1, -1))
    np.testing.assert_allclose(scores.importance[:, 0], (ahead - behind) / 2e-3, atol=0.02)


def test_the_strongest_correlations_are_kept_whatever_their_sign() -> None:
    rng = np.random.default_rng(6)
    logits = rng.normal(size=300)
    summed = np.column_stack([rng.normal(size=300), -logits, logits + rng.normal(size=300), np.zeros(300)])
    scores = ConceptScores(summed[:, None, None, :], np.ones((300, 4)), logits)
    kept = kept_concepts(scores, n_kept=3, least=0.2)
    assert [concept.concept for concept in kept] == [1, 2]
    assert kept[0].r == pytest.approx(-1)
    assert kept[1].r == pytest.approx(float(np.corrcoef(summed[:, 2], logits)[0, 1]))
