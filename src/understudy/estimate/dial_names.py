"""Names of dials: which names people gave, and how far people who named a dial independently agree.

Names are compared as sets of words, in lower case, without articles, linking words and the English plural ending.
Agreement on a dial is the mean Jaccard index over all pairs of people who named it: shared words over all words of
both, 1 for the same name and 0 for names without a common word. It is compared with the same mean over pairs of names
for two different dials of the model, which is the agreement expected without any sense of the dial.
Intervals resample people; a person is never paired with a copy of themselves.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from understudy.estimate.participant_flow import analysed_sessions
from understudy.estimate.tables import Frames, StoredTables
from understudy.registry import offers
from understudy.roles import Floats, NamesDials, Rng
from understudy.schema import DialNames, Interval, Study, seed_from

N_COMMON = 3
"""How many of the most common names are shown."""
N_RESAMPLES = 2_000
N_FOR_INTERVAL = 4
"""The fewest people who named a dial for which an interval is given."""
_LINKING = frozenset(
    ("a", "an", "and", "by", "dial", "for", "how", "in", "is", "it", "its", "makes", "of", "on", "or", "the", "this",
     "to", "with")
)  # fmt: skip


def words_of(label: str) -> frozenset[str]:
    """Return the words of a name that are compared.

    >>> sorted(words_of("The Thickness of lines")), sorted(words_of("line thickness"))
    (['line', 'thickness'], ['line', 'thickness'])
    """
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", label).casefold())
    content_words = [word for word in words if word not in _LINKING] or words
    return frozenset(_singular(word) for word in content_words)


def word_overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the Jaccard index of two sets of words.

    >>> word_overlap(words_of("slant left"), words_of("slant"))
    0.5
    """
    return len(first & second) / len(first | second) if first | second else 0.0


def dial_names(trials: pd.DataFrame, column: str, by: Sequence[str], rng: Rng) -> tuple[DialNames, ...]:
    """Describe the names in a column of the measure `dial_labels`, for each group of trials and each dial.

    A person's name for a dial is the last one they gave it, in the order of the rows. Names are shown as people
    wrote them most often.
    """
    named = trials.dropna(subset=[column])
    rows: list[DialNames] = []
    groups = named.groupby(list(by), observed=True) if by else [(("all",), named)]
    for levels, group in groups:
        name = ", ".join(map(str, levels))
        rows += _of_model(
            name, final_names(zip(group["session"].astype(str), group[column].astype(str), strict=True)), rng
        )
    return tuple(rows)


def final_names(rows: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the last name each person gave to each dial, empty without one, from sessions and JSON lists."""
    names: dict[str, list[str]] = {}
    for session, text in rows:
        labels = json.loads(text)
        current = names.setdefault(session, [""] * len(labels))
        # A reloaded page forgets names of earlier questions, so only an empty text removes a name, not null.
        current[:] = [before if label is None else label for before, label in zip(current, labels, strict=True)]
    return names


def _of_model(group: str, names: Mapping[str, Sequence[str]], rng: Rng) -> list[DialNames]:
    n_dials = max((len(labels) for labels in names.values()), default=0)
    words = [
        {
            person: words_of(labels[dial])
            for person, labels in names.items()
            if dial < len(labels) and words_of(labels[dial])
        }
        for dial in range(n_dials)
    ]
    spellings = Counter(label for labels in names.values() for label in labels)
    described = [_of_dial(group, dial, words, len(names), rng) for dial in range(n_dials)]
    return [
        description.model_copy(update={"common": _spelt(description.common, spellings)}) for description in described
    ]


def _spelt(common: tuple[tuple[str, int], ...], spellings: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return names as people wrote them most often."""
    spelt = []
    for key, n in common:
        written = [label for label in spellings if label and _key(words_of(label)) == key]
        spelt.append((max(written, key=lambda label: (spellings[label], label), default=key), n))
    return tuple(spelt)


def _key(words: frozenset[str]) -> str:
    return " ".join(sorted(words))


def _of_dial(
    group: str, dial: int, words: Sequence[Mapping[str, frozenset[str]]], n_people: int, rng: Rng
) -> DialNames:
    names = list(words[dial].values())
    overlaps = np.array(
        [[word_overlap(first, second) for second in names] for first in names], dtype=np.float64
    ).reshape(len(names), -1)
    # Each pair of people counts once.
    upper = np.triu_indices(len(names), k=1)
    others = [
        word_overlap(first, second)
        for person, first in words[dial].items()
        for other_dial, theirs in enumerate(words)
        if other_dial != dial
        for who, second in theirs.items()
        if who != person
    ]
    return DialNames(
        group=group,
        dial=dial + 1,
        n_people=n_people,
        n_named=len(names),
        common=tuple((_key(name), n) for name, n in Counter(names).most_common(N_COMMON)),
        n_same=int((overlaps[upper] == 1).sum()),
        n_pairs=len(upper[0]),
        agreement=float(overlaps[upper].mean()) if len(upper[0]) else None,
        interval=_interval(overlaps, rng) if len(names) >= N_FOR_INTERVAL else None,
        elsewhere=float(np.mean(others)) if others else None,
    )


def _interval(overlaps: Floats, rng: Rng) -> Interval:
    """Resample people with replacement; pairs of a person with themselves do not count."""
    n = len(overlaps)
    between = np.where(np.eye(n, dtype=bool), 0.0, overlaps)
    # Drawing people with replacement is the same as multinomial weights; a pair counts with the product of its weights.
    weights = rng.multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES).astype(np.float64)
    sums = ((weights @ between) * weights).sum(axis=1)
    pairs = weights.sum(axis=1) ** 2 - (weights**2).sum(axis=1)
    means = sums[pairs > 0] / pairs[pairs > 0]
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(low=float(low), high=float(high), level=0.95)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


# The names that people gave to dials, from the tables of a run, for its report.


def dial_names_of(study: Study, frames: Frames | StoredTables) -> tuple[DialNames, ...]:
    """Return a summary of the names that analysed people gave; empty if the study measures none."""
    uses = [
        use.name for use in study.measures if offers("measures", use.measure.name, NamesDials) and use.summary is None
    ]
    if not uses:
        return ()
    by = data_factors(study)
    session_ids = set(analysed_sessions(frames.sessions, study.plan.partial_sessions)["session"].astype(str))
    columns = {"session", "position", *by, *uses}
    parts = [part[part["session"].astype(str).isin(session_ids)] for part in frames.trial_parts(columns)]
    trials = pd.concat(parts) if parts else pd.DataFrame(columns=sorted(columns))
    for factor in study.factors:
        if factor.name in by:
            trials[factor.name] = pd.Categorical(trials[factor.name].astype(str), factor.levels)
    rng = np.random.default_rng(seed_from(study.seed, "names"))
    return tuple(names for use in uses for names in dial_names(trials, use, by, rng))


def data_factors(study: Study) -> tuple[str, ...]:
    """Return the factors whose levels select the dataset, and so the model, of a question."""
    named = {name for binding in study.bindings if binding.dataset is not None for name in binding.when}
    return tuple(factor.name for factor in study.factors if factor.name in named)
