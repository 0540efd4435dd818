"""A study's design in sentences: factors, conditions, assignment, flow, gates, numbers, stopping."""

from understudy.report.catalogue_words import explained, named, plain, quoted
from understudy.report.wording import joined, plural
from understudy.schema import Block, Gate, Loop, Pay, Stage, Study, blocks_in

_SCOPE = {
    "between": "between participants",
    "within": "within participants",
    "item": "over items",
    "question": "over the questions of a page",
}
_ORDER = {
    "shuffled": "in a random order, drawn for each person",
    "shared": "in one random order for all people of a condition",
    "given": "in the order of the set",
    "balanced": "in a random order that keeps every prefix balanced over the strata",
}

_SUBSET = {
    "same": "Everybody sees the first {} of the set.",
    "own": "Each person sees {} of the set, drawn once for that person.",
    "anew": "Each person sees {} of the set, redrawn in each turn.",
}


def factor_sentences(study: Study) -> list[str]:
    """Return a sentence for each factor with its scope and levels."""
    sentences = []
    for factor in study.factors:
        levels = quoted(factor.levels)
        drawn = f" Each person sees {factor.n_drawn} of them." if factor.n_drawn else ""
        sentences.append(f"`{factor.name}` varies {_SCOPE[factor.scope]}: {levels}.{drawn}")
    return sentences


def condition_sentences(study: Study) -> list[str]:
    """Return a sentence for each condition with its quota."""
    sentences = []
    for cell in study.cells:
        levels = joined([f"{factor} = {level}" for factor, level in cell.levels.items()])
        sentences.append(f"`{cell.name}`{f' ({levels})' if levels else ''}: {study.quota_of(cell):,} participants.")
    return sentences


def chance_sentences(study: Study) -> list[str]:
    """Return sentences on everything that is random."""
    sentences = []
    if len(study.cells) > 1:
        sentences.append(f"Arrivals are assigned to conditions by {explained('designs', study.assignment.policy)}.")
    sentences += [
        f"The order of the levels of `{factor.name}` is chosen by {explained('orderings', factor.order)}."
        for factor in study.factors
        if factor.scope == "within"
    ]
    sentences += [_stage_sentence(block) for block in blocks_in(study.flow) if isinstance(block, Stage)]
    sentences += [
        f"Items of `{item_set.name}` are distributed over the levels of `{item_set.rotates_over}` in a Latin square."
        for item_set in study.item_sets
        if item_set.rotates_over
    ]
    sentences += [
        f"Each level of `{item_set.dealt_over}` has its own items of `{item_set.name}`."
        for item_set in study.item_sets
        if item_set.dealt_over
    ]
    sentences.append(f"All random choices follow from seed {study.seed}, so assignments can be recomputed.")
    return sentences


def item_sentences(study: Study) -> list[str]:
    """Return a sentence for each item set with its size and balance."""
    return [
        f"`{item_set.name}` holds {plural(item_set.n_items, 'item')}"
        + (f", balanced over {quoted(item_set.strata)}" if item_set.strata else "")
        + (f", with {quoted(item_set.matched_on)} equally common in each" if item_set.matched_on else "")
        + (f", none shared with {quoted(item_set.apart_from)}" if item_set.apart_from else "")
        + "."
        for item_set in study.item_sets
    ]


def simplification_sentences(study: Study) -> list[str]:
    """Return what pages show of each method's explanations, and what they leave out."""
    sentences = []
    for method, profile in study.simplifications.items():
        parts = (("Shown", profile.shown), ("Left out", profile.hidden), ("In another order", profile.reordered))
        said = " ".join(f"{what}: {'; '.join(named)}." for what, named in parts if named)
        sentences.append(f"`{method}`: {said}")
    return sentences


