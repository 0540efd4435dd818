"""The groups of attributes that people are asked about in the world of Sixt et al. (2022).

Apart from the world, which needs pandas: simulated people know the groups, and servers load them with their catalogue.
"""

GROUPS = {
    "legs": ("legs",),
    "colour": ("hue",),
    "background": ("background",),
    "shape": ("shape",),
    "posture": ("yaw", "roll", "pitch", "bending"),
}
"""Group -> attributes; where the animal is, nobody was asked."""
