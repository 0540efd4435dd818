"""The grids of the conditions and of the tutorials, and how their edits are scored."""

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from understudy.errors import MaterialsError
from understudy.explainers.recorded_grid import highlight_of
from understudy.roles import Floats as roles_Floats
from understudy.roles import Pixels
from understudy.schema import GridFile, Outline, RecordedCell
from understudy.sources.grids import picture_name, write_grid_folder
from understudy.sources.logit_columns import (
    N_COLUMNS,
    Binning,
    certainty_headings,
    columns_of_logits,
    even_starts,
    rows_without_reuse,
    start_candidates,
    target_logits,
)
from understudy.statistics.arrays import Bytes, Floats, Ints
from understudy.training.concepts import ConceptOptions, Look, Subject, concept_rows, flow_subject, look_at, net_subject
from understudy.training.export import read_parts
from understudy.training.flow_nets import Flow, PictureCnn
from understudy.training.picture_data import PictureFolder, PictureWorld, levels_to_values
from understudy.training.picture_models import Deviation, Interpolation, interpolated, realised_logits
from understudy.training.picture_training import flow_from_recipe, picture_net_from_recipe
from understudy.training.recipes import FlowRecipe, PictureNetRecipe
from understudy.worlds.pictures import Staging, direction_of, moved_rows, render_row
from understudy.worlds.renderer import Rendered
from understudy.worlds.sixt2022 import sixt2022
from understudy.worlds.world import World

# What the material is made from: trained networks, test pictures, and what the explained network says to them.

SubjectName: TypeAlias = Literal["flow", "classifier"]


@dataclass(frozen=True)
class Source:
    """Networks and pictures on disk."""

    weights: Path
    """A folder as `understudy.training.flow_run` leaves it."""
    pictures: PictureFolder
    subject: SubjectName
    flow: FlowRecipe
    classifier: PictureNetRecipe


@dataclass(frozen=True)
class Scored:
    """Test pictures with what the explained network makes of them."""

    net: Flow | PictureCnn
    subject: Subject
    look: Look
    levels: Tensor
    attributes: Floats
    facts: dict[str, Any]
    """Accuracy, number of pictures, and the digest of weights and pictures."""

    @property
    def flow(self) -> Flow | None:
        """The network, if it is invertible."""
        return self.net if isinstance(self.net, Flow) else None

    def pixels(self, places: Ints) -> Bytes:
        """Return pictures as they are stored."""
        return self.levels[torch.from_numpy(places)].numpy()


def recipe_in(weights: Path, recipe: FlowRecipe) -> FlowRecipe:
    """Return the recipe that the weights were trained by, which `results.json` next to them tells, or the given one."""
    path = weights / "results.json"
    if not path.is_file():
        return recipe
    stored: dict[str, Any] = json.loads(path.read_text()).get("recipe", {})
    settings: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()
    }
    return replace(recipe, **settings)


def draw_test_pictures(folder: PictureFolder, world: PictureWorld, *, n: int, n_pixels: int, seed: int) -> None:
    """Draw and render a test set, unless the folder has one."""
    if not folder.has_attributes:
        attributes, labels = world.draw(n, np.random.default_rng(seed), is_biased=True)
        folder.write_attributes("test", attributes, labels)
        folder.name_attributes(world.attribute_names, world.name)
    if "test" in folder.sets_without_pictures():
        folder.write_pictures("test", world.pictures(folder.attributes("test"), n_pixels))


def scored_pictures(source: Source, state: Path, say: Callable[[str], None]) -> Scored:
    """Let the network look at all test pictures; logits are kept in `state`, so that a second run has them already."""
    net = _net(source)
    rows = source.pictures.rows("test", torch.device("cpu"))
    subject = flow_subject(net) if isinstance(net, Flow) else net_subject(net, rows.levels.shape[1])
    digest = _digest(source, rows.levels)
    path = state / f"look-{digest[:16]}.pt"
    if path.is_file():
        kept = torch.load(path, weights_only=True)
        look = Look(kept["maps"], kept["logits"].numpy())
    else:
        look = look_at(subject, rows.levels, say=lambda n: say(f"{n} of {len(rows)} pictures"))
        state.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        torch.save({"maps": look.maps, "logits": torch.from_numpy(look.logits)}, part)
        part.replace(path)
    is_correct = (look.logits > 0) == (rows.labels.numpy() > 0.5)
    say(f"{source.subject}: {is_correct.mean():.1%} of {len(rows)} pictures right")
    facts = {"accuracy": round(float(is_correct.mean()), 4), "n_pictures": len(rows), "digest": digest[:16]}
    return Scored(net, subject, look, rows.levels, rows.attributes.double().numpy(), facts)


