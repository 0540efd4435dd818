"""Run a plan on tables: one finding per hypothesis, one table per description."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from pydantic import ValidationError

from understudy.errors import PlanError, UnderstudyError
from understudy.estimate.choices import (
    ChosenAnalysis,
    TestedRows,
    alpha_of,
    analyses_in,
    analysis_from_ref,
    changed_estimand,
    checked_assumptions,
    choose_analysis,
    estimand_of,
    label_of,
)
from understudy.estimate.descriptions import description_table
from understudy.estimate.item_facts import item_facts
from understudy.estimate.outcomes import OutcomeRows, hypothesis_rows, plan_outcomes, refuse_repeated_rows
from understudy.estimate.plan_cautions import ItemFacts, item_caution
from understudy.estimate.plan_check import plan_faults
from understudy.estimate.tables import PlanTables
from understudy.estimate.variables import Variables
from understudy.estimate.verdicts import (
    REVERSED,
    CorrectedP,
    CorrectionGroup,
    Decided,
    EarlierTest,
    Judgement,
    Looked,
    adjusted_p_values,
    correction_groups,
    interval_words,
    judge,
    judge_bayes_factor,
    needs_side,
    reversed_hypothesis,
    side_words,
)
from understudy.roles import Rng
from understudy.schema import (
    AnalysisPlan,
    CheckResult,
    DescriptionTable,
    Estimate,
    Finding,
    Hypothesis,
    Status,
    Verdict,
    side_of,
)

_UNSOLVABLE = (
    "The equations of the analysis have no solution with these data, which are too few or too regular for it. "
    "Choose a simpler analysis."
)


@dataclass(frozen=True)
class Collected:
    """The study under which data were collected, which decides whether findings are registered, planned or exploratory."""

    study_digest: str
    session_digests: frozenset[str]
    """The study digests of the analysed sessions; empty for data collected elsewhere, and if nobody is analysed."""
    preregistered_digest: str | None = None
    is_synthetic: bool = False
    """Whether people were simulated, in which case everything is exploratory."""
    registration_gap: str = "It is not registered."
    """Why the study does not count as registered; empty if it was registered before the first session."""
    looked: Looked | None = None
    """The look of a sequential study that the data are taken at."""
    is_elsewhere: bool = False
    """Whether the data were collected elsewhere, so that no session can carry a digest."""


class Results(NamedTuple):
    """The results of a plan."""

    findings: tuple[Finding, ...]
    descriptions: tuple[DescriptionTable, ...]
    outcomes: dict[str, OutcomeRows]
    """The rows on which the findings and descriptions are based."""


class _EvidenceStatus(NamedTuple):
    status: Status
    why: tuple[str, ...]


class _Tested(NamedTuple):
    hypothesis: Hypothesis
    chosen: ChosenAnalysis | None
    estimate: Estimate | None
    trouble: str = ""
    p_reversed: float | None = None
    """The p-value of the reversed claim in a one-sided test, if it was needed."""
    factor_reversed: float | None = None
    """The Bayes factor of the reversed claim, if the claim is one-sided."""
    assumptions: tuple[CheckResult, ...] = ()
    decided: Decided | None = None
    """Of a sequential study: the look that its p-value comes from."""


def findings_from_tables(
    plan: AnalysisPlan,
    tables: PlanTables,
    variables: Variables,
    *,
    collected: Collected,
    rng: Rng,
    on_tested: Callable[[], None] = lambda: None,
    checks_assumptions: bool = True,
) -> Results:
    """Run every description and hypothesis of a plan; reject a plan that does not fit.

    `on_tested` is called after each hypothesis, to show progress. Simulations of power need no checks of assumptions,
    which nothing follows from.
    """
    faults = plan_faults(plan, variables)
    if faults:
        raise PlanError(faults)
    outcomes = plan_outcomes(plan, tables, variables)
    base = int(rng.integers(2**63))
    descriptions = tuple(
        description_table(
            description,
            outcomes[description.outcome],
            variables,
            confidence=plan.confidence,
            rng=_stream(base, description.description_id),
        )
        for description in plan.descriptions
    )
    findings: dict[str, Finding] = {}
    # What limits a verdict interests nobody in a simulation of power.
    facts = item_facts(plan, tables, variables) if checks_assumptions else {}
    for group in correction_groups(plan):
        run = _Run(plan, outcomes, variables, collected, base, on_tested, checks_assumptions, facts)
        findings |= _group_findings(group, findings, run)
    return Results(tuple(findings[hypothesis.hypothesis_id] for hypothesis in plan.hypotheses), descriptions, outcomes)


@dataclass(frozen=True)
class _Run:
    plan: AnalysisPlan
    outcomes: dict[str, OutcomeRows]
    variables: Variables
    collected: Collected
    base: int
    on_tested: Callable[[], None]
    checks_assumptions: bool = True
    item_facts: Mapping[str, ItemFacts] = field(default_factory=dict)


def _stream(base: int, name: str) -> Rng:
    """Return a random stream for each hypothesis, so that adding one does not change the others."""
    return np.random.default_rng([base, zlib.crc32(name.encode())])


def _group_findings(group: CorrectionGroup, decided: dict[str, Finding], run: _Run) -> dict[str, Finding]:
    tested = []
    for hypothesis in group.members:
        tested.append(_tested(hypothesis, decided, run))
        run.on_tested()
    looked = run.collected.looked
    p_values = [test.estimate.p_value if test.estimate else None for test in tested]
    if looked is not None:
        tested = [test._replace(decided=_decided(test, looked)) for test in tested]
        p_values = [test.decided.p_value if test.decided else None for test in tested]
    adjusted = adjusted_p_values(p_values, group.family)
    findings: dict[str, Finding] = {}
    for number, (test, p_adjusted) in enumerate(zip(tested, adjusted, strict=True)):
        p_value = None
        if p_adjusted is not None:
            # The reversed p-value replaces the original in the family, so both are corrected the same way.
            with_reversed = [*p_values[:number], _reversed_p(test, looked), *p_values[number + 1 :]]
            p_value = CorrectedP(p_adjusted, adjusted_p_values(with_reversed, group.family)[number])
        findings[test.hypothesis.hypothesis_id] = _finding(test, p_value, run)
    return findings


def _decided(tested: _Tested, looked: Looked) -> Decided | None:
    found = tested.estimate
    return looked.decided(tested.hypothesis, EarlierTest(found.p_value, found.tested_side) if found else EarlierTest())


def _reversed_p(tested: _Tested, looked: Looked | None) -> float | None:
    """Return the p-value of the reversed claim; of a sequential study, as if it had been tested at this look alone."""
    if looked is None:
        return tested.p_reversed
    decided = replace(looked, earlier={}).decided(tested.hypothesis, EarlierTest(tested.p_reversed))
    return decided.p_value if decided else None


def _tested(hypothesis: Hypothesis, decided: dict[str, Finding], run: _Run) -> _Tested:
    gate = decided.get(hypothesis.requires or "")
    if gate is not None and gate.verdict != "supported":
        return _Tested(hypothesis, None, None)
    hypothesis = _spelled_out(hypothesis, run.variables)
    covariates = _covariates(hypothesis, run.plan)
    data = _in_declared_order(hypothesis_rows(hypothesis, run.outcomes, covariates), hypothesis, run.variables)
    trouble = _emptiness(hypothesis, data, run.variables)
    if trouble:
        return _Tested(hypothesis, None, None, trouble)
    try:
        tested = TestedRows(hypothesis, data.rows, partial(_rows_of_all_levels, hypothesis, run))
        chosen = choose_analysis(hypothesis.analysis, tested)
        analysis = analysis_from_ref(chosen.analysis, hypothesis, run.plan)
        rows = tested.for_levels(analysis.fit.rows)
        # After the choice, because only some analyses of a tree may need one row per person.
        if analysis.fit.unit == "participant":
            refuse_repeated_rows(hypothesis, rows, (name for name, _ in analysis.fit.reads))
        estimate = analysis.estimate(rows, hypothesis, _stream(run.base, hypothesis.hypothesis_id))
        assumptions = checked_assumptions(analysis, rows, hypothesis) if run.checks_assumptions else ()
        reversed_claim = reversed_hypothesis(hypothesis, estimate.p_value, alpha_of(hypothesis, run.plan))
        p_reversed, factor_reversed = None, None
        if estimate.bayes_factor is not None and hypothesis.direction in REVERSED:
            turned = hypothesis.model_copy(update={"direction": REVERSED[hypothesis.direction]})
            factor_reversed = analysis.estimate(rows, turned, _stream(run.base, hypothesis.hypothesis_id)).bayes_factor
        if reversed_claim is not None and reversed_claim.direction in analysis.fit.directions:
            p_reversed = analysis.estimate(rows, reversed_claim, _stream(run.base, hypothesis.hypothesis_id)).p_value
        if needs_side(hypothesis, estimate, alpha_of(hypothesis, run.plan)) and "greater" in analysis.fit.directions:
            # The side of a test is the one on which its one-sided p-value is the smaller.
            upwards = hypothesis.model_copy(update={"direction": "greater", "expects": None})
            p_greater = analysis.estimate(rows, upwards, _stream(run.base, hypothesis.hypothesis_id)).p_value
            if p_greater is not None:
                estimate = estimate.model_copy(update={"side": side_of(0.5 - p_greater)})
    except (PlanError, Warning):
        # A warning is an exception only where somebody asked for that.
        raise
    except np.linalg.LinAlgError:
        return _Tested(hypothesis, None, None, _UNSOLVABLE)
    except ValidationError as error:
        return _Tested(hypothesis, None, None, _failure(hypothesis, error))
    except (UnderstudyError, ValueError) as error:
        # Kernels say in a ValueError what data they cannot estimate from, such as a group of one.
        return _Tested(hypothesis, None, None, str(error))
    except Exception as error:
        # Whatever one analysis does, the other findings stay.
        return _Tested(hypothesis, None, None, _failure(hypothesis, error))
    changed = changed_estimand(chosen.analysis, hypothesis, run.plan)
    notes = (*([changed] if changed else []), *estimate.notes, *data.notes)
    estimate = estimate.model_copy(update={"notes": notes})
    return _Tested(
        hypothesis, chosen, estimate, p_reversed=p_reversed, factor_reversed=factor_reversed, assumptions=assumptions
    )


def _failure(hypothesis: Hypothesis, error: Exception) -> str:
    """Say that an analysis failed in a way that it should not; a kernel that cannot estimate says so itself."""
    kind, said = type(error).__name__, str(error).partition("\n")[0].rstrip(".")
    return (
        f"{label_of(hypothesis.analysis)!r} failed on these data ({kind}{': ' if said else ''}{said}). This is a fault of the "
        "analysis, and no other finding depends on it. Please report it, and plan another analysis until it is corrected."
    )


def _rows_of_all_levels(hypothesis: Hypothesis, run: _Run) -> pd.DataFrame:
    of_all = hypothesis.model_copy(update={"contrast": None})
    rows = hypothesis_rows(of_all, run.outcomes, _covariates(hypothesis, run.plan))
    return _in_declared_order(rows, of_all, run.variables).rows


def _covariates(hypothesis: Hypothesis, plan: AnalysisPlan) -> tuple[str, ...]:
    """Return the outcomes that any analysis of a hypothesis adjusts for."""
    fits = (analysis_from_ref(ref, hypothesis, plan).fit for ref in analyses_in(hypothesis.analysis))
    return tuple(dict.fromkeys(name for fit in fits for name in fit.covariates))


def _in_declared_order(data: OutcomeRows, hypothesis: Hypothesis, variables: Variables) -> OutcomeRows:
    """Make analyses see the levels of factors in the order that the study declares, however the table is sorted."""
    rows = data.rows
    for factor in (hypothesis.factor, hypothesis.crossed_with):
        if factor is None:
            continue
        levels, column = [*variables.factors[factor].levels], rows[factor]
        # Converting a category to the same levels in another order would change nothing.
        is_category = isinstance(column.dtype, pd.CategoricalDtype)
        ordered = column.cat.set_categories(levels) if is_category else column.astype(pd.CategoricalDtype(levels))
        # A table may have levels that its description does not declare; such a column is left as it is.
        if not ordered.isna().any():
            rows = rows.assign(**{factor: ordered})
    return replace(data, rows=rows)


def _spelled_out(hypothesis: Hypothesis, variables: Variables) -> Hypothesis:
    """Set the contrast of a two-level factor, so that every analysis uses the declared order of levels."""
    if hypothesis.factor is None or hypothesis.contrast is not None or hypothesis.crossed_with is not None:
        return hypothesis
    levels = variables.factors[hypothesis.factor].levels
    return hypothesis.model_copy(update={"contrast": levels}) if len(levels) == 2 else hypothesis


def _emptiness(hypothesis: Hypothesis, data: OutcomeRows, variables: Variables) -> str:
    if not len(data.rows):
        return f"No row of outcome {hypothesis.outcome!r} is left to test."
    if hypothesis.factor is None:
        return ""
    wanted = hypothesis.contrast or variables.factors[hypothesis.factor].levels
    absent = [level for level in wanted if level not in set(data.rows[hypothesis.factor])]
    return f"No row has level {' or '.join(absent)} of {hypothesis.factor!r}." if absent else ""


def _finding(tested: _Tested, p_value: CorrectedP | None, run: _Run) -> Finding:
    hypothesis = tested.hypothesis
    alpha = alpha_of(hypothesis, run.plan)
    evidence = _evidence_status(hypothesis, run.collected)
    verdict, reasons = _verdict(tested, p_value, alpha)
    return Finding(
        hypothesis_id=hypothesis.hypothesis_id,
        claim=hypothesis.claim,
        analysis=tested.chosen.analysis.name if tested.chosen else label_of(hypothesis.analysis),
        estimate=tested.estimate,
        p_adjusted=p_value.claim if p_value else None,
        alpha=alpha,
        verdict=verdict,
        status=evidence.status,
        is_interim=run.collected.looked is not None and run.collected.looked.is_interim,
        why=(
            *evidence.why,
            *reasons,
            *_rests_on(tested),
            *_words(tested, verdict),
            *_look_words(tested, verdict, run),
        ),
        checks=tested.chosen.checks if tested.chosen else (),
        assumptions=tested.assumptions,
        estimand=estimand_of(tested.chosen.analysis, hypothesis, run.plan) if tested.chosen else "",
        is_corrected=_is_corrected(hypothesis, run.plan),
        cautions=_item_cautions(tested, run),
    )


def _rests_on(tested: _Tested) -> tuple[str, ...]:
    return (tested.estimate.rests_on,) if tested.estimate and tested.estimate.rests_on else ()


def _is_corrected(hypothesis: Hypothesis, plan: AnalysisPlan) -> bool:
    """Tell whether a family, a gate or alphas that add up to the plan's allow for other tests."""
    family = next((family for family in plan.families if family.name == hypothesis.family), None)
    own = [test.alpha for test in plan.hypotheses if test.alpha is not None]
    is_by_hand = hypothesis.alpha is not None and sum(own) <= plan.alpha * (1 + 1e-9)
    has_family = family is not None and family.correction != "none"
    return has_family or hypothesis.requires is not None or is_by_hand


