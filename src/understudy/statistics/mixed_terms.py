"""Random terms of mixed models: their columns, their structure, and what every fit has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from understudy.statistics.arrays import Bools, Floats, Ints, matrix


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


# Terms of mixed models: who a row belongs to, and which of its columns vary from level to level.
#
# The fixed effects are a term too, with a single level: the same algebra then solves for both (Bates et al. 2015).

_SMALL = 0.1
"""Slopes next to the fit without them: from zero, no search would leave."""


class Term(NamedTuple):
    """Effects of every level of a grouping factor: one of each column, such as an intercept and a slope."""

    codes: Ints
    """The level of each row, from 0."""
    columns: Floats
    """One row per answer, one column per effect."""
    n_levels: int
    is_correlated: bool = True
    """Whether the effects of one level may correlate."""

    @property
    def width(self) -> int:
        """Return the number of effects per level."""
        return int(self.columns.shape[1])

    @property
    def size(self) -> int:
        """Return the number of effects of all levels."""
        return self.n_levels * self.width

    @property
    def free(self) -> Bools:
        """Return which entries of the triangular factor of the covariance are estimated."""
        full = np.tril(np.ones((self.width, self.width), dtype=np.bool_))
        return full if self.is_correlated else np.eye(self.width, dtype=np.bool_)


def random_term(labels: npt.ArrayLike, columns: npt.ArrayLike | None = None, *, is_correlated: bool = True) -> Term:
    """Return the random effects of a grouping factor: an intercept without `columns`.

    Examples
    --------
    >>> term = random_term(["b", "a", "b"])
    >>> term.codes.tolist(), term.n_levels, term.width
    ([1, 0, 1], 2, 1)
    """
    names, codes = np.unique(np.asarray(labels), return_inverse=True)
    values = np.ones((codes.size, 1)) if columns is None else matrix(columns, "columns of a random term")
    if len(values) != codes.size:
        raise ValueError(f"A random term has {len(values)} rows of columns for {codes.size} labels.")
    if not 2 <= names.size < codes.size:
        raise ValueError(
            f"People or items make {names.size} group{'s' * (names.size != 1)} for {codes.size} answers; a mixed model needs at least 2 groups, "
            "and fewer groups than answers."
        )
    return Term(codes.astype(np.int64), values, int(names.size), is_correlated)


def fixed_term(predictors: Floats) -> Term:
    """Return the fixed effects as a term with one level."""
    return Term(np.zeros(len(predictors), dtype=np.int64), predictors, 1)


def chosen_rows(term: Term, rows: Bools) -> Term:
    """Return a term of some rows; levels without any of them are left out."""
    levels, codes = np.unique(term.codes[rows], return_inverse=True)
    return term._replace(codes=codes.astype(np.int64), columns=term.columns[rows], n_levels=int(levels.size))


def sums(term: Term, values: Floats) -> Floats:
    """Return Z'v: the sum of values times each column, within each level, as (levels, columns)."""
    if term.n_levels == 1:
        return (values @ term.columns)[None, :]
    total = np.empty((term.n_levels, term.width))
    for j in range(term.width):
        total[:, j] = np.bincount(term.codes, weights=term.columns[:, j] * values, minlength=term.n_levels)
    return total


def spread_out(term: Term, effects: Floats) -> Floats:
    """Return Zb: what the effects, given as (levels, columns), add to every row."""
    added: Floats
    if term.n_levels == 1:
        added = term.columns @ effects[0]
        return added
    # Column by column: gathering rows of a few numbers takes several times as long.
    added = term.columns[:, 0] * effects[:, 0].take(term.codes)
    for j in range(1, term.width):
        added += term.columns[:, j] * effects[:, j].take(term.codes)
    return added


