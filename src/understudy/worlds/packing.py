"""Packing: a scene as the flat arrays that the kernels read; one row is one part, one light sample or one fact."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.roles import Floats
from understudy.worlds.scene import AreaLight, Scene

CENTRE, INVERSE, FORWARD, EXPONENT, INNER, OUTER, REACH, ALBEDO = 0, 3, 12, 21, 22, 23, 24, 25
PART_COLUMNS = 28
"""Where the facts of a part begin in its row. INNER and OUTER are squared radii, in the part's own space, of the balls
that fit into it and around it; REACH is the radius of a ball around it in the space of the scene."""
EYE, AHEAD, RIGHT, UP, WALL, WALL_RIGHT, WALL_UP, WALL_FRONT, WALL_ALBEDO, SHINE = range(10)
"""Rows of the frame: camera, backdrop, and the radiance of the light."""
N_SETS, N_SAMPLES = 4, 16
"""Light samples: pixels take turns with four sets, which together cover the light more finely."""


class Packed(NamedTuple):
    """A scene for the kernels."""

    parts: Floats
    frame: Floats
    lights: Floats
    """(sets, samples + 2, 4): samples, then the direction of the light, then its centre and reach."""
    part_ids: npt.NDArray[np.uint8]
    rectangles: npt.NDArray[np.int64]
    """For each part, the first and last column and row where it can be seen."""


def packed(scene: Scene, *, edge: int) -> Packed:
    """Pack a scene for a square picture of so many pixels a side."""
    centres = np.array([part.centre for part in scene.parts])
    axes = np.array([part.axes for part in scene.parts])
    rows = np.zeros((len(scene.parts), PART_COLUMNS))
    exponents = np.array([part.exponent for part in scene.parts])
    # Norms of three numbers: the cube's corner is this much farther than its face in the other norm.
    corner = 3.0 ** (1 - 2 / exponents)
    rows[:, CENTRE:INVERSE] = centres
    rows[:, INVERSE:FORWARD] = np.linalg.inv(axes).reshape(-1, 9)
    rows[:, FORWARD:EXPONENT] = axes.reshape(-1, 9)
    rows[:, EXPONENT] = exponents
    rows[:, INNER], rows[:, OUTER] = np.minimum(corner, 1), np.maximum(corner, 1)
    rows[:, REACH] = np.sqrt(rows[:, OUTER]) * np.linalg.svd(axes, compute_uv=False)[:, 0]
    rows[:, ALBEDO:PART_COLUMNS] = [part.albedo for part in scene.parts]
    frame = _frame(scene)
    return Packed(
        rows,
        frame,
        light_samples(scene.light),
        np.array([part.part_id for part in scene.parts], dtype=np.uint8),
        _rectangles(frame, rows, edge),
    )


def light_samples(light: AreaLight) -> Floats:
    """Spread samples evenly over the ellipse, along a sunflower spiral, with what each weighs."""
    order = np.arange(N_SAMPLES)
    radius = np.sqrt((order + 0.5) / N_SAMPLES)
    turns = order * (3 - np.sqrt(5)) / 2
    across, along = np.asarray(light.half_axes)
    front = np.cross(across, along)
    area = np.pi * np.linalg.norm(front)
    lights = np.zeros((N_SETS, N_SAMPLES + 2, 4))
    for which in range(N_SETS):
        angle = 2 * np.pi * (turns + which / N_SETS)
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        lights[which, :N_SAMPLES, :3] = np.outer(x, across) + np.outer(y, along) + light.centre
        lights[which, :N_SAMPLES, 3] = area / N_SAMPLES
        lights[which, N_SAMPLES, :3] = front / np.linalg.norm(front)
        lights[which, N_SAMPLES + 1] = (*light.centre, max(np.linalg.norm(across), np.linalg.norm(along)))
    return lights


def _frame(scene: Scene) -> Floats:
    camera, wall = scene.camera, scene.backdrop
    eye = np.asarray(camera.position, dtype=np.float64)
    ahead = np.asarray(camera.target, dtype=np.float64) - eye
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, camera.up)
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    across, along = np.asarray(wall.half_axes, dtype=np.float64)
    front = np.cross(across, along)
    rows = (
        eye, ahead, right * camera.half_width, up * camera.half_width, wall.centre,
        # Divided by their squared lengths, so that a product with a point gives its place from -1 to 1.
        across / (across @ across), along / (along @ along), front / np.linalg.norm(front),
        wall.albedo, scene.light.radiance,
    )  # fmt: skip
    return np.array(rows, dtype=np.float64)


def _rectangles(frame: Floats, rows: Floats, edge: int) -> npt.NDArray[np.int64]:
    """Bound each part on the screen by the corners of the box around it."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
    axes = rows[:, FORWARD:EXPONENT].reshape(-1, 3, 3)
    seen = signs @ axes.transpose(0, 2, 1) + rows[:, None, CENTRE:INVERSE] - frame[EYE]
    far = seen @ frame[AHEAD]
    # A part that reaches behind the camera may be anywhere on the screen.
    is_ahead = far.min(axis=1) > 1e-6
    depth = np.maximum(far, 1e-6)
    width = frame[RIGHT] @ frame[RIGHT]
    column = (seen @ frame[RIGHT] / width / depth + 1) * 0.5 * edge
    row = (1 - seen @ frame[UP] / width / depth) * 0.5 * edge
    bounds = np.stack([column.min(1) - 1, column.max(1) + 1, row.min(1) - 1, row.max(1) + 1], axis=1)
    bounds[~is_ahead] = (0, edge - 1, 0, edge - 1)
    clipped = np.clip(np.floor(bounds), (0, -1, 0, -1), (edge, edge - 1, edge, edge - 1))
    rectangles: npt.NDArray[np.int64] = clipped.astype(np.int64)
    return rectangles
