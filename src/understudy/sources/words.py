"""Words: parts of speech, vectors, tokens, and which words can replace which."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, HasWordVectors, Ints, Model, Vocabulary
from understudy.sources.edits import WordTable
from understudy.sources.files import arrays_from_npz
from understudy.sources.part_of_speech_lists import CLOSED, ENDINGS, SEEDS

EDITABLE = frozenset({"NOUN", "VERB", "ADJ", "ADV", "ADP"})
"""Parts of speech whose words may be replaced."""
FIXED_WORDS = frozenset({"be"})
_LETTER = re.compile(r"[^\W\d_]")
_INFLECTIONS = ("ing", "ed", "ly", "est", "er", "s")


def word_table(legend: Vocabulary, *, keeps_form: bool = False) -> WordTable | None:
    """Read what edits need to know about each word; None if the vocabulary has no vectors.

    Words with a part of speech can be edited if it carries content; without one, any word with a letter can. If the
    form is kept, a plural is replaced by a plural, and a past tense by a past tense.
    """
    if legend.vectors is None:
        return None
    vectors = np.asarray(legend.vectors, dtype=np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    tags = legend.tags or ("",) * len(legend.words)
    forms = [inflection(word) if keeps_form else "" for word in legend.words]
    kinds = list(zip(tags, forms, strict=True))
    number = {kind: k for k, kind in enumerate(sorted(set(kinds)))}
    return WordTable(
        directions=np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0),
        kinds=np.array([number[kind] for kind in kinds], dtype=np.int64),
        is_editable=np.array(
            [
                word not in FIXED_WORDS and bool(_LETTER.search(word)) and (not tag or tag in EDITABLE)
                for word, tag in zip(legend.words, tags, strict=True)
            ],
            dtype=np.bool_,
        ),
    )


def words_for(model: Model, legend: Vocabulary, *, keeps_form: bool = False) -> WordTable:
    """Return the table of the vocabulary, or one from the word vectors of the model."""
    learned: Floats | None = (
        legend.vectors
        if legend.vectors is not None
        else (model.word_vectors if isinstance(model, HasWordVectors) else None)
    )
    table = word_table(replace(legend, vectors=learned), keeps_form=keeps_form)
    if table is None or len(table.directions) != len(legend.words):
        raise MaterialsError(
            "Words are to be replaced by similar ones, but neither their vocabulary nor the model has a vector for each "
            "word. Put GloVe vectors into the data folder, or name a model that learned some, as a trained_classifier did."
        )
    return table


def inflection(word: str) -> str:
    """Return the ending that marks the form of a word: number, tense, comparison; empty for the plain form."""
    for ending in _INFLECTIONS:
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            return ending
    return ""


# GloVe: word vectors from the data folder, if they are there.

WORDS, VECTORS = "words.txt", "glove_100d_f16.npz"


def has_glove(folder: Path) -> bool:
    """Tell whether both files are there."""
    return (folder / WORDS).is_file() and (folder / VECTORS).is_file()


def vectors_of_words(words: tuple[str, ...], folder: Path) -> Floats:
    """Return one row for each word, zeros for a word without a vector."""
    row_of, vectors = _read(folder)
    rows = np.zeros((len(words), vectors.shape[1]))
    for row, word in enumerate(words):
        if word in row_of:
            rows[row] = vectors[row_of[word]]
    return rows


@cache
def _read(folder: Path) -> tuple[dict[str, int], Floats]:
    if not has_glove(folder):
        raise MaterialsError(f"{folder} lacks {WORDS} or {VECTORS}. Put both there, or do without word vectors.")
    words = (folder / WORDS).read_text(encoding="utf-8").splitlines()
    held = arrays_from_npz(folder / VECTORS, ("vectors",))
    if "vectors" not in held:
        raise MaterialsError(f"{folder / VECTORS} holds no array 'vectors'. Fetch the file again.")
    vectors = held["vectors"].astype(np.float64)
    if len(words) != len(vectors):
        raise MaterialsError(f"{folder} has {len(words)} words and {len(vectors)} vectors. Fetch both files again.")
    return {word: row for row, word in enumerate(words)}, vectors


# Parts of speech: one coarse tag for each word of a corpus, without a trained tagger.
#
# Only what perturbations need: telling nouns, verbs, adjectives, adverbs and prepositions from each other and from words
# that are never replaced. A word has one tag in all sentences. Function words are listed; other words come from
# short seed lists and from reliable endings; the rest are guessed by ridge regression, fitted to the words
# known so far, from their neighbours (which frequent words come before and after them) and, if there are
# any, from word vectors. On seed words left out of the fit, nine guesses in ten are right with vectors.

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


# Tokens: split sentences into words, and number the words.
#
# Words are split as in the original stimuli: punctuation, hyphens and the endings of contractions are separate tokens.

UNKNOWN = "<unk>"
"""The word of id 0, for every word that is not in the vocabulary."""
_TOKEN = re.compile(r"[^\W\d_]+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\w+|\.{2,}|[^\w\s]")


def tokens_from_text(text: str) -> list[str]:
    """Cut a sentence into lower-case tokens."""
    return _TOKEN.findall(text.lower().replace("’", "'"))


def words_by_frequency(sentences: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the unknown word, then every word, the most frequent first and ties in alphabetical order."""
    counts = Counter(word for sentence in sentences for word in sentence)
    return (UNKNOWN, *sorted(counts, key=lambda word: (-counts[word], word)))


def ids_from_tokens(tokens: Sequence[str], id_of: dict[str, int]) -> list[int]:
    """Number the tokens of a sentence; those that are not in the vocabulary are unknown."""
    return [id_of.get(token, 0) for token in tokens]
