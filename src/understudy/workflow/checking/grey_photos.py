"""Grey photos: say how many photos of a folder have no colour, because a model may be wrong about them for that alone."""

from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from understudy.prepare import Prepared
from understudy.schema import Ref, Study, files_named_in

_ALLOWED = "allows_monochrome"


def grey_sentences(prepared: Prepared) -> list[str]:
    """Return a sentence if items show photos without colour, and nobody has said that they may."""
    if all(_ALLOWED in ref.params for ref in _folders(prepared.study)):
        return []
    known = frozenset(prepared.files)
    photos = {
        address
        for trial in prepared.materials.trials.values()
        if trial.stimulus_id is not None
        for address in files_named_in(trial.params, known)
    }
    n_grey = sum(_is_grey(prepared.files[address]) for address in photos)
    if not n_grey:
        return []
    shown = "photo that people see has" if len(photos) == 1 else "photos that people see have"
    return [
        f"{n_grey} of the {len(photos)} {shown} no colour, and the model gets them as three equal channels. A model that "
        "learned from colour photos may be wrong about them for that reason alone. Leave such photos out, or set "
        f"{_ALLOWED} of picture_folder to true if they are meant."
    ]


def _folders(study: Study) -> list[Ref]:
    named = (*(binding.dataset for binding in study.bindings), *(item_set.dataset for item_set in study.item_sets))
    return [ref for ref in named if ref is not None and ref.name == "picture_folder"]


def _is_grey(file: Path | bytes) -> bool:
    with Image.open(BytesIO(file) if isinstance(file, bytes) else file) as opened:
        pixels = np.asarray(opened.convert("RGB"))
    return bool((pixels == pixels[..., :1]).all())
