"""Importance: what any model relies on in a world, measured by clones, as a relevance key."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from understudy.analyses.kernels.importance import Estimate, direction, importance
from understudy.errors import MaterialsError
from understudy.explainers.reading import column_of
from understudy.roles import Model, Table
from understudy.schema import (
    AttributeImportance,
    GroupVerdict,
    LatentShift,
    Measured,
    RelevanceKey,
    digest_of,
    group_verdict,
    relevance_key_from_text,
)
from understudy.schema.seeds import seed_from
from understudy.sources.number_files import arrays_from_npz
from understudy.sources.worlds import World, world_named, world_names
from understudy.sources.worlds.world import has_function
from understudy.workflow.worlds.effects import Effects, ImportanceOptions, effects_of
from understudy.workflow.worlds.world_pictures import Advance

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
