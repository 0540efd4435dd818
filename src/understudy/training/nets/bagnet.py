"""BagNet (Brendel and Bethge 2019), scaled down: every place of its maps sees one small patch of the picture, and no more.

Only one convolution of a stage is 3 x 3, and it has no padding; all others are 1 x 1. With such a convolution in all four
stages a place sees 33 pixels, without one in the last stage 17, without one in the last two 9. Differences from the
original: narrower, fewer blocks, bottlenecks widened by 2 instead of 4, one convolution for two linear ones at the start,
and the picture is padded once, so that the centres of the patches form a regular grid of 8 pixels over all of it.
"""

from torch import Tensor, nn

from understudy.errors import MaterialsError
from understudy.training.nets.small_cnn import centred

GRID_PX = 8
"""Pixels between the centres of neighbouring patches."""
_N_WIDE_STAGES: dict[int, int] = {9: 2, 17: 3, 33: 4}
_EXPANSION = 2


class BagNet(nn.Module):
    """A stem and four stages of bottlenecks."""

    def __init__(self, receptive_px: int, widths: tuple[int, ...], n_blocks: tuple[int, ...]) -> None:
        super().__init__()
        if len(widths) != 4 or len(n_blocks) != 4 or receptive_px not in _N_WIDE_STAGES:
            raise MaterialsError(
                f"A BagNet has 4 stages and sees 9, 17 or 33 pixels, not {len(widths)} widths, {len(n_blocks)} numbers of "
                f"blocks and {receptive_px} pixels."
            )
        self.receptive_px = receptive_px
        stem = widths[0]
        self.stem = nn.Sequential(
            nn.Conv2d(3, stem, 3, bias=False),
            nn.BatchNorm2d(stem),
            nn.ReLU(inplace=True),
        )
        blocks: list[nn.Module] = []
        n_inputs = stem
        for stage, (width, n) in enumerate(zip(widths, n_blocks, strict=True)):
            for number in range(n):
                kernel = 3 if number == 0 and stage < _N_WIDE_STAGES[receptive_px] else 1
                stride = 2 if number == 0 and stage < 3 else 1
                blocks.append(_Bottleneck(n_inputs, width, kernel=kernel, stride=stride))
                n_inputs = width * _EXPANSION
        self.blocks = nn.Sequential(*blocks)
        self.n_features = n_inputs

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the features of each patch; pictures are (n, 3, height, width) from 0 to 1, multiples of 8 pixels."""
        before = (self.receptive_px - GRID_PX) // 2
        after = self.receptive_px - GRID_PX - before
        padded = nn.functional.pad(centred(pictures), (before, after, before, after))
        return self.blocks(self.stem(padded))


class _Bottleneck(nn.Module):
    """Narrow, look around, widen; the shortcut is cropped at the bottom and right to what remains without padding."""

    def __init__(self, n_inputs: int, width: int, *, kernel: int, stride: int) -> None:
        super().__init__()
        n_outputs = width * _EXPANSION
        self.layers = nn.Sequential(
            nn.Conv2d(n_inputs, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, kernel, stride, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, n_outputs, 1, bias=False),
            nn.BatchNorm2d(n_outputs),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or n_inputs != n_outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(n_inputs, n_outputs, 1, stride, bias=False), nn.BatchNorm2d(n_outputs)
            )

    def forward(self, maps: Tensor) -> Tensor:
        added = self.layers(maps)
        return (added + self.shortcut(maps)[:, :, : added.shape[2], : added.shape[3]]).relu()
