"""Tables 1, 3, 4, 6 and 7 of the paper: what its classifier relies on, and what its counterfactuals move.

Table 1 shows some rows of Table 3. Names of attributes are those of the world `sixt2022`; the paper's network learned from what
the code of its study draws, `sixt2022-code`.
"""

from typing import Final, NamedTuple

from understudy.schema import AttributeImportance, LatentShift, Measured, RelevanceRule


class PrintedImportance(NamedTuple):
    """A row of Table 3."""

    flip_percent: float
    median_change: float
    r_squared: float


class PrintedShift(NamedTuple):
    """A row of Table 4."""

    norm: float
    norm_sd: float
    angle: float
    angle_sd: float


class PrintedMovement(NamedTuple):
    """A row of Table 6."""

    mean: float
    sd: float


WORLDS: Final = ("sixt2022", "sixt2022-code")
"""Worlds that are compared with the tables."""
PRINTED_FOR: Final = "sixt2022-code"
"""The world that the paper's network learned from: its published code, which differs from its text."""
N_TEST: Final = 5000
"""Pictures behind Tables 1, 3 and 4."""
TABLE_3: Final[dict[str, PrintedImportance]] = {
    "legs": PrintedImportance(41.680, 2.493, 0.933),
    "hue": PrintedImportance(7.080, 0.886, 0.751),
    "shape": PrintedImportance(3.920, 0.577, 0.307),
    "y": PrintedImportance(2.960, 0.597, 0.007),
    "background": PrintedImportance(2.640, 0.523, 0.006),
    "yaw": PrintedImportance(3.480, 0.669, 0.001),
    "roll": PrintedImportance(2.260, 0.413, 0.001),
    "bending": PrintedImportance(3.640, 0.605, 0.000),
    "pitch": PrintedImportance(3.500, 0.627, 0.000),
    "x": PrintedImportance(3.380, 0.581, 0.000),
}
TABLE_1: Final = ("legs", "hue", "shape", "background", "yaw", "bending")
"""The rows of Table 3 that Table 1 shows."""
TABLE_4: Final[dict[str, PrintedShift]] = {
    "legs": PrintedShift(70.8, 2.6, 79.9, 1.9),
    "hue": PrintedShift(53.8, 2.4, 85.3, 1.3),
    "shape": PrintedShift(66.9, 2.1, 88.5, 1.5),
    "y": PrintedShift(68.1, 2.8, 89.7, 1.7),
    "background": PrintedShift(60.3, 2.6, 89.7, 1.5),
    "bending": PrintedShift(68.9, 2.6, 89.8, 1.7),
    "yaw": PrintedShift(68.5, 2.7, 89.8, 1.7),
    "roll": PrintedShift(55.2, 2.9, 89.9, 1.2),
    "x": PrintedShift(68.4, 3.0, 89.9, 1.6),
    "pitch": PrintedShift(69.5, 2.5, 90.0, 1.5),
}
TABLE_6: Final[dict[str, PrintedMovement]] = {
    "legs": PrintedMovement(0.662, 0.140),
    "hue": PrintedMovement(0.440, 0.190),
    "shape": PrintedMovement(0.624, 0.208),
    "bending": PrintedMovement(0.059, 0.042),
    "background": PrintedMovement(0.045, 0.044),
    "pitch": PrintedMovement(0.186, 0.126),
    "yaw": PrintedMovement(0.102, 0.182),
    "roll": PrintedMovement(0.003, 0.001),
    "x": PrintedMovement(0.105, 0.078),
    "y": PrintedMovement(0.103, 0.078),
}
TABLE_7: Final[dict[str, float]] = {
    "legs": 0.0008912,
    "bending": 0.0001915,
    "background": 0.0001128,
    "hue": 0.0005297,
    "pitch": 0.0009235,
    "roll": 0.0005622,
    "yaw": 0.002243,
    "x": 0.0004451,
    "y": 0.0003912,
    "shape": 0.001102,
}
"""Mean squared error of the observer."""
RELEVANT: Final = ("legs", "hue", "shape")
"""What the paper counts as relevant."""


def printed_row(attribute: str, rule: RelevanceRule) -> AttributeImportance:
    """Return a row of Tables 3 and 4 as if it were measured; the paper prints no intervals, so they have no width."""
    row, shift = TABLE_3[attribute], TABLE_4[attribute]
    r_squared = _exactly(row.r_squared)
    return AttributeImportance(
        attribute=attribute,
        flip_rate=_exactly(row.flip_percent / 100),
        median_change=_exactly(row.median_change),
        r_squared=r_squared,
        latents=LatentShift(norm=shift.norm, norm_sd=shift.norm_sd, angle=shift.angle, angle_sd=shift.angle_sd),
        verdict=rule.verdict(r_squared),
    )


def _exactly(value: float) -> Measured:
    return Measured(value=value, low=value, high=value)
