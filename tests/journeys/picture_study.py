"""A study of pictures with heat maps and picture grids, served for real with files made here."""

import base64
import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from PIL import Image, ImageDraw

from tests.journeys.player_stage import Stage, served
from tests.small_studies import RIGHT_OR_WRONG, consent, debrief, numbered_items, two_group_plain
from understudy.prepare import Prepared, prepare
from understudy.schema import Study, Trial

WIDTH, HEIGHT = 480, 360


class Shown(NamedTuple):
    """What one trial of the study shows."""

    explanation: dict[str, Any] | None
    display: dict[str, Any] = {}
    content: dict[str, Any] = {}
    files: tuple[bytes, ...] = ()


def photo(*, sun: float = 0.8, size: tuple[int, int] = (WIDTH, HEIGHT)) -> bytes:
    """Draw a landscape with a house; `sun` says where the sun is, from left to right."""
    large = Image.new("RGB", (WIDTH, HEIGHT))
    ink = ImageDraw.Draw(large)
    for y in range(HEIGHT):
        ink.line([(0, y), (WIDTH, y)], fill=(110 + y // 4, 160 + y // 6, 215 - y // 8))
    ink.ellipse([sun * 400, 30, sun * 400 + 60, 90], fill=(255, 226, 120))
    ink.polygon([(0, 260), (150, 190), (300, 250), (480, 200), (480, 360), (0, 360)], fill=(76, 122, 70))
    ink.rectangle([90, 190, 190, 270], fill=(178, 92, 70))
    ink.polygon([(80, 190), (140, 140), (200, 190)], fill=(92, 60, 52))
    ink.rectangle([130, 225, 152, 270], fill=(60, 42, 40))
    stream = io.BytesIO()
    large.resize(size).save(stream, "PNG")
    return stream.getvalue()


def address(content: bytes) -> str:
    """Say under which name a picture is served."""
    return f"{hashlib.sha256(content).hexdigest()}.png"


def picture(content: bytes, alt: str = "") -> dict[str, Any]:
    """Describe a picture as explanations do."""
    width, height = Image.open(io.BytesIO(content)).size
    return {"file": address(content), "width": width, "height": height, "alt": alt}


def layer(label: str, across: float, down: float, *, is_signed: bool = False) -> dict[str, Any]:
    """Make a map of 12 x 16 with one warm place, and a cold one opposite where it is signed."""
    y, x = np.mgrid[0:12, 0:16]
    warm = np.exp(-((x / 15 - across) ** 2 + (y / 11 - down) ** 2) / 0.03)
    cold = np.exp(-((x / 15 - 1 + across) ** 2 + (y / 11 - 1 + down) ** 2) / 0.03)
    shares = 0.5 + 0.5 * (warm - 0.7 * cold) if is_signed else warm
    values = np.clip(np.round(255 * shares), 0, 255).astype(np.uint8).tobytes()
    return {"label": label, "rows": 12, "columns": 16, "values": base64.b64encode(values).decode()}


def heatmap(content: bytes, layers: Sequence[dict[str, Any]], *, is_signed: bool = False) -> dict[str, Any]:
    """Lay maps over a picture."""
    return {
        "kind": "heatmap", "picture": picture(content), "layers": list(layers),
        "limits": [-1.5, 1.5] if is_signed else [0.0, 0.8], "is_signed": is_signed,
    }  # fmt: skip


def with_heatmap(*, is_signed: bool = False, sun: float = 0.8, **display: Any) -> Shown:
    """Show a picture and its heat map."""
    content = photo(sun=sun)
    one = heatmap(content, [layer("", 0.3, 0.62, is_signed=is_signed)], is_signed=is_signed)
    return Shown(one, display, {"image": address(content)}, (content,))


def with_grid(n_rows: int, n_columns: int, *, has_regions: bool = False) -> Shown:
    """Show a picture and a grid of others."""
    contents = [
        [photo(sun=(column + row / n_rows) / n_columns, size=(128, 128)) for column in range(n_columns)]
        for row in range(n_rows)
    ]
    regions = [{"left": 0.16, "top": 0.38, "width": 0.26, "height": 0.38, "label": "house"}] if has_regions else []
    rows = [
        [{"picture": picture(one), "caption": f"{(k + 1) / n_columns:.1f}" if has_regions else "", "regions": regions}
         for k, one in enumerate(row)]
        for row in contents
    ]  # fmt: skip
    grid = {
        "kind": "picture_grid", "row_headings": [f"Series {k + 1}" for k in range(n_rows)],
        "column_headings": [f"Score {k + 1}" for k in range(n_columns)], "rows": rows,
        "caption": "From left to right the model's score rises.",
    }  # fmt: skip
    item = photo()
    return Shown(grid, {}, {"image": address(item)}, (item, *(one for row in contents for one in row)))


def picture_study(n_trials: int, **changes: Any) -> Study:
    """Ask about some pictures in a fixed order, without anything before or after but consent and debriefing."""
    items = numbered_items(n_trials, answer=["yes"])
    task = {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG], "keys": {"guess": "answer"}}}
    plain = two_group_plain(
        name="pictures", shown_title="Pictures and a model",
        item_sets=[{"name": "cases", "n_items": n_trials, "dataset": items}],
        flow=[consent(), {"kind": "stage", "block_id": "predict", "items": "cases", "order": "given", "task": task}, debrief()],
    )  # fmt: skip
    return Study.model_validate({**plain, **changes})


@contextmanager
def pictures_served(study: Study, shown: Sequence[Shown], folder: Path) -> Iterator[Stage]:
    """Serve the study with these pictures and explanations in place of its plain items."""

    def with_pictures(*args: Any) -> Prepared:
        made = prepare(*args)
        trials = dict(made.materials.trials)
        files = dict(made.files)
        for trial_set in made.materials.trial_sets:
            if trial_set.block_id == "predict":
                for trial_id, one in zip(trial_set.trial_ids, shown, strict=True):
                    trials[trial_id] = _trial(trials[trial_id], one)
                    files.update({address(content): content for content in one.files})
        materials = made.materials.model_copy(update={"trials": trials, "assets": tuple(sorted(files))})
        return made._replace(materials=materials, files=files)

    with patch("understudy.actions.run_folder.prepare", with_pictures), served(study, folder) as stage:
        yield stage


def _trial(trial: Trial, shown: Shown) -> Trial:
    plain = trial.model_dump(mode="json")
    params = {**plain["params"], "content": shown.content or plain["params"]["content"], "display": shown.display}
    return Trial.model_validate({**plain, "params": params, "explanation": shown.explanation})
