"""Reliability: Cronbach's alpha of each scale that a study scores, over the people who completed it."""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.cronbach_alpha import cronbach_alpha
from understudy.measures.answer import last_answer
from understudy.measures.scale_score import ScaleScore
from understudy.registry import create
from understudy.schema import SessionEnded
from understudy.workflow.run_folder import Run


class Reliability(NamedTuple):
    """How far the items of a scale agree."""

    measure: str
    n_items: int
    n_people: int
    alpha: float | None

    @property
    def sentence(self) -> str:
        """The result as one sentence."""
        about = f"over {self.n_items} items and {self.n_people} people"
        if self.alpha is None:
            return f"Reliability of {self.measure!r}: not known {about}; at least two people who differ are needed."
        return f"Reliability of {self.measure!r}: Cronbach's alpha {self.alpha:.2f} {about}."


def reliabilities_of(run: Run) -> list[Reliability]:
    """Return the reliability of each composite score, from each person's last answers."""
    study = run.script.study
    scales: dict[str, ScaleScore] = {
        use.name: create("measures", use.measure) for use in study.measures if use.measure.name == "scale_score"
    }
    if not scales:
        return []
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in scales}
    with run.open_log() as log:
        for events in log.sessions(study.name):
            if any(isinstance(event, SessionEnded) and event.outcome == "completed" for event in events):
                for name, scale in scales.items():
                    points = scale.item_points(last_answer(events, scale.question))
                    if points:
                        rows[name].append(points)
    return [_reliability(name, found) for name, found in rows.items()]


def _reliability(name: str, rows: list[dict[str, float]]) -> Reliability:
    items = list(rows[0]) if rows else []
    points = np.array([[row.get(item, np.nan) for item in items] for row in rows], dtype=np.float64)
    if not rows:
        return Reliability(name, 0, 0, None)
    return Reliability(name, len(items), len(rows), cronbach_alpha(points))
