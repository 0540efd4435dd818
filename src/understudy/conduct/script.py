"""Script: a prepared study indexed for fast look-up while sessions run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from understudy.conduct.scoring import Scorer
from understudy.conduct.timing import Timetable
from understudy.conduct.visits import BlockVisit, balanced_order
from understudy.registry import create, offers
from understudy.roles import DisclosesResults
from understudy.schema import (
    AnswerKey,
    Assignment,
    ItemSet,
    Levels,
    Materials,
    Screen,
    Stage,
    Study,
    Trial,
    blocks_in,
    rule_from_text,
    seed_from,
)


class _TrialSets(NamedTuple):
    factors: tuple[str, ...]
    by_levels: dict[tuple[str, ...], tuple[str, ...]]


class SeenStimulus(NamedTuple):
    """A stimulus that a participant has seen, and the factor levels at that time."""

    stimulus_id: str
    levels: Levels


class Script:
    """Study, materials and answer key, indexed once and never changed."""

    def __init__(
        self, study: Study, materials: Materials, key: AnswerKey, files: Mapping[str, Path | bytes] | None = None
    ) -> None:
        self.study = study
        self.files = files or {}
        """Content address -> its file, for simulated people who use live pages."""
        self.digest = materials.study_digest
        self.trials: dict[str, Trial] = materials.trials
        self.answers = key.answers
        self.reasons = key.reasons
        self.strata = key.strata
        self.truth = key.truth
        self.scorer = Scorer(study, key)
        self.blocks: dict[str, Screen | Stage] = {block.block_id: block for block in blocks_in(study.flow)}
        self.disclosing: dict[str, DisclosesResults] = {
            block_id: create("tasks", block.task)
            for block_id, block in self.blocks.items()
            if offers("tasks", block.task.name, DisclosesResults)
        }
        """Block -> its task, where it tells people how they did."""
        self.stop_rules = {
            block_id: tuple((stop, rule_from_text(stop.rule)) for stop in block.stops)
            for block_id, block in self.blocks.items()
            if block.stops
        }
        self.exclusion_rules = {
            applies: tuple(
                (exclusion, rule_from_text(exclusion.rule))
                for exclusion in study.exclusions
                if exclusion.applies == applies and exclusion.rule is not None
            )
            for applies in ("live", "at_close", "annotators")
        }
        self.rotating = {item_set.name: item_set for item_set in study.item_sets if item_set.rotates_over is not None}
        self.dealt = {item_set.name: item_set.dealt_over for item_set in study.item_sets if item_set.dealt_over}
        self._sets = self._indexed(materials)
        self.timetable = Timetable(self)

    @staticmethod
    def _indexed(materials: Materials) -> dict[str, _TrialSets]:
        grouped: dict[str, _TrialSets] = {}
        for trial_set in materials.trial_sets:
            factors = tuple(trial_set.levels)
            indexed = grouped.setdefault(trial_set.block_id, _TrialSets(factors, {}))
            indexed.by_levels[tuple(trial_set.levels.values())] = trial_set.trial_ids
        return grouped

    def excluded_by_codes(self, scores: Mapping[str, object]) -> str | None:
        """Return the exclusion that follows from what annotators said; None while they have not decided, or if none does."""
        return next((rule.exclusion_id for rule, holds in self.exclusion_rules["annotators"] if holds(scores)), None)

    def factors_of(self, block_id: str) -> tuple[str, ...]:
        """Return the factors whose levels change what a block shows."""
        return self._sets[block_id].factors

    def all_trial_ids(self, visit: BlockVisit) -> tuple[str, ...]:
        """Return every trial that a visit with these levels can show, before any are chosen for a session."""
        indexed = self._sets[visit.block.block_id]
        return indexed.by_levels[tuple(visit.levels[name] for name in indexed.factors)]

    def trial_ids(
        self, visit: BlockVisit, assignment: Assignment, seen: Mapping[str, Sequence[SeenStimulus]]
    ) -> tuple[str, ...]:
        """Return the trials of a visit in this session's order; `seen` holds earlier stimuli by block."""
        ids = self.all_trial_ids(visit)
        if isinstance(visit.block, Screen):
            return ids
        # Order comes after selection, except for shared orders, which need the whole set.
        ordered = self._ordered(self._selected(ids, visit, assignment, seen), ids, visit, assignment)
        return ordered if visit.block.together is None else self._grouped(ordered, visit.block.together)

    def _grouped(self, ids: tuple[str, ...], attribute: str) -> tuple[str, ...]:
        """Group items that share an attribute, each group at the position of its first item."""
        groups: dict[str, list[str]] = {}
        for trial_id in ids:
            groups.setdefault(str(self.truth[trial_id].get(attribute)), []).append(trial_id)
        return tuple(trial_id for group in groups.values() for trial_id in group)

    def _selected(
        self,
        ids: tuple[str, ...],
        visit: BlockVisit,
        assignment: Assignment,
        seen: Mapping[str, Sequence[SeenStimulus]],
    ) -> tuple[str, ...]:
        stage = visit.block
        if not isinstance(stage, Stage):
            return ids
        if stage.repeats is not None:
            again = self._seen_before(stage.repeats, visit, seen)
            ids = tuple(trial_id for trial_id in ids if self.trials[trial_id].stimulus_id in again)
        dealt_over = self.dealt.get(stage.items or "")
        if dealt_over is not None:
            ids = self._dealt(ids, dealt_over, visit)
        rotating = self.rotating.get(stage.items or "")
        if rotating is not None:
            ids = self._rotated(ids, rotating, visit, assignment)
        return ids if stage.n_items is None else self._cut(ids, stage.n_items, visit, assignment)

    def _cut(self, ids: tuple[str, ...], n: int, visit: BlockVisit, assignment: Assignment) -> tuple[str, ...]:
        """Return the n items of a set that this session gets, in the order of the set."""
        stage = visit.block
        if not isinstance(stage, Stage) or stage.subset == "same":
            return ids[:n]
        turn = (stage.items or stage.block_id,) if stage.subset == "own" else (visit.visit_id, visit.try_number)
        rng = np.random.default_rng(seed_from(assignment.seed, "subset", *turn))
        drawn = set(balanced_order([str(self.strata.get(trial_id)) for trial_id in ids], rng)[:n])
        return tuple(trial_id for index, trial_id in enumerate(ids) if index in drawn)

    def _seen_before(self, block_id: str, visit: BlockVisit, seen: Mapping[str, Sequence[SeenStimulus]]) -> set[str]:
        """Return the items seen in an earlier block; inside a loop, only those of the current iteration."""
        block_factors = {*visit.block.levels, *self.blocks[block_id].levels}
        loops = {name: level for name, level in visit.levels.items() if name not in block_factors}
        return {
            stimulus.stimulus_id
            for stimulus in seen.get(block_id, ())
            if all(stimulus.levels.get(name, level) == level for name, level in loops.items())
        }

    def _dealt(self, ids: tuple[str, ...], factor: str, visit: BlockVisit) -> tuple[str, ...]:
        """Return the part of a set that belongs to the level of a between-factor; the strata are assigned in turn."""
        levels = self.study.factor(factor).levels
        part = levels.index(visit.levels[factor])
        n_seen: Counter[str] = Counter()
        kept = []
        for trial_id in ids:
            stratum = str(self.strata.get(trial_id))
            if n_seen[stratum] % len(levels) == part:
                kept.append(trial_id)
            n_seen[stratum] += 1
        return tuple(kept)

    def _rotated(
        self, ids: tuple[str, ...], rotating: ItemSet, visit: BlockVisit, assignment: Assignment
    ) -> tuple[str, ...]:
        levels = self.study.factor(str(rotating.rotates_over)).levels
        list_number = levels.index(visit.levels[str(rotating.rotates_over)])
        offset = assignment.lists[rotating.name]
        # A Latin square: person and level together decide which list of items comes up.
        return tuple(trial_id for index, trial_id in enumerate(ids) if (index + offset) % len(levels) == list_number)

    def _ordered(
        self, ids: tuple[str, ...], all_ids: tuple[str, ...], visit: BlockVisit, assignment: Assignment
    ) -> tuple[str, ...]:
        order = visit.block.order if isinstance(visit.block, Stage) else "given"
        if order == "given":
            return ids
        if order == "shared":
            rng = np.random.default_rng(seed_from(self.study.seed, "shared", assignment.condition, visit.visit_id))
            # The whole set is ordered, so that people with different items of it still share one order.
            selected = set(ids)
            return tuple(all_ids[k] for k in rng.permutation(len(all_ids)).tolist() if all_ids[k] in selected)
        rng = np.random.default_rng(seed_from(assignment.seed, "order", visit.visit_id, visit.try_number))
        if order == "shuffled":
            return tuple(ids[k] for k in rng.permutation(len(ids)).tolist())
        return tuple(ids[k] for k in balanced_order([str(self.strata.get(trial_id)) for trial_id in ids], rng))
