"""Concept rows: the pictures that show most and least of each concept, and where in them it is."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.sources.arrays import Floats, Ints
from understudy.training.concepts import concept_scores, factorised, kept_concepts
from understudy.training.subjects import Look, Subject


@dataclass(frozen=True)
class ConceptOptions:
    """How concepts are found and shown, as in Sixt et al. (2022)."""

    n_components: int = 10
    n_vectors: int = 5000
    """Positions, from all pictures, whose activations are factorised."""
    n_scored: int = 300
    """Pictures that contributions are correlated over."""
    n_kept: int = 5
    n_columns: int = 5
    share: float = 0.1
    """Examples come from this share of the pictures with the highest, and with the lowest, similarity."""


class ConceptRow(NamedTuple):
    """One row of a grid of concepts."""

    concept: int
    r: float
    """Correlation of the concept's contribution with the logit."""
    is_high: bool
    places: Ints
    similarity: Floats
    """Picture, row, column."""


def concept_rows(subject: Subject, look: Look, rng: np.random.Generator, how: ConceptOptions) -> list[ConceptRow]:
    """Return two rows for each concept that correlates most with the logit: high similarity, then low."""
    n, n_examples = len(look.maps), int(len(look.maps) * how.share)
    if n_examples < how.n_columns:
        raise MaterialsError(
            f"A share of {how.share:g} of {n} pictures gives {n_examples} examples of a concept, but a row shows "
            f"{how.n_columns}. Give more pictures."
        )
    vectors = look.maps.flatten(0, 2)
    chosen = rng.choice(len(vectors), size=min(how.n_vectors, len(vectors)), replace=False)
    factors = factorised(vectors[chosen].double().cpu().numpy(), how.n_components, rng)
    scored = np.sort(rng.choice(n, size=min(how.n_scored, n), replace=False))
    scores = concept_scores(look.maps[scored], factors.channels, subject.logit_from_map)
    rows = []
    for concept, r in kept_concepts(scores, n_kept=how.n_kept):
        similarity: Floats = look.maps.double().cpu().numpy() @ factors.channels[concept]
        order = np.argsort(similarity.sum((1, 2)))
        for is_high, pool in ((True, order[-n_examples:]), (False, order[:n_examples])):
            places = rng.choice(pool, size=how.n_columns, replace=False)
            rows.append(ConceptRow(concept, r, is_high, places, similarity[places]))
    return rows
