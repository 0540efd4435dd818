"""Score links: whether an automatic score of heat maps predicts what people answer."""

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from understudy.analyses.kernels.item_correlation import ItemCorrelation, item_correlation
from understudy.errors import TableError
from understudy.report.score_figure import ScorePlot, write_score_figure
from understudy.schema import Interval
from understudy.workflow.maps.map_scores import MapScores


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
