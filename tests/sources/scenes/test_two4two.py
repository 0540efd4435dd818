"""The animals of Sixt et al.: their scenes follow the published facts, and look as Blender draws them."""

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from understudy.worlds.renderer import FIRST, LAST, N_STEPS, Rendered, render, tone_curve
from understudy.worlds.two4two import Two4Two, coolwarm, two4two_scene

FOLDER = Path(os.environ.get("UNDERSTUDY_DATA", "")) / "two4two-reference"
has_references = pytest.mark.skipif(
    not (FOLDER / "params.json").is_file(), reason="set UNDERSTUDY_DATA to a folder with two4two-reference"
)
COOLWARM = {
    0.0: (0.230, 0.299, 0.754),
    0.25: (0.554, 0.690, 0.996),
    0.5: (0.867, 0.864, 0.863),
    0.75: (0.957, 0.598, 0.477),
    1.0: (0.706, 0.016, 0.150),
}


def params_of(reference: dict[str, Any]) -> Two4Two:
    return Two4Two(
        legs=reference["arm_position"],
        shape=reference["spherical"],
        animal_rgb=tuple(reference["obj_rgb"]),
        background_rgb=tuple(reference["bg_rgb"]),
        brightness="blender-5",
        **{name: reference[name] for name in ("bending", "roll", "pitch", "yaw", "x", "y")},
    )


def references() -> list[tuple[Rendered, np.ndarray, np.ndarray]]:
    found = []
    for number, reference in enumerate(json.loads((FOLDER / "params.json").read_text(encoding="utf-8"))):
        picture = np.asarray(Image.open(FOLDER / f"{number:02d}.png").convert("RGB"), dtype=float)
        # Grey levels of the masks are sixteenths of white, the backdrop being the first.
        mask = np.round(np.asarray(Image.open(FOLDER / f"{number:02d}_mask.png").convert("L")) / 16).astype(int) - 1
        found.append((render(two4two_scene(params_of(reference))), picture, mask))
    return found


@has_references
def test_masks_agree_with_blender() -> None:
    agreement = [float((drawn.mask == mask).mean()) for drawn, _, mask in references()]
    assert min(agreement) >= 0.995


@has_references
def test_pictures_agree_with_blender() -> None:
    errors = [float(((drawn.picture - picture) ** 2).mean()) for drawn, picture, _ in references()]
    psnr = [10 * math.log10(255**2 / error) for error in errors]
    assert np.median(psnr) >= 38
    assert min(psnr) >= 35


@has_references
def test_every_part_that_blender_shows_is_shown() -> None:
    for drawn, _, mask in references():
        assert set(np.unique(drawn.mask)) == set(np.unique(mask)) == set(range(9))


@pytest.mark.parametrize("value", COOLWARM)
def test_the_colour_map_is_the_published_one(value: float) -> None:
    assert coolwarm(value) == pytest.approx(COOLWARM[value], abs=0.004)


@pytest.mark.parametrize(
    ("light", "shown"), [(0.001, 0.0162), (0.18, 0.5002), (1.0, 0.8072), (4.0, 0.9494), (16.3, 1.0)]
)
def test_the_tone_curve_passes_the_measured_points(light: float, shown: float) -> None:
    place = (math.log2(light) - FIRST) / (LAST - FIRST) * (N_STEPS - 1)
    assert np.interp(place, np.arange(N_STEPS), tone_curve()) / 255 == pytest.approx(shown, abs=1e-4)


def test_the_tone_curve_never_falls() -> None:
    assert (np.diff(tone_curve()) >= 0).all()


def test_legs_move_along_the_spine_and_nothing_else_does() -> None:
    low, high = (two4two_scene(Two4Two(legs=legs)).parts for legs in (0.0, 1.0))
    moved = [float(b.centre[1] - a.centre[1]) for a, b in zip(low, high, strict=True)]
    # Centring moves the whole animal, three times by half of the way.
    assert np.subtract(moved[6:], moved[2:4]) == pytest.approx([1, 1])
    assert np.ptp(moved[:6]) == pytest.approx(0)


def test_shape_goes_from_cubes_to_balls() -> None:
    exponents = [two4two_scene(Two4Two(shape=shape)).parts[0].exponent for shape in (0.0, 0.5, 1.0)]
    assert exponents == pytest.approx([8.246, 3.671, 2.124])


def test_bending_lifts_both_ends_the_same_way() -> None:
    parts = two4two_scene(Two4Two(bending=0.3)).parts
    heights = [float(part.centre[2]) for part in parts]
    assert heights[2] == pytest.approx(heights[5])
    assert heights[2] > heights[3] + 0.2


def test_blocks_in_the_middle_are_sheared_by_bending() -> None:
    sheared = two4two_scene(Two4Two(bending=0.3)).parts[3].axes
    rigid = two4two_scene(Two4Two(bending=0.3)).parts[2].axes
    assert abs(rigid[:, 1] @ rigid[:, 2]) < 1e-12
    assert np.linalg.norm(sheared[:, 1]) != pytest.approx(np.linalg.norm(rigid[:, 1]), rel=1e-4)


def test_yaw_turns_the_picture_in_its_plane() -> None:
    parts = two4two_scene(Two4Two(yaw=math.pi / 2)).parts
    spine = parts[5].centre - parts[2].centre
    assert spine == pytest.approx([0, 0, 3], abs=1e-9)


def test_the_published_light_is_pi_quarters_of_what_blender_5_draws() -> None:
    dim, bright = (two4two_scene(Two4Two(brightness=b)).light.radiance[0] for b in ("published", "blender-5"))
    assert dim / bright == pytest.approx(math.pi / 4)


def test_red_is_compressed_as_the_study_did() -> None:
    part = two4two_scene(Two4Two(hue=1.0, red_share=0.9)).parts[0]
    assert part.albedo == coolwarm(0.95)
