"""Effects: what a model says to pictures of a world, and to their partners in which one attribute was redrawn."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.explainers.reading import column_of, log_odds_of
from understudy.roles import Floats, HasLatents, HasMargins, Model
from understudy.schema import RelevanceRule
from understudy.sources.worlds import Mode, World, clones, sample
from understudy.workflow.worlds.world_pictures import Advance, answers_to

_EXACT = 1e-3
"""How far a line through latents may miss margins, in their standard deviations, to be the classifier itself."""


@dataclass(frozen=True)
class ImportanceOptions:
    """How importance is measured."""

    n: int = 1000
    """Pictures; each has a partner for every attribute."""
    seed: int = 0
    edge: int = 64
    """Pixels a side."""
    mode: Mode = "all_parents"
    label: str | None = None
    """The class that the logit is evidence for. Default: the second one."""
    rule: RelevanceRule = field(default_factory=RelevanceRule)
    level: float = 0.95
    n_resamples: int = 1000

    def __post_init__(self) -> None:
        """Refuse numbers from which no interval follows."""
        if self.n < 10:
            raise MaterialsError(f"{self.n} pictures were asked for. Ask for at least 10; 1000 give narrow intervals.")


class Effects(NamedTuple):
    """Logits of pictures and of their partners: all that importance needs."""

    logits: Floats
    changed: dict[str, Floats]
    """Attribute -> logits of the pictures in which it was redrawn."""
    moved: dict[str, Floats]
    """Attribute -> how far it moved in each picture."""
    lengths: dict[str, Floats]
    """Attribute -> how far the hidden layer moved; empty for a model that does not show it."""
    weight_length: float | None
    """Length of the weights of the classifier on the hidden layer, where it is linear."""
    accuracy: float | None
    """Share of pictures whose class the model finds; None where its labels are not the classes."""


def effects_of(world: World, model: Model, options: ImportanceOptions, *, advance: Advance = lambda _: None) -> Effects:
    """Draw pictures and their partners, and let the model answer to all of them."""
    column = column_of(model, options.label)
    table = sample(world, options.n, options.seed)
    answer = _answers(model, column)
    logits, *hidden = answers_to(world, table, options.edge, answer, advance=advance)
    changed, moved, lengths = {}, {}, {}
    for name in world.names:
        partners = clones(world, table, [name], seed=options.seed, mode=options.mode)
        changed[name], *other = answers_to(world, partners, options.edge, answer, advance=advance)
        moved[name] = (partners[name] - table[name]).to_numpy(dtype=np.float64)
        if hidden:
            lengths[name] = np.linalg.norm(other[0] - hidden[0], axis=1)
    weight_length = _weight_length(logits, hidden[0]) if hidden else None
    truth = table["class"].to_numpy(dtype=str)
    accuracy = _accuracy(model, column, logits, truth) if set(model.labels) == set(world.classes) else None
    return Effects(logits, changed, moved, lengths, weight_length, accuracy)


def n_pictures(world: World, options: ImportanceOptions) -> int:
    """Return how many pictures will be drawn."""
    return options.n * (1 + len(world.names))


def logits_of(model: Model, inputs: Floats, column: int) -> Floats:
    """Return the evidence for one label: the model's own where it shows it, else the log-odds against all others."""
    if isinstance(model, HasMargins) and len(model.labels) == 2:
        margins = np.asarray(model.margins(inputs), dtype=np.float64)
        return margins if column == 1 else -margins
    probabilities = model.predict(inputs)
    return log_odds_of(probabilities, [column] * len(probabilities))


def _answers(model: Model, column: int) -> Callable[[Floats], tuple[Floats, ...]]:
    def answer(inputs: Floats) -> tuple[Floats, ...]:
        logits = logits_of(model, inputs, column)
        if isinstance(model, HasLatents):
            return logits, np.asarray(model.latents(inputs), dtype=np.float64).reshape(len(inputs), -1)
        return (logits,)

    return answer


def _accuracy(
    model: Model, column: int, logits: Floats, truth: np.ndarray[tuple[int, ...], np.dtype[np.str_]]
) -> float:
    """Return the share of rows on the right side; with more than two labels, of the one label against all others."""
    return float(np.mean((logits > 0) == (truth == model.labels[column])))


def _weight_length(logits: Floats, latents: Floats) -> float | None:
    """Return the length of the weights that make logits from latents; None if the classifier is not linear in them."""
    if len(logits) < 2 * latents.shape[1]:
        return None
    design = np.column_stack([latents - latents.mean(0), np.ones(len(latents))])
    weights, *_ = np.linalg.lstsq(design, logits, rcond=1e-6)
    missed = np.std(design @ weights - logits)
    return float(np.linalg.norm(weights[:-1])) if missed <= _EXACT * max(float(np.std(logits)), 1e-12) else None
