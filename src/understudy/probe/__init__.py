"""Concept tests: two models, two data sets, six comparisons, twelve hypotheses (Wang et al. 2020)."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.probe.alignment import results_from_frames
    from understudy.probe.concept_test import ConceptTest
    from understudy.probe.correctness import Correctness, correctness_from_text, equal, exponential, linear, within
    from understudy.probe.flips import nearest_flips
    from understudy.probe.hypotheses import ANALYSES, HYPOTHESES, OPPOSED, SETS
    from understudy.probe.model_answers import LabelledInputs, probe_models, results_of_models
    from understudy.probe.repeated_runs import results_of_runs
    from understudy.probe.result_files import results_from_files
    from understudy.probe.results import FourResults
    from understudy.probe.rules import judged
    from understudy.probe.sample_size import objects_needed, sizing_of
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