def _net(source: Source) -> Flow | PictureCnn:
    net = flow_from_recipe(source.flow) if source.subject == "flow" else picture_net_from_recipe(source.classifier, 0)
    try:
        read_parts({source.subject: net}, source.weights)
    except RuntimeError:
        raise MaterialsError(
            f"The weights in {source.weights} are of a network of another size. Put the results.json of the same run "
            "next to them."
        ) from None
    net.eval().requires_grad_(False)
    return net


def _digest(source: Source, levels: Tensor) -> str:
    found = hashlib.sha256(source.subject.encode())
    for path in sorted(source.weights.glob("weights-*.part")):
        found.update(path.read_bytes())
    found.update(levels.numpy().tobytes())
    return found.hexdigest()


LEAST_R = 0.2
"""The smallest |r| of a concept that the preregistration shows."""


@dataclass(frozen=True)
class GridOptions:
    """How large grids are, and how they are made."""

    model: str
    """What the explained network is, for the sentence about the method."""
    world: World
    n_rows: int = 10
    binning: Binning = "quantile"
    percentile: float = 90
    moved: tuple[str, ...] = ("legs", "hue", "shape")
    """Attributes that ideal counterfactuals move: those that the answer key calls relevant."""
    seed: int = 0

    def rng(self, name: str) -> np.random.Generator:
        """Return the generator of one grid."""
        return np.random.default_rng([self.seed, *name.encode()])


def write_baseline(folder: Path, scored: Scored, how: GridOptions) -> None:
    """Write real pictures in five columns of logits."""
    logits = scored.look.logits
    columns = columns_of_logits(logits, how.binning)
    places = rows_without_reuse(columns, how.n_rows, how.rng("baseline"))
    cells = [
        [{"stored_logit": logits[place], **_attributes(scored, how, int(place))} for place in row] for row in places
    ]
    facts = {"binning": how.binning, **scored.facts}
    grid = _grid(cells, f"Test pictures, sorted by the logits of {how.model}.", how, facts)
    write_grid_folder(folder, grid, [list(scored.pixels(row)) for row in places])


def write_counterfactuals(folder: Path, scored: Scored, how: GridOptions) -> None:
    """Write interpolations by the inverse of an invertible network."""
    flow = scored.flow
    if flow is None:
        write_ideal(folder, scored, how)
        return
    targets = target_logits(scored.look.logits, percentile=how.percentile)
    starts = even_starts(scored.look.logits, how.n_rows, how.rng("counterfactuals"))
    pictures = interpolated(flow, scored.levels[torch.from_numpy(starts)], targets)
    exact, stored = (realised_logits(flow, pictures, is_rounded=is_rounded) for is_rounded in (False, True))
    facts = {
        "percentile": how.percentile,
        "targets": _rounded(targets),
        "start_logits": _rounded(scored.look.logits[starts]),
        "deviation": _deviation(exact.numpy(), targets),
        "deviation_in_256_levels": _deviation(stored.numpy(), targets),
        "share_of_values_cut_off": round(float((pictures.values.abs() > 0.5).float().mean()), 5),
        **scored.facts,
    }
    write_interpolation(folder, pictures, (exact.numpy(), stored.numpy()), how=how, facts=facts)


def write_interpolation(
    folder: Path,
    pictures: Interpolation,
    logits: tuple[roles_Floats, roles_Floats],
    *,
    how: GridOptions,
    facts: dict[str, Any],
) -> None:
    """Write interpolated pictures with their logits as computed, and as stored."""
    exact, stored = logits
    cells = [
        [
            {"target": target, "logit": exact[row, column], "stored_logit": stored[row, column]}
            for column, target in enumerate(pictures.targets)
        ]
        for row in range(len(exact))
    ]
    sentence = (
        f"Counterfactuals by the inverse of {how.model}: each row is one picture, moved along the classifier's weights."
    )
    write_grid_folder(folder, _grid(cells, sentence, how, facts), [list(row) for row in pictures.levels.numpy()])


