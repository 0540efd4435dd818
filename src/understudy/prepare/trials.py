"""Makes the trials of every block, and the answer key that goes elsewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.prepare.assets import with_addresses
from understudy.prepare.bindings import (
    bound_for,
    data_factors,
    deciding_factors,
    explaining_factors,
    item_set_of,
    level_combinations,
)
from understudy.prepare.explaining import Asked, Explaining, explained, explained_model
from understudy.prepare.items import DrawnItems, draw_items
from understudy.registry import create
from understudy.roles import Explained, HasFiles
from understudy.schema import (
    Draft,
    Explanation,
    ItemSet,
    Json,
    Levels,
    Screen,
    Several,
    Stage,
    Stimulus,
    Study,
    Trial,
    TrialSet,
    digest_of,
    json_from_record,
    seed_from,
)
from understudy.sources.picture_metadata import without_metadata


@dataclass
class Workbench:
    """What has been made so far."""

    study: Study
    root: Path
    explaining: Explaining = field(default_factory=Explaining)
    trials: dict[str, Trial] = field(default_factory=dict)
    trial_sets: list[TrialSet] = field(default_factory=list)
    answers: dict[str, Json] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    strata: dict[str, Json] = field(default_factory=dict)
    truth: dict[str, Json] = field(default_factory=dict)
    files: dict[str, Path | bytes] = field(default_factory=dict)
    drawn: dict[tuple[str, str], DrawnItems] = field(default_factory=dict)
    of_models: dict[str, Explained | None] = field(default_factory=dict)

    def rng(self, *names: str) -> np.random.Generator:
        """Return the generator of one named choice."""
        return np.random.default_rng(seed_from(self.study.seed, "prepare", *names))


def make_screen(bench: Workbench, screen: Screen) -> None:
    """Make the one trial of a screen; one for each combination of levels that changes the explanation it shows."""
    drafts = _task_of(bench, screen)([], bench.rng("task", screen.block_id))
    factors = explaining_factors(bench.study) if screen.explains_model else ()
    for levels in level_combinations(bench.study, factors) if factors else [{}]:
        _add(bench, screen, levels, [None] * len(drafts), drafts)


def make_stage(bench: Workbench, stage: Stage) -> None:
    """Make the trials of a stage for every combination of levels that changes them."""
    item_set = item_set_of(bench.study, stage)
    if item_set is None:
        return
    task = _task_of(bench, stage)
    deciding = {
        *deciding_factors(bench.study, item_set, explains=stage.explains),
        *(explaining_factors(bench.study) if stage.explains_model else ()),
    }
    names = tuple(factor.name for factor in bench.study.factors if factor.name in deciding)
    for levels in level_combinations(bench.study, names):
        if all(_may_match(wanted, levels.get(name)) for name, wanted in stage.when.items()):
            stimuli = _stimuli(bench, stage, item_set, levels)
            _require_together(stage, stimuli)
            drafts = task(stimuli, bench.rng("task", stage.block_id, digest_of(dict(levels))))
            _add(bench, stage, levels, stimuli, drafts)


def _require_together(stage: Stage, stimuli: Sequence[Stimulus]) -> None:
    """Refuse to keep items together by what they do not have."""
    for stimulus in stimuli:
        if stage.together is not None and stage.together not in stimulus.truth:
            raise MaterialsError(
                f"Stage {stage.block_id!r} keeps items of one {stage.together!r} together, which its items do not "
                f"have. They have: {', '.join(stimulus.truth) or 'no attributes'}."
            )


def _may_match(wanted: str | tuple[str, ...], level: str | None) -> bool:
    return level is None or level in (wanted if isinstance(wanted, tuple) else (wanted,))


def _task_of(
    bench: Workbench, block: Screen | Stage
) -> Callable[[Sequence[Stimulus], np.random.Generator], list[Draft]]:
    ref, files = with_addresses("tasks", block.task, bench.root)
    bench.files.update(files)
    made = create("tasks", ref)
    if isinstance(made, HasFiles):
        for address, content in made.files.items():
            # Its address is written in the study, so that it cannot be cleaned here.
            if without_metadata(content) != content:
                raise MaterialsError(
                    f"Block {block.block_id!r} brings the picture {address}, which holds more than a picture: text, a place or "
                    "the like. Save its pixels again without metadata."
                )
        bench.files.update(made.files)
    return lambda stimuli, rng: list(made.drafts(stimuli, rng))


def _stimuli(bench: Workbench, stage: Stage, item_set: ItemSet, levels: Levels) -> tuple[Stimulus, ...]:
    drawn = _drawn(bench, item_set, levels)
    if not stage.explains:
        return drawn.stimuli
    bound = bound_for(bench.study, levels)
    reveals = stage.task.params.get("reveals")
    shows_answer = isinstance(reveals, list | tuple) and not {"prediction", "class_number"}.isdisjoint(
        map(str, reveals)
    )
    asked = Asked(stage.block_id, stage.candidates, shows_answer)
    found = explained(drawn, bound, asked, seed=bench.study.seed, root=bench.root, how=bench.explaining)
    bench.files.update(found.files)
    return found.stimuli


def _drawn(bench: Workbench, item_set: ItemSet, levels: Levels) -> DrawnItems:
    """Draw a set once for each combination of levels that changes its items, so that people's items match."""
    names = deciding_factors(bench.study, item_set, explains=False)
    own = {name: levels[name] for name in names if name in levels}
    place = (item_set.name, digest_of(dict(own)))
    if place not in bench.drawn:
        taken: set[str] = set()
        for other in bench.study.item_sets:
            if other.name in item_set.apart_from:
                taken.update(
                    stimulus.stimulus_id for drawn in _all_drawn(bench, other, own) for stimulus in drawn.stimuli
                )
        # Levels that change the model only draw from the data in the same order, so that arms share the items they can.
        drawn_by: Json = {name: own[name] for name in data_factors(bench.study, item_set) if name in own}
        rng = bench.rng("items", item_set.name, digest_of(drawn_by))
        bench.drawn[place] = draw_items(
            bench.study, item_set, bound_for(bench.study, own), rng, taken=taken, root=bench.root
        )
        bench.files.update(bench.drawn[place].assets)
    return bench.drawn[place]


