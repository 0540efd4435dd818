"""The shelf: every shipped model is there with its card, and its bytes are those that studies were made with."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.inference.cards import card_from_details, text_from_card
from understudy.inference.model_folders import (
    SHELF,
    classifier_from_file,
    decoder_from_file,
    shipped_cards,
    shipped_classifiers,
    shipped_decoder,
    shipped_decoders,
    write_model,
)
from understudy.schema import json_from_record

DIGESTS = {
    "adult-mlp": "fa0469d0040eb58b",
    "dsprites-ae": "a3b894ed58c93ede",
    "dsprites-gt": "a0d4ae79e810d7e6",
    "dsprites-vae": "83ac181b6cccc0cb",
    "income-mlp": "27234d45858344b2",
    "income-prototypes": "28e5a1dfe3c150ab",
    "reviews-lstm": "c2d63f9997c94af0",
    "reviews-prototypes": "c984f44a667ffc0e",
    "sinelines-ae": "9857ea7d9726d7d8",
    "sinelines-vae": "6a22c1f0307afb36",
}
"""Trained models, which cannot be made again bit by bit: studies name them by these digests."""


def test_every_model_has_a_card_and_every_card_a_model() -> None:
    names = sorted(path.name for path in SHELF.iterdir())
    models = [*shipped_decoders(), *shipped_classifiers()]
    assert names == sorted(f"{name}.{ending}" for name in models for ending in ("json", "onnx"))


@pytest.mark.parametrize("name", DIGESTS)
def test_a_trained_model_is_the_one_that_studies_were_made_with(name: str) -> None:
    digest = hashlib.sha256((SHELF / f"{name}.onnx").read_bytes()).hexdigest()
    assert digest[:16] == DIGESTS[name]
    assert shipped_cards()[name].training.digest == digest


def test_every_shipped_model_says_its_licence() -> None:
    assert {card.licence for card in shipped_cards().values()} == {"MIT"}


@pytest.mark.parametrize("name", ["sinelines-ae", "sinelines-vae", "dsprites-ae", "dsprites-vae"])
def test_models_of_one_data_set_have_codes_of_the_same_instances(name: str) -> None:
    pictures = [
        decoder.decode(np.asarray(decoder.card.codes[:60]))
        for decoder in map(shipped_decoder, (name, f"{name.partition('-')[0]}-gt"))
    ]
    own, others = (
        np.median(((pictures[0] - wanted) ** 2).sum(axis=1))
        for wanted in (pictures[1], np.roll(pictures[1], 1, axis=0))
    )
    assert own < 0.05 * others


def test_a_written_model_is_opened_again(tmp_path: Path) -> None:
    shipped = shipped_decoder("practice-disc")
    path = write_model(shipped_cards()["practice-disc"], shipped.content, tmp_path / "new")
    assert decoder_from_file(path).card == shipped.card


def test_a_decoder_with_a_card_of_the_first_version_is_opened(tmp_path: Path) -> None:
    shipped = shipped_decoder("practice-disc")
    (tmp_path / "old.onnx").write_bytes(shipped.content)
    flat = shipped.card.model_dump_json()
    (tmp_path / "old.json").write_text(flat)
    assert json_from_record(decoder_from_file(tmp_path / "old.onnx").card) == json_from_record(shipped.card)


def test_a_decoder_is_refused_as_a_classifier(tmp_path: Path) -> None:
    shipped = shipped_decoder("practice-disc")
    (tmp_path / "disc.onnx").write_bytes(shipped.content)
    (tmp_path / "disc.json").write_text(text_from_card(card_from_details(shipped.card)))
    with pytest.raises(MaterialsError, match="describes a decoder, but a classifier is needed"):
        classifier_from_file(tmp_path / "disc.onnx")


def test_a_name_that_is_not_shipped_is_answered_with_those_that_are() -> None:
    with pytest.raises(MaterialsError, match=r"'income-mlp' does not come with understudy\. These do: .*sinelines-vae"):
        shipped_decoder("income-mlp")