def write_ideal(folder: Path, scored: Scored, how: GridOptions) -> None:
    """Write ideal counterfactuals: relevant attributes moved, and the picture rendered again."""
    logits = scored.look.logits
    staging = Staging(how.world, scored.levels.shape[1], lambda pixels: _logits_of(scored, pixels), how.moved)
    targets = target_logits(logits, percentile=how.percentile)
    found = moved_rows(
        staging,
        scored.attributes,
        start_candidates(logits, how.rng("ideal")),
        direction=direction_of(staging, scored.attributes, logits),
        targets=targets,
        n=how.n_rows,
    )
    cells = [
        [
            {"target": target, "stored_logit": logit, "attributes": _named(how, attributes)}
            for target, logit, attributes in zip(targets, row.logits, row.attributes, strict=True)
        ]
        for row in found
    ]
    facts = {
        "percentile": how.percentile,
        "targets": _rounded(targets),
        "start_logits": _rounded(logits[[row.start for row in found]]),
        "deviation_in_256_levels": _deviation(np.stack([row.logits for row in found]), targets),
        "moved": list(how.moved),
        **scored.facts,
    }
    sentence = (
        f"Ideal counterfactuals of {how.model}: each row is one picture, rendered again with {', '.join(how.moved)} moved "
        "until the logit is reached."
    )
    write_grid_folder(folder, _grid(cells, sentence, how, facts), [list(row.pictures) for row in found])


def write_concepts(folder: Path, scored: Scored, how: GridOptions, options: ConceptOptions) -> None:
    """Write concepts, two rows each: pictures with much and with little of it, and where it is."""
    rows = concept_rows(scored.subject, scored.look, how.rng("concepts"), options)
    n_pixels = scored.levels.shape[1]
    cells = [
        [
            {
                "stored_logit": scored.look.logits[place],
                "highlight": highlight_of(similarity, n_pixels),
                **_attributes(scored, how, int(place)),
            }
            for place, similarity in zip(row.places, row.similarity, strict=True)
        ]
        for row in rows
    ]
    correlations = [round(row.r, 4) for row in rows[::2]]
    facts = {
        "concepts": [row.concept for row in rows[::2]],
        "r": correlations,
        "r_asked_for": LEAST_R,
        "n_below_r_asked_for": sum(abs(r) < LEAST_R for r in correlations),
        **scored.facts,
    }
    sentence = f"Concepts of {how.model}: test pictures with high and low similarity to directions in one of its maps."
    grid = _grid(cells, sentence, how, facts)
    names = tuple(f"Concept {k // 2 + 1}, {'high' if row.is_high else 'low'}" for k, row in enumerate(rows))
    shown = grid.model_copy(update={"column_headings": (), "row_headings": names})
    write_grid_folder(folder, shown, [list(scored.pixels(row.places)) for row in rows])


def _grid(cells: list[list[dict[str, Any]]], sentence: str, how: GridOptions, facts: dict[str, Any]) -> GridFile:
    rows = tuple(
        tuple(
            RecordedCell(file=picture_name(row, column), **{name: _plain(value) for name, value in cell.items()})
            for column, cell in enumerate(line)
        )
        for row, line in enumerate(cells)
    )
    headings = certainty_headings(how.world.classes)
    return GridFile(method=sentence, world=how.world.name, column_headings=headings, rows=rows, facts=facts)


def _plain(value: Any) -> Any:
    return round(float(value), 4) if isinstance(value, float | np.floating) else value


def _attributes(scored: Scored, how: GridOptions, place: int) -> dict[str, Any]:
    return {"attributes": _named(how, scored.attributes[place])}


def _named(how: GridOptions, row: roles_Floats) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(how.world.names, row, strict=True)}


@torch.no_grad()
def _logits_of(scored: Scored, pixels: Pixels) -> roles_Floats:
    logits: roles_Floats = scored.subject.logits(levels_to_values(torch.from_numpy(pixels))).double().numpy()
    return logits


def _deviation(logits: roles_Floats, targets: Sequence[float]) -> dict[str, float]:
    error = np.abs(logits - np.array(targets))
    found = Deviation(float(error.mean()), float(np.median(error)), float(error.max()))
    return {name: round(value, 6) for name, value in found._asdict().items()}


def _rounded(values: Sequence[float] | roles_Floats) -> list[float]:
    return [round(float(value), 4) for value in values]


# Tutorial grids: clean, made-up explanations of each kind, in which other attributes decide than in the study.
#
# Here background and bending decide, as if a system were that simple. The animals are shifted to where the study never
# puts them, so that no picture can occur in both.

RELEVANT = ("background", "bending")
N_ROWS = 4
STEEPEST = 0.39
"""Just within what the renderer allows, and beyond the study, which bends by at most 0.31."""
_LEVELS = np.linspace(-1, 1, N_COLUMNS)
"""How certain the made-up system is in each column: -1 of Peeky, 1 of Stretchy."""
_METHOD = (
    "Drawn by the renderer for a tutorial. No model was asked: in this made-up system, a blue background and bending to "
    "one side speak for Stretchy, a red background and bending to the other side for Peeky."
)


