"""Map scores: automatic scores of the heat maps that a prepared study shows."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from PIL import Image

from understudy.errors import MaterialsError, TableError
from understudy.inference.onnx_graphs import with_shuffled_head
from understudy.prepare import Prepared, read_prepared
from understudy.report.material_figures import ScorePlot, write_score_figure
from understudy.roles import Explainer, Floats, Model, Rng, Sample
from understudy.schema import Heatmap, Interval, Json, Region, Several, layer_values
from understudy.sources.picture_pools import model_inputs
from understudy.sources.pictures import picture_from_pixels, pixels_from_file
from understudy.statistics.correlation import ItemCorrelation, item_correlation
from understudy.statistics.heat_maps import (
    area_under,
    energy_inside,
    map_similarity,
    overlap_with_region,
    perturbation_curves,
    pointing_game,
)

__all__ = [
    "draw_score_link",
    "randomisation_scores",
    "regions_of_pictures",
    "scored_maps",
    "scores_and_answers",
    "with_shuffled_head",
]

Mask = npt.NDArray[np.bool_]
SCORES = ("pointing", "energy", "overlap", "deletion", "insertion")


class ScoreOptions(NamedTuple):
    """How maps are scored."""

    threshold: float = 0.5
    """The share of its largest value above which a map counts as high, for the overlap."""
    n_steps: int = 20
    """Steps of deletion and insertion."""
    level: float = 0.95
    n_resamples: int = 2000
    seed: int = 0


class MapScores(NamedTuple):
    """The scores of every shown map, and their means."""

    maps: pd.DataFrame
    """One row for each map: trial, item, option, target, prediction, label, and its scores."""
    summary: pd.DataFrame
    """One row for each score: mean, interval by drawing items, and how many maps and items it is from."""
    options: ScoreOptions


def regions_of_pictures(
    pictures: Sample, regions: Sequence[Region | Sequence[Region] | npt.ArrayLike]
) -> dict[str, Mask]:
    """Return the region of each picture of a `whole()` sample, by the address under which studies serve it.

    A region is a box, several boxes, which are joined, or a mask of the picture's height and width.
    """
    pool = pictures.pictures
    if pool is None or pool.shape[0] != len(regions):
        raise MaterialsError(
            f"There are {len(regions)} regions for {0 if pool is None else pool.shape[0]} pictures. Give one for each picture of "
            "picture_folder or picture_array .whole(), in its order."
        )
    height, width = pool.shape[1:3]
    return {
        picture_from_pixels(pool.read([index])[0]).address: _mask(region, height, width)
        for index, region in enumerate(regions)
    }


def scored_maps(
    folder: Path, regions: Mapping[str, Mask], *, model: Model | None = None, options: ScoreOptions | None = None
) -> MapScores:
    """Score every heat map that a prepared study shows.

    `regions` comes from `regions_of_pictures`; without any, only deletion and insertion are computed. These need the
    model that the maps are about.
    """
    chosen = options or ScoreOptions()
    prepared = read_prepared(folder)
    shown = list(_shown_maps(prepared))
    if not shown:
        raise MaterialsError(f"The study in {folder} shows no heat maps, so that there is nothing to score.")
    bare = {shown_map.picture for shown_map in shown} - regions.keys()
    if regions and bare:
        raise MaterialsError(
            f"{len(bare)} of the {len({shown_map.picture for shown_map in shown})} pictures with heat maps have no region. Give the regions "
            "of all pictures of the dataset, with the same `edge` and `fit`."
        )
    scoring = _Scoring(prepared, regions, model, chosen)
    maps = pd.DataFrame([_scored(shown_map, scoring) for shown_map in shown])
    return MapScores(maps, _summary(maps, chosen), chosen)


def randomisation_scores(explainer: Explainer, models: tuple[Model, Model], inputs: Floats, rng: Rng) -> Floats:
    """Return, for each picture, how similar the map of a model and the map of a randomised copy are (Spearman).

    Both maps speak for the class that the first model answers. `inference.shuffled_head` makes a randomised copy.
    """
    targets = models[0].predict(inputs).argmax(axis=1)
    seed = int(rng.integers(2**31))
    first, second = (
        explainer.explain(model, inputs, targets, np.random.default_rng(seed)).explanations for model in models
    )
    found = [
        map_similarity(layer_values(given.layers[0], given.limits), layer_values(random.layers[0], random.limits))
        for given, random in zip(first, second, strict=True)
        if isinstance(given, Heatmap) and isinstance(random, Heatmap)
    ]
    if len(found) != len(inputs):
        raise MaterialsError("The randomisation check compares heat maps. Name an explainer that returns these.")
    return np.array(found)


class _ShownMap(NamedTuple):
    trial_id: str
    item: str | None
    picture: str
    option: int
    values: Floats
    facts: dict[str, str | None]


class _Scoring(NamedTuple):
    prepared: Prepared
    regions: Mapping[str, Mask]
    model: Model | None
    options: ScoreOptions


def _shown_maps(prepared: Prepared) -> Iterator[_ShownMap]:
    for trial_id, trial in sorted(prepared.materials.trials.items()):
        explanation = trial.explanation
        parts = explanation.parts if isinstance(explanation, Several) else (explanation,)
        for heatmap in (part for part in parts if isinstance(part, Heatmap)):
            for number, layer in enumerate(heatmap.layers):
                facts = _facts(prepared.key.truth.get(trial_id, {}), number)
                yield _ShownMap(
                    trial_id,
                    trial.stimulus_id,
                    heatmap.picture.file,
                    number + 1,
                    layer_values(layer, heatmap.limits),
                    {**facts, "target": layer.label or facts["target"]},
                )


def _facts(truth: Json, number: int) -> dict[str, str | None]:
    """Return the class that a map is for, and the classes that the model answered and that are right."""
    options = truth.get("options")
    named = {
        # Without options, an item shows the map of the model's answer.
        "target": options[number] if isinstance(options, list) and number < len(options) else truth.get("prediction"),
        "prediction": truth.get("prediction"),
        "label": truth.get("label"),
    }
    return {name: None if value is None else str(value) for name, value in named.items()}


def _scored(shown: _ShownMap, scoring: _Scoring) -> dict[str, Any]:
    row: dict[str, Any] = {"trial": shown.trial_id, "item": shown.item, "option": shown.option, **shown.facts}
    region, model = scoring.regions.get(shown.picture), scoring.model
    if region is not None:
        pixels = _enlarged(shown.values, region.shape)
        row |= {
            "pointing": pointing_game(pixels, region),
            "energy": energy_inside(pixels, region),
            "overlap": overlap_with_region(pixels, region, threshold=scoring.options.threshold),
        }
    target = shown.facts["target"]
    if model is not None and target in model.labels:
        picture = _picture(scoring.prepared, shown.picture)
        column = model.labels.index(target)
        curves = perturbation_curves(
            _enlarged(shown.values, picture.shape[1:]),
            picture,
            lambda pictures: model.predict(pictures)[:, column],
            n_steps=scoring.options.n_steps,
        )
        row |= {"deletion": area_under(curves.deletion), "insertion": area_under(curves.insertion)}
    return row


def _picture(prepared: Prepared, address: str) -> Floats:
    source = prepared.files[address]
    if not isinstance(source, Path):
        raise MaterialsError(f"The picture {address} is not in a folder. Write the prepared study first.")
    pixels = pixels_from_file(source)
    inputs: Floats = model_inputs(pixels.reshape(1, *pixels.shape[:2], -1))[0]
    return inputs


def _enlarged(values: Floats, size: tuple[int, ...]) -> Floats:
    """Return a map at the size of its picture, bilinearly as pages draw it."""
    height, width = size
    image = Image.fromarray(values.astype(np.float32))
    return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR), dtype=np.float64)


def _mask(region: Any, height: int, width: int) -> Mask:
    boxes = (region,) if isinstance(region, Region) else region
    if len(boxes) and all(isinstance(box, Region) for box in boxes):
        mask = np.zeros((height, width), dtype=np.bool_)
        for box in boxes:
            top, left = int(np.floor(box.top * height)), int(np.floor(box.left * width))
            bottom, right = (
                np.ceil((box.top + box.height) * height - 1e-6),
                np.ceil((box.left + box.width) * width - 1e-6),
            )
            mask[top : int(bottom), left : int(right)] = True
        return mask
    given = np.asarray(region).astype(np.bool_)
    if given.shape != (height, width) or not given.any():
        raise MaterialsError(
            f"A region has the shape {given.shape} with {int(given.sum())} pixels inside. Give a mask of {height} x {width} with at "
            "least one, or boxes."
        )
    return given


def _summary(maps: pd.DataFrame, options: ScoreOptions) -> pd.DataFrame:
    rng = np.random.default_rng(options.seed)
    rows = []
    for score in (name for name in SCORES if name in maps):
        found = maps.dropna(subset=[score])
        by_item = (
            found.groupby(found["item"].fillna(found["trial"]))[score].agg(["sum", "count"]).to_numpy(dtype=np.float64)
        )
        if not len(by_item):
            continue
        drawn = rng.multinomial(len(by_item), np.full(len(by_item), 1 / len(by_item)), size=options.n_resamples)
        sums, counts = (drawn @ by_item).T
        tail = (1 - options.level) / 2
        low, high = np.quantile(sums / counts, [tail, 1 - tail])
        rows.append(
            {"score": score, "mean": float(found[score].mean()), "low": float(low), "high": float(high),
             "n_maps": len(found), "n_items": len(by_item), "n_undefined": len(maps) - len(found)}
        )  # fmt: skip
    return pd.DataFrame(rows)


# Score links: whether an automatic score of heat maps predicts what people answer.


class ScoreLink(NamedTuple):
    """How a score and people's answers go together, over the shown items."""

    score: str
    answer: str
    points: pd.DataFrame
    """One row for each item: score, mean answer, number of answers."""
    correlation: ItemCorrelation
    is_synthetic: bool


