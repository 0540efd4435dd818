"""A world that is drawn in a moment, and models of which it is known what they rely on."""

import numpy as np

from understudy.roles import Floats
from understudy.worlds.laws import PerClass, TruncatedNormal, Uniform
from understudy.worlds.world import Attribute, World

EDGE = 16
WORLD = World(
    name="mine",
    classes=("cold", "warm"),
    attributes=(
        Attribute(
            name="hue",
            low=0,
            high=1,
            law=PerClass(classes={"cold": Uniform(low=0, high=0.6), "warm": Uniform(low=0.4, high=1)}),
        ),
        Attribute(name="wall", low=0, high=1, law=Uniform(low=0, high=1)),
        Attribute(name="yaw", low=-1, high=1, law=TruncatedNormal(mean=0, sd=0.3, low=-1, high=1)),
    ),
    parameters={"wall": "background"},
    settings={"shape": 1.0},
    groups={"colour": ("hue",), "wall": ("wall",), "posture": ("yaw",)},
)


class Thermometer:
    """Calls pictures warm that are rather red in a corner, where the backdrop is; shows no margins."""

    labels: tuple[str, ...] = ("cold", "warm")

    def predict(self, inputs: Floats) -> Floats:
        yes = 1 / (1 + np.exp(-self.evidence(inputs)))
        return np.column_stack([1 - yes, yes])

    def evidence(self, inputs: Floats) -> Floats:
        red = inputs[:, 0, :2, :2] - inputs[:, 2, :2, :2]
        return np.asarray(8 * red.mean((1, 2)))


class SeenThrough(Thermometer):
    """The same, with the evidence and a hidden layer in which it is twice the first value."""

    def margins(self, inputs: Floats) -> Floats:
        return self.evidence(inputs)

    def latents(self, inputs: Floats) -> Floats:
        dark = inputs.mean((1, 2, 3))
        return np.column_stack([self.evidence(inputs) / 2, dark])
