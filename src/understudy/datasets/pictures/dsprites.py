"""dSprites: white shapes on black, whose shape, scale, orientation and place are known."""

from pathlib import Path

import numpy as np

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import AssetPath, Record
from understudy.sources import sprites
from understudy.sources.pictures import picture_from_values


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
        inputs = rows.astype(np.float64)
        pictures = [picture_from_values(row.reshape(sprites.EDGE, sprites.EDGE)) for row in inputs]
        shapes = [sprites.SHAPES[int(one) - 1] for one in factors[:, 0]]
        others = {name: factors[:, place].tolist() for place, name in enumerate(sprites.FACTORS) if name != "shape"}
        return Sample(
            contents=[{"image": one.address} for one in pictures],
            attributes={"shape": shapes, **others},
            inputs=inputs,
            assets={one.address: one.content for one in pictures},
        )