def scores_and_answers(
    scores: MapScores,
    trials: pd.DataFrame,
    *,
    score: str,
    answer: str,
    shown_for: Literal["prediction", "label"] = "prediction",
) -> ScoreLink:
    """Correlate, over items, a score with the mean of people's answers, with an interval by drawing people and items.

    `trials` is the trial table of the study, `answer` a column of numbers in it, such as a measure. Where an item shows
    maps of several classes, the map of the predicted class or of the label counts.
    """
    _require_numbers(scores.maps, score, "table of scores")
    _require_numbers(trials, answer, "trial table")
    one_each = _one_map_each(scores.maps, shown_for).dropna(subset=[score]).set_index("trial")
    given = trials[trials["trial"].isin(one_each.index)].dropna(subset=[answer])
    wide = given.astype({answer: float}).pivot_table(
        index="participant", columns="trial", values=answer, aggfunc="mean"
    )
    if wide.shape[1] < 3:
        raise TableError(
            f"{wide.shape[1]} items have both {score!r} and {answer!r}, and a correlation needs at least 3. Name other columns, or "
            "collect more answers."
        )
    values = one_each.loc[wide.columns, score].to_numpy(dtype=np.float64)
    rng = np.random.default_rng(scores.options.seed)
    found = item_correlation(
        values,
        wide.to_numpy(dtype=np.float64),
        rng=rng,
        n_resamples=scores.options.n_resamples,
        level=scores.options.level,
    )
    points = pd.DataFrame(
        {"trial": wide.columns, "score": values, "answer": wide.mean().to_numpy(), "n_answers": wide.count().to_numpy()}
    )
    return ScoreLink(score, answer, points, found, bool(trials.get("is_synthetic", pd.Series([False])).any()))


def draw_score_link(link: ScoreLink, path: Path, *, level: float = 0.95) -> Path:
    """Draw one point for each item into an SVG or PNG file."""
    low, high = link.correlation.interval
    interval = Interval(low=low, high=high, level=level)
    return write_score_figure(
        ScorePlot(link.points, link.score, link.answer, link.correlation.r, interval, link.is_synthetic), path
    )


def _require_numbers(table: pd.DataFrame, column: str, name: str) -> None:
    numeric = [str(other) for other in table if pd.api.types.is_numeric_dtype(table[other])]
    if column not in numeric:
        raise TableError(f"The {name} has no column of numbers {column!r}. It has: {', '.join(numeric)}.")


def _one_map_each(maps: pd.DataFrame, shown_for: str) -> pd.DataFrame:
    """Keep the map of the asked class for each trial; the only map of a trial always counts."""
    is_alone = maps.groupby("trial")["option"].transform("size") == 1
    kept = maps[is_alone | (maps["target"] == maps[shown_for])]
    return kept.drop_duplicates(subset=["trial"])
