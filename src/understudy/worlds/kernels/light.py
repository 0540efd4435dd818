"""Kernels of light: between parts, from the backdrop, and in shadow.

A probe keeps, for light of each colour, the nine spherical harmonics up to degree 2. What falls on a surface of any
direction follows from these to about 1 % (Ramamoorthi and Hanrahan, 2001).
"""

import math

import numpy as np

from understudy.worlds.kernels.geometry import (
    MISS,
    along,
    blocks,
    dot,
    hit,
    kernel,
    minus,
    normal,
    on_surface,
    to_scene,
    transformed,
    triple,
)
from understudy.worlds.packing import ALBEDO, CENTRE, INVERSE, REACH, WALL, WALL_ALBEDO, WALL_FRONT, WALL_RIGHT, WALL_UP

# Light: what arrives at a point straight from the area light, with the shadows of all parts.


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


N_PROBES, MIDDLE = 27, 13
"""Probes are the nodes of a cube of 3 x 3 x 3, without the one in the middle."""
POSITION, VECTOR, HARMONICS, N_HARMONICS, PROBE_COLUMNS = 0, 3, 6, 9, 33
WALL_EDGE = 11
N_DIRECTIONS = 48


def sphere(n: int) -> np.ndarray:
    """Return directions spread evenly over a sphere."""
    order = np.arange(n) + 0.5
    height, angle = 1 - 2 * order / n, order * np.pi * (3 - np.sqrt(5))
    flat = np.sqrt(1 - height**2)
    return np.stack([flat * np.cos(angle), flat * np.sin(angle), height], axis=1)


_DIRECTIONS = sphere(N_DIRECTIONS)


@kernel
def light_backdrop(rows, lights, frame, wall):
    """Fill a grid over the backdrop with the light that falls on it."""
    blockers = np.zeros(rows.shape[0] + 1, np.int64)
    across, up = triple(frame, WALL_RIGHT, 0), triple(frame, WALL_UP, 0)
    front = triple(frame, WALL_FRONT, 0)
    for row in range(WALL_EDGE):
        for column in range(WALL_EDGE):
            u, v = 2.0 * column / (WALL_EDGE - 1) - 1.0, 2.0 * row / (WALL_EDGE - 1) - 1.0
            point = along(triple(frame, WALL, 0), across, u / dot(across, across))
            point = along(point, up, v / dot(up, up))
            total = 0.0
            for which in range(lights.shape[0]):
                find_blockers(rows, lights[which], point, -1, blockers)
                total += irradiance(rows, lights[which], blockers, point, front)
            wall[row, column] = total / lights.shape[0]


@kernel
def place_on_backdrop(frame, point):
    """Return where a point of the backdrop's plane is, from -1 to 1 on both axes within its edges."""
    offset = minus(point, triple(frame, WALL, 0))
    return dot(offset, triple(frame, WALL_RIGHT, 0)), dot(offset, triple(frame, WALL_UP, 0))


@kernel
def backdrop_light(frame, wall, point):
    """Read the light that falls on a point of the backdrop's plane; 0 beyond its edges."""
    u, v = place_on_backdrop(frame, point)
    if abs(u) > 1.0 or abs(v) > 1.0:
        return 0.0
    x, y = (u + 1.0) * 0.5 * (WALL_EDGE - 1), (v + 1.0) * 0.5 * (WALL_EDGE - 1)
    i, j = min(int(x), WALL_EDGE - 2), min(int(y), WALL_EDGE - 2)
    x, y = x - i, y - j
    upper = wall[j, i] * (1.0 - x) + wall[j, i + 1] * x
    lower = wall[j + 1, i] * (1.0 - x) + wall[j + 1, i + 1] * x
    return upper * (1.0 - y) + lower * y


@kernel
def to_backdrop(frame, origin, direction):
    """Return how far along a ray the front of the backdrop's plane is; MISS where it is not."""
    front = triple(frame, WALL_FRONT, 0)
    towards = dot(direction, front)
    if towards >= 0.0:
        return MISS
    return dot(minus(triple(frame, WALL, 0), origin), front) / towards


