"""Explaining models: one explanation of a whole model, for every page that shows it."""

from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.prepare.assets import with_paths
from understudy.prepare.bindings import Bound
from understudy.prepare.declared_kinds import refuse_undeclared
from understudy.registry import create
from understudy.roles import Dataset, Explained, HasRecording, Model, ModelExplainer
from understudy.schema import digest_of, json_from_record, seed_from


def explained_model(bound: Bound, *, seed: int, root: Path) -> Explained | None:
    """Return the explanation of the bound model as a whole; None if no such explainer is bound."""
    if bound.model_explainer is None:
        return None
    name = bound.model_explainer.name
    explainer: ModelExplainer = create("model_explainers", with_paths("model_explainers", bound.model_explainer, root))
    if isinstance(explainer, HasRecording):
        return _checked(explainer.recorded(), explainer, name)
    if bound.model is None:
        raise MaterialsError(f"Model explainer {name!r} has no model to explain. Bind a model to the same levels.")
    ref = explainer.dataset or (with_paths("datasets", bound.dataset, root) if bound.dataset else None)
    if ref is None:
        raise MaterialsError(f"Model explainer {name!r} has no dataset to draw from. Name one in it, or bind one.")
    model: Model = create("models", with_paths("models", bound.model, root))
    dataset: Dataset = create("datasets", ref)
    # What is drawn depends on what is bound, so that conditions with the same model see the same explanation.
    bound_to = digest_of([json_from_record(part) for part in bound if part is not None])
    rng = np.random.default_rng(seed_from(seed, "prepare", "explain_model", bound_to))
    return _checked(explainer.explain_model(model, dataset.draw(explainer.n, rng), rng), explainer, name)


def _checked(explained: Explained, explainer: ModelExplainer, name: str) -> Explained:
    if len(explained.explanations) != 1:
        raise MaterialsError(
            f"Model explainer {name!r} returned {len(explained.explanations)} explanations. It must return exactly one."
        )
    refuse_undeclared(explained, explainer.kinds, f"Model explainer {name!r}")
    return explained