def _item_cautions(tested: _Tested, run: _Run) -> tuple[str, ...]:
    """Return that a test takes its items as all there are; an estimate that tests nothing claims nothing of others."""
    estimate = tested.estimate
    if tested.chosen is None or estimate is None or (estimate.p_value is None and estimate.bayes_factor is None):
        return ()
    analysis = analysis_from_ref(tested.chosen.analysis, tested.hypothesis, run.plan)
    caution = item_caution(tested.hypothesis, analysis, run.plan, run.variables, run.item_facts)
    return (caution,) if caution else ()


def _words(tested: _Tested, verdict: Verdict) -> tuple[str, ...]:
    if tested.estimate is None:
        return ()
    about = tested.hypothesis, _at_deciding_look(tested), verdict
    return side_words(*about) + interval_words(*about)


def _at_deciding_look(tested: _Tested) -> Estimate:
    """Return the estimate with the side on which the data were at the look that decides."""
    estimate, decided = tested.estimate, tested.decided
    if estimate is None:
        raise TypeError("only what was estimated has a side")
    return estimate if decided is None else estimate.model_copy(update={"side": decided.side})


def _look_words(tested: _Tested, verdict: Verdict, run: _Run) -> tuple[str, ...]:
    looked, decided = run.collected.looked, tested.decided
    if looked is None:
        return ()
    said = looked.words(tested.hypothesis, run.plan)
    if decided is None or decided.look == looked.number or verdict not in ("supported", "opposite"):
        return (said,)
    return (f"Decided at look {decided.look}: what came after it changes the estimate and not the verdict.", said)


