"""Light: what arrives at a point straight from the area light, with the shadows of all parts."""

import math

from understudy.sources.scenes.kernels.jit import kernel
from understudy.sources.scenes.kernels.superellipsoids import blocks
from understudy.sources.scenes.kernels.vectors import dot, minus, triple
from understudy.sources.scenes.packing import CENTRE, REACH


@kernel
def find_blockers(rows, lights, point, own, blockers):
    """List in `blockers` the parts that may hide some of the light from a point, after their number."""
    last = lights.shape[0] - 1
    to_light = minus(triple(lights, last, 0), point)
    far = math.sqrt(dot(to_light, to_light))
    spread = lights[last, 3] / far
    count = 0
    for k in range(rows.shape[0]):
        centre = minus(triple(rows, k, CENTRE), point)
        ahead = dot(centre, to_light) / far
        reach = rows[k, REACH]
        aside = dot(centre, centre) - ahead * ahead
        # The rays to the light fill a cone; a ball touches it within its reach, widened by the slope of the cone.
        limit = max(ahead + reach, 0.0) * spread + reach
        if k != own and ahead > -reach and aside < limit * limit:
            count += 1
            blockers[count] = k
    blockers[0] = count


@kernel
def _is_hidden(rows, blockers, point, ray):
    for number in range(1, blockers[0] + 1):
        if blocks(rows, blockers[number], point, ray):
            # What blocks one ray probably blocks the next: ask it first.
            blockers[number], blockers[1] = blockers[1], blockers[number]
            return True
    return False


@kernel
def irradiance(rows, lights, blockers, point, facing):
    """Return the light that falls on a surface, for a radiance of 1."""
    n = lights.shape[0] - 2
    front = triple(lights, n, 0)
    total = 0.0
    for sample in range(n):
        ray = minus(triple(lights, sample, 0), point)
        cosine, leaving = dot(ray, facing), -dot(ray, front)
        if cosine <= 0.0 or leaving <= 0.0 or _is_hidden(rows, blockers, point, ray):
            continue
        square = dot(ray, ray)
        total += cosine * leaving / (square * square) * lights[sample, 3]
    return total


@kernel
def light_vector(rows, lights, blockers, point):
    """Return the sum of light by direction: its product with a surface's normal is what arrives there."""
    n = lights.shape[0] - 2
    front = triple(lights, n, 0)
    x, y, z = 0.0, 0.0, 0.0
    for sample in range(n):
        ray = minus(triple(lights, sample, 0), point)
        leaving = -dot(ray, front)
        if leaving <= 0.0 or _is_hidden(rows, blockers, point, ray):
            continue
        square = dot(ray, ray)
        weight = leaving / (square * square) * lights[sample, 3]
        x, y, z = x + weight * ray[0], y + weight * ray[1], z + weight * ray[2]
    return x, y, z
