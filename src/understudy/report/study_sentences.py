"""A study and its plan in sentences, as a preregistration and a report say them."""

from understudy.report.wording import CORRECTION, estimand, explained, joined, model_rule, named, plain, plural, quoted
from understudy.schema import (
    AnalysisChoice,
    AnalysisPlan,
    Block,
    Check,
    Family,
    Gate,
    Hypothesis,
    Loop,
    MeasureUse,
    Outcome,
    Pay,
    Ref,
    Stage,
    Study,
    blocks_in,
)
from understudy.statistics.group_sequential import boundaries

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


# An analysis plan in sentences: outcomes, hypotheses, decision trees, corrections.

_DIRECTION = {
    "greater": "one-sided: greater is expected",
    "less": "one-sided: less is expected",
    "different": "two-sided",
    "equivalent": "equivalence, by two one-sided tests",
}

_SUMMARY = {"gain": "gain from the first to the last values"}


def measure_sentence(use: MeasureUse) -> str:
    """Return a sentence on a measure, its summary per person and its blocks."""
    summarised = f"the {_SUMMARY.get(use.summary, use.summary)} for each participant of " if use.summary else ""
    taken = f", taken in {quoted(use.blocks)}" if use.blocks else ""
    each = f", for each question of `{use.over}`" if use.over else ""
    return f"`{use.name}`: {summarised}{explained('measures', use.measure)}{each}{taken}."


def outcome_sentence(outcome: Outcome) -> str:
    """Return a sentence on how an outcome is computed from its measure."""
    formula = (
        f"single trials of `{outcome.measure}`"
        if outcome.summary is None
        else f"the {_SUMMARY.get(outcome.summary, outcome.summary)} of `{outcome.measure}` for each participant"
    )
    apart = f", separately for each level of {quoted(outcome.by)}" if outcome.by else ""
    rows = f", over rows where `{outcome.where}`" if outcome.where else ""
    completeness = f", of items answered at every level of `{outcome.complete_over}`" if outcome.complete_over else ""
    return f"`{outcome.name}` is {formula}{apart}{rows}{completeness}."


def hypothesis_sentences(hypothesis: Hypothesis, plan: AnalysisPlan) -> list[str]:
    """Return everything that decides a hypothesis, one fact per sentence."""
    alpha = plan.alpha if hypothesis.alpha is None else hypothesis.alpha
    sentences = [_comparison(hypothesis), f"The test is {_test_words(hypothesis)}, at alpha = {alpha:g}."]
    if hypothesis.where:
        sentences.append(f"Only rows where `{hypothesis.where}` count.")
    sentences += [*analysis_sentences(hypothesis.analysis), *_estimand_sentences(hypothesis.analysis)]
    rules = {rule: ref.name for ref in _leaves(hypothesis.analysis) if (rule := model_rule(ref))}
    sentences += [
        f"The model of `{name}` is chosen by a rule that is fixed here. {rule}" for rule, name in rules.items()
    ]
    family = next((family for family in plan.families if family.name == hypothesis.family), None)
    sentences.append(_correction(family, plan) if family else "There is no correction for other tests.")
    if hypothesis.requires:
        sentences.append(f"It is tested only if {hypothesis.requires} is supported.")
    if not hypothesis.is_confirmatory:
        sentences.append("It is exploratory.")
    return sentences


def analysis_sentences(choice: AnalysisChoice, *, opening: str = "") -> list[str]:
    """Return the analysis in one sentence, or one sentence per branch of a decision tree."""
    if not isinstance(choice, Check):
        words = explained("analyses", choice)
        return [f"{opening}, the analysis is {words}." if opening else f"The analysis is {words}."]
    check = explained("checks", choice.check)
    if choice.levels == "all":
        check = f"{check} of all levels"
    path = f"{opening} and" if opening else "If"
    holds = f"{path} the check {check} does not reject its assumption at alpha = {choice.alpha:g}"
    fails = f"{path} the check `{choice.check.name}` rejects it"
    return [
        *analysis_sentences(choice.if_holds, opening=holds),
        *analysis_sentences(choice.if_fails, opening=fails),
    ]


def _estimand_sentences(choice: AnalysisChoice) -> list[str]:
    """Say what is estimated, and that the checks of a tree decide it where its analyses differ."""
    estimands = {ref.name: words for ref in _leaves(choice) if (words := estimand(ref))}
    if len(set(estimands.values())) < 2:
        return [f"The estimand is {words}." for words in dict.fromkeys(estimands.values())]
    listed = "; ".join(f"`{name}` estimates {words}" for name, words in estimands.items())
    return [f"The checks decide what is estimated: {listed}."]


def _leaves(choice: AnalysisChoice) -> list[Ref]:
    return [*_leaves(choice.if_holds), *_leaves(choice.if_fails)] if isinstance(choice, Check) else [choice]


def title_of(hypothesis: Hypothesis) -> str:
    """Return a hypothesis as its name and claim."""
    return f"**{hypothesis.hypothesis_id}.** {plain(hypothesis.claim)}"


