"""Sheet of species: one creature of each in the same pose, with its name below."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from understudy.roles import Pixels
from understudy.sources.scenes.creatures.creature import Creature
from understudy.sources.scenes.creatures.sets import render_creatures
from understudy.sources.scenes.creatures.species import DEFAULT_SPECIES, SPECIES, species_names

_GAP, _LABEL = 6, 18
_WHITE, _INK = 255, (40, 40, 40)


def species_sheet(n_species: int = DEFAULT_SPECIES, *, edge: int = 160, n_columns: int = 4) -> Pixels:
    """Return a picture of all species, (height, width, 3)."""
    names = species_names(n_species)
    drawn = render_creatures([Creature(anatomy=anatomy) for anatomy in SPECIES[:n_species]], edge=edge)
    n_rows = -(-n_species // n_columns)
    across, down = edge + _GAP, edge + _LABEL + _GAP
    sheet = np.full((n_rows * down + _GAP, n_columns * across + _GAP, 3), _WHITE, dtype=np.uint8)
    corners = [(_GAP + down * (k // n_columns), _GAP + across * (k % n_columns)) for k in range(n_species)]
    for (top, left), each in zip(corners, drawn, strict=True):
        sheet[top : top + edge, left : left + edge] = each.picture
    labelled = Image.fromarray(sheet)
    pen, font = ImageDraw.Draw(labelled), ImageFont.load_default(13)
    for (top, left), name in zip(corners, names, strict=True):
        pen.text((left + edge / 2, top + edge + _LABEL / 2), name, fill=_INK, font=font, anchor="mm")
    return np.asarray(labelled, dtype=np.uint8)
