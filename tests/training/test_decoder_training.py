"""Training: seeded, resumable, and exported as what was learned."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import MaterialsError, UnknownName
from understudy.inference import decoder_from_bytes
from understudy.inference.quantization import quantized
from understudy.schema import DecoderCard
from understudy.sources import sprites
from understudy.training.decoders.cards import card_from_codes
from understudy.training.decoders.recipes import RECIPES, recipe_named

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

from understudy.sources.arrays import Floats  # noqa: E402
from understudy.training.decoders import adversarial, losses, nets, sources  # noqa: E402
from understudy.training.decoders.loops import AutoencoderStepper, train  # noqa: E402
from understudy.training.decoders.onnx_graph import onnx_from_layers  # noqa: E402
from understudy.training.decoders.trained import Trained, Workshop, trained_from_recipe  # noqa: E402

torch.set_num_threads(1)
SHORT = replace(recipe_named("sinelines-vae"), n_epochs=3)


def short_run(**settings: Any) -> Trained:
    return trained_from_recipe(replace(SHORT, **settings), Workshop(max_steps=5))


def decoded(outcome: Trained, codes: Floats) -> Floats:
    return decoder_from_bytes(outcome.content, DecoderCard.model_validate(as_json(outcome.card))).decode(codes)


def as_json(card: dict[str, Any]) -> dict[str, Any]:
    recipe = card["provenance"]["recipe"]
    provenance = {**card["provenance"], "recipe": {**recipe, "betas": list(recipe["betas"])}}
    return {**card, "provenance": provenance}


@pytest.fixture(scope="module")
def outcome() -> Trained:
    return short_run()


def test_every_step_count_is_that_of_the_paper() -> None:
    sizes = {"sinelines": 45_000, "dsprites": 663_552, "mnist": 60_000}
    steps = {
        name: one.n_epochs * (one.steps_per_epoch or -(-sizes[one.dataset] // one.batch))
        for name, one in RECIPES.items()
    }
    wanted = {"sinelines": 105_600, "dsprites": 103_680, "mnist": 93_800}
    assert steps == {name: 50_000 if one.family == "ig" else wanted[one.dataset] for name, one in RECIPES.items()}


def test_an_unknown_recipe_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="sinelines-ae, sinelines-vae"):
        recipe_named("sinelines-gan")


@pytest.mark.parametrize(
    ("name", "n_parameters"),
    [("sinelines-vae", 83_776), ("dsprites-vae", 182_881), ("mnist-ae5", 6_581_760), ("mnist-ss5", 6_592_000)],
)
def test_decoders_have_as_many_parameters_as_published(name: str, n_parameters: int) -> None:
    built = nets.autoencoder_from_recipe(recipe_named(name), torch.Generator().manual_seed(1))
    assert sum(one.numel() for one in built.decoder.parameters()) == n_parameters


def test_the_same_seed_trains_the_same_model_and_another_seed_another(outcome: Trained) -> None:
    again, other = short_run(), short_run(seed=1)
    assert again.content == outcome.content
    assert other.content != outcome.content


def test_a_resumed_run_ends_where_an_uninterrupted_one_does(tmp_path: Path, outcome: Trained) -> None:
    place = tmp_path / "run.checkpoint"
    trained_from_recipe(replace(SHORT, n_epochs=2), Workshop(max_steps=5, checkpoint=place))
    resumed = trained_from_recipe(SHORT, Workshop(max_steps=5, checkpoint=place))
    assert resumed.content == outcome.content


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "run.checkpoint"
    trained_from_recipe(replace(SHORT, n_epochs=1), Workshop(max_steps=1, checkpoint=place))
    with pytest.raises(MaterialsError, match="was made with another seed"):
        trained_from_recipe(replace(SHORT, seed=7), Workshop(max_steps=1, checkpoint=place))
    with pytest.raises(MaterialsError, match="was made with another max_steps"):
        trained_from_recipe(SHORT, Workshop(checkpoint=place))


def test_a_checkpoint_beyond_the_epochs_that_are_wanted_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "run.checkpoint"
    trained_from_recipe(replace(SHORT, n_epochs=2), Workshop(max_steps=1, checkpoint=place))
    with pytest.raises(MaterialsError, match="is 2 epochs on, but 1 are wanted"):
        trained_from_recipe(replace(SHORT, n_epochs=1), Workshop(max_steps=1, checkpoint=place))


def test_a_spoiled_checkpoint_gets_a_sentence(tmp_path: Path) -> None:
    place = tmp_path / "run.checkpoint"
    place.write_bytes(b"junk")
    with pytest.raises(MaterialsError, match=r"run\.checkpoint cannot be read as what an earlier run left"):
        trained_from_recipe(SHORT, Workshop(max_steps=1, checkpoint=place))


def test_learning_lowers_the_loss() -> None:
    seen: list[float] = []
    recipe = replace(recipe_named("sinelines-ae"), n_epochs=2)
    trained_from_recipe(recipe, Workshop(max_steps=40, tell=lambda progress: seen.append(progress.loss)))
    assert seen[1] < seen[0] / 2


def test_the_exported_decoder_gives_what_the_trained_one_gives(outcome: Trained) -> None:
    codes = np.random.default_rng(1).normal(size=(20, 5))
    with torch.no_grad():
        wanted = outcome.decoder(torch.from_numpy(codes).float()).numpy()
    np.testing.assert_allclose(decoded(outcome, codes), wanted, atol=1e-5)


def test_held_out_codes_lie_within_the_dials_of_the_card(outcome: Trained) -> None:
    assert outcome.held_out_codes is not None
    lows, highs = (np.array([dial[end] for dial in outcome.card["dials"]]) for end in ("low", "high"))
    assert (outcome.held_out_codes >= lows).all()
    assert (outcome.held_out_codes <= highs).all()
    assert len(outcome.card["codes"]) == 250


def test_a_variational_model_is_assessed_by_means_and_by_draws(outcome: Trained) -> None:
    errors = outcome.card["provenance"]
    assert errors["held_out_squared_error_by_draw"] > errors["held_out_squared_error"]


def test_a_plain_autoencoder_has_no_posterior_to_draw_from() -> None:
    plain = trained_from_recipe(replace(recipe_named("sinelines-ae"), n_epochs=1), Workshop(max_steps=2))
    assert "held_out_squared_error_by_draw" not in plain.card["provenance"]


def test_sprites_on_the_device_are_those_of_the_renderer() -> None:
    recipe = recipe_named("dsprites-gt")
    material = sources.material_from_recipe(recipe, torch.device("cpu"))
    places = material.held_out[:50]
    rows, factors = material.source.batch(places)
    np.testing.assert_array_equal(rows.numpy(), sprites.pictures_from_places(places.numpy()))
    np.testing.assert_allclose(factors.numpy(), sprites.factors_from_places(places.numpy()), atol=1e-6)


def test_a_supervised_decoder_learns_from_true_factors() -> None:
    outcome = trained_from_recipe(replace(recipe_named("dsprites-gt"), n_epochs=1), Workshop(max_steps=4))
    names = [dial["name"] for dial in outcome.card["dials"]]
    assert names == ["shape", "scale", "orientation", "x", "y"]
    assert outcome.card["codes"][0] == pytest.approx([1, 0.8, 0.3222, 0.7419, 0.3226])


# Losses


def test_divergence_is_that_of_two_normals() -> None:
    mean, log_variance = torch.tensor([[1.0, -2.0]]), torch.tensor([[0.5, 0.0]])
    prior = torch.distributions.Normal(0.0, 1.0)
    wanted = torch.distributions.kl_divergence(torch.distributions.Normal(mean, (log_variance / 2).exp()), prior).sum()
    assert float(losses.divergence(mean, log_variance)) == pytest.approx(float(wanted))


def test_total_correlation_is_greater_where_dimensions_repeat_each_other() -> None:
    generator = torch.Generator().manual_seed(1)
    one = torch.randn(256, 1, generator=generator)
    other = torch.randn(256, 1, generator=generator)
    tight = torch.full((256, 2), -4.0)
    repeated, apart = (
        float(losses.total_correlation(codes, codes, tight))
        for codes in (torch.cat([one, one], dim=1), torch.cat([one, other], dim=1))
    )
    assert repeated > apart + 1


def test_reconstruction_loss_sums_values_and_averages_instances() -> None:
    target, output = torch.zeros(2, 3), torch.tensor([[1.0, 1.0, 1.0], [0.0, 0.0, 3.0]])
    assert float(losses.reconstruction_loss(target, output, is_logit=False)) == pytest.approx(6.0)
    assert float(losses.reconstruction_loss(target, 0 * output, is_logit=True)) == pytest.approx(3 * np.log(2))


# InfoGAN and narrow weights


def test_both_sides_of_an_infogan_learn_from_a_step() -> None:
    recipe = replace(recipe_named("mnist-ig5"), batch=8)
    pictures = sources.Rows(torch.rand(8, 784, generator=torch.Generator().manual_seed(3)), torch.zeros(8, 0))
    material = sources.Material(pictures, torch.arange(8), torch.arange(8), None)
    stepper = adversarial.AdversarialStepper(
        recipe, material, nets.adversaries_from_recipe(recipe, torch.Generator().manual_seed(1))
    )
    before = {name: value.clone() for name, value in stepper.whole.named_parameters()}
    stepper.step(torch.arange(8), torch.rand(8, 15, generator=torch.Generator().manual_seed(2)))
    unmoved = [name for name, value in stepper.whole.named_parameters() if torch.equal(value, before[name])]
    # A bias before batch normalisation has no gradient but rounding error.
    assert [name for name in unmoved if not name.endswith("bias")] == []


def test_codes_of_an_infogan_choose_one_category_and_span_the_dials() -> None:
    noise = torch.rand(500, 15, generator=torch.Generator().manual_seed(1))
    code, category = adversarial.code_from_noise(noise, 10)
    assert (category.sum(1) == 1).all()
    assert set(category.argmax(1).tolist()) == set(range(10))
    assert code[:, 10:].min() < -0.99
    assert code[:, 10:].max() > 0.99


@pytest.fixture(scope="module")
def mnist_decoder() -> bytes:
    recipe = recipe_named("mnist-ss5")
    built = nets.autoencoder_from_recipe(recipe, torch.Generator().manual_seed(1))
    with torch.no_grad():  # moves the running averages away from their start, so that folding is put to the test
        for _ in range(3):
            built.decoder(3 * torch.randn(64, 15, generator=torch.Generator().manual_seed(2)))
    built.modules().eval()
    return onnx_from_layers(built.decoder, n_inputs=15, n_outputs=784, ends_in_sigmoid=True)


@pytest.mark.parametrize(("precision", "megabytes"), [("float16", 13.2), ("int8", 7.0)])
def test_narrow_weights_travel_small_and_agree(mnist_decoder: bytes, precision: Any, megabytes: float) -> None:
    card = DecoderCard.model_validate(as_json(card_from_codes(recipe_named("mnist-ss5"), None, {})))
    codes = np.column_stack([np.eye(10)[np.arange(40) % 10], np.random.default_rng(1).uniform(-1, 1, size=(40, 5))])
    small = quantized(mnist_decoder, precision)
    wide, narrow = (decoder_from_bytes(one, card).decode(codes) for one in (mnist_decoder, small))
    assert len(small) < megabytes * 1e6
    assert np.abs(wide - narrow).max() < 0.005


def test_unknown_layers_are_named() -> None:
    with pytest.raises(MaterialsError, match="A layer Tanh cannot be written"):
        onnx_from_layers(torch.nn.Sequential(torch.nn.Tanh()), n_inputs=2, n_outputs=2, ends_in_sigmoid=False)


def test_a_run_that_diverges_says_so() -> None:
    recipe = replace(recipe_named("sinelines-ae"), n_epochs=1, learning_rate=1e30)
    material = sources.material_from_recipe(recipe, torch.device("cpu"))
    stepper = AutoencoderStepper(recipe, material, nets.autoencoder_from_recipe(recipe, torch.Generator()))
    with pytest.raises(MaterialsError, match="Try another seed"):
        train(recipe, stepper, material, max_steps=4)
