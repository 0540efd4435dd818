"""What the rows of maps explain: photos of noise, and small untrained networks as torch modules and as map models."""

from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from measured import Unavailable
from understudy.errors import UnderstudyError, optional
from understudy.models import MapModel
from understudy.roles import Floats
from understudy.schema import MapModelCard, Region, StoredPrototype, canonical_json, json_from_record
from understudy.sources.pictures import picture_from_pixels

Method: TypeAlias = Literal["class_maps", "prototypes"]
EDGE, N_CLASSES, N_CHANNELS, N_EACH, SEED = 96, 12, 64, 10, 1
"""Pixels along a side, classes, features, and prototypes of each class."""


class MapScene(NamedTuple):
    """Photos, the class that each is explained for, and one network in two forms."""

    inputs: Floats
    targets: np.ndarray[Any, Any]
    model: MapModel
    features: Any
    """The convolutions, as a torch module."""
    head: Any
    """The linear head as a 1 x 1 convolution, or the prototypes as a tensor."""


def map_scene(folder: Path, n: int, *, method: Method) -> MapScene:
    """Make n photos and a network, and write the network as a map model."""
    try:
        torch = optional("torch", extra="torch")
        export = optional("understudy.training.export", extra="torch")
    except UnderstudyError as error:
        raise Unavailable(str(error)) from None
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    pixels = np.random.default_rng(SEED).integers(256, size=(n, 3, EDGE, EDGE), dtype=np.uint8)
    features = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, stride=2, padding=1), torch.nn.ReLU(),
        torch.nn.Conv2d(16, 32, 3, stride=2, padding=1), torch.nn.ReLU(),
        torch.nn.Conv2d(32, N_CHANNELS, 3, stride=2, padding=1), torch.nn.ReLU(),
    ).eval()  # fmt: skip
    is_linear = method == "class_maps"
    head = (
        torch.nn.Conv2d(N_CHANNELS, N_CLASSES, 1, bias=False)
        if is_linear
        else torch.rand(N_CLASSES * N_EACH, N_CHANNELS)
    )
    network = _network(torch, features, head, is_linear=is_linear)
    ends = export.Ends("pictures", ("probabilities", "maps"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(export.onnx_by_tracing(network, torch.zeros(2, 3, EDGE, EDGE), ends))
    _write_card(folder, method)
    targets = np.arange(n) % N_CLASSES
    return MapScene(pixels / 255.0, targets, MapModel(folder=str(folder)), features, head)


def _network(torch: Any, features: Any, head: Any, *, is_linear: bool) -> Any:
    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.features = features
            self.head = head

        def forward(self, pictures: Any) -> Any:
            found = self.features(pictures)
            if is_linear:
                maps = self.head(found)
                return maps.mean((2, 3)).softmax(1), maps
            squares = (found**2).sum(1, keepdim=True) + (self.head**2).sum(1)[:, None, None]
            apart = torch.relu(squares - 2 * torch.nn.functional.conv2d(found, self.head[:, :, None, None]))
            maps = torch.log((apart + 1) / (apart + 1e-4))
            return maps.amax((2, 3)).reshape(-1, N_CLASSES, N_EACH).sum(2).softmax(1), maps

    return Network()


def _write_card(folder: Path, method: Method) -> None:
    labels = tuple(f"class {number}" for number in range(N_CLASSES))
    prototypes: tuple[StoredPrototype, ...] = ()
    if method == "prototypes":
        pixels = np.random.default_rng(SEED).integers(256, size=(EDGE, EDGE, 3), dtype=np.uint8)
        (folder / "photo.png").write_bytes(picture_from_pixels(pixels).content)
        region = Region(left=0, top=0, width=0.2, height=0.2)
        prototypes = tuple(
            StoredPrototype(label=label, source="photo.png", region=region, training_index=0)
            for label in labels
            for _ in range(N_EACH)
        )
    card = MapModelCard(
        name=f"bench {method}", method=method, labels=labels, size=(3, EDGE, EDGE), prototypes=prototypes
    )
    (folder / "card.json").write_text(canonical_json(json_from_record(card)), encoding="utf-8")
