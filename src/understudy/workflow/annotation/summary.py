"""Summary of coding: how far it is, how annotators agree with intervals, and whom the plan leaves out because of it."""

import math
from collections import Counter
from collections.abc import Iterator

from understudy.analyses.kernels.kappa import cohen_kappa
from understudy.conduct import resume
from understudy.conduct.coding.agreement import AgreementTable, agreement_tables
from understudy.conduct.coding.room import SchemeState
from understudy.registry import create, offers
from understudy.report.coding import AgreementLine, AnnotatorLine, CodingSummary
from understudy.roles import ReadsCodes
from understudy.schema import CodesGiven, Study, names_in
from understudy.workflow.annotation.coded_run import CodedRun, coded_run
from understudy.workflow.runs.run_folder import Run


def coding_summaries(run: Run) -> tuple[CodingSummary, ...]:
    """Return a summary of each coding scheme of a run; none for a study without any."""
    if not run.script.study.annotation:
        return ()
    with coded_run(run) as coded:
        return summaries_of(coded)


def summaries_of(coded: CodedRun) -> tuple[CodingSummary, ...]:
    """Return a summary of each coding scheme."""
    excluded = exclusions_by_codes(coded)
    read = {name: _schemes_of(coded.run.script.study, name) for name in excluded}
    return tuple(
        _summary(state, {name: n for name, n in excluded.items() if state.scheme.scheme_id in read[name]})
        for state in coded.states()
    )


def _schemes_of(study: Study, exclusion_id: str) -> frozenset[str]:
    """Return the schemes whose codes an exclusion reads, through the measures that its rule names."""
    rule = next(exclusion.rule for exclusion in study.exclusions if exclusion.exclusion_id == exclusion_id)
    uses = [use for use in study.measures if use.name in names_in(rule or "true")]
    coded: list[ReadsCodes] = [
        create("measures", use.ref) for use in uses if offers("measures", use.measure.name, ReadsCodes)
    ]
    return frozenset(measure.scheme_id for measure in coded)


def exclusions_by_codes(coded: CodedRun) -> dict[str, int]:
    """Return how many people each exclusion leaves out because of what annotators said."""
    script = coded.run.script
    rules = [exclusion for exclusion, _ in script.exclusion_rules["annotators"]]
    if not rules:
        return {}
    found: Counter[str | None] = Counter()
    for events in coded.log.sessions(script.study.name):
        if any(isinstance(event, CodesGiven) for event in events):
            session = resume(script, events).session
            found[session.excluded_by or script.excluded_by_codes(session.scores())] += 1
    return {rule.exclusion_id: found[rule.exclusion_id] for rule in rules}


def _summary(state: SchemeState, excluded: dict[str, int]) -> CodingSummary:
    events = [event for said in state.codes.values() for event in said.given.values()]
    facts = {event.annotator: event for event in events}
    # One code that was given with more in sight is enough: the report speaks about the annotator.
    sighted = {event.annotator for event in events if not event.is_blind}
    codes = tuple(code.code_id for code in state.book.codes)
    tables = agreement_tables(state.scheme, codes, state.codes.values()) if state.book.phase == "closed" else ()
    agreed = [state.said(unit).agreed or () for unit in state.units]
    n_disputed = len(state.disputed) if state.book.phase == "closed" else 0
    return CodingSummary(
        scheme_id=state.scheme.scheme_id,
        title=state.scheme.words,
        phase=state.book.phase,
        n_units=len(state.units),
        n_complete=state.n_complete,
        n_disputed=n_disputed,
        n_settled=n_disputed - (state.n_open_disputes if n_disputed else 0),
        annotators=tuple(
            AnnotatorLine(
                name, n_coded, is_blind=name not in sighted, is_synthetic=facts[name].annotator_kind == "synthetic"
            )
            for name, n_coded in state.progress.items()
        ),
        agreement=tuple(line for table in tables for line in _lines(table)),
        counts=tuple((code, sum(code in said for said in agreed)) for code in codes),
        excluded=tuple(excluded.items()),
    )


def _lines(table: AgreementTable) -> Iterator[AgreementLine]:
    about = {"": "codes", "groups": "decision"}.get(table.about, table.about)
    for pair in table.pairs:
        kappa = cohen_kappa(pair.counts)
        is_known = not math.isnan(kappa.kappa)
        # The normal approximation can go beyond perfect agreement, which nobody can reach.
        interval = (kappa.interval.low, min(1.0, kappa.interval.high)) if is_known else None
        yield AgreementLine(
            about=about,
            pair=f"{pair.first} and {pair.second}",
            n=pair.n,
            same=pair.n_same / pair.n,
            kappa=pair.kappa,
            interval=interval,
            alpha=table.alpha,
        )
