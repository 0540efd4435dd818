"""Measures what decides the held-out error of the Sinelines autoencoder, into docs/trained-models.json.

`python docs/line_errors.py` trains it on ten draws of the data, two seeds each, with the constant rate of the recipe and
then with one that falls. Nets learn stacked, all at once: minutes on a graphics card. Run docs/trained_models.py
afterwards.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from understudy.sources import sinelines
from understudy.sources.small_pictures import tenth_held_out
from understudy.training.decoder_nets import autoencoder_from_recipe
from understudy.training.loop import Progress, Schedule, Watchers, adam, falling_rate, seeded_by_epoch, train
from understudy.training.recipes import decoder_recipe

RUNS = Path(__file__).parent / "trained-models.json"
RECIPE = decoder_recipe("sinelines-ae")
DRAWS = (sinelines.SEED, *range(100, 109))
NETS = [(draw, seed) for draw in DRAWS for seed in range(2)]
N_LAST = 20
"""Epochs at the end over which the error is followed."""
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class StackedSteps:
    """Autoencoders that learn at the same time, each from its own lines, all in the same order."""

    def __init__(self, lines: Tensor) -> None:
        nets = [_net(seed) for _, seed in NETS]
        weights, _ = stack_module_state(nets)
        self.lines, self.net, self.names = lines, nets[0], list(weights)
        self.module: nn.Module = nn.ParameterList(weights.values()).to(DEVICE)
        self.optimisers: tuple[torch.optim.Optimizer, ...] = (adam(self.module, RECIPE.learning_rate),)

    def noise(self, n: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """An autoencoder learns without noise."""
        return ()

    def step(self, places: Tensor, *noise: Tensor) -> Tensor:
        """Learn from one batch of each set of lines, and return the mean loss."""
        self.module.zero_grad(set_to_none=True)
        losses = self.errors(places)
        # The sum, so that the gradients of one net do not depend on how many there are.
        losses.sum().backward()
        self.optimisers[0].step()
        return losses.detach().mean()

    def errors(self, places: Tensor) -> Tensor:
        """Return the squared error of each net, summed over values and averaged over lines."""
        rows = self.lines[:, places]
        weights = dict(zip(self.names, self.module.parameters(), strict=True))
        rebuilt = vmap(lambda own, lines: functional_call(self.net, own, (lines,)))(weights, rows)
        return (rebuilt - rows).square().sum(2).mean(1)


def measured(*, rate_falls: bool) -> list[dict[str, Any]]:
    """Train every net and return its errors after the last epochs."""
    split = tenth_held_out(sinelines.N_INSTANCES)
    learnt, held_out = (torch.from_numpy(part).to(DEVICE) for part in split)
    steps = StackedSteps(torch.stack([_lines(draw) for draw, _ in NETS]).to(DEVICE))
    followed: list[list[float]] = []

    def follow(progress: Progress) -> None:
        if progress.n_epochs - progress.epoch < N_LAST:
            with torch.no_grad():
                followed.append(steps.errors(held_out).tolist())

    rate = falling_rate(steps.optimisers[0], RECIPE.n_epochs) if rate_falls else None
    generator = seeded_by_epoch(RECIPE.seed, DEVICE)
    schedule = Schedule(RECIPE.name, learnt, RECIPE.batch, RECIPE.n_epochs, generator, rate=rate)
    train(steps, schedule, Watchers(progress=follow))
    with torch.no_grad():
        of_training = steps.errors(learnt).tolist()
    return [
        {
            "draw": draw, "seed": seed, "rate_falls": rate_falls, "error": round(errors[-1], 3),
            "lowest": round(min(errors), 3), "highest": round(max(errors), 3),
            "sd": round(float(np.std(errors, ddof=1)), 3), "training_error": round(own, 3),
        }
        for (draw, seed), errors, own in zip(NETS, np.transpose(followed).tolist(), of_training, strict=True)
    ]  # fmt: skip


def _net(seed: int) -> nn.Module:
    nets = autoencoder_from_recipe(RECIPE, torch.Generator().manual_seed(seed))
    parts = nets.modules()
    return nn.Sequential(parts["encoder"], parts["mean"], parts["decoder"])


def _lines(draw: int) -> Tensor:
    factors = sinelines.drawn_factors(sinelines.N_INSTANCES, np.random.default_rng(draw))
    return torch.from_numpy(sinelines.lines_from_factors(factors)).float()


def main() -> None:
    """Measure, and put the rows in the place of older ones."""
    kept = json.loads(RUNS.read_text(encoding="utf-8"))
    kept["line_errors"] = [*measured(rate_falls=False), *measured(rate_falls=True)]
    parts = [f'"{name}": [\n  ' + ",\n  ".join(json.dumps(row) for row in rows) + "\n]" for name, rows in kept.items()]
    RUNS.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    sys.stdout.write(f"Wrote {RUNS.name}.\n")


if __name__ == "__main__":
    main()
