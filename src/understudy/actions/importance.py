"""Importance: what each attribute of a world does to a model's answers, as an answer key."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from understudy.actions.worlds import Advance, answers_to
from understudy.errors import MaterialsError
from understudy.explainers.inputs import column_of, log_odds_of
from understudy.roles import Floats, HasLatents, HasMargins, Model, Table
from understudy.schema import (
    AttributeImportance,
    GroupVerdict,
    LatentShift,
    Measured,
    RelevanceKey,
    RelevanceRule,
    digest_of,
    group_verdict,
    relevance_key_from_text,
)
from understudy.schema.record import seed_from
from understudy.sources.files import arrays_from_npz
from understudy.statistics.attribute_importance import Estimate, direction, importance
from understudy.worlds.families import world_named, world_names
from understudy.worlds.sampling import Mode, clones, sample
from understudy.worlds.world import World, has_function

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


# Importance: what any model relies on in a world, measured by clones, as a relevance key.

_FORMERLY_SIXT2022 = {"43ce6119092ae6a674441766b9275ccffc1c04ce9b387945920c3ef704cf7fa8": "sixt2022-code"}
"""Digest -> name of a world that was called sixt2022 when a variant was not part of the name."""


class ModelName(NamedTuple):
    """What a key says about the model it was measured on."""

    name: str
    digest: str = ""
    """SHA-256 of its file."""
    label: str = ""
    """The class that its logit is evidence for."""


def relevance_key(
    world: World,
    model: Model,
    options: ImportanceOptions | None = None,
    *,
    named: ModelName | None = None,
    advance: Advance = lambda _: None,
) -> RelevanceKey:
    """Measure what a model relies on: draw pictures, change one attribute at a time, and watch the logit."""
    how = options or ImportanceOptions()
    effects = effects_of(world, model, how, advance=advance)
    known = named or ModelName(type(model).__name__)
    return key_from_effects(world, effects, how, known._replace(label=model.labels[column_of(model, how.label)]))


def key_from_effects(world: World, effects: Effects, options: ImportanceOptions, named: ModelName) -> RelevanceKey:
    """Compute importance with intervals from logits, and judge each attribute by the rule."""
    rows = {name: _row(name, effects, options) for name in world.names}
    groups = tuple(
        GroupVerdict(name=name, attributes=names, verdict=group_verdict([rows[part] for part in names]))
        for name, names in world.asked.items()
    )
    return RelevanceKey(
        world=world.name,
        world_digest="" if has_function(world) else digest_of(world),
        model=named.name,
        model_digest=named.digest,
        label=named.label or world.classes[-1],
        accuracy=effects.accuracy,
        mode=options.mode,
        edge=options.edge,
        n=len(effects.logits),
        seed=options.seed,
        level=options.level,
        rule=options.rule,
        attributes=tuple(rows.values()),
        groups=groups,
    )


def effects_from_run(folder: Path, net: str = "flow") -> Effects:
    """Read what a run of `understudy.training.flow_run` measured: effects.npz and results.json of its folder."""
    paths = [folder / name for name in ("effects.npz", "results.json")]
    for path in paths:
        if not path.is_file():
            raise MaterialsError(f"{path} is not there. Name the folder that a run wrote its results to.")
    results = json.loads(paths[1].read_text(encoding="utf-8"))
    held = arrays_from_npz(paths[0])
    if f"{net}-logits" not in held:
        known = sorted({name.partition("-")[0] for name in held})
        raise MaterialsError(f"{paths[0]} has nothing about {net!r}. It has: {', '.join(known)}.")
    arrays = {name: array.astype(np.float64) for name, array in held.items()}
    by_kind = {
        kind: {name.removeprefix(f"{net}-{kind}-"): array for name, array in arrays.items() if name.startswith(f"{net}-{kind}-")}
        for kind in ("changed", "moved", "lengths")
    }  # fmt: skip
    return Effects(
        logits=arrays[f"{net}-logits"],
        **by_kind,
        weight_length=float(results["weight_length"]) if net == "flow" else None,
        accuracy=float(results["accuracy"][net]),
    )


def relevance_key_from_file(path: Path) -> RelevanceKey:
    """Read a relevance key."""
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. Write a key with `understudy worlds importance`.")
    return _with_its_own_name(relevance_key_from_text(path.read_text(encoding="utf-8"), path.name))


def _with_its_own_name(key: RelevanceKey) -> RelevanceKey:
    """Return the key of a world that has the name of another: older keys call every variant of sixt2022 by that name."""
    if key.world not in world_names() or key.world_digest in ("", digest_of(world_named(key.world))):
        return key
    name = _FORMERLY_SIXT2022.get(key.world_digest, f"{key.world}-changed")
    return key.model_copy(update={"world": name})


def table_from_key(key: RelevanceKey) -> Table:
    """Return the key as a table for a notebook, the attribute with the highest R² first."""
    rows = [
        {
            "attribute": row.attribute,
            "flip_rate": row.flip_rate.value,
            "median_change": row.median_change.value,
            "r_squared": row.r_squared.value,
            "r_squared_low": row.r_squared.low,
            "r_squared_high": row.r_squared.high,
            "verdict": key.reading(row.attribute),
        }
        for row in key.attributes
    ]
    return pd.DataFrame(rows).sort_values("r_squared", ascending=False, ignore_index=True)


def _row(name: str, effects: Effects, options: ImportanceOptions) -> AttributeImportance:
    rng = np.random.default_rng(seed_from(options.seed, "importance", name))
    found = importance(
        effects.logits,
        effects.changed[name],
        effects.moved[name],
        rng=rng,
        n_resamples=options.n_resamples,
        level=options.level,
    )
    r_squared = _measured(found.r_squared)
    return AttributeImportance(
        attribute=name,
        flip_rate=_measured(found.flip_rate),
        median_change=_measured(found.median_change),
        r_squared=r_squared,
        latents=_latents(name, effects),
        verdict=options.rule.verdict(r_squared),
    )


def _latents(name: str, effects: Effects) -> LatentShift | None:
    if name not in effects.lengths:
        return None
    change = effects.changed[name] - effects.logits
    moved = effects.moved[name]
    # Without known weights lengths are still lengths, and angles are left out.
    found = direction(effects.lengths[name], change, moved, weight_length=effects.weight_length or 1.0)
    has_angle = effects.weight_length is not None
    return LatentShift(
        norm=found.norm,
        norm_sd=_finite(found.norm_deviation),
        angle=_finite(found.angle) if has_angle else None,
        angle_sd=_finite(found.angle_deviation) if has_angle else None,
    )


def _measured(estimate: Estimate) -> Measured:
    digits = 6
    low, high = estimate.interval
    return Measured(value=round(estimate.value, digits), low=round(low, digits), high=round(high, digits))


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
