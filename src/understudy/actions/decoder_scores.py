"""Scores of decoders: how their dials follow true factors, and what each dial does to the picture."""

import numpy as np
from pydantic import JsonValue

from understudy.errors import MissingExtra
from understudy.inference import OnnxDecoder
from understudy.report import SharedInformation
from understudy.roles import Floats, Rng
from understudy.schema import DecoderCard, Json
from understudy.sources import sinelines, sprites
from understudy.sources.small_pictures import tenth_held_out
from understudy.statistics.disentanglement import Dci, dci, dci_legacy, gaps, mutual_information_matrix

N_FOR_DCI = 5_000
"""Instances from which DCI is learned: as many as Sinelines holds out, so that data sets are alike."""
N_FOR_DIALS = 100
"""Held-out codes over which the effect of a dial is averaged."""
_DIGITS = 6
_FACTORS = {"sinelines": sinelines.FACTORS, "dsprites": sprites.FACTORS}


def factor_names(dataset: str) -> tuple[str, ...]:
    """Return the names of the true factors of a data set; none where they are unknown."""
    return _FACTORS.get(dataset, ())


def scores_from_codes(codes: Floats, factors: Floats, names: tuple[str, ...], rng: Rng) -> Json:
    """Return what codes of held-out instances say about their true factors, for the provenance of a card.

    DCI is left out where scikit-learn is not installed.
    """
    shared = mutual_information_matrix(codes, factors)
    found = gaps(shared, factors)
    scores: Json = {
        "factor_names": list(names),
        "n_held_out": len(codes),
        "mutual_information_bits": _rounded(shared),
        "factor_gaps": _rounded(found),
        "mig": float(found.mean()),
    }
    chosen = rng.permutation(len(codes))[:N_FOR_DCI]
    try:
        usual, paper = (kind(codes[chosen], factors[chosen], rng) for kind in (dci, dci_legacy))
    except MissingExtra:
        return scores
    return {**scores, "dci": _dci(usual, usual.row_scores), "dci_legacy": _dci(paper, paper.column_scores)}


def shared_of_truth(card: DecoderCard) -> SharedInformation | None:
    """Return what the dials of a true model share with the factors, which they are; None for data without factors."""
    dataset = card.name.partition("-")[0]
    factors = _held_out_factors(dataset)
    if factors is None:
        return None
    bits = mutual_information_matrix(factors, factors)
    rows = tuple(tuple(float(value) for value in row) for row in bits)
    return SharedInformation(factor_names(dataset), rows, tuple(float(gap) for gap in gaps(bits, factors)))


def error_without_dials(decoder: OnnxDecoder) -> tuple[float, ...]:
    """Return, for each dial, the mean squared change of the output, summed over values, when it is in its middle.

    The middle is the median of the held-out codes; the other dials stay where the codes have them. A choice is set to
    its first option. Without held-out codes nothing can be said.
    """
    card = decoder.card
    if not card.codes:
        return ()
    codes = np.asarray(card.codes[:N_FOR_DIALS], dtype=np.float64)
    middle = np.median(np.asarray(card.codes, dtype=np.float64), axis=0)
    whole = decoder.decode(codes)
    found, place = [], 0
    for dial in card.dials:
        moved = codes.copy()
        inputs = slice(place, place + dial.n_inputs)
        moved[:, inputs] = np.eye(dial.n_inputs)[0] if dial.kind == "discrete" else middle[inputs]
        found.append(float(((decoder.decode(moved) - whole) ** 2).sum(axis=1).mean()))
        place += dial.n_inputs
    return tuple(found)


def _held_out_factors(dataset: str) -> Floats | None:
    if dataset == "sinelines":
        return sinelines.all_factors()[tenth_held_out(sinelines.N_INSTANCES).held_out]
    if dataset == "dsprites":
        return sprites.factors_from_places(tenth_held_out(sprites.N_INSTANCES).held_out)
    return None


def _dci(found: Dci, of_dials: Floats) -> dict[str, JsonValue]:
    return {
        "disentanglement": round(found.disentanglement, _DIGITS),
        "completeness": round(found.completeness, _DIGITS),
        "informativeness_train": round(found.informativeness_train, _DIGITS),
        "informativeness_test": round(found.informativeness_test, _DIGITS),
        "by_dial": _rounded(of_dials),
    }


def _rounded(values: Floats) -> list[JsonValue]:
    result: list[JsonValue] = np.round(values, _DIGITS).tolist()
    return result
