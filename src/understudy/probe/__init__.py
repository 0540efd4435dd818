"""Concept tests: two models, two data sets, six comparisons, twelve hypotheses (Wang et al. 2020)."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.probe.comparisons import objects_needed, sizing_of
    from understudy.probe.concept_test import ConceptTest, LabelledInputs, probe_models, results_of_models
    from understudy.probe.hypotheses import ANALYSES, HYPOTHESES, OPPOSED, SETS, judged, nearest_flips
    from understudy.probe.result_files import results_from_files, results_of_runs
    from understudy.probe.results import (
        Correctness,
        FourResults,
        correctness_from_text,
        equal,
        exponential,
        linear,
        results_from_frames,
        within,
    )
    from understudy.probe.verdicts import probe

__all__ = [
    "ANALYSES",
    "HYPOTHESES",
    "OPPOSED",
    "SETS",
    "ConceptTest",
    "Correctness",
    "FourResults",
    "LabelledInputs",
    "correctness_from_text",
    "equal",
    "exponential",
    "judged",
    "linear",
    "nearest_flips",
    "objects_needed",
    "probe",
    "probe_models",
    "results_from_files",
    "results_from_frames",
    "results_of_models",
    "results_of_runs",
    "sizing_of",
    "within",
]

defer_names(__name__)