def description_sentences(plan: AnalysisPlan) -> list[str]:
    """Return a sentence for each description without a test."""
    sentences = []
    for description in plan.descriptions:
        by = f" by {quoted(description.by)}" if description.by else ""
        spans = "no intervals" if description.interval == "none" else f"{description.interval} intervals"
        sentences.append(f"`{description.outcome}`{by} is described with n, mean, standard deviation and {spans}.")
    return sentences


def partial_sentences(plan: AnalysisPlan) -> list[str]:
    """Return sentences on people who leave before the end."""
    if plan.partial_sessions == "left_out":
        return ["Participants who leave before the end are not analysed."]
    return [
        "Participants who withdraw without erasing their answers, or who leave without a word, are analysed with the "
        "answers they gave, if they gave any in a main stage. People who did not consent, were screened out or were excluded are not.",
        "They count in outcomes of single answers, and in means, medians and first values of them. Other summaries, and "
        "measures of a whole session, use completed sessions only.",
        "They do not fill a place of their condition. Exclusions that apply when the session is complete do not apply "
        "to them.",
        "Missing answers are reported for each condition and stage.",
    ]


def sequential_sentences(plan: AnalysisPlan) -> list[str]:
    """Return when the data are looked at before the last person, and what each look may spend; none for one look."""
    if plan.sequential is None:
        return []
    looks = plan.sequential.looks
    name = {"obrien_fleming": "O'Brien–Fleming", "pocock": "Pocock"}[plan.sequential.spending]
    fractions = [n / looks[-1] for n in looks]
    tests = {"two": "a two-sided p-value rejects below"}
    if any(hypothesis.direction != "different" for hypothesis in plan.hypotheses):
        tests["one"] = "a one-sided one below"
    bounds = []
    for sides, words in tests.items():
        found = boundaries(fractions, plan.alpha, plan.sequential.spending, "two" if sides == "two" else "one")
        bounds.append(f"{words} " + joined([f"{p:.3g} at {n}" for p, n in zip(found.nominal, looks, strict=True)]))
    return [
        f"The data are looked at when {joined([str(n) for n in looks])} people are analysed, in the order of arrival, and at no "
        f"other time. The {name} spending function of Lan and DeMets keeps alpha = {plan.alpha:g} over all looks: "
        f"{', '.join(bounds)}.",
        "Adjusted p-values allow for all looks; corrections for several tests are applied to them. Intervals are repeated "
        "confidence intervals.",
    ]


def exclusion_sentences(study: Study) -> list[str]:
    """Return a sentence for each exclusion, in order of application, with its effect on pay."""
    when = {
        "live": "at the end of each block, and the session ends there",
        "at_close": "when the session is complete",
        "annotators": "by researchers who judge the answers",
    }
    sentences = []
    for exclusion in study.exclusions:
        rule = f" if `{exclusion.rule}`" if exclusion.rule else ""
        is_coded = exclusion.applies == "annotators" and exclusion.rule is not None
        applied = (
            "once annotators, blind to condition and answers, have coded the texts,"
            if is_coded
            else when[exclusion.applies]
        )
        bonus = "keep their bonus" if exclusion.keeps_bonus else "lose their bonus"
        pay = f" They receive {exclusion.pay_share:.0%} of the base pay and {bonus}." if study.pay else ""
        sentences.append(f"`{exclusion.exclusion_id}`: {plain(exclusion.reason)} Applied {applied}{rule}.{pay}")
    return sentences


def _test_words(hypothesis: Hypothesis) -> str:
    words = _DIRECTION[hypothesis.direction]
    return f"{words}, and {hypothesis.expects} is expected" if hypothesis.expects else words


def _comparison(hypothesis: Hypothesis) -> str:
    outcome = f"`{hypothesis.outcome}`"
    if hypothesis.other:
        return f"It relates {outcome} to `{hypothesis.other}`."
    crossed = f", crossed with `{hypothesis.crossed_with}`" if hypothesis.crossed_with else ""
    if hypothesis.factor and hypothesis.contrast:
        first, second = hypothesis.contrast
        return f"It compares {outcome} between levels of `{hypothesis.factor}`: `{first}` minus `{second}`{crossed}."
    if hypothesis.factor:
        return f"It compares {outcome} between all levels of `{hypothesis.factor}`{crossed}."
    if hypothesis.against is not None:
        return f"It holds {outcome} against {hypothesis.against:g}."
    return f"It concerns {outcome}."


def _correction(family: Family, plan: AnalysisPlan) -> str:
    if family.correction == "none":
        return f"It belongs to family `{family.name}`, which is not corrected."
    n_tests = family.n_tests or sum(hypothesis.family == family.name for hypothesis in plan.hypotheses)
    return f"Its p-value is corrected by {CORRECTION[family.correction]} over {plural(n_tests, 'test')} of family `{family.name}`."
