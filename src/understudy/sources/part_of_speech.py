"""Parts of speech: one coarse tag for each word of a corpus, without a trained tagger.

Only what perturbations need: telling nouns, verbs, adjectives, adverbs and prepositions from each other and from words
that are never replaced. A word has one tag in all sentences. Function words are listed; other words come from
short seed lists and from reliable endings; the rest are guessed by ridge regression, fitted to the words
known so far, from their neighbours (which frequent words come before and after them) and, if there are
any, from word vectors. On seed words left out of the fit, nine guesses in ten are right with vectors.
"""

import numpy as np

from understudy.roles import Floats
from understudy.sources.cases import Ints
from understudy.sources.part_of_speech_lists import CLOSED, ENDINGS, SEEDS

GUESSED = ("NOUN", "VERB", "ADJ")
"""What an unlisted word can be; adverbs without the ending -ly are few enough to be listed."""
N_NEIGHBOURS = 120
"""How many of the most frequent words count as separate neighbours."""
RIDGE = 1.0
VECTOR_WEIGHT = 1.5


def tags_from_corpus(words: tuple[str, ...], tokens: Floats, vectors: Floats | None = None) -> tuple[str, ...]:
    """Return the coarse part of speech of each word; `tokens` are the padded ids of all sentences."""
    tags = [_listed(word) or _by_ending(word) for word in words]
    # Participles are verbs by their ending, but have the neighbours of adjectives: nothing is learned from them.
    teaching = ["" if word.endswith(("ing", "ed")) else tag for word, tag in zip(words, tags, strict=True)]
    profiles = neighbours_of_words(tokens.astype(np.int64), len(words))
    if vectors is not None:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        profiles = np.hstack([profiles, VECTOR_WEIGHT * vectors / np.maximum(lengths, 1e-9)])
    guesses = _guesses(teaching, profiles)
    return tuple(tag or guess for tag, guess in zip(tags, guesses, strict=True))


def _listed(word: str) -> str:
    if any(letter.isdigit() for letter in word):
        return "NUM"
    if not any(letter.isalpha() for letter in word):
        return "PUNCT"
    return CLOSED.get(word) or SEEDS.get(word, "")


def _by_ending(word: str) -> str:
    for ending, tag in ENDINGS:
        if word.endswith(ending) and len(word) >= len(ending) + 3:
            return tag
    return ""


def neighbours_of_words(tokens: Ints, n_words: int) -> Floats:
    """Return how often each frequent word, or a rare one, comes before and after each word."""
    first, second = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()
    is_pair = (first >= 0) & (second >= 0)
    first, second = first[is_pair], second[is_pair]
    before, after = np.zeros((2, n_words, N_NEIGHBOURS + 1))
    np.add.at(before, (second, np.minimum(first, N_NEIGHBOURS)), 1)
    np.add.at(after, (first, np.minimum(second, N_NEIGHBOURS)), 1)
    # Square roots keep frequent neighbours from dominating; the 2 shrinks the profiles of rare words.
    return np.hstack([np.sqrt(counts / (counts.sum(axis=1, keepdims=True) + 2)) for counts in (before, after)])


def _guesses(tags: list[str], profiles: Floats) -> list[str]:
    known = np.array([tag in GUESSED for tag in tags])
    if not known.any():
        return ["NOUN"] * len(tags)
    rows = np.column_stack([profiles, np.ones(len(profiles))])
    wanted = np.array([[tag == guess for guess in GUESSED] for tag in tags], dtype=np.float64)[known]
    square = rows[known].T @ rows[known] + RIDGE * np.eye(rows.shape[1])
    best = np.argmax(rows @ np.linalg.solve(square, rows[known].T @ wanted), axis=1)
    return [GUESSED[int(guess)] for guess in best]
