"""Tokens: split sentences into words, and number the words.

Words are split as in the original stimuli: punctuation, hyphens and the endings of contractions are separate tokens.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

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
