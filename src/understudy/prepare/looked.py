"""What has been looked at of a dataset while a set is filled: more and more inputs, and no picture twice."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from understudy.roles import Dataset, Model, Rng, Sample
from understudy.schema import Json, digest_of
from understudy.sources.picture_pools import answers_to_pool

MAX_POOL = 200_000
"""How many inputs are looked through before a balance is called impossible."""
GROWTH = 4
_ID_LENGTH = 16


@dataclass(frozen=True)
class Looked:
    """The first inputs of a sample, with what is known of each."""

    sample: Sample
    n: int
    attributes: Mapping[str, Sequence[Any]]
    ids: "StimulusIds"
    is_all: bool
    """Whether nothing more will be looked at."""

    def free_of(self, taken: Collection[str]) -> "Free":
        """Return which inputs another set has not taken."""
        return Free(self, taken)


class StimulusIds:
    """Stimulus ids by content; where a sample has keys, each is made when it is asked for."""

    def __init__(self, sample: Sample) -> None:
        self._keys = sample.keys
        self.made: dict[int, str] = {}
        if self._keys is None:
            self.made = dict(enumerate(_ids_of_contents(sample.contents)))

    def of(self, index: int) -> str:
        """Return the id of an input."""
        if index not in self.made and self._keys is not None:
            self.made[index] = self._keys[index][:_ID_LENGTH]
        return self.made[index]


@dataclass
class Free:
    """Which of the inputs looked at a set may still take, while it is being filled."""

    looked: Looked
    taken: Collection[str]
    _used: set[str] = field(default_factory=set)

    def may_take(self, index: int) -> bool:
        """Tell whether no other set has taken an input; asks for its key only where another set is there."""
        return not self.taken or self.looked.ids.of(index) not in self.taken

    def accepts(self, index: int) -> bool:
        """Tell whether an input can be taken now, and count it as used: the same picture is never drawn twice."""
        stimulus_id = self.looked.ids.of(index)
        if stimulus_id in self.taken or stimulus_id in self._used:
            return False
        self._used.add(stimulus_id)
        return True

    def known_free(self) -> list[int]:
        """Return the inputs of which nothing says that they are taken, without making another id."""
        made = self.looked.ids.made
        return [k for k in range(self.looked.n) if made.get(k) not in self.taken]


def looked_at(dataset: Dataset, model: Model | None, n_first: int, rng: Rng) -> Iterator[Looked]:
    """Look at more and more inputs of a dataset, until there are no more or enough is enough."""
    n_pool = n_first
    sample = dataset.draw(n_pool, rng)
    if sample.pictures is not None:
        yield from _stretches(dataset.draw(max(MAX_POOL, n_first), rng), model, n_first)
        return
    while True:
        n = len(sample.contents)
        is_all = n < n_pool or n_pool >= MAX_POOL
        yield Looked(sample, n, {**sample.attributes, **_said(model, sample, 0, n)}, StimulusIds(sample), is_all)
        if is_all:
            return
        n_pool *= GROWTH
        sample = dataset.draw(n_pool, rng)


def _stretches(sample: Sample, model: Model | None, n_first: int) -> Iterator[Looked]:
    """Look along a pool of pictures, which costs nothing to draw, so that the model answers once for each picture."""
    ids = StimulusIds(sample)
    said: dict[str, list[str]] = {}
    start, stop = 0, min(n_first, len(sample.contents))
    while True:
        for name, values in _said(model, sample, start, stop).items():
            said.setdefault(name, []).extend(values)
        known = {name: values[:stop] for name, values in sample.attributes.items()}
        is_all = stop == len(sample.contents)
        yield Looked(sample, stop, {**known, **said}, ids, is_all)
        if is_all:
            return
        start, stop = stop, min(GROWTH * stop, len(sample.contents))


def _said(model: Model | None, sample: Sample, start: int, stop: int) -> dict[str, list[str]]:
    """Return what the model says about a stretch of a sample, and whether it is right."""
    if model is None or not model.labels or (sample.inputs is None and sample.pictures is None):
        return {}
    if sample.pictures is not None:
        answers = answers_to_pool(model, sample.pictures, start, stop)
    else:
        answers = model.predict(sample.inputs[start:stop]) if sample.inputs is not None else np.zeros((0, 1))
    said: dict[str, list[str]] = {"prediction": [model.labels[int(k)] for k in np.argmax(answers, axis=1)]}
    if "label" in sample.attributes:
        pairs = zip(said["prediction"], sample.attributes["label"][start:stop], strict=True)
        said["model_is"] = ["right" if prediction == label else "wrong" for prediction, label in pairs]
    return said


def _ids_of_contents(contents: Sequence[Json]) -> list[str]:
    """Name items by content; twins are numbered in the order of their drawing."""
    n_seen: dict[str, int] = {}
    ids = []
    for content in contents:
        digest = digest_of(content)[:_ID_LENGTH]
        n_seen[digest] = n_seen.get(digest, 0) + 1
        ids.append(digest if n_seen[digest] == 1 else f"{digest}-{n_seen[digest]}")
    return ids
