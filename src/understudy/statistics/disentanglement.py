"""Disentanglement of a representation: how closely its dimensions correspond to true factors, one to one."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.errors import optional

N_BINS = 20

Floats = npt.NDArray[np.float64]


class Dci(NamedTuple):
    """Disentanglement, completeness and informativeness, with the importances behind them."""

    disentanglement: float
    completeness: float
    informativeness_train: float
    """Mean share of variance explained on the training instances."""
    informativeness_test: float
    importances: Floats
    """Row: what is predicted from; column: what is predicted."""
    row_scores: Floats
    """1 if a row matters to one column only, 0 if to all equally."""
    column_scores: Floats


def mutual_information(first: Floats, second: Floats, *, n_bins: int = N_BINS) -> float:
    """Estimate mutual information in bits from a histogram with equal bins between the extremes.

    Source: the plug-in estimate as used by Ross et al. (2021).

    Examples
    --------
    >>> values = np.arange(40.0)
    >>> round(mutual_information(values, values), 6) == round(float(np.log2(20)), 6)
    True
    >>> round(abs(mutual_information(np.tile([0.0, 1.0], 20), np.repeat([0.0, 1.0], 20))), 12)
    0.0
    """
    # Equal-width bins, as in the published code; the estimate depends on them.
    counts, _, _ = np.histogram2d(first, second, bins=n_bins)
    joint = counts / counts.sum()
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    # Empty cells contribute nothing: p log p tends to 0.
    is_occupied = joint > 0
    return float(np.sum(joint[is_occupied] * np.log2(joint[is_occupied] / independent[is_occupied])))


def mutual_information_matrix(codes: Floats, factors: Floats, *, n_bins: int = N_BINS) -> Floats:
    """Return mutual information in bits; row: dimension of the code, column: true factor.

    Examples
    --------
    >>> factors = np.column_stack([np.tile(np.arange(20.0), 20), np.repeat(np.arange(20.0), 20)])
    >>> np.round(np.abs(mutual_information_matrix(factors, factors)), 3).tolist()
    [[4.322, 0.0], [0.0, 4.322]]
    """
    return np.array(
        [[mutual_information(code, factor, n_bins=n_bins) for factor in factors.T] for code in codes.T],
        dtype=np.float64,
    )


def gaps(shared: Floats, factors: Floats, *, n_bins: int = N_BINS) -> Floats:
    """Return, for each true factor, the lead of its best dimension over the second, as a share of its entropy.

    Examples
    --------
    >>> factors = np.column_stack([np.tile(np.arange(20.0), 20), np.repeat(np.arange(20.0), 20)])
    >>> np.round(gaps(mutual_information_matrix(factors, factors), factors), 6).tolist()
    [1.0, 1.0]
    """
    # The information that a factor has about itself is its entropy.
    entropies = np.array([mutual_information(factor, factor, n_bins=n_bins) for factor in factors.T])
    ranked = np.sort(shared, axis=0)
    result: Floats = (ranked[-1] - ranked[-2]) / entropies
    return result


def mig(shared: Floats, factors: Floats, *, n_bins: int = N_BINS) -> float:
    """Return the mutual information gap: the mean over factors of `gaps` (Chen et al., 2018).

    Examples
    --------
    >>> factors = np.column_stack([np.tile(np.arange(20.0), 20), np.repeat(np.arange(20.0), 20)])
    >>> round(mig(mutual_information_matrix(factors, factors), factors), 6)
    1.0
    """
    return float(gaps(shared, factors, n_bins=n_bins).mean())


def concentration(weights: Floats) -> Floats:
    """Return 1 minus the normalised entropy of each row: 1 if one column has all the weight.

    Examples
    --------
    >>> np.round(concentration(np.array([[1.0, 0.0], [0.5, 0.5]])), 6).tolist()
    [1.0, 0.0]
    """
    # The small number keeps rows of zeros defined, as in the published code.
    padded = weights + 1e-11
    shares = padded / padded.sum(axis=1, keepdims=True)
    entropy = -(shares * np.log(shares)).sum(axis=1) / np.log(weights.shape[1])
    result: Floats = 1 - entropy
    return result


def dci(codes: Floats, factors: Floats, rng: np.random.Generator) -> Dci:
    """Score a representation as Eastwood and Williams (2018): regressors predict true factors from the code.

    Needs scikit-learn. A tenth of the instances, drawn with `rng`, tests the regressors.
    """
    return _dci(codes, factors, rng)


def dci_legacy(codes: Floats, factors: Floats, rng: np.random.Generator) -> Dci:
    """Score a representation as the code of Ross et al. (2021): regressors predict the code from true factors.

    Rows are then true factors, so the published disentanglement measures how few dimensions a factor moves.
    Use it only for comparison with their numbers, and `dci` otherwise.
    """
    return _dci(factors, codes, rng)


def dci_from_importances(importances: Floats) -> tuple[float, float]:
    """Return disentanglement (of rows) and completeness (of columns), each weighted by importance.

    Examples
    --------
    >>> dis, compl = dci_from_importances(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> round(dis, 6), round(compl, 6)
    (1.0, 1.0)
    """
    total = importances.sum()
    disentanglement = float(concentration(importances) @ importances.sum(axis=1) / total)
    completeness = float(concentration(importances.T) @ importances.sum(axis=0) / total)
    return disentanglement, completeness


def _dci(inputs: Floats, outputs: Floats, rng: np.random.Generator) -> Dci:
    ensemble = optional("sklearn.ensemble", extra="sklearn")
    order = rng.permutation(len(inputs))
    test, train = np.split(order, [len(order) // 10])
    importances, on_train, on_test = [], [], []
    for output in outputs.T:
        model = ensemble.GradientBoostingRegressor(random_state=int(rng.integers(2**31)))
        model.fit(inputs[train], output[train])
        importances.append(np.abs(model.feature_importances_))
        on_train.append(model.score(inputs[train], output[train]))
        on_test.append(model.score(inputs[test], output[test]))
    matrix = np.column_stack(importances)
    disentanglement, completeness = dci_from_importances(matrix)
    return Dci(
        disentanglement=disentanglement,
        completeness=completeness,
        informativeness_train=float(np.mean(on_train)),
        informativeness_test=float(np.mean(on_test)),
        importances=matrix,
        row_scores=concentration(matrix),
        column_scores=concentration(matrix.T),
    )
