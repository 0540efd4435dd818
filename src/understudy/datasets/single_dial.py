"""Single dials: questions about one dial that can be answered by looking and not by matching."""

from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from understudy.datasets.reconstruction import DecoderChoice, drawn_codes
from understudy.errors import MaterialsError
from understudy.inference import OnnxDecoder, packing_of, text_from_outputs
from understudy.registry import register
from understudy.roles import Floats, Rng, Sample
from understudy.schema import DecoderCard, Json

# Regimes: the ranges of a dial that people name (low, medium, high), or its options.

BANDS: dict[str, tuple[int, int]] = {"low": (1, 5), "medium": (48, 52), "high": (95, 99)}
"""Regime -> the percentiles of the dial that bound it."""


class Regimes(NamedTuple):
    """The regimes of one dial, in order."""

    names: tuple[str, ...]
    offset: int
    """The index in a code where the dial's numbers begin."""
    bands: Floats | None
    """One row per regime with its lowest and highest value; None for a dial with options."""

    @property
    def n(self) -> int:
        """Return the number of regimes."""
        return len(self.names)

    def put(self, codes: Floats, regime: int, rng: Rng) -> Floats:
        """Return the codes with the dial drawn from one regime, and the other dials unchanged."""
        if self.bands is None:
            return self._chosen(codes, regime)
        return self.at(codes, self.values(regime, len(codes), rng))

    def values(self, regime: int, n: int, rng: Rng) -> Floats:
        """Draw n values of a dial without options from one of its regimes."""
        if self.bands is None:
            raise AssertionError("a dial with options has no values in between")
        low, high = (float(end) for end in self.bands[regime])
        return rng.uniform(low, high, size=n)

    def middle(self, codes: Floats, regime: int) -> Floats:
        """Return the codes with the dial in the middle of one regime."""
        if self.bands is None:
            return self._chosen(codes, regime)
        return self.at(codes, np.full(len(codes), float(np.mean(self.bands[regime]))))

    def at(self, codes: Floats, values: Floats) -> Floats:
        """Return the codes with the dial at these values."""
        moved = codes.copy()
        moved[:, self.offset] = values
        return moved

    def _chosen(self, codes: Floats, option: int) -> Floats:
        moved = codes.copy()
        moved[:, self.offset : self.offset + self.n] = np.eye(self.n)[option]
        return moved


def regimes_of(card: DecoderCard) -> tuple[Regimes, ...]:
    """Return the regimes of every dial of a card."""
    regimes: list[Regimes] = []
    offset = 0
    for dial in card.dials:
        if dial.kind == "discrete":
            names = tuple(f"option {k}" for k in range(1, dial.n_inputs + 1))
            regimes.append(Regimes(names, offset, None))
        else:
            bands = [[_percentile(card, percent, offset) for percent in band] for band in BANDS.values()]
            # Percentiles of a few codes may lie outside the range of the slider.
            inside: Floats = np.clip(np.asarray(bands, dtype=np.float64), dial.low, dial.high)
            regimes.append(Regimes(tuple(BANDS), offset, inside))
        offset += dial.n_inputs
    return tuple(regimes)


def _percentile(card: DecoderCard, percent: int, offset: int) -> float:
    """Read a percentile from the card, from its codes, or, without any, from the range of the dial."""
    if str(percent) in card.percentiles:
        return card.percentiles[str(percent)][offset]
    if card.codes:
        return float(np.percentile([code[offset] for code in card.codes], percent))
    before = 0
    for dial in card.dials:
        if before == offset:
            return dial.low + dial.width * percent / 100
        before += dial.n_inputs
    raise AssertionError(f"no dial begins at index {offset} of a code")


N_PAIRS = 100
"""Pairs of random pictures from which the typical distance is estimated."""


class Legibility(NamedTuple):
    """Visual properties of one question, in units of the typical distance between two pictures."""

    regime_distance: float
    """Between the two regimes that are hardest to tell apart for the asked picture."""
    exemplar_spread: float
    """Between pictures of one regime, in the regime where they are most similar; small values make matching trivial."""
    nearest_is_right: bool
    """Whether choosing the regime of the most similar picture, without understanding, gives the correct answer."""


def typical_distance(decoder: OnnxDecoder, rng: Rng) -> float:
    """Return the typical distance between two outputs of a decoder, the unit of all others."""
    outputs = decoder.decode(drawn_codes(decoder.card, 2 * N_PAIRS, rng))
    distances = np.sqrt(np.mean((outputs[:N_PAIRS] - outputs[N_PAIRS:]) ** 2, axis=1))
    # The floor keeps a constant decoder from dividing by zero.
    return max(float(np.mean(distances)), 1e-9)


