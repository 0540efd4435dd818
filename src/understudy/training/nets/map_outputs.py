"""What a network that shows its maps returns, and the network as a whole: a body that makes feature maps, and a head."""

from typing import NamedTuple

from torch import Tensor, nn


class MapOutput(NamedTuple):
    """Scores of a batch, and the maps that they come from."""

    logits: Tensor
    """(n, labels); a softmax makes probabilities of them."""
    maps: Tensor
    """(n, maps, rows, columns)."""


class MapNet(nn.Module):
    """A frozen part, which may be computed once and stored, a body that learns, and a head."""

    def __init__(self, body: nn.Module, head: nn.Module, frozen: nn.Module | None = None) -> None:
        super().__init__()
        self.frozen = nn.Identity() if frozen is None else frozen
        self.body, self.head = body, head

    def forward(self, inputs: Tensor) -> MapOutput:
        """Return scores and maps of what the frozen part returns; pictures themselves if there is none."""
        output: MapOutput = self.head(self.body(inputs))
        return output

    def from_pictures(self, pictures: Tensor) -> MapOutput:
        """Return scores and maps of pictures, (n, 3, height, width) from 0 to 1."""
        return self(self.frozen(pictures))
