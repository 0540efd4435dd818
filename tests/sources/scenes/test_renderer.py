"""The renderer draws any scene of superellipsoids, always the same, and says what it cannot draw."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from understudy.errors import MaterialsError, MissingExtra
from understudy.worlds.renderer import Rendered, render
from understudy.worlds.scene import AreaLight, Backdrop, Camera, Part, Scene, superellipsoid, turned
from understudy.worlds.two4two import Two4Two, two4two_scene

EDGE = 48


def ball(x: float = 0.0, y: float = 0.0, *, radius: float = 1.0, part_id: int = 1, exponent: float = 2.0) -> Part:
    return superellipsoid((x, y, 0.0), (radius,) * 3, exponent=exponent, albedo=(0.8, 0.4, 0.2), part_id=part_id)


def scene_of(*parts: Part, light_y: float = 0.0) -> Scene:
    light = AreaLight((10.0, light_y, 4.0), ((0.0, 2.0, 0.0), (0.0, 0.0, -2.0)), (40.0, 40.0, 40.0))
    wall = Backdrop((-3.0, 0.0, 0.0), ((0.0, 9.0, 0.0), (0.0, 0.0, 9.0)), (0.5, 0.5, 0.5))
    return Scene(parts, Camera((9.0, 0.0, 0.0), (0.0, 0.0, 0.0)), light, wall)


def drawn(*parts: Part, light_y: float = 0.0) -> Rendered:
    return render(scene_of(*parts, light_y=light_y), edge=EDGE)


def test_a_ball_covers_the_disc_that_geometry_predicts() -> None:
    mask = drawn(ball()).mask
    # The outline of a ball of radius r at distance d has the slope r / sqrt(d^2 - r^2).
    radius_px = 1 / np.sqrt(80) / 0.36 * EDGE / 2
    assert mask.sum() == pytest.approx(np.pi * radius_px**2, rel=0.03)


def test_depth_is_the_distance_along_the_line_of_sight() -> None:
    depth = drawn(ball()).depth
    assert depth[EDGE // 2, EDGE // 2] == pytest.approx(8, abs=0.02)
    assert depth[0, 0] == pytest.approx(12, abs=1e-5)


def test_depth_is_infinite_where_nothing_is() -> None:
    scene = scene_of(ball())
    small = replace(scene.backdrop, half_axes=((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    assert np.isinf(render(replace(scene, backdrop=small), edge=EDGE).depth[0, 0])


def test_the_nearer_part_hides_the_other() -> None:
    behind, before = ball(part_id=7), ball(radius=0.4, part_id=9)
    near = replace(before, centre=np.array([2.0, 0.0, 0.0]))
    mask = drawn(behind, near).mask
    assert mask[EDGE // 2, EDGE // 2] == 9
    assert set(np.unique(mask)) == {0, 7, 9}


def test_a_box_is_larger_than_a_ball_and_an_octahedron_smaller() -> None:
    sizes = [int((drawn(ball(exponent=p)).mask > 0).sum()) for p in (1.0, 2.0, 20.0)]
    assert sizes == sorted(set(sizes))


def test_radii_and_rotation_shape_a_part() -> None:
    long = superellipsoid((0.0, 0.0, 0.0), (0.3, 1.5, 0.3), exponent=2, albedo=(1.0, 1.0, 1.0), part_id=1)
    upright = turned(long, np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]))
    lying, standing = drawn(long).mask, drawn(upright).mask
    assert np.ptp(np.flatnonzero(lying.any(axis=0))) == np.ptp(np.flatnonzero(standing.any(axis=1)))
    assert lying.any(axis=1).sum() < lying.any(axis=0).sum() / 3


def test_a_part_shades_the_one_behind_it() -> None:
    alone = drawn(ball(1.0, radius=0.8), light_y=9).picture
    shaded = drawn(ball(1.0, radius=0.8), replace(ball(), centre=np.array([3.5, 3.2, 0.6])), light_y=9).picture
    middle = slice(EDGE // 2 - 2, EDGE // 2 + 2)
    assert shaded[middle, middle].mean() < alone[middle, middle].mean() - 5


def test_the_side_away_from_the_light_is_darker() -> None:
    picture = drawn(ball(), light_y=9).picture.astype(int)
    row = picture[EDGE // 2].sum(axis=1)
    assert row[EDGE // 2 + 5] > row[EDGE // 2 - 5]


def test_colours_bleed_from_the_backdrop_into_shaded_sides() -> None:
    scene = scene_of(ball(), light_y=9)
    black = replace(scene, backdrop=replace(scene.backdrop, albedo=(0.0, 0.0, 0.0)))
    rim = drawn(ball()).mask.astype(bool) & (np.arange(EDGE) < EDGE // 2 - 4)
    assert render(scene, edge=EDGE).picture[rim].mean() > render(black, edge=EDGE).picture[rim].mean() + 1


def test_outlines_are_smooth_and_masks_are_not() -> None:
    result = drawn(ball())
    shades = len(np.unique(result.picture[EDGE // 2], axis=0))
    assert set(np.unique(result.mask)) == {0, 1}
    assert shades > 6


def test_the_same_scene_gives_the_same_bytes_on_any_number_of_threads() -> None:
    scenes = [two4two_scene(Two4Two(legs=legs, yaw=legs)) for legs in (0.1, 0.5, 0.9)] * 2
    alone = [render(scene, edge=EDGE) for scene in scenes]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda scene: render(scene, edge=EDGE), scenes))
    for first, second in zip(alone, together, strict=True):
        assert np.array_equal(first.picture, second.picture)
        assert np.array_equal(first.mask, second.mask)
        assert np.array_equal(first.depth, second.depth)


def test_a_part_behind_the_camera_is_not_seen() -> None:
    assert not drawn(replace(ball(), centre=np.array([12.0, 0.0, 0.0]))).mask.any()


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        (ball(exponent=0.5), "Part 1 has the exponent 0.5. Use 1"),
        (ball(part_id=0), "Part 1 has the id 0. Use 1 to 255"),
        (ball(radius=0.0), "Part 1 is flat"),
        (ball(radius=float("nan")), "Part 1 has a pose that is not finite"),
    ],
)
def test_a_part_that_cannot_be_drawn_is_named(part: Part, sentence: str) -> None:
    with pytest.raises(MaterialsError, match=sentence):
        drawn(part)


def test_an_empty_scene_is_refused() -> None:
    with pytest.raises(MaterialsError, match="The scene has 0 parts"):
        drawn()


def test_a_picture_of_no_size_is_refused() -> None:
    with pytest.raises(MaterialsError, match="Use 8 to 2048"):
        render(scene_of(ball()), edge=0)


def test_without_numba_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "understudy.worlds.kernels.picture", None)
    with pytest.raises(MissingExtra, match=r"pip install 'understudy\[scenes\]'"):
        drawn(ball())
