"""The names that people gave to dials, from the tables of a run, for its report."""

import numpy as np
import pandas as pd

from understudy.estimate import dial_names
from understudy.registry import offers
from understudy.roles import NamesDials
from understudy.schema import DialNames, Study, seed_from
from understudy.tabulate import Frames, StoredTables, analysed_sessions


def dial_names_of(study: Study, frames: Frames | StoredTables) -> tuple[DialNames, ...]:
    """Return a summary of the names that analysed people gave; empty if the study measures none."""
    uses = [
        use.name for use in study.measures if offers("measures", use.measure.name, NamesDials) and use.summary is None
    ]
    if not uses:
        return ()
    by = data_factors(study)
    session_ids = set(analysed_sessions(frames.sessions, study.plan.partial_sessions)["session"].astype(str))
    columns = {"session", "position", *by, *uses}
    parts = [part[part["session"].astype(str).isin(session_ids)] for part in frames.trial_parts(columns)]
    trials = pd.concat(parts) if parts else pd.DataFrame(columns=sorted(columns))
    for factor in study.factors:
        if factor.name in by:
            trials[factor.name] = pd.Categorical(trials[factor.name].astype(str), factor.levels)
    rng = np.random.default_rng(seed_from(study.seed, "names"))
    return tuple(names for use in uses for names in dial_names(trials, use, by, rng))


def data_factors(study: Study) -> tuple[str, ...]:
    """Return the factors whose levels select the dataset, and so the model, of a question."""
    named = {name for binding in study.bindings if binding.dataset is not None for name in binding.when}
    return tuple(factor.name for factor in study.factors if factor.name in named)
