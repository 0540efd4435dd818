"""A linear head that also shows a map for each class: the average over places and a linear layer can be exchanged."""

from torch import Tensor, nn

from understudy.training.nets.map_outputs import MapOutput


class LinearMaps(nn.Module):
    """The evidence at each place, and its average.

    Without the bias, the maps are the class activation maps (Zhou et al. 2016), which are what GradCAM computes for such a
    head before its ReLU; with it, they are the logits of patches, whose mean is the logit.
    """

    def __init__(self, n_features: int, n_labels: int, *, has_bias_in_maps: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(n_features, n_labels)
        self.has_bias_in_maps = has_bias_in_maps

    def forward(self, features: Tensor) -> MapOutput:
        """Return logits, and the maps whose means they are (plus the bias, if the maps do not contain it)."""
        weights = self.linear.weight[:, :, None, None]
        if self.has_bias_in_maps:
            maps = nn.functional.conv2d(features, weights, self.linear.bias)
            return MapOutput(maps.mean((2, 3)), maps)
        maps = nn.functional.conv2d(features, weights)
        return MapOutput(maps.mean((2, 3)) + self.linear.bias, maps)
