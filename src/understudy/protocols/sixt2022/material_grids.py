"""The grids of the three conditions, from what the explained network says to the test pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from understudy.explainers.whole_model.recorded_grid import highlight_of
from understudy.protocols.sixt2022.material_scores import Scored
from understudy.roles import Floats, Pixels
from understudy.schema import GridFile, RecordedCell
from understudy.sources.grid_folders import picture_name, write_grid_folder
from understudy.sources.logit_columns import (
    Binning,
    certainty_headings,
    columns_of_logits,
    even_starts,
    rows_without_reuse,
    start_candidates,
    target_logits,
)
from understudy.sources.worlds import Staging, World, direction_of, moved_rows
from understudy.training.concept_rows import ConceptOptions, concept_rows
from understudy.training.counterfactuals import Deviation, Interpolation, interpolated, realised_logits
from understudy.training.picture_data import levels_to_values

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
    folder: Path, pictures: Interpolation, logits: tuple[Floats, Floats], *, how: GridOptions, facts: dict[str, Any]
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


def _named(how: GridOptions, row: Floats) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(how.world.names, row, strict=True)}


@torch.no_grad()
def _logits_of(scored: Scored, pixels: Pixels) -> Floats:
    logits: Floats = scored.subject.logits(levels_to_values(torch.from_numpy(pixels))).double().numpy()
    return logits


def _deviation(logits: Floats, targets: Sequence[float]) -> dict[str, float]:
    error = np.abs(logits - np.array(targets))
    found = Deviation(float(error.mean()), float(np.median(error)), float(error.max()))
    return {name: round(value, 6) for name, value in found._asdict().items()}


def _rounded(values: Sequence[float] | Floats) -> list[float]:
    return [round(float(value), 4) for value in values]
