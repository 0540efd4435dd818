"""dSprites: white shapes on black, whose shape, scale, orientation and place are known."""

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
    """The official npz file; pictures are drawn by understudy itself when absent."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pictures with their factors."""
        places = rng.choice(sprites.N_INSTANCES, size=min(n, sprites.N_INSTANCES), replace=False).astype(np.int64)
        if self.file is None:
            rows = sprites.pictures_from_places(places)
        else:
            rows = sprites.rows_from_npz(Path(self.file))[places]
        factors = sprites.factors_from_places(places)
        shapes = [sprites.SHAPES[int(number) - 1] for number in factors[:, 0]]
        others = {name: factors[:, place].tolist() for place, name in enumerate(sprites.FACTORS) if name != "shape"}
        return sample_of_pictures(
            MemoryPool(rows.reshape(-1, sprites.EDGE, sprites.EDGE, 1) * np.uint8(255)),
            {"shape": shapes, **others},
            inputs=rows.astype(np.float64),
        )
