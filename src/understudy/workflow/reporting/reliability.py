"""Reliability: how people scored on each scale of a study, and Cronbach's alpha, over those who are analysed."""

from collections.abc import Sequence

import numpy as np

from understudy.analyses.kernels.cronbach_alpha import cronbach_alpha
from understudy.measures.answer import last_answer
from understudy.measures.scale_score import ScaleScore
from understudy.registry import create
from understudy.schema import CodebookEntry, SessionEnded, SessionExcluded
from understudy.schema.scale import ScaleSummary
from understudy.workflow.runs.run_folder import Run


def scale_summaries(run: Run) -> tuple[ScaleSummary, ...]:
    """Return the score and the reliability of each scale, from the last answers of people who completed the study.

    Excluded people do not count, and nobody who left an item out does.
    """
    study = run.script.study
    scales: dict[str, ScaleScore] = {
        use.name: create("measures", use.measure) for use in study.measures if use.measure.name == "scale_score"
    }
    if not scales:
        return ()
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in scales}
    with run.open_log() as log:
        for events in log.sessions(study.name):
            is_completed = any(isinstance(event, SessionEnded) and event.outcome == "completed" for event in events)
            if is_completed and not any(isinstance(event, SessionExcluded) for event in events):
                for name, scale in scales.items():
                    points = scale.item_points(last_answer(events, scale.question))
                    if points:
                        rows[name].append(points)
    return tuple(_summary(name, scales[name], found) for name, found in rows.items())


def _summary(name: str, scale: ScaleScore, rows: list[dict[str, float]]) -> ScaleSummary:
    items = list(dict.fromkeys(item for row in rows for item in row))
    whole = [row for row in rows if len(row) == len(items)]
    points = np.array([[row[item] for item in items] for row in whole], dtype=np.float64).reshape(len(whole), -1)
    scores = points.sum(axis=1) / (max(len(items), 1) if scale.summary == "mean" else 1)
    return ScaleSummary(
        measure=name,
        n_items=len(items),
        n_people=len(whole),
        points=scale.points,
        score=scale.summary,
        source=scale.source,
        mean=float(scores.mean()) if whole else None,
        sd=float(scores.std(ddof=1)) if len(whole) > 1 else None,
        alpha=cronbach_alpha(points),
    )


def with_reliability(columns: Sequence[CodebookEntry], summaries: Sequence[ScaleSummary]) -> tuple[CodebookEntry, ...]:
    """Return a codebook that says how reliable each scale was."""
    known = {summary.measure: summary.sentence for summary in summaries}
    return tuple(
        column.model_copy(update={"description": f"{column.description}. {known[column.variable]}"})
        if column.variable in known
        else column
        for column in columns
    )
