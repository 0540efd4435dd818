"""Z'WZ of crossed random intercepts in blocks, and the system I + S Z'WZ S solved without a dense matrix of people.

No answer belongs to two people, so the block of the factor with the most levels is diagonal. It is eliminated first, and
only the Schur complement of the other factors is dense: 20,000 people and 20 items need a 20 x 20 Cholesky root, where
the whole system would take 3 GB. lme4 reaches the same by a sparse Cholesky root (Bates et al. 2015, section 5).
"""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.crossed import Crossed
from understudy.analyses.kernels.vectors import Bools, Floats, Ints
from understudy.deferred.scipy import linalg


class Blocks(NamedTuple):
    """Z'WZ: the diagonal block of the widest factor, the dense block of all others, and the block between them."""

    wide: Floats
    across: Floats
    """One row per level of the other factors, one column per level of the widest."""
    narrow: Floats
    is_wide: Bools
    """Which columns of Z belong to the widest factor."""

    def diagonal(self) -> Floats:
        """Return the diagonal of Z'WZ, in the order of Z's columns."""
        return joined(self.is_wide, self.wide, np.diag(self.narrow))


class Bordered(NamedTuple):
    """I + S Z'WZ S for a diagonal S, factored: the wide block, the border divided by it, and the root of the rest."""

    blocks: Blocks
    scale: Floats
    wide: Floats
    border: Floats
    root: Floats

    def log_determinant(self) -> float:
        """Return the logarithm of the determinant."""
        return float(np.log(self.wide).sum() + 2 * np.log(np.diag(self.root)).sum())

    def solve(self, right: Floats) -> Floats:
        """Solve the system for one right-hand side."""
        is_wide = self.blocks.is_wide
        top, bottom = right[is_wide], right[~is_wide]
        narrow = _cho_solve(self.root, bottom - self.border @ top)
        return joined(is_wide, top / self.wide - self.border.T @ narrow, narrow)

    def spread(self) -> "Spread":
        """Return the parts of S (I + S Z'WZ S)⁻¹ S that rows of Z meet: the conditional covariance of the modes."""
        is_wide = self.blocks.is_wide
        s_wide, s_narrow = self.scale[is_wide], self.scale[~is_wide]
        inverse = _cho_solve(self.root, np.eye(s_narrow.size))
        pulled = inverse @ self.border
        return Spread(
            wide=s_wide**2 * (1 / self.wide + (self.border * pulled).sum(axis=0)),
            across=-s_narrow[:, None] * pulled * s_wide,
            narrow=s_narrow[:, None] * inverse * s_narrow,
        )

    def shrinkage(self) -> Floats:
        """Return the diagonal of Z'WZ S (I + S Z'WZ S)⁻¹ S Z'WZ."""
        blocks, is_wide = self.blocks, self.blocks.is_wide
        s_wide, s_narrow = self.scale[is_wide], self.scale[~is_wide]
        # Each entry is x'M⁻¹x with a column x of S Z'WZ; M = LL' makes it the squared length of L⁻¹x.
        of_wide = (s_wide * blocks.wide) ** 2 / self.wide
        of_wide += _squares(self.root, s_narrow[:, None] * blocks.across / self.wide)
        of_narrow = ((s_wide * blocks.across) ** 2 / self.wide).sum(axis=1)
        rest = s_narrow[:, None] * blocks.narrow - (self.border * s_wide) @ blocks.across.T
        return joined(is_wide, of_wide, of_narrow + _squares(self.root, rest))


class Spread(NamedTuple):
    """A symmetric matrix over levels: the diagonal of its wide block, and its other blocks."""

    wide: Floats
    across: Floats
    narrow: Floats

    def by_row(self, design: Crossed) -> Floats:
        """Return the diagonal of Z (this) Z', from the few levels of each row."""
        place = _places(design)
        total = self.wide[place.wide] + 2 * self.across[place.narrow, place.wide[:, None]].sum(axis=1)
        total += self.narrow[place.narrow[:, :, None], place.narrow[:, None, :]].sum(axis=(1, 2))
        return np.asarray(total, dtype=np.float64)


class _Places(NamedTuple):
    """Where each row of Z has its ones: in the wide block, and in the block of the other factors."""

    wide: Ints
    narrow: Ints
    is_wide: Bools


def level_blocks(design: Crossed, weights: Floats) -> Blocks:
    """Return Z'WZ in blocks."""
    place = _places(design)
    n_wide = int(place.is_wide.sum())
    n_narrow = design.n_levels - n_wide
    across, narrow = np.zeros((n_narrow, n_wide)), np.zeros((n_narrow, n_narrow))
    for codes in place.narrow.T:
        # Each pair of levels gets one number, so that a single bincount fills the block.
        across += _table(codes * n_wide + place.wide, weights, (n_narrow, n_wide))
        for others in place.narrow.T:
            narrow += _table(codes * n_narrow + others, weights, (n_narrow, n_narrow))
    wide = np.bincount(place.wide, weights=weights, minlength=n_wide).astype(np.float64)
    return Blocks(wide, across, narrow, place.is_wide)


def factored(blocks: Blocks, scale: Floats) -> Bordered:
    """Factor I + S Z'WZ S with S = diag(scale)."""
    s_wide, s_narrow = scale[blocks.is_wide], scale[~blocks.is_wide]
    wide = 1 + s_wide**2 * blocks.wide
    scaled = s_narrow[:, None] * blocks.across * s_wide
    border = scaled / wide
    rest = np.eye(s_narrow.size) + s_narrow[:, None] * blocks.narrow * s_narrow - border @ scaled.T
    return Bordered(blocks, scale, wide, border, linalg.cholesky(rest, lower=True) if rest.size else rest)


def joined(is_wide: Bools, wide: Floats, narrow: Floats) -> Floats:
    """Return values of both parts in the order of Z's columns."""
    values = np.empty(is_wide.size)
    values[is_wide], values[~is_wide] = wide, narrow
    return values


def _places(design: Crossed) -> _Places:
    widest = int(np.bincount(design.factors).argmax())
    is_wide = design.factors == widest
    rank = np.where(is_wide, np.cumsum(is_wide), np.cumsum(~is_wide)) - 1
    return _Places(rank[design.codes[:, widest]], rank[np.delete(design.codes, widest, axis=1)], is_wide)


def _table(cells: Ints, weights: Floats, shape: tuple[int, int]) -> Floats:
    return np.bincount(cells, weights=weights, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)


def _squares(root: Floats, columns: Floats) -> Floats:
    if not root.size:
        return np.zeros(columns.shape[1])
    return np.asarray((linalg.solve_triangular(root, columns, lower=True) ** 2).sum(axis=0), dtype=np.float64)


def _cho_solve(root: Floats, right: Floats) -> Floats:
    # SciPy refuses an empty system, which a single factor leaves.
    return np.asarray(linalg.cho_solve((root, True), right), dtype=np.float64) if root.size else right