def own_products(term: Term, weights: Floats) -> Floats:
    """Return the blocks of Z'WZ of one term, one per level."""
    k = term.width
    if term.n_levels == 1:
        return ((term.columns * weights[:, None]).T @ term.columns)[None, :, :]
    blocks = np.empty((term.n_levels, k, k))
    for a in range(k):
        weighted = weights * term.columns[:, a]
        for b in range(a, k):
            block = np.bincount(term.codes, weights=weighted * term.columns[:, b], minlength=term.n_levels)
            blocks[:, a, b] = blocks[:, b, a] = block
    return blocks


def shared_cells(first: Term, second: Term) -> Ints:
    """Return for each row the number of its pair of levels."""
    return first.codes if second.n_levels == 1 else first.codes * second.n_levels + second.codes


def cross_products(first: Term, second: Term, weights: Floats) -> Floats:
    """Return Z_1'WZ_2 as (levels, columns) of the first by (levels, columns) of the second."""
    cells, n_cells = shared_cells(first, second), first.n_levels * second.n_levels
    products = np.empty((first.n_levels, first.width, second.n_levels, second.width))
    for a in range(first.width):
        weighted = weights * first.columns[:, a]
        for b in range(second.width):
            counted = np.bincount(cells, weights=weighted * second.columns[:, b], minlength=n_cells)
            products[:, a, :, b] = counted.reshape(first.n_levels, second.n_levels)
    return products


def factors_from_parameters(parameters: Floats, terms: Sequence[Term]) -> list[Floats]:
    """Return the lower triangular factor of each term from its free entries, row by row."""
    factors, start = [], 0
    for term in terms:
        free = term.free
        count = int(free.sum())
        factor = np.zeros(free.shape)
        factor[free] = parameters[start : start + count]
        factors.append(factor)
        start += count
    return factors


def parameters_from_factors(factors: Sequence[Floats], terms: Sequence[Term]) -> Floats:
    """Return the free entries of the factors of all terms as one vector."""
    return np.concatenate([factor[term.free] for factor, term in zip(factors, terms, strict=True)])


def start_parameters(terms: Sequence[Term], scale: float = 0.9) -> Floats:
    """Return where the search starts: independent effects of equal size; a first step of length 1 must not end at 0."""
    return parameters_from_factors([scale * np.eye(term.width) for term in terms], terms)


