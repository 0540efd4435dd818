"""Stored feature maps: what a frozen backbone makes of each photo and of changed copies of it, computed once.

Without a graphics card, this is what takes the time. It is done by onnxruntime, which is half again as fast as torch.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime
import torch
from torch import Tensor, nn

from understudy.sources.arrays import Bytes, Singles
from understudy.training.export import Ends, onnx_by_tracing
from understudy.training.labelled_pictures import LabelledPictures
from understudy.training.map_recipes import MapRecipe
from understudy.training.map_rows import N_DRAWS, PHOTO_CHANGES, changed_pictures

_BATCH = 16


class Copies(NamedTuple):
    """Where the maps of each copy are stored, and what computes those that are not."""

    path: Path
    n: int
    device: str = "cpu"


def stored_maps(frozen: Callable[[], nn.Module], part: LabelledPictures, stored: Copies) -> Tensor:
    """Return the maps of copies of photos from files, computed and written first if they are not there.

    An interrupted run continues with the first copy that is missing.
    """
    runs: list[_Runner | _CardRunner] = []
    copies = []
    for copy in range(stored.n):
        file = stored.path.with_name(f"{stored.path.name}-copy-{copy}.npy")
        if not file.is_file():
            if not runs:
                runs.append(
                    _CardRunner(frozen()) if stored.device == "cuda" else _Runner(frozen(), part.pixels.shape[1])
                )
            file.parent.mkdir(parents=True, exist_ok=True)
            # Written under another name first, so that an interruption leaves no file that looks whole.
            unfinished = file.with_suffix(".part.npy")
            np.save(unfinished, np.concatenate([*_maps(runs[0].maps, part.pixels, copy)]))
            unfinished.replace(file)
        copies.append(np.load(file))
    return torch.from_numpy(np.stack(copies))


def maps_name(recipe: MapRecipe, part: str, pixels: Bytes) -> str:
    """Return the file name of the stored maps of a recipe, which tells everything that they depend on."""
    crops = "" if recipe.receptive_px is None else f"-crops-{recipe.receptive_px}"
    tuned = f"-before-{recipe.n_tuned}" if recipe.n_tuned else ""
    # A user may train with other photos, or with one more, and give the same folder for the model.
    own = f"-{hashlib.sha256(pixels.tobytes()).hexdigest()[:16]}" if recipe.data == "photos" else ""
    return f"{recipe.data}-{part}-{recipe.backbone}-{recipe.backbone_px}{crops}{tuned}{own}"


def _maps(maps: Callable[[Tensor], Singles], photos: Bytes, copy: int) -> Iterator[npt.NDArray[np.float16]]:
    """Yield the maps of all photos; copy 0 is the photos themselves."""
    generator = torch.Generator().manual_seed(copy)
    for start in range(0, len(photos), _BATCH):
        pictures = torch.from_numpy(photos[start : start + _BATCH]).movedim(3, 1).float() / 255
        if copy:
            draws = torch.rand(len(pictures), N_DRAWS, generator=generator)
            pictures = changed_pictures(pictures, draws, PHOTO_CHANGES)
        yield maps(pictures).astype(np.float16)


class _Runner:
    """A frozen part as onnxruntime runs it, on processor cores."""

    def __init__(self, frozen: nn.Module, n_px: int) -> None:
        content = onnx_by_tracing(frozen, torch.zeros(2, 3, n_px, n_px), Ends("pictures", ("maps",)))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        self.session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def maps(self, pictures: Tensor) -> Singles:
        """Return the maps of a batch."""
        found: Singles = self.session.run(["maps"], {"pictures": pictures.numpy()})[0]
        return found


class _CardRunner:
    """A frozen part as torch runs it, on a graphics card."""

    def __init__(self, frozen: nn.Module) -> None:
        self.frozen = frozen.cuda()

    @torch.no_grad()
    def maps(self, pictures: Tensor) -> Singles:
        """Return the maps of a batch."""
        found: Singles = self.frozen(pictures.cuda()).cpu().numpy()
        return found
