"""Fitting the linear classifier of an invertible network once more, on pictures as they are shown."""

import torch
from torch import Tensor, nn

from understudy.training.nets.flow import Flow
from understudy.training.picture_data import CHUNK, PictureRows, levels_to_values
from understudy.training.picture_recipes import FlowRecipe
from understudy.training.picture_steps import softened


@torch.no_grad()
def fit_head(recipe: FlowRecipe, rows: PictureRows, flow: Flow) -> None:
    """Replace the classifier by the best one with a penalty on long weights, for the latents that the flow has now.

    While the flow learns, pictures have noise. People and explanations see them without, where other directions of the
    latents carry the class too. The penalty also keeps logits short, so that rounding a picture moves them less.
    """
    labels = softened(rows.labels[: recipe.n_head_pictures], recipe.label_noise).double()
    latents = torch.cat(
        [flow(levels_to_values(chunk)).last.flatten(1) for chunk in rows.levels[: recipe.n_head_pictures].split(CHUNK)]
    ).double()
    weights = _penalised_fit(latents, labels, recipe.head_penalty)
    flow.head.weight.copy_(weights[:-1].reshape(flow.head.weight.shape))
    flow.head.bias.copy_(weights[-1:])


@torch.enable_grad()
def _penalised_fit(latents: Tensor, labels: Tensor, penalty: float) -> Tensor:
    """Return the weights, and last the intercept, that minimise log loss plus half the penalty times their squares."""
    weights = torch.zeros(latents.shape[1] + 1, dtype=latents.dtype, device=latents.device, requires_grad=True)
    search = torch.optim.LBFGS([weights], max_iter=500, tolerance_grad=1e-9, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        search.zero_grad()
        logits = latents @ weights[:-1] + weights[-1]
        value = nn.functional.binary_cross_entropy_with_logits(logits, labels)
        value = value + penalty / 2 * (weights[:-1] ** 2).sum()
        value.backward()
        return value

    search.step(loss)
    return weights.detach()