def intercepts_of(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms with their first columns alone."""
    return tuple(term._replace(columns=term.columns[:, :1]) for term in terms)


def further_starts(terms: Sequence[Term], intercepts: Floats) -> list[Floats]:
    """Return where else a search can begin: at the fit with intercepts alone, and at small effects and large ones."""
    near = [np.diag([value, *[_SMALL] * (term.width - 1)]) for value, term in zip(intercepts, terms, strict=True)]
    return [parameters_from_factors(near, terms), *(start_parameters(terms, scale) for scale in (0.3, 2.5))]


def signed(parameters: Floats, terms: Sequence[Term]) -> Floats:
    """Return the same covariances with diagonals of zero or more, since the sign of a column is arbitrary."""
    factors = factors_from_parameters(parameters, terms)
    flipped = [factor * np.where(np.diag(factor) < 0, -1.0, 1.0) for factor in factors]
    return parameters_from_factors(flipped, terms)


# Random structures: which effects vary over people and over items, and how a structure that is too rich is simplified.
#
# A slope belongs to a group (people, items) if its factor changes within the levels of the group; without it, tests of
# that factor find effects that are not there (Barr et al. 2013). If the data cannot estimate the full structure, it is
# simplified in fixed steps: correlations first, then the slope with the smallest variance, until the fit is regular and nothing
# else speaks against it.

_CERTAIN = 0.99
"""A correlation beyond it counts as 1 or -1."""
_NO_SPREAD = 1e-4
"""A standard deviation that counts as zero, relative to the largest one."""


class Effect(NamedTuple):
    """A fixed effect that may vary: its columns, and the values of each of its factors."""

    name: str
    columns: Floats
    parts: tuple[npt.NDArray[np.generic], ...]
    """One array per factor: an interaction varies within a group only if all its factors do."""


class Group(NamedTuple):
    """The random effects of people, or of items: an intercept and slopes."""

    name: str
    labels: npt.NDArray[np.generic]
    slopes: tuple[Effect, ...] = ()
    is_correlated: bool = True

    @property
    def width(self) -> int:
        """Return the number of effects per level."""
        return 1 + sum(int(slope.columns.shape[1]) for slope in self.slopes)


class Fitted(Protocol):
    """What a simplification asks of a fit."""

    @property
    def covariances(self) -> tuple[Floats, ...]:
        """The covariance of each group's effects."""

    @property
    def is_singular(self) -> bool:
        """Whether a covariance has no variance in some direction."""

    @property
    def is_converged(self) -> bool:
        """Whether the search ended at a minimum."""


F = TypeVar("F", bound=Fitted)


@dataclass(frozen=True)
class Searched(Generic[F]):
    """A model whose variances are found; its errors and tests are not, since a structure that is dropped needs none."""

    covariances: tuple[Floats, ...]
    is_singular: bool
    is_converged: bool
    finished: Callable[[], F]
    """Returns the whole fit."""


class Simplified(NamedTuple):
    """The groups of the last fit, and what was left out on the way, in order."""

    groups: tuple[Group, ...]
    steps: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    """What spoke against the models on the way, besides fits that were not regular."""
    doubt: str = ""
    """What speaks against the last model too; empty if it holds."""


class Doubts(NamedTuple, Generic[F]):
    """What can speak against a fit besides that it is not regular, and another search for one that is doubted."""

    of: Callable[[F, tuple[Group, ...]], str]
    """Returns a clause, or nothing if the fit holds."""
    again: Callable[[list[Term]], F]
    """Searches from several points, and returns the best."""
    keeps_singular: bool = False
    """Whether a variance of zero is left in the model."""
    dispensable: tuple[str, ...] = ()
    """Groups that may be left out last of all."""


def varies_within(values: npt.NDArray[np.generic], labels: npt.NDArray[np.generic]) -> bool:
    """Return whether any level of a group has more than one value.

    >>> varies_within(np.array([1, 2, 1, 1]), np.array(["a", "a", "b", "b"]))
    True
    """
    pairs = np.unique(np.column_stack([_codes(labels), _codes(values)]), axis=0)
    return len(pairs) > len(np.unique(pairs[:, 0]))


def maximal_group(name: str, labels: npt.NDArray[np.generic], effects: Sequence[Effect]) -> Group:
    """Return a group with every slope that its levels can have; fewer if there are not more rows than effects."""
    slopes = [effect for effect in effects if all(varies_within(part, labels) for part in effect.parts)]
    group = Group(name, labels, tuple(slopes))
    # One row per person and level leaves nothing to tell a slope from noise.
    while group.slopes and group.width * np.unique(labels).size >= labels.size:
        group = group._replace(slopes=group.slopes[:-1])
    return group


def terms_of(groups: Sequence[Group]) -> list[Term]:
    """Return the terms that a fit takes."""
    return [
        random_term(
            group.labels,
            np.column_stack([np.ones(group.labels.size), *(slope.columns for slope in group.slopes)]),
            is_correlated=group.is_correlated,
        )
        for group in groups
    ]


def simplified_fit(
    fit: Callable[[list[Term]], F], groups: Sequence[Group], doubts: Doubts[F] | None = None
) -> tuple[F, Simplified]:
    """Fit; while the fit is not regular, or is doubted from every start, leave out correlations, then the smallest slope.

    A fit is regular if its search ended at a minimum and no variance, or combination of effects, is zero.
    """
    kept, steps, reasons = tuple(groups), list[str](), list[str]()
    keeps_singular = doubts is not None and doubts.keeps_singular
    while True:
        terms = terms_of(kept)
        found, doubt = fit(terms), ""
        # A fit without variance in some direction is simplified in any case, so that nothing else need be asked of it.
        is_reducible = found.is_singular and not keeps_singular and any(group.slopes for group in kept)
        if doubts and not is_reducible and (doubt := doubts.of(found, kept)):
            found = doubts.again(terms)
            doubt = doubts.of(found, kept)
        if found.is_converged and (not found.is_singular or keeps_singular) and not doubt:
            break
        simpler = _without_correlations(kept, found) or _without_smallest(kept, found)
        if simpler is None and doubts and doubt:
            simpler = _without_group(kept, doubts.dispensable)
        if simpler is None:
            break
        kept, step = simpler
        steps.append(step)
        reasons += [doubt] if doubt and doubt not in reasons else []
    return found, Simplified(kept, tuple(steps), tuple(reasons), doubt)


def with_enough_answers(groups: Sequence[Group], least: float) -> Simplified:
    """Leave out the slopes of groups whose levels have fewer answers, on average, than this for each effect."""
    kept, steps = list[Group](), list[str]()
    for group in groups:
        left, each = group, group.labels.size / np.unique(group.labels).size
        while left.slopes and each < least * left.width:
            answers = f"{each:.3g} answers per {left.name}, {least * left.width:g} needed"
            steps.append(f"slopes of {left.slopes[-1].name} over {left.name} ({answers})")
            left = left._replace(slopes=left.slopes[:-1])
        kept.append(left)
    return Simplified(tuple(kept), tuple(steps))


def certain_correlation(groups: Sequence[Group], covariances: Sequence[Floats]) -> str:
    """Say that effects of a group are correlated by 1 or -1, so that one of them is another; empty if not."""
    for group, covariance in zip(groups, covariances, strict=True):
        spreads = np.sqrt(np.diag(covariance))
        present = spreads > _NO_SPREAD * spreads.max(initial=1.0)
        if not group.is_correlated or present.sum() < 2:
            continue
        part = covariance[np.ix_(present, present)] / np.outer(spreads[present], spreads[present])
        if np.linalg.eigvalsh(part)[0] < 1 - _CERTAIN:
            return f"a correlation over {group.name} is at 1 or -1"
    return ""


def _without_correlations(groups: tuple[Group, ...], found: Fitted) -> tuple[tuple[Group, ...], str] | None:
    named = [group.name for group in groups if group.is_correlated and group.slopes]
    # A group that is estimated well keeps its correlations, unless nothing shows where the trouble is.
    troubled = [
        group.name
        for group, covariance in zip(groups, found.covariances, strict=True)
        if group.name in named and _is_flat(covariance)
    ]
    chosen = troubled or named
    if not chosen:
        return None
    changed = tuple(group._replace(is_correlated=False) if group.name in chosen else group for group in groups)
    return changed, f"correlations over {' and '.join(chosen)}"


def _without_smallest(groups: tuple[Group, ...], found: Fitted) -> tuple[tuple[Group, ...], str] | None:
    sizes = []
    for number, (group, covariance) in enumerate(zip(groups, found.covariances, strict=True)):
        start = 1
        for slope in group.slopes:
            width = slope.columns.shape[1]
            sizes.append((float(np.diag(covariance)[start : start + width].mean()), number, slope))
            start += width
    if not sizes:
        return None
    _, number, smallest = min(sizes, key=lambda entry: entry[0])
    group = groups[number]
    left = tuple(slope for slope in group.slopes if slope is not smallest)
    changed = (*groups[:number], group._replace(slopes=left), *groups[number + 1 :])
    return changed, f"slopes of {smallest.name} over {group.name}"


def _without_group(groups: tuple[Group, ...], names: Sequence[str]) -> tuple[tuple[Group, ...], str] | None:
    left = [group for group in groups if group.name in names]
    if not left or len(groups) == 1:
        return None
    return tuple(group for group in groups if group is not left[-1]), f"intercepts of {left[-1].name}"


def _is_flat(covariance: Floats) -> bool:
    values = np.linalg.eigvalsh(covariance)
    return bool(values[0] < 1e-6 * max(values[-1], 1.0))


def _codes(values: npt.NDArray[np.generic]) -> npt.NDArray[np.intp]:
    codes: npt.NDArray[np.intp] = np.unique(values, return_inverse=True)[1].ravel()
    return codes
