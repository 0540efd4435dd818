"""Importance: against a plain loop, known answers, and intervals that cover."""

import numpy as np
import pytest

from understudy.statistics.attribute_importance import direction, importance, r_squared


def test_numbers_are_those_of_a_plain_loop() -> None:
    rng = np.random.default_rng(1)
    logits, moved = rng.normal(size=80), rng.normal(size=80)
    changed = logits + 0.5 * moved + rng.normal(size=80)
    result = importance(logits, changed, moved, rng=rng, n_resamples=20)
    n_flipped, sizes = 0, []
    for before, after in zip(logits, changed, strict=True):
        n_flipped += (before > 0) != (after > 0)
        sizes.append(abs(after - before))
    slope, intercept = np.polyfit(moved, changed - logits, 1)
    rest = changed - logits - slope * moved - intercept
    assert result.flip_rate.value == n_flipped / 80
    assert result.median_change.value == pytest.approx(sorted(sizes)[39] / 2 + sorted(sizes)[40] / 2)
    assert result.r_squared.value == pytest.approx(1 - rest.var() / (changed - logits).var())
    assert result.n == 80


def test_the_line_has_an_intercept() -> None:
    moved = np.linspace(-1, 1, 9)
    assert r_squared(7 + 2 * moved, moved) == pytest.approx(1)


@pytest.mark.parametrize(("change", "moved"), [(np.zeros(5), np.arange(5.0)), (np.arange(5.0), np.full(5, 0.3))])
def test_what_never_changes_explains_nothing(change: np.ndarray, moved: np.ndarray) -> None:
    assert r_squared(change, moved) == 0
    result = importance(np.ones(5), 1 + change, moved, rng=np.random.default_rng(1), n_resamples=50)
    assert result.r_squared == (0, (0, 0))


def test_a_logit_of_nothing_counts_as_class_0() -> None:
    result = importance([0.0, 0.0], [-1.0, 1.0], [0.1, 0.2], rng=np.random.default_rng(1), n_resamples=5)
    assert result.flip_rate.value == 0.5


def test_a_flip_is_not_a_direction() -> None:
    rng = np.random.default_rng(2)
    logits, moved = rng.normal(size=4000), rng.normal(size=4000)
    result = importance(logits, -logits, moved, rng=rng, n_resamples=100)
    assert result.flip_rate.value == 1
    assert result.r_squared.value < 0.01


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(3)
    n_covered = np.zeros(2)
    for _ in range(200):
        moved = rng.normal(size=150)
        logits = rng.normal(size=150)
        changed = logits + moved + rng.normal(size=150)
        result = importance(logits, changed, moved, rng=rng, n_resamples=200, level=0.9)
        # The change is normal with variance 2: half of it explained, its median size 0.6745 √2.
        for number, (estimate, truth) in enumerate(((result.r_squared, 0.5), (result.median_change, 0.9539))):
            n_covered[number] += estimate.interval.low <= truth <= estimate.interval.high
    assert np.all(np.abs(n_covered / 200 - 0.9) < 0.07)


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.random.default_rng(4).normal(size=(3, 40))
    first, second = (importance(*values, rng=np.random.default_rng(5)) for _ in range(2))
    assert first == second


def test_many_pictures_are_resampled_in_batches_of_limited_size() -> None:
    values = np.random.default_rng(4).normal(size=(3, 5000))
    low, high = importance(*values, rng=np.random.default_rng(5), n_resamples=1000).flip_rate.interval
    # As wide as that of a share of one half.
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / 5000**0.5, rel=0.1)


def test_angles_point_towards_larger_values_of_the_attribute() -> None:
    weights = np.array([0.0, 2.0])
    latents = np.array([[3.0, 4.0], [-3.0, -4.0], [3.0, -4.0]])
    result = direction(np.linalg.norm(latents, axis=1), latents @ weights, [1.0, -1.0, -2.0], weight_length=2.0)
    assert (result.norm, result.norm_deviation) == (5, 0)
    assert result.angle == pytest.approx(np.degrees(np.arccos(0.8)))
    assert result.angle_deviation == pytest.approx(0, abs=1e-6)


def test_a_partner_that_is_the_same_picture_has_no_angle() -> None:
    result = direction([0.0, 1.0], [0.0, 1.0], [0.0, 1.0], weight_length=1.0)
    assert (result.norm, result.angle) == (0.5, 0)
    assert np.isnan(result.angle_deviation)


@pytest.mark.parametrize(
    ("words", "said"), [({"n_resamples": 0}, "at least 1 is needed"), ({"level": 95}, "between 0 and 1")]
)
def test_impossible_options_are_refused(words: dict[str, int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        importance([1.0, 2.0], [2.0, 1.0], [0.0, 1.0], rng=np.random.default_rng(1), **words)


def test_a_classifier_without_weights_has_no_direction() -> None:
    with pytest.raises(ValueError, match="needs weights other than 0"):
        direction([1.0, 1.0], [0.0, 0.0], [1.0, 1.0], weight_length=0.0)
