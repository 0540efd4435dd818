"""Pool of creatures: pictures that are drawn when they are read, and the masks of their parts."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from understudy.roles import Pixels
from understudy.sources.picture_pools import stacked
from understudy.sources.scenes.creatures.creature import Creature
from understudy.sources.scenes.creatures.sets import EDGE, render_creatures
from understudy.sources.scenes.renderer import Rendered

KEPT_BYTES = 64_000_000
"""How much memory pictures may take that were drawn already."""


@dataclass(frozen=True)
class CreaturePool:
    """Creatures as pictures."""

    creatures: tuple[Creature, ...]
    edge: int = EDGE
    _kept: "OrderedDict[int, Rendered]" = field(default_factory=OrderedDict, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""
        return len(self.creatures), self.edge, self.edge, 3

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these pictures, in this order."""
        pictures = (drawn.picture for drawn in self._drawn(indices))
        return stacked(pictures, (len(indices), self.edge, self.edge, 3))

    def masks(self, indices: Sequence[int]) -> Pixels:
        """Return the ids of parts in these pictures, (n, edge, edge)."""
        masks = (drawn.mask for drawn in self._drawn(indices))
        return stacked(masks, (len(indices), self.edge, self.edge))

    def _drawn(self, indices: Sequence[int]) -> list[Rendered]:
        """Draw pictures, or return them again: a study asks for the key, the file and what a model gets of each."""
        wanted = [int(index) for index in indices]
        missing = sorted({*wanted} - {*self._kept})
        fresh = render_creatures([self.creatures[index] for index in missing], edge=self.edge)
        known = {**{k: self._kept[k] for k in wanted if k in self._kept}, **dict(zip(missing, fresh, strict=True))}
        for index in wanted:
            self._kept[index] = known[index]
            self._kept.move_to_end(index)
        # Picture, mask and depth take eight bytes a pixel.
        while len(self._kept) > 1 and len(self._kept) * self.edge**2 * 8 > KEPT_BYTES:
            self._kept.popitem(last=False)
        return [known[index] for index in wanted]
