"""Reviews: generated lines whose verdict follows a known rule, and published sentences.

Each sentence has one or two clauses; a clause says something good or bad about a part of a play, more or less
strongly, and may be negated. The rule adds the strengths, reversed and weakened by a negation; what follows "but"
counts twice. The verdict is then drawn, more certainly the stronger the sum. No sentence occurs twice.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Rng, Vocabulary
from understudy.sources.cases import Cases, SplitRule, cases_from_places, padded, shuffle_split
from understudy.sources.income import three_parts
from understudy.sources.words import (
    UNKNOWN,
    has_glove,
    ids_from_tokens,
    tags_from_corpus,
    tokens_from_text,
    vectors_of_words,
    words_by_frequency,
)

# Polarity: positive and negative sentences of film reviews (Pang and Lee, 2005), split in two ways.
#
# Source: `rt-polarity/rt-polarity.pos` and `.neg`, 5,331 lines each, in Latin-1. `paper` drops the 229 lines that are not
# valid UTF-8, as the original code did without notice, which leaves 10,433 and splits of 7,511, 835 and 2,087; which sentence
# fell into which part was never published, so that only the sizes are those of the paper. `leak_free` reads every line
# as it was written and drops sentences that occur twice. The vocabulary is that of all lines under either rule.

LABELS = ("neg", "pos")
SPLIT_SEED = 10


def polarity_cases(folder: Path, rule: SplitRule, glove: Path | None = None, *, split_seed: int = SPLIT_SEED) -> Cases:
    """Read, tokenise and split the sentences; word vectors are used if their folder has them."""
    return _split_cases(folder, rule, glove, split_seed)


@cache
def _split_cases(folder: Path, rule: SplitRule, glove: Path | None, seed: int) -> Cases:
    lines = [(line, code) for code, name in enumerate(LABELS) for line in _lines(folder / f"rt-polarity.{name}")]
    # All lines are tokenised under either rule, so that word ids do not depend on the split.
    sentences = [tokens_from_text(line.decode("latin-1")) for line, _ in lines]
    words = words_by_frequency(sentences)
    id_of = {word: number for number, word in enumerate(words)}
    chosen = _utf8([line for line, _ in lines]) if rule == "paper" else _first_ones(sentences)
    rest, test = shuffle_split(len(chosen), 0.2, np.random.RandomState(seed))
    train, validation = shuffle_split(len(rest), 0.1, np.random.RandomState(seed))
    vectors = vectors_of_words(words, glove) if glove is not None and has_glove(glove) else None
    tokens = padded([ids_from_tokens(sentence, id_of) for sentence in sentences])
    return cases_from_places(
        tokens,
        np.array([code for _, code in lines], dtype=np.int64),
        (chosen[rest[train]], chosen[rest[validation]], chosen[test]),
        names=LABELS,
        legend=Vocabulary(words, vectors, tags_from_corpus(words, tokens, vectors)),
    )


def _lines(path: Path) -> list[bytes]:
    if not path.is_file():
        raise MaterialsError(
            f"{path} is not there. Run: understudy data get rt-polarity, which fetches the sentence polarity data; "
            "or name the folder of datasets in UNDERSTUDY_DATA."
        )
    return [line.strip() for line in path.read_bytes().split(b"\n") if line.strip()]


def _utf8(lines: list[bytes]) -> Ints:
    return np.array([number for number, line in enumerate(lines) if _is_utf8(line)], dtype=np.int64)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _first_ones(sentences: list[list[str]]) -> Ints:
    """Return the numbers of sentences that did not occur before; of a sentence with both labels, the first counts."""
    first: dict[tuple[str, ...], int] = {}
    for number, sentence in enumerate(sentences):
        first.setdefault(tuple(sentence), number)
    return np.array(sorted(first.values()), dtype=np.int64)


N_CASES = 4000
NOISE = 0.45
TURNED = -0.6
"""What a negation makes of a strength: not quite its opposite."""
AFTER_BUT = 2.0


class Group(NamedTuple):
    """Words that can replace each other: their part of speech, and the strength of each."""

    tag: str
    words: dict[str, float]


_PARTS = "acting plot music ending dialogue staging humour pace cast story lighting design"
GROUPS: dict[str, Group] = {
    "part": Group("NOUN", dict.fromkeys(_PARTS.split(), 0.0)),
    "whole": Group("NOUN", dict.fromkeys(["play", "evening", "show", "production", "revival", "comedy"], 0.0)),
    "quality": Group(
        "ADJ",
        {
            "superb": 1.4,
            "moving": 1.1,
            "clever": 0.9,
            "warm": 0.8,
            "lively": 0.7,
            "honest": 0.6,
            "decent": 0.3,
            "familiar": 0.0,
            "odd": -0.2,
            "slow": -0.5,
            "flat": -0.7,
            "clumsy": -0.9,
            "dull": -1.0,
            "tedious": -1.2,
            "dreadful": -1.4,
        },
    ),
    "deed": Group(
        "VERB",
        {"delights": 1.2, "convinces": 0.9, "entertains": 0.8, "lasts": 0.0, "drags": -0.8, "disappoints": -1.0},
    ),
    "degree": Group("ADV", {"truly": 0.2, "rather": 0.0, "quite": 0.0, "utterly": 0.3, "barely": -0.3}),
    "time": Group("ADP", dict.fromkeys(["until", "after", "before", "towards"], 0.0)),
}
_FIXED = ("the", "is", "and", "but", "not", "never", "interval", ",", ".")


@cache
def vocabulary() -> Vocabulary:
    """Return the words, with vectors that are similar within a group, more so for similar strengths."""
    words, tags, rows = [UNKNOWN, *_FIXED], [""] * (1 + len(_FIXED)), [np.zeros(len(GROUPS) + 2)] * (1 + len(_FIXED))
    for column, group in enumerate(GROUPS.values()):
        for number, (word, strength) in enumerate(group.words.items()):
            row = np.zeros(len(GROUPS) + 2)
            row[column] = 1.0
            row[-2], row[-1] = 0.5 * strength, 0.2 * np.sin(number)
            words.append(word)
            tags.append(group.tag)
            rows.append(row)
    return Vocabulary(tuple(words), np.array(rows), tuple(tags))


@cache
def review_cases() -> Cases:
    """Generate the sentences, always the same, and split them."""
    rng = np.random.default_rng(2020)
    id_of = {word: number for number, word in enumerate(vocabulary().words)}
    strength_of: dict[tuple[int, ...], float] = {}
    while len(strength_of) < N_CASES:
        tokens, strength = _sentence(rng)
        strength_of.setdefault(tuple(id_of[token] for token in tokens), strength)
    strengths = np.array(list(strength_of.values()))
    is_for = rng.random(N_CASES) < 1 / (1 + np.exp(-strengths / NOISE))
    inputs = padded([list(tokens) for tokens in strength_of])
    return cases_from_places(inputs, is_for.astype(np.int64), three_parts(N_CASES), names=LABELS, legend=vocabulary())


def strengths_from_tokens(tokens: Floats) -> Floats:
    """Return the rule's sum for each sentence; above zero means positive, before noise."""
    words = vocabulary().words
    return np.array([_strength([words[int(token)] for token in row if token >= 0]) for row in tokens])


