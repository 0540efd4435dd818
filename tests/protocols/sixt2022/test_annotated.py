"""The rule of Sixt et al. (2022) on simulated codes: two annotators, include against unsure or exclude, then a decision."""

import numpy as np
import pytest

from tests.protocols.sixt2022.stand_in import cast_of, write_material
from understudy.actions.annotate import (
    Errors,
    coded_run,
    right_codes,
    settle_simulated,
    simulate_annotators,
    summaries_of,
)
from understudy.actions.rehearse import rehearse_run
from understudy.actions.run_folder import Run, new_run
from understudy.actions.run_tables import tables_of
from understudy.estimate.study_findings import study_results
from understudy.protocols import Sixt2022, sixt2022_comparison

ERRORS = Errors(n_annotators=2, error_rate=0.12, shares=(0.8, 0.07, 0.13), seed=2022)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = tmp_path_factory.mktemp("study")
    write_material(root / "material")
    study = sixt2022_comparison(Sixt2022(material="material", quota=14))
    made = new_run(study, root, root / "run", n_workers=1)
    cast = cast_of("column_looker", "relevance_guesser", observer=root / "material" / "observer.onnx")
    rehearse_run(made, cast, seed=1)
    return made


def test_the_rule_of_the_paper_follows_from_simulated_codes(run: Run) -> None:
    scheme = run.script.study.annotation[0]
    with coded_run(run, is_writing=True) as coded:
        n_people = len(coded.state(scheme).units)
        assert simulate_annotators(coded, scheme, ERRORS) == 2 * n_people
        n_disputed = settle_simulated(coded, scheme, ERRORS)
        state = coded.state(scheme)
        (summary,) = summaries_of(coded)
    # Each person is judged once, by the texts about all attributes together.
    assert {len(unit.texts) for unit in state.units} == {len(scheme.questions)}
    first, second = (
        np.array([state.said(unit).given[name].codes != ("include",) for unit in state.units])
        for name in ("synthetic-1", "synthetic-2")
    )
    right = np.array([right_codes(state, unit, ERRORS) != ("include",) for unit in state.units])
    out = np.where(first == second, first, right)
    assert (n_disputed, dict(summary.excluded)) == (int((first != second).sum()), {"misunderstood": int(out.sum())})

    frames = tables_of(run)
    findings = study_results(run.script, frames).findings
    step = next(step for step in findings.flow.steps if step.label == "Excluded: misunderstood")
    assert (step.n_left, findings.flow.n_analysed) == (int(out.sum()), n_people - int(out.sum()))
    # Kappa is over everybody who was judged, as in the paper, and not only over those who are left.
    by_chance = first.mean() * second.mean() + (1 - first.mean()) * (1 - second.mean())
    assert summary.agreement[0].kappa == pytest.approx(((first == second).mean() - by_chance) / (1 - by_chance))
    everybody = next(result for result in findings.sensitivity if result.name == "everybody")
    assert everybody.n_analysed == n_people