def legibility_of(
    decoder: OnnxDecoder, regimes: Regimes, code: Floats, *, bins: Sequence[Floats], regime: int, scale: float
) -> Legibility:
    """Assess one question; `bins` has the pictures shown for each regime, and `regime` is the correct one."""
    middles = np.concatenate([regimes.middle(code[None], index) for index in range(regimes.n)])
    asked = decoder.decode(code[None])[0]
    nearest = [float(np.min(np.mean((pictures - asked) ** 2, axis=1))) for pictures in bins]
    return Legibility(
        regime_distance=_least_distance(decoder.decode(middles)) / scale,
        exemplar_spread=min(_mean_distance(pictures) for pictures in bins) / scale,
        nearest_is_right=int(np.argmin(nearest)) == regime,
    )


def _distances(outputs: Floats) -> list[float]:
    pairs = combinations(range(len(outputs)), 2)
    return [float(np.sqrt(np.mean((outputs[first] - outputs[second]) ** 2))) for first, second in pairs]


def _least_distance(outputs: Floats) -> float:
    return min(_distances(outputs))


def _mean_distance(outputs: Floats) -> float:
    return float(np.mean(_distances(outputs)))


# Single-dial questions: pictures that show what one dial does, and a picture whose setting people judge.

N_EXEMPLARS = 8
"""Pictures in each bin of exemplars."""
TRAVERSAL = (5, 7)
"""Rows and columns of a table of traversals."""
MAX_REDRAWS = 200


class _DrawnQuestion(NamedTuple):
    """One question as drawn."""

    dial: int
    regime: int
    code: Floats
    legibility: Legibility


@register("datasets", "single_dial")
class SingleDial(DecoderChoice):
    """Draws questions about one dial at a time; the dial's setting in the asked picture stays on the server."""

    layout: Literal["exemplars", "traversals"] = "exemplars"
    """exemplars: eight pictures for each regime; traversals: rows in which the dial goes from low to high."""
    asked: tuple[Annotated[int, Field(le=10_000)], ...] = ()
    """Numbers of the dials to ask about, from 1 in the order of the inputs; all when empty."""
    per_dial: int = Field(default=2, ge=1, le=1000)
    """Consecutive questions about each dial."""
    regimes: Literal["uniform", "balanced"] = "uniform"
    """uniform: every question draws its regime anew, as in the paper; balanced: all regimes are equally frequent."""
    n_sets: int = Field(default=5, ge=1, le=20)
    """Sets of pictures prepared for each dial: the first one, and those behind "Show more examples"."""
    min_apart: float = Field(default=0.1, ge=0)
    """How far apart any two regimes of a question must be for its picture to count as distinct; 1 is the typical
    distance between two random pictures."""
    unclear: Literal["flag", "redraw"] = "flag"
    """What to do with a question whose regimes look too similar: flag it, or draw another."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return questions dial by dial, with the dials in random order and numbered in that order."""
        decoder = self.opened_decoder()
        regimes = regimes_of(decoder.card)
        asked_dials = self._dials(n, len(regimes), decoder.card.name, rng)
        wanted = self._regimes([regimes[dial].n for dial in asked_dials], rng)
        scale = typical_distance(decoder, rng)
        sets = self._sets(decoder, regimes, sorted(set(asked_dials)), rng)
        questions = [
            self._question(decoder, regimes[dial], rng, dial=dial, regime=regime, shown=sets[dial][0], scale=scale)
            for dial, regime in zip(asked_dials, wanted, strict=True)
        ]
        numbers = {dial: number for number, dial in enumerate(dict.fromkeys(asked_dials), start=1)}
        packed = {dial: [text_from_outputs(outputs, decoder.card) for outputs in shown] for dial, shown in sets.items()}
        return Sample(
            contents=[
                {
                    **self._look(decoder.card, regimes[question.dial]),
                    "number": numbers[question.dial],
                    "picture": text_from_outputs(decoder.decode(question.code[None]), decoder.card),
                    "sets": list(packed[question.dial]),
                }
                for question in questions
            ],
            attributes=self._attributes(questions, decoder.card, regimes),
        )

    def _dials(self, n: int, n_dials: int, name: str, rng: Rng) -> list[int]:
        """Return the dial of each question: shuffled, `per_dial` in a row, and repeated when all are used."""
        beyond = [number for number in self.asked if not 1 <= number <= n_dials]
        if beyond:
            raise MaterialsError(
                f"Dial {beyond[0]} of decoder {name!r} is asked about, but it has dials 1 to {n_dials}. "
                "Correct `asked`, or leave it out to ask about all."
            )
        pool = sorted({number - 1 for number in self.asked}) or list(range(n_dials))
        order: list[int] = []
        # Each pass shuffles anew, so that no dial is always asked first.
        while len(order) < n:
            order.extend(pool[k] for k in rng.permutation(len(pool)) for _ in range(self.per_dial))
        return order[:n]

    def _regimes(self, n_regimes: list[int], rng: Rng) -> list[int]:
        if self.regimes == "uniform":
            return [int(rng.integers(n)) for n in n_regimes]
        decks = {n: _deck(n, n_regimes.count(n), rng) for n in sorted(set(n_regimes))}
        return [decks[n].pop() for n in n_regimes]

    def _sets(
        self, decoder: OnnxDecoder, regimes: tuple[Regimes, ...], dials: list[int], rng: Rng
    ) -> dict[int, list[Floats]]:
        """Return the sets of pictures for each dial; in traversals, all dials share the settings of the other dials."""
        sets: dict[int, list[Floats]] = {dial: [] for dial in dials}
        for _ in range(self.n_sets):
            rows = drawn_codes(decoder.card, TRAVERSAL[0], rng)
            for dial in dials:
                codes = (
                    _exemplar_codes(decoder.card, regimes[dial], rng)
                    if self.layout == "exemplars"
                    else _traversal_codes(rows, regimes[dial], rng)
                )
                sets[dial].append(decoder.decode(codes))
        return sets

    def _question(
        self,
        decoder: OnnxDecoder,
        regimes: Regimes,
        rng: Rng,
        *,
        dial: int,
        regime: int,
        shown: Floats,
        scale: float,
    ) -> _DrawnQuestion:
        bins = self._bins(shown, regimes.n)
        for _ in range(MAX_REDRAWS if self.unclear == "redraw" else 1):
            code = regimes.put(drawn_codes(decoder.card, 1, rng), regime, rng)[0]
            legibility = legibility_of(decoder, regimes, code, bins=bins, regime=regime, scale=scale)
            if self.unclear == "flag" or legibility.regime_distance >= self.min_apart:
                return _DrawnQuestion(dial, regime, code, legibility)
        raise MaterialsError(
            f"The regimes of dial {dial + 1} of decoder {decoder.card.name!r} look alike in all of {MAX_REDRAWS} "
            "pictures, as they do where a dial turns in a circle. Leave it out with `asked`, lower `min_apart`, or "
            "set `unclear` to flag."
        )

    def _bins(self, shown: Floats, n_regimes: int) -> list[Floats]:
        """Return the pictures of one set that represent each regime."""
        if self.layout == "exemplars":
            return list(shown.reshape(n_regimes, N_EXEMPLARS, -1))
        table = shown.reshape(TRAVERSAL[0], -1, shown.shape[1])
        columns = np.linspace(0, table.shape[1] - 1, n_regimes).round().astype(int)
        return [table[:, column] for column in columns]

    def _look(self, card: DecoderCard, regimes: Regimes) -> Json:
        n_columns = TRAVERSAL[1] if regimes.bands is not None else regimes.n
        return {
            "view": card.view,
            "shape": list(card.shape),
            "limits": list(card.limits),
            "packing": packing_of(card),
            "layout": self.layout,
            "n_options": 0 if regimes.bands is not None else regimes.n,
            "n_columns": n_columns if self.layout == "traversals" else regimes.n,
            "n_rows": TRAVERSAL[0] if self.layout == "traversals" else N_EXEMPLARS,
        }

    def _attributes(
        self, questions: list[_DrawnQuestion], card: DecoderCard, regimes: tuple[Regimes, ...]
    ) -> dict[str, list[str | float | int | bool]]:
        legibilities = [question.legibility for question in questions]
        return {
            "dial": [question.dial + 1 for question in questions],
            "dial_name": [card.dials[question.dial].name for question in questions],
            "regime": [regimes[question.dial].names[question.regime] for question in questions],
            "regime_distance": [legibility.regime_distance for legibility in legibilities],
            "is_distinct": [legibility.regime_distance >= self.min_apart for legibility in legibilities],
            "exemplar_spread": [legibility.exemplar_spread for legibility in legibilities],
            "nearest_is_right": [legibility.nearest_is_right for legibility in legibilities],
        }


