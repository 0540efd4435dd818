"""The small convolutional network of the paper, for pictures; needs torch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.registry import register
from understudy.roles import Floats, Ints, Objects
from understudy.schema import Record
from understudy.training.cuda_graphs import changed_by, replayed

READ = 1024
"""Pictures classified at once."""


@dataclass(frozen=True)
class TrainedNetwork:
    """A trained torch network."""

    labels: tuple[str, ...]
    network: Any
    device: str

    def predict(self, inputs: Objects) -> Floats:
        """Return the probability of each class."""
        torch = optional("torch", extra="torch")
        self.network.eval()
        with torch.no_grad():
            parts = [
                self.network(_pictures(torch, inputs[k : k + READ]).to(self.device)).softmax(dim=1).cpu().numpy()
                for k in range(0, len(inputs), READ)
            ]
        return np.concatenate(parts).astype(np.float64)


@register("trainers", "convolutional")
class Convolutional(Record):
    """Trains two convolutions of 32 and 64 filters, a pooling, and a layer of 128, with dropout; settings as published.

    Which optimiser was used is not published; the example the network comes from has Adadelta at rate 1.
    """

    n_epochs: int = Field(default=50, ge=1, le=100_000)
    batch: int = Field(default=128, ge=1, le=100_000)
    optimizer: Literal["adadelta", "adam"] = "adadelta"
    pooling: Literal["none", "global"] = "none"
    """`global` keeps the strongest answer of each filter, wherever it is, so that the net cannot tell one corner from
    another; `none` keeps all places, as published."""
    device: Literal["auto", "cpu", "cuda"] = "auto"

    def train(self, inputs: Objects, labels: Ints, seed: int) -> TrainedNetwork:
        """Return the trained network."""
        torch = optional("torch", extra="torch")
        device = self._device(torch)
        torch.manual_seed(seed)
        n_classes = int(labels.max()) + 1
        pictures = _pictures(torch, inputs).to(device)
        truth = torch.from_numpy(labels).to(device)
        network = _network(torch, tuple(pictures.shape[1:]), n_classes, self.pooling).to(device)
        step = self._step(torch, network, pictures, truth)
        torch.cuda.manual_seed(seed)  # capturing a step advances the generator of the GPU
        order_source = torch.Generator().manual_seed(seed)
        network.train()
        for _ in range(self.n_epochs):
            order = torch.randperm(len(pictures), generator=order_source).to(device)
            for indices in order.split(self.batch):
                step(indices)
        return TrainedNetwork(tuple(map(str, range(n_classes))), network, device)

    def _step(self, torch: Any, network: Any, pictures: Any, truth: Any) -> Callable[[Any], None]:
        """Return a function that takes one training step on the pictures with the given indices."""
        kinds: Any = {"adadelta": torch.optim.Adadelta, "adam": torch.optim.Adam}
        rate = {"adadelta": 1.0, "adam": 1e-3}[self.optimizer]
        optimizer = kinds[self.optimizer](network.parameters(), lr=rate, capturable=pictures.is_cuda)

        def step(indices: Any) -> None:
            optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(network(pictures[indices]), truth[indices]).backward()
            optimizer.step()

        if len(pictures) < self.batch or not pictures.is_cuda:
            return step
        first = torch.arange(self.batch, device=pictures.device)
        return replayed(step, (first,), changed_by(network, (optimizer,)))

    def _device(self, torch: Any) -> str:
        has_card = bool(torch.cuda.is_available())
        if self.device == "cuda" and not has_card:
            raise MaterialsError("There is no graphics card that torch can use. Set the trainer's device to cpu.")
        return "cuda" if has_card and self.device != "cpu" else "cpu"


def _network(torch: Any, shape: tuple[int, int, int], n_classes: int, pooling: str = "none") -> Any:
    nn, (n_channels, height, width) = torch.nn, shape
    if min(height, width) < 6:
        raise MaterialsError(f"Pictures of {height} x {width} are too small for two convolutions and a pooling.")
    is_global = pooling == "global"
    n_flat = 64 if is_global else 64 * ((height - 4) // 2) * ((width - 4) // 2)
    return nn.Sequential(
        nn.Conv2d(n_channels, 32, 3),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(1) if is_global else nn.MaxPool2d(2),
        nn.Dropout(0.25),
        nn.Flatten(),
        nn.Linear(n_flat, 128),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(128, n_classes),
    )


def _pictures(torch: Any, inputs: Objects) -> Any:
    if inputs.ndim < 3:
        raise MaterialsError("A convolutional network learns from pictures, and these objects are rows of numbers.")
    stacked = inputs[:, None] if inputs.ndim == 3 else inputs
    return torch.from_numpy(np.ascontiguousarray(stacked, dtype=np.float32))
