"""Chains what `understudy analyze` does: a table and a plan file in, findings out."""

import hashlib
from pathlib import Path

import numpy as np

from understudy.estimate import (
    Collected,
    findings_from_tables,
    published_comparisons,
    reanalysis_from_file,
    recovered_tables,
    table_from_file,
    variables_from_reanalysis,
)
from understudy.schema import Findings, Provenance, Reanalysis, digest_of
from understudy.workflow.software import software_versions


def findings_from_file(table_path: Path, plan_path: Path, seed: int) -> Findings:
    """Run a plan file on a table collected anywhere; nothing it finds can count as confirmatory."""
    reanalysis = reanalysis_from_file(plan_path)
    raw = table_from_file(table_path)
    recovered = recovered_tables(reanalysis, raw)
    results = findings_from_tables(
        reanalysis.plan,
        recovered.tables,
        variables_from_reanalysis(reanalysis, frozenset(recovered.tables.trials.columns)),
        collected=Collected(study_digest=digest_of(reanalysis), session_digests=frozenset()),
        rng=np.random.default_rng(seed),
    )
    return Findings(
        title=reanalysis.title,
        provenance=_provenance(reanalysis, table_path, plan_path, seed),
        flow=recovered.flow,
        findings=results.findings,
        descriptions=results.descriptions,
        published=published_comparisons(reanalysis.published, results, recovered.flow),
    )


def _provenance(reanalysis: Reanalysis, table_path: Path, plan_path: Path, seed: int) -> Provenance:
    return Provenance(
        study_name=plan_path.stem,
        study_digest=digest_of(reanalysis),
        data_digest=hashlib.sha256(table_path.read_bytes()).hexdigest(),
        seed=seed,
        software=software_versions(),
        is_synthetic=False,
    )
