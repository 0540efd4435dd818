"""Names of dials: which ones people gave, and how far people who named a dial on their own agree.

Names are compared as sets of words, in lower case, without articles, linking words and the plural ending of English.
Agreement on a dial is the mean over all pairs of people who named it of the share of words that both used among those
that either used (Jaccard): 1 for the same name, 0 for names without a common word. It is set beside the same mean over
pairs of names for two different dials of the model, which is what agreement looks like without any sense of the dial.
Intervals resample people; a person is never paired with a copy of themselves.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from understudy.roles import Floats, Rng
from understudy.schema import DialNames, Interval

N_COMMON = 3
"""So many of the most common names are shown."""
N_RESAMPLES = 2_000
N_FOR_INTERVAL = 4
"""People who named a dial, below which an interval would say little."""
_LINKING = frozenset(
    ("a", "an", "and", "by", "dial", "for", "how", "in", "is", "it", "its", "makes", "of", "on", "or", "the", "this",
     "to", "with")
)  # fmt: skip


def words_of(label: str) -> frozenset[str]:
    """Return the words of a name that are compared.

    >>> sorted(words_of("The Thickness of lines")), sorted(words_of("line thickness"))
    (['line', 'thickness'], ['line', 'thickness'])
    """
    found = re.findall(r"\w+", unicodedata.normalize("NFKC", label).casefold())
    kept = [word for word in found if word not in _LINKING] or found
    return frozenset(_singular(word) for word in kept)


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words in both among those in either.

    >>> likeness(words_of("slant left"), words_of("slant"))
    0.5
    """
    return len(one & other) / len(one | other) if one | other else 0.0


def dial_names(trials: pd.DataFrame, column: str, by: Sequence[str], rng: Rng) -> tuple[DialNames, ...]:
    """Describe the names in a column of the measure `dial_labels`, for each group of trials and each dial.

    A person's name for a dial is the last one they gave it, in the order of the rows. Names are shown as people
    wrote them most often.
    """
    kept = trials.dropna(subset=[column])
    rows: list[DialNames] = []
    groups = kept.groupby(list(by), observed=True) if by else [(("all",), kept)]
    for levels, group in groups:
        name = ", ".join(map(str, levels))
        rows += _of_model(
            name, final_names(zip(group["session"].astype(str), group[column].astype(str), strict=True)), rng
        )
    return tuple(rows)


def final_names(given: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the last name each person gave to each dial, empty where none stands, from sessions and lists in JSON."""
    found: dict[str, list[str]] = {}
    for session, text in given:
        labels = json.loads(text)
        held = found.setdefault(session, [""] * len(labels))
        # A reloaded page forgets names of earlier questions, so that only a name taken back on purpose counts as gone.
        held[:] = [before if label is None else label for before, label in zip(held, labels, strict=True)]
    return found


def _of_model(group: str, names: Mapping[str, Sequence[str]], rng: Rng) -> list[DialNames]:
    n_dials = max((len(one) for one in names.values()), default=0)
    words = [
        {
            person: words_of(given[dial])
            for person, given in names.items()
            if dial < len(given) and words_of(given[dial])
        }
        for dial in range(n_dials)
    ]
    spellings = Counter(label for given in names.values() for label in given)
    described = [_of_dial(group, dial, words, len(names), rng) for dial in range(n_dials)]
    return [one.model_copy(update={"common": _spelt(one.common, spellings)}) for one in described]


def _spelt(common: tuple[tuple[str, int], ...], spellings: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return names as people wrote them most often."""
    found = []
    for key, n in common:
        written = [label for label in spellings if label and _key(words_of(label)) == key]
        found.append((max(written, key=lambda label: (spellings[label], label), default=key), n))
    return tuple(found)


def _key(words: frozenset[str]) -> str:
    return " ".join(sorted(words))


def _of_dial(
    group: str, dial: int, words: Sequence[Mapping[str, frozenset[str]]], n_people: int, rng: Rng
) -> DialNames:
    own = list(words[dial].values())
    alike = np.array([[likeness(one, other) for other in own] for one in own], dtype=np.float64).reshape(len(own), -1)
    upper = np.triu_indices(len(own), k=1)
    others = [
        likeness(one, other)
        for person, one in words[dial].items()
        for place, theirs in enumerate(words)
        if place != dial
        for who, other in theirs.items()
        if who != person
    ]
    return DialNames(
        group=group,
        dial=dial + 1,
        n_people=n_people,
        n_named=len(own),
        common=tuple((_key(one), n) for one, n in Counter(own).most_common(N_COMMON)),
        n_same=int((alike[upper] == 1).sum()),
        n_pairs=len(upper[0]),
        agreement=float(alike[upper].mean()) if len(upper[0]) else None,
        interval=_interval(alike, rng) if len(own) >= N_FOR_INTERVAL else None,
        elsewhere=float(np.mean(others)) if others else None,
    )


def _interval(alike: Floats, rng: Rng) -> Interval:
    """Resample people with replacement; pairs of one person with themselves do not count."""
    n = len(alike)
    between = np.where(np.eye(n, dtype=bool), 0.0, alike)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES).astype(np.float64)
    sums = ((weights @ between) * weights).sum(axis=1)
    pairs = weights.sum(axis=1) ** 2 - (weights**2).sum(axis=1)
    means = sums[pairs > 0] / pairs[pairs > 0]
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(low=float(low), high=float(high), level=0.95)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
