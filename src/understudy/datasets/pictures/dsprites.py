"""dSprites: white shapes on black with known shape, scale, orientation and position."""

from pathlib import Path

import numpy as np

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import AssetPath, Record
from understudy.sources import sprites
from understudy.sources.picture_pools import MemoryPool
from understudy.sources.picture_samples import sample_of_pictures


@register("datasets", "dsprites")
class DSprites(Record):
    """Draws from all 737,280 combinations of five factors, without replacement."""

    file: AssetPath | None = None
    """The official npz file. Without it, understudy draws the pictures itself."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pictures with their factors."""
        rows = rng.choice(sprites.N_INSTANCES, size=min(n, sprites.N_INSTANCES), replace=False).astype(np.int64)
        if self.file is None:
            pictures = sprites.pictures_from_places(rows)
        else:
            pictures = sprites.rows_from_npz(Path(self.file))[rows]
        factors = sprites.factors_from_places(rows)
        shapes = [sprites.SHAPES[int(number) - 1] for number in factors[:, 0]]
        others = {name: factors[:, column].tolist() for column, name in enumerate(sprites.FACTORS) if name != "shape"}
        return sample_of_pictures(
            MemoryPool(pictures.reshape(-1, sprites.EDGE, sprites.EDGE, 1) * np.uint8(255)),
            {"shape": shapes, **others},
            inputs=pictures.astype(np.float64),
        )
