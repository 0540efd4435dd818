"""Polarity: positive and negative sentences of film reviews (Pang and Lee, 2005), split in two ways.

Source: `rt-polarity/rt-polarity.pos` and `.neg`, 5,331 lines each, in Latin-1. `paper` drops the 229 lines that are not
valid UTF-8, as the original code did without notice, which leaves 10,433 and splits of 7,511, 835 and 2,087; which sentence
fell into which part was never published, so that only the sizes are those of the paper. `leak_free` reads every line
as it was written and drops sentences that occur twice. The vocabulary is that of all lines under either rule.
"""

from functools import cache
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Vocabulary
from understudy.sources.case_splits import shuffle_split
from understudy.sources.cases import Cases, Ints, SplitRule, cases_from_places, padded
from understudy.sources.glove import has_glove, vectors_of_words
from understudy.sources.part_of_speech import tags_from_corpus
from understudy.sources.tokens import ids_from_tokens, tokens_from_text, words_by_frequency

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
