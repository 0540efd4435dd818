"""Simulated annotators: they know the right code of a text and err as often as stated; for rehearsals only."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from understudy.conduct.coding.room import Author, Given, SchemeState, given_event
from understudy.conduct.coding.units import Unit
from understudy.errors import UnderstudyError
from understudy.roles import Rng
from understudy.schema import CodesSettled, seed_from
from understudy.schema.annotation import CodingScheme
from understudy.workflow.annotation.coded_run import CodedRun, Numbered

SETTLER = "synthetic-adjudicator"


class Errors(NamedTuple):
    """How simulated annotators code."""

    n_annotators: int = 2
    error_rate: float = 0.1
    """How often one of them gives another code than the right one."""
    shares: tuple[float, ...] = ()
    """How often each code of the code book is right; by default eight in ten for the first, the rest for the others."""
    seed: int = 0


def simulate_annotators(coded: CodedRun, scheme: CodingScheme, errors: Errors) -> int:
    """Code every text of simulated people, and return how many decisions were stored."""
    state = _checked(coded, scheme)
    codes = tuple(code.code_id for code in state.book.codes)
    made: list[tuple[str, Numbered]] = []
    for number in range(1, errors.n_annotators + 1):
        author = Author(f"synthetic-{number}", is_blind=True, is_synthetic=True)
        for unit in state.units:
            if author.name in state.said(unit).given or number > unit.n_wanted:
                continue
            rng = np.random.default_rng(seed_from(errors.seed, "annotator", author.name, unit.unit_id))
            right = right_codes(state, unit, errors)
            given = Given(tuple(sorted(_erring(right, codes, errors.error_rate, rng))))
            made.append((unit.session_id, given_event(state, unit, author, given)))
    coded.add(made)
    return len(made)


def settle_simulated(coded: CodedRun, scheme: CodingScheme, errors: Errors) -> int:
    """Decide every disagreement by the right code, and return how many there were."""
    state = _checked(coded, scheme)
    open_ones = [unit for unit in state.disputed if state.said(unit).settled is None]
    coded.add([(unit.session_id, _settled(unit, right_codes(state, unit, errors))) for unit in open_ones])
    return len(open_ones)


def right_codes(state: SchemeState, unit: Unit, errors: Errors) -> tuple[str, ...]:
    """Return the codes that simulated annotators hold to be right; simulated texts mean nothing, so they are drawn."""
    codes = tuple(code.code_id for code in state.book.codes)
    rng = np.random.default_rng(seed_from(errors.seed, "right", unit.unit_id))
    if state.scheme.choose == "several":
        return tuple(code for code, draw in zip(codes, rng.random(len(codes)), strict=True) if draw < 1 / 3)
    return (codes[int(rng.choice(len(codes), p=_shares(codes, errors.shares)))],)


def _erring(right: Sequence[str], codes: Sequence[str], error_rate: float, rng: Rng) -> set[str]:
    if rng.random() >= error_rate:
        return set(right)
    # An error gives one other code in the place of the right one, or takes one code away or adds one.
    other = codes[int(rng.integers(len(codes)))]
    if len(right) != 1:
        return set(right) ^ {other}
    return {str(rng.choice([code for code in codes if code != right[0]] or list(right)))}


def _shares(codes: Sequence[str], shares: Sequence[float]) -> list[float]:
    if not shares:
        return [1.0] if len(codes) == 1 else [0.8, *[0.2 / (len(codes) - 1)] * (len(codes) - 1)]
    if len(shares) != len(codes) or min(shares) < 0 or abs(sum(shares) - 1) > 1e-6:
        raise UnderstudyError(
            f"{len(shares)} shares are given for {len(codes)} codes ({', '.join(codes)}); give one for each, adding up to 1."
        )
    return list(shares)


def _checked(coded: CodedRun, scheme: CodingScheme) -> SchemeState:
    state = coded.state(scheme)
    if not all(unit.is_synthetic for unit in state.units):
        raise UnderstudyError(
            f"{coded.run.folder} has texts of people, which simulated annotators never code. Rehearse the study into another folder."
        )
    if not state.units:
        raise UnderstudyError(f"There are no texts to code in {coded.run.folder} yet; rehearse the study first.")
    if state.book.phase == "open":
        raise UnderstudyError(
            f"{scheme.scheme_id!r} is in its open phase; simulated annotators have no words of their own. Define its codes first."
        )
    return state


def _settled(unit: Unit, codes: tuple[str, ...]) -> Numbered:
    def numbered(seq: int, at_ms: int) -> CodesSettled:
        return CodesSettled(
            session_id=unit.session_id, seq=seq, at_ms=at_ms, scheme_id=unit.scheme.scheme_id, unit_id=unit.unit_id,
            actor=SETTLER, codes=codes, reason="Rehearsal: the code that simulated annotators hold to be right.",
        )  # fmt: skip

    return numbered
