"""The world of Sixt et al. (2022), and the groups of attributes that people are asked about.

Apart from the world, which needs pandas: simulated people know the groups, and servers load them with their catalogue.
"""

import math
from typing import Literal, TypeAlias

from understudy.schema import Record, digest_of
from understudy.worlds.laws import (
    Beta,
    Between,
    ByRange,
    Law,
    Line,
    Mixture,
    PerClass,
    Piece,
    Share,
    TruncatedNormal,
    Uniform,
)
from understudy.worlds.world import Attribute, World

GROUPS = {
    "legs": ("legs",),
    "colour": ("hue",),
    "background": ("background",),
    "shape": ("shape",),
    "posture": ("yaw", "roll", "pitch", "bending"),
}
"""Group -> attributes; where the animal is, nobody was asked."""


# The world of Sixt, Schuessler et al. (2022): legs decide the class, colour helps where they do not, shape does not help.
#
# Where the paper and the code of its study differ, `Sixt2022Options` names the difference. `sixt2022` is what the paper says, to
# the letter; where it is silent (how strong the biases are, how red is drawn), the code decides. `sixt2022-code` is the code in
# everything. Any other choice of options has a name that lists what it changes.

Version: TypeAlias = Literal["paper", "code"]
PEEKY, STRETCHY = "Peeky", "Stretchy"
OVERLAP = (0.48, 0.52)
"""Where legs of both classes are equally likely."""


class Sixt2022Options(Record):
    """What differs between the paper and the code of the study, and the strength of the biases."""

    background: Version = "paper"
    """Paper: 0.05 to 0.95. Code: 0 to 1."""
    yaw: Version = "paper"
    """Paper: a full turn, 0 to 2 pi. Code: half a turn, -pi to 0."""
    shape_middle: Version = "paper"
    """Legs from 0.45 to 0.55. Paper: uniform. Code: the U-shaped Beta(0.3, 0.3) of the unbiased draw."""
    compresses_red: bool = True
    """Colours above 0.5 are drawn at 0.5 + 0.9 (v - 0.5), as the code draws them; the paper does not say."""
    hue_slope: float = 2.5
    hue_unbiased: float = 0.15
    """How often the colour is drawn without bias."""
    shape_unbiased: float = 0.33
    """How often the shape is drawn without bias, where it has one."""


_VERSIONS = ("background", "yaw", "shape_middle")
_LONGEST_NAME = 60
AS_IN_CODE = Sixt2022Options(background="code", yaw="code", shape_middle="code")


def _name_of(how: Sixt2022Options) -> str:
    """Return a name that belongs to these options alone."""
    is_code = how.model_copy(update=dict.fromkeys(_VERSIONS, "code")) == how
    usual, stem = (AS_IN_CODE, "sixt2022-code") if is_code else (Sixt2022Options(), "sixt2022")
    changed = [name for name in Sixt2022Options.model_fields if getattr(how, name) != getattr(usual, name)]
    listed = "-".join([stem, *(f"{name}-{getattr(how, name)}" for name in changed)]).lower()
    return listed if len(listed) <= _LONGEST_NAME else f"{stem}-{digest_of(how)[:12]}"


def sixt2022(options: Sixt2022Options | None = None) -> World:
    """Return the world of the paper, or a variant of it, which has a name of its own."""
    how = options or Sixt2022Options()
    background = Uniform(low=0.05, high=0.95) if how.background == "paper" else Uniform(low=0, high=1)
    yaw = Uniform(low=0, high=2 * math.pi) if how.yaw == "paper" else Uniform(low=-math.pi, high=0)
    return World(
        name=_name_of(how),
        classes=(PEEKY, STRETCHY),
        attributes=(
            Attribute(name="legs", low=0, high=1, law=_legs()),
            Attribute(name="hue", low=0, high=1, law=_hue(how)),
            Attribute(name="shape", low=0, high=1, law=_shape(how)),
            Attribute(name="background", low=0, high=1, law=background),
            Attribute(name="yaw", low=-math.pi, high=2 * math.pi, law=yaw),
            Attribute(name="roll", low=-math.pi / 3, high=math.pi / 3, law=_normal(0.03 * math.pi / 4, math.pi / 4)),
            Attribute(name="pitch", low=-math.pi / 3, high=math.pi / 3, law=_normal(math.pi / 8, math.pi / 6)),
            Attribute(name="bending", low=-math.pi / 8, high=math.pi / 8, law=_normal(math.pi / 20, math.pi / 10)),
            Attribute(name="x", low=-3, high=3, law=Uniform(low=-0.8, high=0)),
            Attribute(name="y", low=-3, high=3, law=Uniform(low=-0.8, high=0)),
        ),
        settings={"red_share": 0.9} if how.compresses_red else {},
        groups=GROUPS,
    )


def _normal(sd: float, high: float) -> TruncatedNormal:
    return TruncatedNormal(mean=0, sd=sd, low=-high, high=high)


def _legs() -> Law:
    return PerClass(classes={PEEKY: Uniform(low=0, high=OVERLAP[1]), STRETCHY: Uniform(low=OVERLAP[0], high=1)})


def _hue(how: Sixt2022Options) -> Law:
    """A Peeky is blue and a Stretchy red near the overlap; the farther the legs are in, the less so."""
    centre, slope = 0.25, how.hue_slope
    # The width of the range is 0.25 at 0.5 and grows by the slope into the side of the class.
    peeky = Line(parent="legs", intercept=centre + slope / 2, slope=-slope, low=0, high=1)
    stretchy = Line(parent="legs", intercept=1 - centre + slope / 2, slope=-slope, low=0, high=1)
    biased = PerClass(classes={PEEKY: Between(low=0, high=peeky), STRETCHY: Between(low=stretchy, high=1)})
    return _or_unbiased(biased, Uniform(low=0, high=1), how.hue_unbiased)


def _shape(how: Sixt2022Options) -> Law:
    """Outside the overlap, legs decide between cubes and balls; within it, where it would help, they do not."""
    usual = Beta(a=0.3, b=0.3)
    cubes, balls = Beta(a=0.3, b=0.3, low=0, high=0.5), Beta(a=0.3, b=0.3, low=0.5, high=1)
    share = how.shape_unbiased
    if how.shape_middle == "code":
        # The code replaces a share of all draws, which in the middle changes nothing.
        return _or_unbiased(_by_legs(cubes, usual, balls), usual, share)
    return _by_legs(_or_unbiased(cubes, usual, share), Uniform(low=0, high=1), _or_unbiased(balls, usual, share))


def _by_legs(inward: Law, middle: Law, outward: Law) -> Law:
    pieces = (Piece(below=0.45, law=inward), Piece(below=0.55, law=middle), Piece(law=outward))
    return ByRange(parent="legs", pieces=pieces)


def _or_unbiased(biased: Law, usual: Law, share: float) -> Law:
    if share <= 0:
        return biased
    return (
        usual if share >= 1 else Mixture(shares=(Share(weight=1 - share, law=biased), Share(weight=share, law=usual)))
    )
