"""Integrated gradients for a torch module of your own: one map for each picture, ready to be recorded."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.models.torch_explaining import Batch, ExplainedModule, columns_of, maps_of_pictures
from understudy.roles import Floats, Ints, Sample


def integrated_gradients_maps(
    module: Any,
    pictures: Sample,
    targets: Sequence[int] | Ints | int | None = None,
    *,
    n_steps: int = 50,
    mean: Sequence[float] = (),
    std: Sequence[float] = (),
) -> Floats:
    """Return the integrated gradients of each picture, as (n, height, width), to be recorded.

    They add up the gradients in `n_steps` steps of the straight way from a black picture, and sum over colours
    (Sundararajan, Taly and Yan, 2017), so that a map sums to the difference between the two outputs. Module, targets,
    `mean` and `std` are those of `gradcam_maps`.
    """
    if n_steps < 1:
        raise MaterialsError(f"n_steps is {n_steps}. Give 1 or more; 50 is usual.")
    explained = ExplainedModule(module, "The method of integrated gradients")
    return maps_of_pictures(
        explained, pictures, targets, lambda batch: _maps(module, batch, n_steps), mean=mean, std=std
    )


def _maps(module: Any, batch: Batch, n_steps: int) -> Floats:
    torch = optional("torch", extra="torch")
    rows, blank = torch.from_numpy(batch.rows).float(), torch.from_numpy(batch.blank).float()
    with torch.no_grad():
        columns = torch.tensor(columns_of(module(rows), batch.targets))[:, None]
    total = torch.zeros_like(rows)
    for step in range(n_steps):
        # In the middle of each step, where the sum converges fastest.
        on_the_way = (blank + (step + 0.5) / n_steps * (rows - blank)).requires_grad_()
        with torch.enable_grad():
            explained = module(on_the_way).gather(1, columns).sum()
            (slopes,) = torch.autograd.grad(explained, on_the_way)
        total += slopes
    maps: Floats = ((rows - blank) * total / n_steps).sum(dim=1).numpy().astype(np.float64)
    return maps
