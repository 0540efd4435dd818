"""Training: seeded, resumable, and exported as what was learned."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import MaterialsError, UnknownName
from understudy.inference import decoder_from_bytes
from understudy.inference.onnx_graphs import quantized
from understudy.schema import DecoderCard
from understudy.sources import sinelines, sprites
from understudy.training.cards import decoder_card
from understudy.training.recipes import RECIPES, DecoderRecipe, decoder_recipe

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("onnx", reason="needs the extra torch")

from understudy.statistics.arrays import Floats  # noqa: E402
from understudy.training import decoders, losses  # noqa: E402
from understudy.training.decoder_nets import (  # noqa: E402
    adversaries_from_recipe,
    autoencoder_from_recipe,
)
from understudy.training.decoders import RunOptions, TrainedDecoder, run_decoder, trained_decoder  # noqa: E402
from understudy.training.export import onnx_from_decoder  # noqa: E402
from understudy.training.loop import Progress  # noqa: E402

torch.set_num_threads(1)
DECODERS = [recipe for recipe in RECIPES.values() if isinstance(recipe, DecoderRecipe)]
SHORT = replace(decoder_recipe("sinelines-vae"), n_epochs=3)


def short_run(**settings: Any) -> TrainedDecoder:
    return trained_decoder(replace(SHORT, **settings), RunOptions(max_steps=5))


def decoded(outcome: TrainedDecoder, codes: Floats) -> Floats:
    return decoder_from_bytes(outcome.content, card_of(outcome)).decode(codes)


def card_of(outcome: TrainedDecoder, recipe: DecoderRecipe = SHORT) -> DecoderCard:
    return decoder_card(recipe, outcome.held_out_codes, outcome.provenance)


@pytest.fixture(scope="module")
def outcome() -> TrainedDecoder:
    return short_run()


def test_every_step_count_is_that_of_the_paper() -> None:
    sizes = {"sinelines": 45_000, "dsprites": 663_552, "mnist": 60_000}
    steps = {
        recipe.name: recipe.n_epochs * (recipe.steps_per_epoch or -(-sizes[recipe.dataset] // recipe.batch))
        for recipe in DECODERS
    }
    wanted = {"sinelines": 105_600, "dsprites": 103_680, "mnist": 93_800}
    assert steps == {recipe.name: 50_000 if recipe.family == "ig" else wanted[recipe.dataset] for recipe in DECODERS}


def test_an_unknown_recipe_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="sinelines-ae, sinelines-vae"):
        decoder_recipe("sinelines-gan")


@pytest.mark.parametrize(
    ("name", "n_parameters"),
    [("sinelines-vae", 83_776), ("dsprites-vae", 182_881), ("mnist-ae5", 6_581_760), ("mnist-ss5", 6_592_000)],
)
def test_decoders_have_as_many_parameters_as_published(name: str, n_parameters: int) -> None:
    built = autoencoder_from_recipe(decoder_recipe(name), torch.Generator().manual_seed(1))
    assert sum(parameter.numel() for parameter in built.decoder.parameters()) == n_parameters


def test_the_same_seed_trains_the_same_model_and_another_seed_another(outcome: TrainedDecoder) -> None:
    again, other = short_run(), short_run(seed=1)
    assert again.content == outcome.content
    assert other.content != outcome.content


def test_a_resumed_run_ends_where_an_uninterrupted_one_does(tmp_path: Path, outcome: TrainedDecoder) -> None:
    place = tmp_path / "run.checkpoint"
    trained_decoder(replace(SHORT, n_epochs=2), RunOptions(max_steps=5, checkpoint=place))
    resumed = trained_decoder(SHORT, RunOptions(max_steps=5, checkpoint=place))
    assert resumed.content == outcome.content


def test_a_falling_rate_goes_on_falling_in_a_resumed_run(tmp_path: Path) -> None:
    place, falling = tmp_path / "run.checkpoint", replace(SHORT, rate_falls=True)

    def interrupt(progress: Progress) -> None:
        if progress.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained_decoder(falling, RunOptions(max_steps=5, checkpoint=place, progress=interrupt))
    resumed = trained_decoder(falling, RunOptions(max_steps=5, checkpoint=place))
    assert resumed.content == short_run(rate_falls=True).content


def test_a_rate_that_falls_over_other_epochs_is_another_run(tmp_path: Path, outcome: TrainedDecoder) -> None:
    place, falling = tmp_path / "run.checkpoint", replace(SHORT, rate_falls=True)
    assert trained_decoder(falling, RunOptions(max_steps=5, checkpoint=place)).content != outcome.content
    with pytest.raises(MaterialsError, match="was made with another last_falling_epoch"):
        trained_decoder(replace(falling, n_epochs=4), RunOptions(max_steps=5, checkpoint=place))


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "run.checkpoint"
    trained_decoder(replace(SHORT, n_epochs=1), RunOptions(max_steps=1, checkpoint=place))
    with pytest.raises(MaterialsError, match="was made with another seed"):
        trained_decoder(replace(SHORT, seed=7), RunOptions(max_steps=1, checkpoint=place))
    with pytest.raises(MaterialsError, match="was made with another max_steps"):
        trained_decoder(SHORT, RunOptions(checkpoint=place))


def test_a_checkpoint_beyond_the_epochs_that_are_wanted_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "run.checkpoint"
    trained_decoder(replace(SHORT, n_epochs=2), RunOptions(max_steps=1, checkpoint=place))
    with pytest.raises(MaterialsError, match="has finished 2 epochs, but 1 are wanted"):
        trained_decoder(replace(SHORT, n_epochs=1), RunOptions(max_steps=1, checkpoint=place))


def test_a_spoiled_checkpoint_gets_a_sentence(tmp_path: Path) -> None:
    place = tmp_path / "run.checkpoint"
    place.write_bytes(b"junk")
    with pytest.raises(MaterialsError, match=r"run\.checkpoint cannot be read as what an earlier run left"):
        trained_decoder(SHORT, RunOptions(max_steps=1, checkpoint=place))


def test_learning_lowers_the_loss() -> None:
    seen: list[float] = []
    recipe = replace(decoder_recipe("sinelines-ae"), n_epochs=2)
    trained_decoder(recipe, RunOptions(max_steps=40, progress=lambda progress: seen.append(progress.loss)))
    assert seen[1] < seen[0] / 2


def test_the_exported_decoder_gives_what_the_trained_one_gives(outcome: TrainedDecoder) -> None:
    codes = np.random.default_rng(1).normal(size=(20, 5))
    with torch.no_grad():
        wanted = outcome.decoder(torch.from_numpy(codes).float()).numpy()
    np.testing.assert_allclose(decoded(outcome, codes), wanted, atol=1e-5)


def test_held_out_codes_lie_within_the_dials_of_the_card(outcome: TrainedDecoder) -> None:
    assert outcome.held_out_codes is not None
    lows, highs = (
        np.array(ends) for ends in zip(*((dial.low, dial.high) for dial in card_of(outcome).dials), strict=True)
    )
    assert (outcome.held_out_codes >= lows).all()
    assert (outcome.held_out_codes <= highs).all()
    assert len(card_of(outcome).codes) == 250


def test_a_variational_model_is_assessed_by_means_and_by_draws(outcome: TrainedDecoder) -> None:
    errors = outcome.provenance
    assert errors["held_out_squared_error_by_draw"] > errors["held_out_squared_error"]


def test_a_plain_autoencoder_has_no_posterior_to_draw_from() -> None:
    plain = trained_decoder(replace(decoder_recipe("sinelines-ae"), n_epochs=1), RunOptions(max_steps=2))
    assert "held_out_squared_error_by_draw" not in plain.provenance


def test_studies_ask_for_the_same_lines_whatever_factors_a_model_learned_from(tmp_path: Path) -> None:
    recipe, published = replace(decoder_recipe("sinelines-ae"), n_epochs=1), tmp_path / "published.npy"
    np.save(published, sinelines.drawn_factors(1000, np.random.default_rng(4)))
    trained = trained_decoder(recipe, RunOptions(max_steps=2, data=published))
    assert trained.held_out_codes is not None
    assert trained.asked_codes is not None
    assert (len(trained.held_out_codes), len(trained.asked_codes)) == (100, 128)
    np.save(published, sinelines.all_factors())
    same = trained_decoder(recipe, RunOptions(max_steps=2, data=published))
    np.testing.assert_array_equal(same.held_out_codes, same.asked_codes)


def test_sprites_on_the_device_are_those_of_the_renderer() -> None:
    recipe = decoder_recipe("dsprites-gt")
    material = decoders.material_from_recipe(recipe, torch.device("cpu"))
    places = material.held_out[:50]
    rows, factors = material.source.batch(places)
    np.testing.assert_array_equal(rows.numpy(), sprites.pictures_from_places(places.numpy()))
    np.testing.assert_allclose(factors.numpy(), sprites.factors_from_places(places.numpy()), atol=1e-6)


def test_a_supervised_decoder_learns_from_true_factors() -> None:
    recipe = replace(decoder_recipe("dsprites-gt"), n_epochs=1)
    card = card_of(trained_decoder(recipe, RunOptions(max_steps=4)), recipe)
    assert [dial.name for dial in card.dials] == ["shape", "scale", "orientation", "x", "y"]
    assert card.codes[0] == pytest.approx([1, 0.8, 0.3222, 0.7419, 0.3226])


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
    recipe = replace(decoder_recipe("mnist-ig5"), batch=8)
    pictures = decoders.Rows(torch.rand(8, 784, generator=torch.Generator().manual_seed(3)), torch.zeros(8, 0))
    material = decoders.Material(pictures, torch.arange(8), torch.arange(8), None)
    steps = decoders.AdversarialSteps(
        recipe, material, adversaries_from_recipe(recipe, torch.Generator().manual_seed(1))
    )
    before = {name: value.clone() for name, value in steps.module.named_parameters()}
    steps.step(torch.arange(8), torch.rand(8, 15, generator=torch.Generator().manual_seed(2)))
    unmoved = [name for name, value in steps.module.named_parameters() if torch.equal(value, before[name])]
    # A bias before batch normalisation has no gradient but rounding error.
    assert [name for name in unmoved if not name.endswith("bias")] == []


def test_codes_of_an_infogan_choose_one_category_and_span_the_dials() -> None:
    noise = torch.rand(500, 15, generator=torch.Generator().manual_seed(1))
    code, category = decoders.code_from_noise(noise, 10)
    assert (category.sum(1) == 1).all()
    assert set(category.argmax(1).tolist()) == set(range(10))
    assert code[:, 10:].min() < -0.99
    assert code[:, 10:].max() > 0.99


@pytest.fixture(scope="module")
def mnist_decoder() -> bytes:
    recipe = decoder_recipe("mnist-ss5")
    built = autoencoder_from_recipe(recipe, torch.Generator().manual_seed(1))
    with torch.no_grad():  # moves the running averages away from their start, so that folding is put to the test
        for _ in range(3):
            built.decoder(3 * torch.randn(64, 15, generator=torch.Generator().manual_seed(2)))
    built.modules().eval()
    return onnx_from_decoder(built.decoder, ends_in_sigmoid=True)


@pytest.mark.parametrize(("precision", "megabytes"), [("float16", 13.2), ("int8", 7.0)])
def test_narrow_weights_travel_small_and_agree(mnist_decoder: bytes, precision: Any, megabytes: float) -> None:
    card = decoder_card(decoder_recipe("mnist-ss5"), None, {})
    codes = np.column_stack([np.eye(10)[np.arange(40) % 10], np.random.default_rng(1).uniform(-1, 1, size=(40, 5))])
    small = quantized(mnist_decoder, precision)
    wide, narrow = (decoder_from_bytes(one, card).decode(codes) for one in (mnist_decoder, small))
    assert len(small) < megabytes * 1e6
    assert np.abs(wide - narrow).max() < 0.005


def test_the_few_filters_next_to_the_picture_keep_sixteen_bits(mnist_decoder: bytes) -> None:
    onnx = pytest.importorskip("onnx", reason="needs the extra torch")
    kept = onnx.load_model_from_string(quantized(mnist_decoder, "int8")).graph.initializer
    widths = {
        tuple(weight.dims): onnx.helper.tensor_dtype_to_np_dtype(weight.data_type).itemsize
        for weight in kept
        if weight.name.endswith("_narrow")
    }
    assert widths == {(1024, 15): 2, (6272, 1024): 1, (128, 64, 4, 4): 2, (64, 1, 4, 4): 2}


def test_a_run_that_diverges_says_so() -> None:
    recipe = replace(decoder_recipe("sinelines-ae"), n_epochs=1, learning_rate=1e30)
    material = decoders.material_from_recipe(recipe, torch.device("cpu"))
    steps = decoders.AutoencoderSteps(recipe, material, autoencoder_from_recipe(recipe, torch.Generator()))
    with pytest.raises(MaterialsError, match="Try another seed"):
        run_decoder(recipe, steps, material, RunOptions(max_steps=4))
