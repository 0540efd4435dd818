"""Single-dial questions: pictures that show what one dial does, and one picture to say where it stands."""

from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from understudy.datasets.dials.codes import drawn_codes
from understudy.datasets.dials.decoder_choice import opened_decoder, require_one_decoder
from understudy.datasets.dials.legibility import Legibility, legibility_of, typical_distance
from understudy.datasets.dials.regimes import Regimes, regimes_of
from understudy.errors import MaterialsError
from understudy.inference import OnnxDecoder, packing_of, text_from_outputs
from understudy.registry import register
from understudy.roles import Floats, Rng, Sample
from understudy.schema import AssetPath, DecoderCard, Dial, Json, Record

N_EXEMPLARS = 8
"""Pictures in each bin of exemplars."""
TRAVERSAL = (5, 7)
"""Rows and columns of a table of traversals."""
MAX_REDRAWS = 200


class _Asked(NamedTuple):
    """One question as drawn."""

    dial: int
    regime: int
    code: Floats
    legibility: Legibility


@register("datasets", "single_dial")
class SingleDial(Record):
    """Draws questions about one dial at a time; where the dial stands in the asked picture stays on the server."""

    decoder: str = ""
    """A decoder that comes with understudy, such as sinelines-vae."""
    file: AssetPath | None = None
    """An ONNX decoder of one's own, instead."""
    dials: tuple[Dial, ...] = ()
    """The dials of a decoder of one's own, in the order of its inputs; its card says when absent."""
    shape: tuple[int, ...] = ()
    view: str = "image"
    limits: tuple[float, float] = (0.0, 1.0)
    layout: Literal["exemplars", "traversals"] = "exemplars"
    """exemplars: eight pictures for each regime; traversals: rows in which the dial goes from low to high."""
    asked: tuple[int, ...] = ()
    """Numbers of the dials to ask about, from 1 in the order of the inputs; all when empty."""
    per_dial: int = Field(default=2, ge=1)
    """Questions about a dial that follow each other."""
    regimes: Literal["uniform", "balanced"] = "uniform"
    """uniform: every question draws its regime anew, as in the paper; balanced: regimes come equally often."""
    n_sets: int = Field(default=5, ge=1, le=20)
    """Sets of pictures prepared for each dial: the first one, and those behind "Show more examples"."""
    min_apart: float = Field(default=0.1, ge=0)
    """The regimes of a question count as distinct when any two of them lie this far apart for its picture, where 1
    is the usual distance of two pictures drawn at random."""
    unclear: Literal["flag", "redraw"] = "flag"
    """What happens to a question whose regimes look alike: it stays and is flagged, or another is drawn."""

    @model_validator(mode="after")
    def _one_decoder(self) -> "SingleDial":
        require_one_decoder(self)
        return self

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return questions dial by dial, the dials in random order and numbered as they come."""
        decoder = opened_decoder(self)
        places = regimes_of(decoder.card)
        asked_dials = self._dials(n, len(places), decoder.card.name, rng)
        wanted = self._regimes([places[dial].n for dial in asked_dials], rng)
        scale = typical_distance(decoder, rng)
        sets = self._sets(decoder, places, sorted(set(asked_dials)), rng)
        questions = [
            self._question(decoder, places[dial], rng, dial=dial, regime=regime, shown=sets[dial][0], scale=scale)
            for dial, regime in zip(asked_dials, wanted, strict=True)
        ]
        numbers = {dial: number for number, dial in enumerate(dict.fromkeys(asked_dials), start=1)}
        packed = {dial: [text_from_outputs(one, decoder.card) for one in shown] for dial, shown in sets.items()}
        return Sample(
            contents=[
                {
                    **self._look(decoder.card, places[one.dial]),
                    "number": numbers[one.dial],
                    "picture": text_from_outputs(decoder.decode(one.code[None]), decoder.card),
                    "sets": list(packed[one.dial]),
                }
                for one in questions
            ],
            attributes=self._attributes(questions, decoder.card, places),
        )

    def _dials(self, n: int, n_dials: int, name: str, rng: Rng) -> list[int]:
        """Return the dial of each question: shuffled, `per_dial` in a row, from the start again when all are used."""
        beyond = [one for one in self.asked if not 1 <= one <= n_dials]
        if beyond:
            raise MaterialsError(
                f"Dial {beyond[0]} of decoder {name!r} is asked about, but it has dials 1 to {n_dials}. "
                "Correct `asked`, or leave it out to ask about all."
            )
        pool = sorted({one - 1 for one in self.asked}) or list(range(n_dials))
        order: list[int] = []
        while len(order) < n:
            order.extend(pool[k] for k in rng.permutation(len(pool)) for _ in range(self.per_dial))
        return order[:n]

    def _regimes(self, n_regimes: list[int], rng: Rng) -> list[int]:
        if self.regimes == "uniform":
            return [int(rng.integers(n)) for n in n_regimes]
        decks = {n: _deck(n, n_regimes.count(n), rng) for n in sorted(set(n_regimes))}
        return [decks[n].pop() for n in n_regimes]

    def _sets(
        self, decoder: OnnxDecoder, places: tuple[Regimes, ...], dials: list[int], rng: Rng
    ) -> dict[int, list[Floats]]:
        """Return the sets of pictures for each dial; rows of traversals keep their other dials from dial to dial."""
        sets: dict[int, list[Floats]] = {dial: [] for dial in dials}
        for _ in range(self.n_sets):
            rows = drawn_codes(decoder.card, TRAVERSAL[0], rng)
            for dial in dials:
                codes = (
                    _exemplar_codes(decoder.card, places[dial], rng)
                    if self.layout == "exemplars"
                    else _traversal_codes(rows, places[dial], rng)
                )
                sets[dial].append(decoder.decode(codes))
        return sets

    def _question(
        self,
        decoder: OnnxDecoder,
        place: Regimes,
        rng: Rng,
        *,
        dial: int,
        regime: int,
        shown: Floats,
        scale: float,
    ) -> _Asked:
        bins = self._bins(shown, place.n)
        for _ in range(MAX_REDRAWS if self.unclear == "redraw" else 1):
            code = place.put(drawn_codes(decoder.card, 1, rng), regime, rng)[0]
            legibility = legibility_of(decoder, place, code, bins=bins, regime=regime, scale=scale)
            if self.unclear == "flag" or legibility.regime_distance >= self.min_apart:
                return _Asked(dial, regime, code, legibility)
        raise MaterialsError(
            f"The regimes of dial {dial + 1} of decoder {decoder.card.name!r} look alike in all of {MAX_REDRAWS} "
            "pictures, as they do where a dial turns in a circle. Leave it out with `asked`, lower `min_apart`, or "
            "set `unclear` to flag."
        )

    def _bins(self, shown: Floats, n_regimes: int) -> list[Floats]:
        """Return the pictures of one set that stand for each regime."""
        if self.layout == "exemplars":
            return list(shown.reshape(n_regimes, N_EXEMPLARS, -1))
        table = shown.reshape(TRAVERSAL[0], -1, shown.shape[1])
        columns = np.linspace(0, table.shape[1] - 1, n_regimes).round().astype(int)
        return [table[:, column] for column in columns]

    def _look(self, card: DecoderCard, place: Regimes) -> Json:
        n_columns = TRAVERSAL[1] if place.bands is not None else place.n
        return {
            "view": card.view,
            "shape": list(card.shape),
            "limits": list(card.limits),
            "packing": packing_of(card),
            "layout": self.layout,
            "n_options": 0 if place.bands is not None else place.n,
            "n_columns": n_columns if self.layout == "traversals" else place.n,
            "n_rows": TRAVERSAL[0] if self.layout == "traversals" else N_EXEMPLARS,
        }

    def _attributes(
        self, questions: list[_Asked], card: DecoderCard, places: tuple[Regimes, ...]
    ) -> dict[str, list[str | float | int | bool]]:
        seen = [one.legibility for one in questions]
        return {
            "dial": [one.dial + 1 for one in questions],
            "dial_name": [card.dials[one.dial].name for one in questions],
            "regime": [places[one.dial].names[one.regime] for one in questions],
            "regime_distance": [one.regime_distance for one in seen],
            "is_distinct": [one.regime_distance >= self.min_apart for one in seen],
            "exemplar_spread": [one.exemplar_spread for one in seen],
            "nearest_is_right": [one.nearest_is_right for one in seen],
        }


def _deck(n_regimes: int, n_cards: int, rng: Rng) -> list[int]:
    """Return shuffled regimes whose numbers differ by one at most."""
    first = rng.permutation(n_regimes)
    cards = [int(first[k % n_regimes]) for k in range(n_cards)]
    return [cards[int(k)] for k in rng.permutation(n_cards)]


def _exemplar_codes(card: DecoderCard, place: Regimes, rng: Rng) -> Floats:
    """Return eight codes for each regime, bin after bin."""
    bins = [place.put(drawn_codes(card, N_EXEMPLARS, rng), regime, rng) for regime in range(place.n)]
    return np.concatenate(bins)


def _traversal_codes(rows: Floats, place: Regimes, rng: Rng) -> Floats:
    """Return row after row, each going from a low value to a high one, or through the options."""
    if place.bands is None:
        codes = np.stack([place.put(rows, option, rng) for option in range(place.n)], axis=1)
    else:
        ends = [place.values(regime, len(rows), rng) for regime in (0, place.n - 1)]
        steps = np.linspace(ends[0], ends[1], TRAVERSAL[1], axis=1)
        codes = np.stack([place.at(rows, column) for column in steps.T], axis=1)
    return codes.reshape(-1, rows.shape[1])
