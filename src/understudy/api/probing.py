"""Concept tests: what extra information does to a model, without people."""

from pathlib import Path

from understudy.probe.result_files import results_from_files
from understudy.probe.results import FourResults
from understudy.probe.verdicts import probe as verdicts_of
from understudy.schema import Verdicts


def probe(*results: str | Path | FourResults, alpha: float = 0.05, concept: str = "the concept") -> Verdicts:
    """Judge the results of two models on two data sets: a folder, one or four tables, or results in memory.

    The package `understudy.probe` has more: models of your own (`probe_models`), corrections and groups.

    Examples
    --------
    >>> probe("results", concept="rotation").hypotheses  # doctest: +SKIP
    """
    paths = [Path(result) for result in results if not isinstance(result, FourResults)]
    runs = [result for result in results if isinstance(result, FourResults)]
    return verdicts_of([*runs, *(results_from_files(paths) if paths else ())], alpha=alpha, concept=concept)