def _strength(tokens: list[str]) -> float:
    total, is_turned, weight = 0.0, False, 1.0
    strength_of = {word: strength for group in GROUPS.values() for word, strength in group.words.items()}
    boost = 0.0
    for word in tokens:
        if word in {"not", "never"}:
            is_turned = True
        elif word in GROUPS["degree"].words:
            boost = strength_of[word]
        elif word == ",":
            is_turned, boost = False, 0.0
        elif word == "but":
            weight = AFTER_BUT
        elif strength_of.get(word):
            effect = strength_of[word] * (1 + boost)
            total += weight * (effect * TURNED if is_turned else effect)
    return total


def _sentence(rng: Rng) -> tuple[list[str], float]:
    tokens = _clause(rng)
    if rng.random() < 0.7:
        tokens += [",", str(rng.choice(["but", "and"])), *_clause(rng)]
    if rng.random() < 0.3:
        tokens += [_word("time", rng), "the", "interval"]
    tokens.append(".")
    return tokens, _strength(tokens)


def _clause(rng: Rng) -> list[str]:
    start = ["the", _word("part" if rng.random() < 0.7 else "whole", rng)]
    if rng.random() < 0.25:
        return [*start, *(["never"] if rng.random() < 0.25 else []), _word("deed", rng)]
    middle = ["is", *(["not"] if rng.random() < 0.25 else []), *([_word("degree", rng)] if rng.random() < 0.4 else [])]
    second = ["and", _word("quality", rng)] if rng.random() < 0.25 else []
    return [*start, *middle, _word("quality", rng), *second]


def _word(group: str, rng: Rng) -> str:
    return str(rng.choice(list(GROUPS[group].words)))
