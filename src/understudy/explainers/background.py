"""Background: rows that represent typical inputs, with their legend."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.registry import create
from understudy.roles import Dataset, Floats, Variables, Vocabulary
from understudy.schema import Ref, canonical_json, json_from_record
from understudy.sources.edits.word_edits import WordTable
from understudy.sources.edits.words import word_table


class Background(NamedTuple):
    """Rows drawn from a dataset, with their legend."""

    inputs: Floats
    legend: Variables | Vocabulary
    words: WordTable | None = None
    """What edits need to know about each word, if the vocabulary has vectors."""


def background_of(ref: Ref, n_rows: int, seed: int) -> Background:
    """Draw the background, the same for every item, so that no explanation depends on its batch."""
    return _background(canonical_json(json_from_record(ref)), n_rows, seed)


@lru_cache(maxsize=8)
def _background(ref_json: str, n_rows: int, seed: int) -> Background:
    ref = Ref.model_validate_json(ref_json)
    dataset: Dataset = create("datasets", ref)
    sample = dataset.draw(n_rows, np.random.default_rng(seed))
    if sample.inputs is None or sample.legend is None:
        raise MaterialsError(
            f"Dataset {ref.name!r} cannot be a background: its inputs are neither codes of named values nor words. "
            "Name a dataset with a legend, such as one of categorical variables or of sentences."
        )
    if not len(sample.inputs):
        raise MaterialsError(f"Dataset {ref.name!r} cannot be a background: it has no rows. Name one that has some.")
    inputs = np.asarray(sample.inputs, dtype=np.float64)
    # Cached and shared by all explainers, so nobody may change it in place.
    inputs.flags.writeable = False
    words = word_table(sample.legend) if isinstance(sample.legend, Vocabulary) else None
    return Background(inputs, sample.legend, words)