@kernel
def place_probes(rows, lights, probes):
    """Put the probes on the parts, and let the light shine on them."""
    blockers = np.zeros(rows.shape[0] + 1, np.int64)
    for k in range(rows.shape[0]):
        for node in range(N_PROBES):
            if node == MIDDLE:
                continue
            corner = (node // 9 - 1.0, node // 3 % 3 - 1.0, node % 3 - 1.0)
            point = to_scene(rows, k, on_surface(rows, k, corner))
            find_blockers(rows, lights[node % lights.shape[0]], point, k, blockers)
            shine = light_vector(rows, lights[node % lights.shape[0]], blockers, point)
            for axis in range(3):
                probes[k, node, POSITION + axis] = point[axis]
                probes[k, node, VECTOR + axis] = shine[axis]


@kernel
def read_probes(probes, k, local, found):
    """Blend the four probes around a point of part k, given in its own space."""
    largest = max(abs(local[0]), abs(local[1]), abs(local[2]))
    base, n_free = 0, 0
    steps, shares = (9, 3, 1), (0.0, 0.0)
    first, second = 0, 0
    for axis in range(3):
        value = local[axis] / largest
        if abs(value) >= 1.0 - 1e-9 and n_free == axis:
            base += steps[axis] * (2 if value > 0.0 else 0)
            n_free += 10
            continue
        lower = 1 if value > 0.0 else 0
        base += steps[axis] * lower
        share = min(max(value + 1.0 - lower, 0.0), 1.0)
        if n_free % 10 == 0:
            first, shares = steps[axis], (share, shares[1])
        else:
            second, shares = steps[axis], (shares[0], share)
        n_free += 1
    a, b = shares
    for column in range(VECTOR, PROBE_COLUMNS):
        found[column] = (probes[k, base, column] * (1.0 - a) + probes[k, base + first, column] * a) * (1.0 - b) + (
            probes[k, base + second, column] * (1.0 - a) + probes[k, base + first + second, column] * a
        ) * b


@kernel
def harmonics(a):
    """Return the real spherical harmonics up to degree 2 of a direction, each with a mean square of 1."""
    x, y, z = a
    return (
        1.0,
        1.7320508 * x,
        1.7320508 * y,
        1.7320508 * z,
        3.8729833 * x * y,
        3.8729833 * y * z,
        3.8729833 * z * x,
        1.9364917 * (x * x - y * y),
        1.1180340 * (3.0 * z * z - 1.0),
    )


@kernel
def bounced(found, basis, channel):
    """Return the light of one colour that falls on a surface from parts and backdrop, after `read_probes`."""
    first = HARMONICS + N_HARMONICS * channel
    total = found[first]
    for k in range(1, N_HARMONICS):
        # A matt surface averages over half of all directions, which keeps 2/3 of degree 1 and 1/4 of degree 2.
        total += found[first + k] * basis[k] * (2.0 / 3.0 if k < 4 else 0.25)
    return max(math.pi * total, 0.0)


@kernel
def nearest_part(rows, origin, direction, own):
    """Return the first part that a ray meets, and how far away; part -1 where there is none."""
    best, found = 1e30, -1
    for k in range(rows.shape[0]):
        centre = minus(triple(rows, k, CENTRE), origin)
        b = dot(centre, direction)
        reach = rows[k, REACH]
        if k == own or b <= 0.0 or dot(centre, centre) - b * b >= reach * reach:
            continue
        x = transformed(rows, k, INVERSE, centre)
        t = hit(rows, k, (-x[0], -x[1], -x[2]), transformed(rows, k, INVERSE, direction))
        if 0.0 <= t < best:
            best, found = t, k
    return found, best


@kernel
def gather(rows, frame, wall, probes):
    """Let every probe look around once, at parts as bright as they are so far."""
    found = np.zeros(PROBE_COLUMNS)
    for k in range(rows.shape[0]):
        for node in range(N_PROBES):
            if node != MIDDLE:
                _look_around(rows, frame, wall, probes, (k, node, found))


@kernel
def _look_around(rows, frame, wall, probes, who):
    k, node, found = who
    point = (probes[k, node, POSITION], probes[k, node, POSITION + 1], probes[k, node, POSITION + 2])
    seen = np.zeros(3 * N_HARMONICS)
    for number in range(N_DIRECTIONS):
        ray = (_DIRECTIONS[number, 0], _DIRECTIONS[number, 1], _DIRECTIONS[number, 2])
        basis = harmonics(ray)
        other, far = nearest_part(rows, point, ray, k)
        if other >= 0:
            local = transformed(rows, other, INVERSE, minus(along(point, ray, far), triple(rows, other, CENTRE)))
            facing = normal(rows, other, local)
            read_probes(probes, other, local, found)
            straight = max(dot((found[VECTOR], found[VECTOR + 1], found[VECTOR + 2]), facing), 0.0)
            turned = harmonics(facing)
            for channel in range(3):
                glow = rows[other, ALBEDO + channel] * (straight + bounced(found, turned, channel)) / math.pi
                _add(seen, channel, glow, basis)
            continue
        far = to_backdrop(frame, point, ray)
        if far >= 0.0:
            light = backdrop_light(frame, wall, along(point, ray, far)) / math.pi
            for channel in range(3):
                _add(seen, channel, frame[WALL_ALBEDO, channel] * light, basis)
    for number in range(3 * N_HARMONICS):
        probes[k, node, HARMONICS + number] = seen[number] / N_DIRECTIONS


@kernel
def _add(seen, channel, glow, basis):
    for number in range(N_HARMONICS):
        seen[channel * N_HARMONICS + number] += glow * basis[number]
