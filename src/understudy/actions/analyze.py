"""Run a plan file on a table, for `understudy analyze`."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from understudy.actions.study_files import read_record
from understudy.estimate import (
    Collected,
    findings_from_tables,
    points_from_outcomes,
    published_comparisons,
    recovered_tables,
    table_from_file,
    variables_from_reanalysis,
)
from understudy.estimate.person_ids import id_cautions
from understudy.estimate.plan_cautions import word_cautions
from understudy.estimate.software import software_versions
from understudy.schema import AnalysisPlan, Findings, Provenance, Reanalysis, digest_of
from understudy.schema.plan import claim_faults, shared_outcomes


class Analyzed(NamedTuple):
    """The findings of a plan file on a table, with what a report needs."""

    findings: Findings
    points: pd.DataFrame
    plan: AnalysisPlan


def analyzed_file(table_path: Path, plan_path: Path, seed: int) -> Analyzed:
    """Run a plan file on a table collected anywhere; its findings are always exploratory."""
    reanalysis = read_record(plan_path, Reanalysis)
    raw = table_from_file(table_path)
    recovered = recovered_tables(reanalysis, raw)
    variables = variables_from_reanalysis(reanalysis, frozenset(recovered.tables.trials.columns))
    results = findings_from_tables(
        reanalysis.plan,
        recovered.tables,
        variables,
        # No session carries a study digest, so everything is exploratory.
        collected=Collected(study_digest=digest_of(reanalysis), session_digests=frozenset(), is_elsewhere=True),
        rng=np.random.default_rng(seed),
    )
    cautions = (
        *claim_faults(reanalysis.plan),
        *shared_outcomes(reanalysis.plan),
        *word_cautions(reanalysis.plan, variables),
        *_repeated_rows(reanalysis, raw),
        *id_cautions(reanalysis, raw, recovered.tables),
        *recovered.notes,
    )
    findings = Findings(
        title=reanalysis.title,
        provenance=_provenance(reanalysis, table_path, plan_path, seed).model_copy(
            update={name: _is_marked(raw, name) for name in ("is_synthetic", "is_pilot")}
        ),
        flow=recovered.flow,
        findings=results.findings,
        descriptions=results.descriptions,
        published=published_comparisons(reanalysis.published, results, recovered.flow),
        cautions=cautions,
    )
    return Analyzed(findings, points_from_outcomes(reanalysis.plan, results.outcomes), reanalysis.plan)


def _repeated_rows(reanalysis: Reanalysis, raw: pd.DataFrame) -> Iterator[str]:
    """Warn where rows about a person and an item occur twice; without an item, equal answers are nothing unusual."""
    n_repeated = int(raw.duplicated().sum())
    if n_repeated and reanalysis.table.item is not None and not reanalysis.table.drop_duplicate_rows:
        yield (
            f"{n_repeated} of {len(raw)} rows repeat an earlier row in every column, so some answers may count twice. Set "
            "table.drop_duplicate_rows = true if they are copies."
        )


def _is_marked(table: pd.DataFrame, name: str) -> bool:
    """Tell whether a table says of any row that it is synthetic or of a pilot, as tables made here do."""
    return name in table.columns and bool(table[name].astype(str).str.lower().isin(("true", "1", "1.0")).any())


def _provenance(reanalysis: Reanalysis, table_path: Path, plan_path: Path, seed: int) -> Provenance:
    return Provenance(
        study_name=plan_path.stem,
        study_digest=digest_of(reanalysis),
        data_digest=hashlib.sha256(table_path.read_bytes()).hexdigest(),
        seed=seed,
        software=software_versions(),
        is_synthetic=False,
    )