def _deck(n_regimes: int, n_cards: int, rng: Rng) -> list[int]:
    """Return shuffled regimes whose counts differ by at most one."""
    # A random order of regimes, so that no regime gains from the remainder.
    first = rng.permutation(n_regimes)
    cards = [int(first[k % n_regimes]) for k in range(n_cards)]
    return [cards[int(k)] for k in rng.permutation(n_cards)]


def _exemplar_codes(card: DecoderCard, regimes: Regimes, rng: Rng) -> Floats:
    """Return eight codes for each regime, bin after bin."""
    bins = [regimes.put(drawn_codes(card, N_EXEMPLARS, rng), regime, rng) for regime in range(regimes.n)]
    return np.concatenate(bins)


def _traversal_codes(rows: Floats, regimes: Regimes, rng: Rng) -> Floats:
    """Return row after row, each from a low value to a high one, or through the options."""
    if regimes.bands is None:
        codes = np.stack([regimes.put(rows, option, rng) for option in range(regimes.n)], axis=1)
    else:
        ends = [regimes.values(regime, len(rows), rng) for regime in (0, regimes.n - 1)]
        steps = np.linspace(ends[0], ends[1], TRAVERSAL[1], axis=1)
        codes = np.stack([regimes.at(rows, column) for column in steps.T], axis=1)
    return codes.reshape(-1, rows.shape[1])
