"""Designs that run and answer something, but perhaps not what the study asks."""

from collections.abc import Iterator

from understudy.prepare.answerable.items import contrast_of
from understudy.prepare.answerable.met import met_blocks, planned_blocks, trial_ids_of
from understudy.prepare.bindings import bound_for
from understudy.prepare.prepared import Prepared
from understudy.schema import Levels, Stage


def design_cautions(prepared: Prepared) -> list[str]:
    """Return one sentence for each contrast of two things at once, and each stage whose answers were shown before."""
    return list(dict.fromkeys((*_two_things(prepared), *_seen_before(prepared))))


def _two_things(prepared: Prepared) -> Iterator[str]:
    study = prepared.study
    for hypothesis in study.plan.hypotheses:
        contrast = contrast_of(hypothesis, study)
        if contrast is None or hypothesis.factor is None:
            continue
        levels: list[Levels] = [{**study.cells[0].levels, hypothesis.factor: level} for level in contrast]
        first, second = (bound_for(study, chosen) for chosen in levels)
        # Two methods may each bring their own model; a control without explanation should have the same one.
        if first.model != second.model and (first.explainer is None) != (second.explainer is None):
            yield (
                f"Hypothesis {hypothesis.hypothesis_id!r} compares {contrast[0]!r} with {contrast[1]!r}, which differ in the "
                "model and in the explanation: a difference may come from either. Give both levels one model, or make the "
                "model a factor of its own."
            )


def _seen_before(prepared: Prepared) -> Iterator[str]:
    """Yield the stages that ask about items whose answers an earlier stage has shown."""
    planned, trials = planned_blocks(prepared.study), prepared.materials.trials
    for cell in prepared.study.cells:
        shown: dict[tuple[str, str], str] = {}
        for met in met_blocks(prepared.study, cell.levels):
            if not isinstance(met.block, Stage):
                continue
            items = {item for one in trial_ids_of(prepared, met) if (item := trials[one].stimulus_id) is not None}
            asked = _named(met.block, "keys")
            by = [shown[item, name] for item in sorted(items) for name in asked if (item, name) in shown]
            if by and met.block.block_id in planned:
                yield (
                    f"Stage {met.block.block_id!r} asks about {len(by)} of {len(items)} items whose answers {by[0]!r} has "
                    "shown before, so people can remember them. Name the other item set in `apart_from`."
                )
            # A stage that asks for an attribute reveals another one of that name, such as that of the unedited case.
            reveals = [name for name in _named(met.block, "reveals") if name not in asked]
            shown.update({(item, name): met.block.block_id for item in items for name in reveals})


def _named(block: Stage, parameter: str) -> list[str]:
    """Return the attributes of items that a parameter of a task names."""
    named = block.task.params.get(parameter)
    values = list(named.values()) if isinstance(named, dict) else named if isinstance(named, list | tuple) else []
    return [str(value) for value in values]
