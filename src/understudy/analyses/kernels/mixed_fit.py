"""What every fitted mixed model has, whatever its answers are."""

from dataclasses import dataclass

from understudy.analyses.kernels.vectors import Floats


@dataclass(frozen=True, kw_only=True)
class MixedFit:
    """A fitted mixed model; test its coefficients with `lmm_tests`."""

    coefficients: Floats
    standard_errors: Floats
    covariance: Floats
    """Of the coefficients; NaN if it is unknown."""
    covariance_gradients: Floats | None
    """The derivative of `covariance` by each variance parameter, for Satterthwaite's degrees of freedom; None if only
    z tests are known."""
    variance_covariance: Floats | None
    """The covariance of the variance parameters."""
    coefficient_gradients: Floats | None = None
    """How the coefficients move with each variance parameter, one row each; None where that is nothing, or in `covariance`."""
    covariance_at_variances: Floats | None = None
    """Of the coefficients, if the variances were known; None where `covariance` is just that."""
    covariances: tuple[Floats, ...]
    """A matrix per random term, in the order given."""
    effects: tuple[Floats, ...]
    """The conditional modes of the levels of each random term."""
    fitted: Floats
    """The linear predictor of each row, random effects included."""
    log_likelihood: float
    n: int
    residual_df: int
    """Answers less fixed effects."""
    is_singular: bool
    """Whether a covariance has no variance in some direction."""
    is_converged: bool
    """Whether the search ended at a minimum."""
