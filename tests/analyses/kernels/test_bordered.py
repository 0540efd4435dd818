import numpy as np
import pytest

from understudy.statistics.arrays import Floats
from understudy.statistics.crossed_logistic import Crossed, crossed_from_labels, factored, fit_glmm, level_blocks

N_ROWS = 90


def design_of(*n_levels: int) -> Crossed:
    rng = np.random.default_rng(1)
    return crossed_from_labels([rng.permutation(np.arange(N_ROWS) % n) for n in n_levels], N_ROWS)


def incidence(design: Crossed) -> Floats:
    return np.asarray(np.eye(design.n_levels)[design.codes].sum(axis=1), dtype=np.float64)


@pytest.mark.parametrize("n_levels", [(20, 6), (6, 20), (7, 25, 4), (12,)])
def test_blocks_solve_what_the_dense_matrix_solves(n_levels: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    design, weights = design_of(*n_levels), rng.uniform(0.1, 1, N_ROWS)
    # A factor without variance has a scale of zero.
    scale = np.where(design.factors == 0, 0.0 if len(n_levels) == 3 else 0.7, 0.4)
    z = incidence(design)
    counts = z.T @ (weights[:, None] * z)
    dense = np.eye(scale.size) + scale[:, None] * counts * scale
    spread = scale[:, None] * np.linalg.inv(dense) * scale
    system = factored(level_blocks(design, weights), scale)
    right = rng.normal(size=scale.size)
    assert system.solve(right) == pytest.approx(np.linalg.solve(dense, right))
    assert system.log_determinant() == pytest.approx(np.linalg.slogdet(dense)[1])
    assert system.blocks.diagonal() == pytest.approx(np.diag(counts))
    assert system.spread().by_row(design) == pytest.approx(np.diag(z @ spread @ z.T))
    assert system.shrinkage() == pytest.approx(np.diag(counts @ spread @ counts))


def test_many_people_need_no_matrix_of_people() -> None:
    # With a dense one this fit would take 6 GB, and hours.
    rng = np.random.default_rng(3)
    people = np.repeat(np.arange(30_000), 3)
    yes = rng.random(people.size) < 1 / (1 + np.exp(-rng.normal(0.5, 0.8, 30_000)[people]))
    fit = fit_glmm(yes, np.ones((people.size, 1)), [people])
    assert fit.is_converged
    assert fit.coefficients[0] == pytest.approx(0.5, abs=0.1)
