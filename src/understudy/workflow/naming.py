"""Naming: the names people gave to dials, from the tables of a run, for its report."""

import numpy as np
import pandas as pd

from understudy.estimate import dial_names
from understudy.registry import offers
from understudy.roles import NamesDials
from understudy.schema import DialNames, Study, seed_from
from understudy.tabulate import Frames, StoredTables, analysed_sessions


def names_in(study: Study, frames: Frames | StoredTables) -> tuple[DialNames, ...]:
    """Describe the names that analysed people gave; nothing where the study measures none."""
    uses = [
        use.name for use in study.measures if offers("measures", use.measure.name, NamesDials) and use.summary is None
    ]
    if not uses:
        return ()
    by = choosing_factors(study)
    kept = set(analysed_sessions(frames.sessions, study.plan.partial_sessions)["session"].astype(str))
    wanted = {"session", "position", *by, *uses}
    parts = [part[part["session"].astype(str).isin(kept)] for part in frames.trial_parts(wanted)]
    trials = pd.concat(parts) if parts else pd.DataFrame(columns=sorted(wanted))
    for factor in study.factors:
        if factor.name in by:
            trials[factor.name] = pd.Categorical(trials[factor.name].astype(str), factor.levels)
    rng = np.random.default_rng(seed_from(study.seed, "names"))
    return tuple(one for use in uses for one in dial_names(trials, use, by, rng))


def choosing_factors(study: Study) -> tuple[str, ...]:
    """Return the factors whose levels choose the data, and so the model, of questions."""
    named = {name for binding in study.bindings if binding.dataset is not None for name in binding.when}
    return tuple(factor.name for factor in study.factors if factor.name in named)