def write_tutorial_grids(out: Path, *, seed: int, n_pixels: int) -> None:
    """Write the grids baseline, counterfactuals and concepts, each with 4 rows of 5 pictures."""
    for name, make in _KINDS.items():
        make(out / name, np.random.default_rng([seed, *name.encode()]), n_pixels)


def _baseline(folder: Path, rng: np.random.Generator, n_pixels: int) -> None:
    """Every picture is another animal; only background and bending follow the columns."""
    levels = np.tile(_LEVELS, (N_ROWS, 1)) + rng.uniform(-0.12, 0.12, (N_ROWS, N_COLUMNS))
    rows = [[_animal(rng) | _deciding(float(level)) for level in line] for line in levels]
    _write(folder, rows, n_pixels, headings=certainty_headings(sixt2022().classes))


def _counterfactuals(folder: Path, rng: np.random.Generator, n_pixels: int) -> None:
    """Every row is one animal; only background and bending change."""
    rows = []
    for _ in range(N_ROWS):
        animal = _animal(rng)
        rows.append([animal | _deciding(float(level)) for level in _LEVELS])
    _write(folder, rows, n_pixels, headings=certainty_headings(sixt2022().classes))


def _concepts(folder: Path, rng: np.random.Generator, n_pixels: int) -> None:
    """Two concepts, high and low: the colour of the background, and the bending of the animal."""
    rows = []
    for concept in RELEVANT:
        for level in (1.0, -1.0):
            others = rng.uniform(-1, 1, N_COLUMNS)
            rows.append([_animal(rng) | _deciding(other) | {concept: _deciding(level)[concept]} for other in others])
    names = [f"Concept {number + 1}, {amount}" for number in range(len(RELEVANT)) for amount in ("high", "low")]
    _write(folder, rows, n_pixels, row_names=tuple(names))


_KINDS: dict[str, Callable[[Path, np.random.Generator, int], None]] = {
    "baseline": _baseline,
    "counterfactuals": _counterfactuals,
    "concepts": _concepts,
}


def _animal(rng: np.random.Generator) -> dict[str, float]:
    """Draw an animal of any legs, colour and shape, above and right of where the study has its animals."""
    low = {"legs": 0.0, "hue": 0.0, "shape": 0.0, "yaw": 0.0, "roll": -0.05, "pitch": -0.3, "x": 0.1, "y": 0.1}
    high = {"legs": 1.0, "hue": 1.0, "shape": 1.0, "yaw": 2 * math.pi, "roll": 0.05, "pitch": 0.3, "x": 0.5, "y": 0.5}
    return {name: round(float(rng.uniform(low[name], high[name])), 4) for name in low}


def _deciding(level: float) -> dict[str, float]:
    """Return background and bending; red speaks for Peeky, so that nobody takes it for the animal's red of the study."""
    within = min(max(level, -1.0), 1.0)
    return {"background": round(0.5 - 0.45 * within, 4), "bending": round(STEEPEST * within, 4)}


def _write(
    folder: Path,
    rows: list[list[dict[str, float]]],
    n_pixels: int,
    *,
    headings: tuple[str, ...] = (),
    row_names: tuple[str, ...] = (),
) -> None:
    world = sixt2022()
    drawn = [_drawn(world, row, n_pixels) for row in rows]
    cells = tuple(
        tuple(
            RecordedCell(
                file=picture_name(number, column),
                attributes={name: cell[name] for name in world.names},
                highlight=_highlight(number, picture) if row_names else (),
            )
            for column, (cell, picture) in enumerate(zip(row, pictures, strict=True))
        )
        for number, (row, pictures) in enumerate(zip(rows, drawn, strict=True))
    )
    grid = GridFile(
        method=_METHOD,
        relevant=RELEVANT,
        column_headings=headings,
        row_headings=row_names,
        rows=cells,
    )
    write_grid_folder(folder, grid, [[picture.picture for picture in pictures] for pictures in drawn])


def _drawn(world: World, row: list[dict[str, float]], n_pixels: int) -> list[Rendered]:
    table = pd.DataFrame(row)
    return [render_row(world, table, number, edge=n_pixels) for number in range(len(table))]


def _highlight(row: int, picture: Rendered) -> tuple[Outline, ...]:
    """Outline the background in the rows of the first concept, and the animal in those of the second."""
    is_background: roles_Floats = (picture.mask == 0).astype(np.float64)
    return highlight_of(is_background if row < 2 else 1 - is_background, len(is_background))
