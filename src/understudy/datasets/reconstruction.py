"""Reconstruction: targets for the dials of a decoder, drawn and rounded to slider steps."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from understudy.errors import MaterialsError
from understudy.inference import OnnxDecoder, decoder_from_file, shipped_decoder, text_from_floats
from understudy.registry import create, register
from understudy.roles import Distance, Floats, Rng, Sample
from understudy.schema import (
    AssetPath,
    DecoderCard,
    Dial,
    Json,
    Record,
    Ref,
    canonical_json,
    code_fault,
    json_from_record,
)


def drawn_codes(card: DecoderCard, n: int, rng: Rng) -> Floats:
    """Draw n codes: held-out ones with equal probability, or, without any, uniform over the dials."""
    if not card.codes:
        return uniform_codes(card, n, rng)
    return np.asarray(card.codes, dtype=np.float64)[rng.integers(len(card.codes), size=n)]


def uniform_codes(card: DecoderCard, n: int, rng: Rng) -> Floats:
    """Draw n codes uniformly over the ranges and options of the dials."""
    parts: list[Any] = []
    for dial in card.dials:
        if dial.kind == "discrete":
            parts.append(np.eye(dial.n_inputs)[rng.integers(dial.n_inputs, size=n)])
        else:
            parts.append(rng.uniform(dial.low, dial.high, size=(n, 1)))
    return codes_on_steps(card, np.concatenate(parts, axis=1))


def codes_on_steps(card: DecoderCard, codes: Floats) -> Floats:
    """Round values to slider steps, within the range of each dial."""
    rounded = codes.copy()
    offset = 0
    for dial in card.dials:
        if dial.kind != "discrete":
            step = slider_step(dial)
            whole = np.round((codes[:, offset] - dial.low) / step)
            rounded[:, offset] = np.clip(dial.low + whole * step, dial.low, dial.high)
        offset += dial.n_inputs
    return rounded


def slider_step(dial: Dial) -> float:
    """Return the smallest move of a dial: a five-hundredth of its width."""
    return dial.width / 500


# The decoder of a dataset: one shipped with understudy, or your own file.


class DecoderChoice(Record):
    """The parameters of a dataset that choose its decoder."""

    decoder: str = ""
    """A decoder shipped with understudy, such as sinelines-vae."""
    file: AssetPath | None = None
    """Your own ONNX decoder, instead."""
    dials: tuple[Dial, ...] = ()
    """The dials of your own decoder, in the order of its inputs. Default: those on its card."""
    shape: tuple[Annotated[int, Field(le=10_000)], ...] = ()
    view: str = "image"
    limits: tuple[float, float] = (0.0, 1.0)

    @model_validator(mode="after")
    def _one_decoder(self) -> Self:
        if bool(self.decoder) == bool(self.file):
            raise ValueError("name either a decoder that comes with understudy, or your own file.")
        if self.dials and not (self.file and self.shape):
            raise ValueError("dials are for your own file, and need its shape.")
        return self

    def opened_decoder(self) -> OnnxDecoder:
        """Open the chosen decoder."""
        if self.file is None:
            return shipped_decoder(self.decoder)
        card = None
        if self.dials:
            name = Path(self.file).stem
            card = DecoderCard(name=name, view=self.view, shape=self.shape, limits=self.limits, dials=self.dials)
        return decoder_from_file(Path(self.file), card)


# Reconstruction questions: a start and a target for the dials of a generative model.

SLACK = 0.001
"""A match counts this much below the threshold, as on the page."""


class _Pairs(NamedTuple):
    """Starts with their targets, and spare starts to replace those that would already be solved."""

    starts: Floats
    targets: Floats
    spares: Floats


class _ChosenStart(NamedTuple):
    """The start of a question, its agreement, and how many starts were rejected as solved."""

    start: Floats
    agreement: float
    n_rejected: int


@register("datasets", "reconstruction")
class Reconstruction(DecoderChoice):
    """Draws pairs of codes, a start and a target, and shows the target's picture; the target's code stays on the server."""

    view_file: AssetPath | None = None
    """A JavaScript module that draws outputs that are neither pictures nor lines."""
    distance: Ref = Ref(name="soft_dice")
    threshold: float = Field(default=0.9, gt=0, le=1)
    """The agreement that counts as a match."""
    pairs: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...] = ()
    """Starts with their targets, used in this order and without others, as in a practice."""
    matched_seed: int | None = Field(default=None, ge=0, le=2**64 - 1)
    """Gives every condition the same held-out instances as starts and targets, if their codes are of the same instances."""
    max_start: float | None = Field(default=None, gt=0, le=1)
    """The highest agreement a question may start with; just below the threshold by default."""
    shows_names: bool = False
    """Shows the names of the dials, which usually gives the answer away."""

    @model_validator(mode="after")
    def _pairs_are_listed_or_drawn(self) -> "Reconstruction":
        if self.pairs and self.matched_seed is not None:
            raise ValueError(
                "pairs and matched_seed cannot be combined, because listed pairs are not drawn; leave one out."
            )
        return self

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return questions that start unsolved."""
        decoder = self.opened_decoder()
        if self.matched_seed is not None:
            rng = np.random.default_rng(self.matched_seed)
        distance: Distance = create("distances", self.distance)
        drawing = self._drawing()
        drawn = self._pairs(decoder.card, n, rng)
        contents: list[Json] = []
        targets: list[str] = []
        chosen: list[_ChosenStart] = []
        for start, target in zip(drawn.starts, drawn.targets, strict=True):
            # Rounded to 32 bits as the page receives it, so that both agree on what is solved.
            wanted = decoder.decode(target[None])[0].astype(np.float32).astype(np.float64)
            chosen.append(self._first_unsolved(decoder, distance, wanted, np.stack([start, *drawn.spares])))
            contents.append(self._content(decoder, chosen[-1].start, wanted, view=next(iter(drawing), "")))
            targets.append(canonical_json([float(number) for number in target]))
        return Sample(
            contents=contents,
            attributes={
                "target_code": targets,
                "start_agreement": [question.agreement for question in chosen],
                "starts_rejected": [question.n_rejected for question in chosen],
            },
            assets={decoder.address: decoder.content, **drawing},
        )

    def _first_unsolved(self, decoder: OnnxDecoder, distance: Distance, wanted: Floats, starts: Floats) -> _ChosenStart:
        """Return the first unsolved start; the target stays, so that conditions remain matched."""
        limit = self.threshold - SLACK if self.max_start is None else self.max_start
        agreement = 1.0
        for n_rejected, start in enumerate(starts):
            agreement = float(distance.agreement(decoder.decode(start[None]), wanted)[0])
            if agreement <= limit:
                return _ChosenStart(start, agreement, n_rejected)
        raise MaterialsError(self._all_solved(decoder.card.name, agreement, limit))

    def _pairs(self, card: DecoderCard, n: int, rng: Rng) -> _Pairs:
        """Return the listed pairs, rounded to slider steps, or draw some."""
        if not self.pairs:
            return _drawn_pairs(card, n, rng)
        codes = [code for pair in self.pairs[:n] for code in pair]
        faults = (code_fault(card.dials, [*code]) for code in codes)
        fault = next((fault for fault in faults if fault), None)
        if fault is not None:
            raise MaterialsError(f"A pair does not fit decoder {card.name!r}: {fault}.")
        rows = codes_on_steps(card, np.asarray(codes, dtype=np.float64))
        return _Pairs(rows[0::2], rows[1::2], rows[:0])

    def _all_solved(self, name: str, agreement: float, limit: float) -> str:
        if self.pairs:
            return (
                f"A given pair of decoder {name!r} starts with an agreement of {agreement:.3f}, and at most {limit:.3f} "
                "leaves something to do. Move its start away from its target."
            )
        return (
            f"No start was found for a target of decoder {name!r} that agrees by at most {limit:.3f}. "
            "Raise the threshold, or max_start where it is set."
        )

    def _drawing(self) -> dict[str, bytes]:
        """Return your own view under its content address, or nothing without one."""
        if self.view_file is None:
            return {}
        path = Path(self.view_file)
        if path.suffix != ".js" or not path.is_file():
            raise MaterialsError(
                f"{path} is not a JavaScript file. Put the module there, with a name that ends in .js."
            )
        content = path.read_bytes()
        return {f"{hashlib.sha256(content).hexdigest()}.js": content}

    def _content(self, decoder: OnnxDecoder, start: Floats, wanted: Floats, *, view: str) -> Json:
        card = public_card(decoder.card, shows_names=self.shows_names)
        return {
            "decoder": {"address": decoder.address, "card": {**card, "view": view} if view else card},
            "start": [float(number) for number in start],
            "target": text_from_floats(wanted),
            "distance": json_from_record(self.distance),
            "threshold": self.threshold,
        }


def public_card(card: DecoderCard, *, shows_names: bool) -> Json:
    """Return the public part of a card: no codes, no model name, and names of dials only on request."""
    dials = [dial if shows_names else dial.model_copy(update={"name": ""}) for dial in card.dials]
    return {
        "format": 1,
        "name": "model",
        "view": card.view,
        "shape": list(card.shape),
        "limits": list(card.limits),
        "dials": [dial.model_dump(mode="json") for dial in dials],
    }


def _drawn_pairs(card: DecoderCard, n: int, rng: Rng) -> _Pairs:
    """Draw held-out codes without replacement, or, without codes, uniformly over the dials; the rest are spares."""
    if card.codes:
        codes = codes_on_steps(card, np.asarray(card.codes, dtype=np.float64))
        codes = codes[rng.permutation(len(codes))]
    else:
        codes = uniform_codes(card, 4 * n + 8, rng)
    n = min(n, len(codes) // 2)
    pairs, spares = codes[: 2 * n], codes[2 * n :]
    # Other starts serve as spares last, so that small decoders do not run out.
    return _Pairs(pairs[0::2], pairs[1::2], np.concatenate([spares, pairs[0::2]]))