def _verdict(tested: _Tested, p_value: CorrectedP | None, alpha: float) -> Judgement:
    if tested.trouble:
        return Judgement("inconclusive", (tested.trouble,))
    if tested.estimate is None:
        return Judgement("not_tested", (f"Not tested, since {tested.hypothesis.requires!r} was not supported.",))
    if tested.estimate.bayes_factor is not None:
        return judge_bayes_factor(tested.hypothesis, tested.estimate, tested.factor_reversed)
    if p_value is None:
        notes = tested.estimate.notes or ("The analysis gives an estimate but no p-value.",)
        return Judgement("not_tested" if tested.estimate.tests_nothing else "inconclusive", notes)
    return judge(tested.hypothesis, _at_deciding_look(tested), p_value, alpha)


def _evidence_status(hypothesis: Hypothesis, collected: Collected) -> _EvidenceStatus:
    why: list[str] = []
    if not hypothesis.is_confirmatory:
        why.append("The plan declares this hypothesis exploratory.")
    if collected.is_synthetic:
        why.append("The participants are simulated.")
    if collected.is_elsewhere:
        why.append("The data were not collected under this plan: no session carries its digest.")
    elif not collected.session_digests:
        why.append("Nobody is analysed: no session of this study counts yet.")
    elif collected.session_digests != {collected.study_digest}:
        others = sorted(digest[:12] for digest in collected.session_digests - {collected.study_digest})
        why.append(f"Some sessions ran under another version of the study: {', '.join(others)}.")
    registered = collected.preregistered_digest
    if registered is not None and registered != collected.study_digest:
        why.append(f"The preregistered study is {registered[:12]}, this one is {collected.study_digest[:12]}.")
    if why:
        return _EvidenceStatus("exploratory", tuple(why))
    gap = collected.registration_gap
    return _EvidenceStatus("planned", (gap,)) if gap else _EvidenceStatus("registered", ())
