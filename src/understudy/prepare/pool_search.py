"""Pool search: look through more and more inputs of a dataset until a set is full."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from understudy.roles import Dataset, HasFacts, Model, Rng, Sample
from understudy.schema import Json, digest_of
from understudy.sources.picture_pools import answers_to_pool, batches_of, model_inputs

MAX_POOL = 200_000
"""How many inputs are searched before a balance is called impossible."""
GROWTH = 4
_ID_LENGTH = 16


@dataclass(frozen=True)
class SearchedPool:
    """The first inputs of a sample, with the attributes of each."""

    sample: Sample
    n: int
    attributes: Mapping[str, Sequence[Any]]
    ids: "StimulusIds"
    is_all: bool
    """Whether the search ends here."""

    def free_of(self, taken: Collection[str]) -> "FreeInputs":
        """Return the inputs that no other set has taken."""
        return FreeInputs(self, taken)


class StimulusIds:
    """Stimulus ids by content; if a sample has keys, each id is computed on first use."""

    def __init__(self, sample: Sample) -> None:
        self._keys = sample.keys
        self.known: dict[int, str] = {}
        if self._keys is None:
            self.known = dict(enumerate(_ids_of_contents(sample.contents)))

    def of(self, index: int) -> str:
        """Return the id of an input."""
        if index not in self.known and self._keys is not None:
            self.known[index] = self._keys[index][:_ID_LENGTH]
        return self.known[index]


@dataclass
class FreeInputs:
    """The searched inputs that a set may still take, while it is being filled."""

    searched: SearchedPool
    taken: Collection[str]
    _used: set[str] = field(default_factory=set)

    def may_take(self, index: int) -> bool:
        """Tell whether no other set has taken an input; reads its key only if there is another set."""
        return not self.taken or self.searched.ids.of(index) not in self.taken

    def accepts(self, index: int) -> bool:
        """Tell whether an input can be taken now, and mark it as used, so that no picture is drawn twice."""
        stimulus_id = self.searched.ids.of(index)
        if stimulus_id in self.taken or stimulus_id in self._used:
            return False
        self._used.add(stimulus_id)
        return True

    def known_free(self) -> list[int]:
        """Return the inputs not known to be taken, without computing more ids."""
        known = self.searched.ids.known
        return [k for k in range(self.searched.n) if known.get(k) not in self.taken]


@dataclass(frozen=True)
class Answering:
    """Who answers for the inputs of a pool, and whether it says all it knows about them."""

    model: Model | None
    knows_more: bool = False


def search_pool(dataset: Dataset, answering: Answering, n_first: int, rng: Rng) -> Iterator[SearchedPool]:
    """Yield more and more inputs of a dataset, until it is exhausted or the limit is reached."""
    n_pool = n_first
    sample = dataset.draw(n_pool, rng)
    if sample.pictures is not None:
        # Drawn once more, at full length: each further draw would shuffle again, and the model would answer again.
        yield from _search_pictures(dataset.draw(max(MAX_POOL, n_first), rng), answering, n_first)
        return
    while True:
        n = len(sample.contents)
        is_all = n < n_pool or n_pool >= MAX_POOL
        yield SearchedPool(
            sample, n, {**sample.attributes, **_model_answers(answering, sample, 0, n)}, StimulusIds(sample), is_all
        )
        if is_all:
            return
        n_pool *= GROWTH
        sample = dataset.draw(n_pool, rng)


def _search_pictures(sample: Sample, answering: Answering, n_first: int) -> Iterator[SearchedPool]:
    """Search a pool of pictures in place: drawing it costs nothing, and the model answers once for each picture."""
    ids = StimulusIds(sample)
    predicted: dict[str, list[str]] = {}
    start, stop = 0, min(n_first, len(sample.contents))
    while True:
        for name, values in _model_answers(answering, sample, start, stop).items():
            predicted.setdefault(name, []).extend(values)
        known = {name: values[:stop] for name, values in sample.attributes.items()}
        is_all = stop == len(sample.contents)
        yield SearchedPool(sample, stop, {**known, **predicted}, ids, is_all)
        if is_all:
            return
        start, stop = stop, min(GROWTH * stop, len(sample.contents))


def _model_answers(answering: Answering, sample: Sample, start: int, stop: int) -> dict[str, list[str]]:
    """Return the model's answers to part of a sample, whether they are right, and what else it knows if wanted."""
    model = answering.model
    if model is None or not model.labels or (sample.inputs is None and sample.pictures is None):
        return {}
    if sample.pictures is not None:
        answers = answers_to_pool(model, sample.pictures, start, stop)
    else:
        answers = model.predict(sample.inputs[start:stop]) if sample.inputs is not None else np.zeros((0, 1))
    predicted: dict[str, list[str]] = {"prediction": [model.labels[int(k)] for k in np.argmax(answers, axis=1)]}
    if "label" in sample.attributes:
        pairs = zip(predicted["prediction"], sample.attributes["label"][start:stop], strict=True)
        predicted["model_is"] = ["right" if prediction == label else "wrong" for prediction, label in pairs]
    if answering.knows_more and isinstance(model, HasFacts):
        predicted |= _facts(model, sample, start, stop)
    return predicted


def _facts(model: HasFacts, sample: Sample, start: int, stop: int) -> dict[str, list[str]]:
    facts: dict[str, list[str]] = {}
    pool = sample.pictures
    batches = (
        [model_inputs(pool.read(batch)) for batch in batches_of(pool.shape, start, stop)]
        if pool is not None
        else [sample.inputs[start:stop] if sample.inputs is not None else np.zeros((0, 1))]
    )
    for inputs in batches:
        for name, values in model.facts(inputs).items():
            facts.setdefault(name, []).extend(values)
    return facts


def _ids_of_contents(contents: Sequence[Json]) -> list[str]:
    """Name items by content; duplicates are numbered in the order in which they were drawn."""
    n_seen: dict[str, int] = {}
    ids = []
    for content in contents:
        digest = digest_of(content)[:_ID_LENGTH]
        n_seen[digest] = n_seen.get(digest, 0) + 1
        ids.append(digest if n_seen[digest] == 1 else f"{digest}-{n_seen[digest]}")
    return ids
