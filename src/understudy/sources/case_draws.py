"""Case draws: a sample of one part of a split, without replacement."""

import numpy as np

from understudy.roles import Rng, Sample, Vocabulary
from understudy.sources.cases import Cases, SplitName, content_from_row, trimmed


def drawn_cases(cases: Cases, split: SplitName, n: int, rng: Rng) -> Sample:
    """Return n cases of a part in random order, each with its label."""
    part = cases.part(split)
    places = rng.permutation(len(part.labels))[:n]
    inputs = part.inputs[places]
    if isinstance(cases.legend, Vocabulary):
        inputs = trimmed(inputs)
    return Sample(
        contents=[content_from_row(row, cases.legend) for row in inputs],
        attributes={"label": [cases.labels[int(label)] for label in part.labels[places]]},
        inputs=np.ascontiguousarray(inputs),
        legend=cases.legend,
    )
