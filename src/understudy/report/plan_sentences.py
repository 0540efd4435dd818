"""An analysis plan in sentences: outcomes, hypotheses, decision trees, corrections."""

from understudy.analyses.kernels.group_sequential import boundaries
from understudy.report.catalogue_words import estimand, explained, model_rule, plain, quoted
from understudy.report.wording import CORRECTION, joined, plural
from understudy.schema import AnalysisChoice, AnalysisPlan, Check, Family, Hypothesis, MeasureUse, Outcome, Ref, Study

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
