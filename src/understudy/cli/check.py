"""`understudy check`: report all faults of a study, and shortcuts that answer it without understanding."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import typer

from understudy.actions.studies import free_path
from understudy.check.advice import facts_to_add
from understudy.check.model_facts import stated_sentences
from understudy.check.secrecy import identity_sentence, secrecy_sentences
from understudy.check.shortcuts import Audit, BestRule, audit_sentences, audited, shortcut_sentence
from understudy.check.study_check import N_TRIED, unanswerable, warnings_of
from understudy.cli.progress import progress
from understudy.cli.studies import load_study
from understudy.errors import StudyError
from understudy.estimate import look_rows
from understudy.prepare import Explaining
from understudy.schema import LookRow, Stage, Study, blocks_in, seed_from


def check(study: str, *, fail_above: float, as_json: bool) -> None:
    """Check a study: format, flow, items, measures and plan, shortcuts, and whether it can answer its question."""
    located = load_study(study)
    rng = np.random.default_rng(seed_from(located.study.seed, "shortcuts"))
    with progress("Looking for shortcuts", None, is_quiet=as_json) as advance:
        # Shortcuts do not use explanations, so costly ones are computed for a few items only.
        prepared = located.prepared(Explaining(on_progress=advance, n_tried=N_TRIED))
        reasons = unanswerable(prepared)
        if reasons:
            raise located.unsound(reasons)
        audit = audited(prepared, rng)
        secrecy = secrecy_sentences(prepared)
        with located.faults_named():
            stated = stated_sentences(located.study, located.root)
    warnings = warnings_of(prepared, is_ready=located.is_ready)
    if as_json:
        typer.echo(json.dumps({**_plain(located.study, audit, secrecy), "stated": stated, **warnings}, indent=2))
    else:
        _print(located.study, audit, stated, secrecy)
        for sentence in (text for texts in warnings.values() for text in texts):
            typer.echo(f"Warning: {sentence}")
        facts = facts_to_add(located.study) if located.is_ready else []
        if facts:
            typer.echo(
                f"Before people take part, add to the consent page: {', '.join(facts)}. "
                f"To get a file to edit: understudy new my-study.toml --like {shlex.quote(study)}"
            )
        folder = free_path(Path("runs") / located.study.name)
        typer.echo(f"Next: understudy rehearse {shlex.quote(study)} --out {shlex.quote(folder.as_posix())}")
    too_good = [shortcut for shortcut in audit.shortcuts if shortcut.accuracy > fail_above]
    if too_good:
        raise StudyError([f"{located.study.name}: {shortcut_sentence(shortcut)}" for shortcut in too_good])


def _print(study: Study, audit: Audit, stated: Sequence[str], secrecy: Sequence[str]) -> None:
    n_stages = sum(isinstance(block, Stage) for block in blocks_in(study.flow))
    typer.echo(
        f"{study.name} is valid. Conditions: {len(study.cells)}, stages: {n_stages}, "
        f"hypotheses: {len(study.plan.hypotheses)}. Version {study.digest[:12]}."
    )
    for sentence in audit_sentences(audit):
        typer.echo(sentence)
    for sentence in stated:
        typer.echo(f"Stated: {sentence}")
    if study.plan.sequential is not None:
        looks = look_rows(study.plan, 0)
        bounds = "; ".join(f"{look.n} people, p < {look.nominal:.3g}{_one_sided(look)}" for look in looks)
        sides = "two-sided, " if looks[0].nominal_one_sided is None else ""
        typer.echo(f"Looks: {bounds} ({sides}{study.plan.sequential.spending} spending). Nothing is tested in between.")
    typer.echo(f"Secrecy: {' '.join(secrecy)}")
    typer.echo(f"Identity: {identity_sentence(study)}")


def _one_sided(look: LookRow) -> str:
    return "" if look.nominal_one_sided is None else f" (one-sided p < {look.nominal_one_sided:.3g})"


def _plain(study: Study, audit: Audit, secrecy: Sequence[str]) -> dict[str, object]:
    return {
        "study": study.name,
        "version": study.digest,
        "n_rules": audit.n_rules,
        "n_questions": audit.n_questions,
        "reveals": secrecy,
        "identity": identity_sentence(study),
        "shortcuts": [shortcut._asdict() for shortcut in audit.shortcuts],
        "best_rules": [_best_rule(best) for best in audit.best],
    }


def _best_rule(best: BestRule) -> dict[str, object]:
    return {
        **best.found._asdict(),
        "n_rules": best.n_rules,
        "luck": best.luck._asdict(),
        "is_luck": best.is_luck,
        "visible_from": best.visible_from,
    }
