"""Models whose answers are a formula, on made-up rows and sentences; NumPy alone, so that oracles can run them too."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SIZES = (4, 9, 7, 4, 9, 6, 5, 2, 3, 3, 3, 11)
N_WORDS = 300
NOT, FULL_STOP = 0, 1
WORDS = ("not", ".", *(f"w{k}" for k in range(2, N_WORDS)))
TAGS = ("PART", "PUNCT", *(("NOUN", "VERB", "ADJ", "DET")[k % 4] for k in range(2, N_WORDS)))
_MIX = np.random.default_rng(11)
_TILT = [_MIX.normal(scale=0.8, size=(2, size)) for size in SIZES]
_FIRST = _MIX.normal(scale=0.9, size=(sum(SIZES), 24))
_LAST = _MIX.normal(scale=1.2, size=24)
POLARITY = np.where(_MIX.random(N_WORDS) < 0.7, _MIX.normal(scale=1.2, size=N_WORDS), 0.0)
POLARITY[[NOT, FULL_STOP]] = 0.0
VECTORS = np.column_stack([POLARITY, _MIX.normal(size=(N_WORDS, 15))])


def table_rows(n: int, seed: int) -> Floats:
    """Draw rows of codes; two hidden kinds of row make the variables depend on each other."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(2, size=n)
    columns = []
    for tilt in _TILT:
        odds = np.exp(tilt[kind])
        cumulative = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
        columns.append((rng.random((n, 1)) > cumulative[:, :-1]).sum(axis=1))
    return np.column_stack(columns).astype(np.float64)


def table_hidden(rows: Floats) -> Floats:
    """Return the hidden layer of the model of rows."""
    codes = rows.astype(np.int64) + np.concatenate([[0], np.cumsum(SIZES)[:-1]])
    return np.asarray(np.maximum(_FIRST[codes].sum(axis=1), 0.0), dtype=np.float64)


def table_margins(rows: Floats) -> Floats:
    """Return the evidence of the model of rows."""
    return np.asarray(0.6 * (table_hidden(rows) @ _LAST - 0.5), dtype=np.float64)


def sentences(n: int, seed: int) -> Floats:
    """Draw sentences of 5 to 20 words and a full stop, as token ids padded with -1."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 21, size=n)
    often = 1 / np.arange(1, N_WORDS - 1) ** 0.6
    ids = rng.choice(np.arange(2, N_WORDS), size=(n, 21), p=often / often.sum()).astype(np.float64)
    ids[rng.random(ids.shape) < 0.08] = NOT
    ids[np.arange(n), lengths] = FULL_STOP
    ids[np.arange(21)[None] > lengths[:, None]] = -1
    return ids


def text_margins(ids: Floats) -> Floats:
    """Add the polarities of words; one after "not" counts the other way round."""
    there = ids >= 0
    codes = np.where(there, ids, FULL_STOP).astype(np.int64)
    after_not = np.zeros_like(there)
    after_not[:, 1:] = codes[:, :-1] == NOT
    return np.asarray((POLARITY[codes] * np.where(after_not, -1.0, 1.0) * there).sum(axis=1), dtype=np.float64)


def text_hidden(ids: Floats) -> Floats:
    """Return the sum of the vectors of the words."""
    there = ids >= 0
    codes = np.where(there, ids, FULL_STOP).astype(np.int64)
    return np.asarray((VECTORS[codes] * there[:, :, None]).sum(axis=1), dtype=np.float64)


def word_table() -> tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the direction of each word, the number of its part of speech, and whether it can be edited."""
    number = {tag: k for k, tag in enumerate(sorted(set(TAGS)))}
    directions = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    is_editable = np.array([tag in ("NOUN", "VERB", "ADJ") for tag in TAGS])
    return directions, np.array([number[tag] for tag in TAGS]), is_editable


def probabilities(margins: Floats) -> Floats:
    """Return the probabilities of both labels."""
    second = 1 / (1 + np.exp(-margins))
    return np.column_stack([1 - second, second])
