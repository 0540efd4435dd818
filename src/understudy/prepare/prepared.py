"""Prepared: the public materials, the answer key, and the files behind them."""

from pathlib import Path
from typing import NamedTuple

from understudy.prepare.browser_modules import modules_for
from understudy.prepare.explaining import Explaining
from understudy.prepare.picture_sizes import with_equal_sizes
from understudy.prepare.trials import Workbench, make_screen, make_stage
from understudy.schema import AnswerKey, Materials, Screen, Study, blocks_in


class Prepared(NamedTuple):
    """A study ready to be carried out."""

    study: Study
    materials: Materials
    key: AnswerKey
    files: dict[str, Path | bytes]
    """Content address -> the file to serve under it, or its bytes where preparing made them."""


def prepare(study: Study, root: Path, explaining: Explaining = Explaining()) -> Prepared:  # noqa: B008, it is frozen
    """Compute everything a study shows; the same study and seed always give the same bytes.

    `root` is the folder of the study file, where its assets lie; `explaining` says how explanations are computed and
    where they are kept, which changes nothing about them.
    """
    bench = Workbench(study, root, explaining)
    for block in blocks_in(study.flow):
        if isinstance(block, Screen):
            make_screen(bench, block)
        else:
            make_stage(bench, block)
    drawing = modules_for(bench.trials.values())
    levelled = with_equal_sizes(study, bench.trials, {**bench.files, **drawing.files})
    digest = study.digest
    materials = Materials(
        study_digest=digest,
        trials=levelled.trials,
        trial_sets=tuple(bench.trial_sets),
        assets=tuple(sorted(levelled.files)),
        modules=drawing.modules,
    )
    key = AnswerKey(
        study_digest=digest, answers=bench.answers, reasons=bench.reasons, strata=bench.strata, truth=bench.truth
    )
    return Prepared(study, materials, key, dict(sorted(levelled.files.items())))