def _all_drawn(bench: Workbench, item_set: ItemSet, levels: Levels) -> list[DrawnItems]:
    """Return what a set is under every combination of levels that can go with these."""
    factors = deciding_factors(bench.study, item_set, explains=False)
    return [
        _drawn(bench, item_set, combination)
        for combination in level_combinations(bench.study, factors)
        if all(levels.get(name, level) == level for name, level in combination.items())
    ]


def _add(
    bench: Workbench,
    block: Screen | Stage,
    levels: Levels,
    stimuli: Sequence[Stimulus | None],
    drafts: Sequence[Draft],
) -> None:
    ids = []
    of_model = _of_model(bench, levels) if block.explains_model else None
    for position, (stimulus, draft) in enumerate(zip(stimuli, drafts, strict=True)):
        origin = stimulus.stimulus_id if stimulus else str(position)
        trial_id = f"{block.block_id}.{digest_of([bench.study.name, block.block_id, dict(levels), origin])[:12]}"
        bench.trials[trial_id] = Trial(
            trial_id=trial_id,
            block_id=block.block_id,
            task=block.task.name,
            params=draft.params.model_dump(mode="json"),
            asks=draft.asks,
            explanation=_together(stimulus.explanation if stimulus else None, of_model),
            stimulus_id=stimulus.stimulus_id if stimulus else None,
            typical=draft.typical,
        )
        if draft.answers:
            bench.answers[trial_id] = draft.answers
        if draft.reason:
            bench.reasons[trial_id] = draft.reason
        if stimulus is not None:
            bench.strata[trial_id] = dict(stimulus.strata)
            bench.truth[trial_id] = stimulus.truth
        ids.append(trial_id)
    bench.trial_sets.append(TrialSet(block_id=block.block_id, levels=levels, trial_ids=tuple(ids)))


def _of_model(bench: Workbench, levels: Levels) -> Explanation | None:
    """Explain a model once for all pages that show it, and publish its pictures."""
    bound = bound_for(bench.study, levels)
    key = digest_of([json_from_record(part) if part is not None else None for part in bound])
    if key not in bench.of_models:
        bench.of_models[key] = explained_model(bound, seed=bench.study.seed, root=bench.root)
    said = bench.of_models[key]
    if said is None:
        return None
    bench.files.update(said.files)
    return said.explanations[0]


def _together(of_item: Explanation | None, of_model: Explanation | None) -> Explanation | None:
    """Return what a page shows: what is said of its item, of the model, or both."""
    if of_item is not None and of_model is not None:
        return Several(parts=(of_item, of_model))
    return of_item or of_model