def flow_sentences(study: Study) -> list[str]:
    """Return a sentence for each block of a session, with what can end it early."""
    sentences = []
    loops = _loops_around(study.flow)
    for block in blocks_in(study.flow):
        over = loops.get(block.block_id, ())
        often = f", once for each level of {quoted(over)}" if over else ""
        text = f"`{block.block_id}` ({block.purpose}{often}): {named(block.task)}."
        if block.gate:
            text += _gate_sentence(block.gate, study.pay)
        for stop in block.stops:
            text += f" The session ends there ({stop.outcome.replace('_', ' ')}) if `{stop.rule}`: {plain(stop.reason)}"
            if study.pay is not None and stop.pay_amount is not None:
                text += f" They are paid {stop.pay_amount:.2f} {study.pay.currency}."
        sentences.append(text)
    return sentences


def size_sentence(study: Study) -> str:
    """Return the number of participants in a sentence."""
    quotas = [study.quota_of(cell) for cell in study.cells]
    quota_list = joined([f"{n:,} in `{cell.name}`" for n, cell in zip(quotas, study.cells, strict=True)])
    return f"{sum(quotas):,} completed and not excluded participants: {quota_list}."


def stopping_sentences(study: Study) -> list[str]:
    """Return the rules for ending data collection."""
    return [
        "Each condition closes when it has its number of completed and not excluded participants; "
        "excluded participants are replaced. Only counts close a condition, never results.",
        f"An unfinished session without any activity for {study.assignment.release_after_min:g} minutes counts as "
        "abandoned, and its place is given to somebody else.",
        *(
            f"Recruitment pauses when {rule.limit} (`{rule.rule_id}`); this does not depend on any outcome."
            for rule in study.plan.stop_rules
        ),
    ]


def eligibility_sentences(study: Study) -> list[str]:
    """Return sentences on who may not take part."""
    sentences = ["Nobody can take the study twice."]
    if study.assignment.blocks_participants_of:
        other_studies = quoted(study.assignment.blocks_participants_of)
        sentences.append(f"Participants of {other_studies} cannot take part.")
    if (follows := study.follows) is not None:
        who = "completed it and are not excluded" if follows.invites == "counted" else "completed it"
        until = "" if follows.within_days is None else f" and at most {follows.within_days:g}"
        kept = " They keep their condition." if follows.keeps_condition else ""
        sentences.append(
            f"This part follows `{follows.study}`: only people who {who} can take part, at least {follows.after_days:g}{until} "
            f"days after its end.{kept}"
        )
    return sentences


def _stage_sentence(stage: Stage) -> str:
    together = f", those of one `{stage.together}` together" if stage.together else ""
    chosen = "" if stage.n_items is None else f" {_SUBSET[stage.subset].format(plural(stage.n_items, 'item'))}"
    return f"In stage `{stage.block_id}` items are shown {_ORDER[stage.order]}{together}.{chosen}"


def _loops_around(flow: tuple[Block, ...], over: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Return, for each block, the factors it is repeated over."""
    loops: dict[str, tuple[str, ...]] = {}
    for block in flow:
        if isinstance(block, Loop):
            loops |= _loops_around(block.blocks, (*over, block.over))
        else:
            loops[block.block_id] = over
    return loops


def _gate_sentence(gate: Gate, pay: Pay | None) -> str:
    measure = f"mean of `{gate.measure}`" if gate.measure else "share of right answers"
    tries = {"unlimited": "as many tries as needed", 1: "one try"}.get(gate.tries, f"{gate.tries} tries")
    text = f" People continue with a {measure} of at least {gate.at_least:g}, with {tries}."
    if gate.on_fail == "go_on":
        return f"{text} People who do not reach it continue as well."
    amount = f"{gate.pay_share:.0%} of the base pay"
    if pay is not None and gate.pay_amount is not None:
        amount = f"{gate.pay_amount:.2f} {pay.currency}"
    paid = f" and paid {amount}" if pay is not None else ""
    return f"{text} People who do not reach it are screened out{paid}."
