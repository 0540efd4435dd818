"""Stored feature maps: what a frozen backbone makes of each photo and of changed copies of it, computed once.

Without a graphics card, this is what takes the time. It is done by onnxruntime, which is half again as fast as torch.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import nn

from understudy.sources.arrays import Bytes, Singles
from understudy.training.export import Ends, onnx_by_tracing
from understudy.training.map_pictures import LabelledPictures
from understudy.training.map_recipes import MapRecipe
from understudy.training.map_rows import N_DRAWS, PHOTO_CHANGES, StoredMaps, changed_pictures

_BATCH = 16


def stored_maps(frozen: Callable[[], nn.Module], part: LabelledPictures, *, path: Path, n_copies: int) -> StoredMaps:
    """Return the maps of photos from files, computed and written first if they are not there.

    An interrupted run goes on with the first copy that is missing.
    """
    runs: list[_Runner] = []
    copies = []
    for copy in range(n_copies):
        file = path.with_name(f"{path.name}-copy-{copy}.npy")
        if not file.is_file():
            if not runs:
                runs.append(_Runner(frozen(), part.pixels.shape[1]))
            file.parent.mkdir(parents=True, exist_ok=True)
            # Written under another name first, so that an interruption leaves no file that looks whole.
            unfinished = file.with_suffix(".part.npy")
            np.save(unfinished, np.concatenate([*runs[0].maps(part.pixels, copy)]))
            unfinished.replace(file)
        copies.append(np.load(file))
    return StoredMaps(torch.from_numpy(np.stack(copies)), torch.from_numpy(part.labels))


def maps_name(recipe: MapRecipe, part: str) -> str:
    """Return the file name of the stored maps of a recipe, which tells everything that they depend on."""
    crops = "" if recipe.receptive_px is None else f"-crops-{recipe.receptive_px}"
    return f"{recipe.data}-{part}-{recipe.backbone}-{recipe.backbone_px}{crops}"


class _Runner:
    """A frozen part as onnxruntime runs it, on one processor core."""

    def __init__(self, frozen: nn.Module, n_px: int) -> None:
        content = onnx_by_tracing(frozen, torch.zeros(2, 3, n_px, n_px), Ends("pictures", ("maps",)))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        self.session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def maps(self, photos: Bytes, copy: int) -> Iterator[Singles]:
        """Yield the maps of all photos; copy 0 is the photos themselves."""
        generator = torch.Generator().manual_seed(copy)
        for start in range(0, len(photos), _BATCH):
            pictures = torch.from_numpy(photos[start : start + _BATCH]).movedim(3, 1).float() / 255
            if copy:
                draws = torch.rand(len(pictures), N_DRAWS, generator=generator)
                pictures = changed_pictures(pictures, draws, PHOTO_CHANGES)
            (found,) = self.session.run(["maps"], {"pictures": pictures.numpy()})
            yield found.astype(np.float16)
