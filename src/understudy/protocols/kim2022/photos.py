"""Photos: what is classified, by which model, and how its answers are explained."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from understudy import registry
from understudy.errors import StudyError
from understudy.protocols.kim2022.variants import Method, Task
from understudy.schema import Json, Ref

SHIPPED = "shipped:kim2022"
BIRDS_RISKS: Mapping[str, str] = MappingProxyType({
    "low": "Low risk: the model is used for scientific or educational purposes.",
    "medium": "Medium risk: the model is used to monitor biodiversity and ecosystems.",
    "high": "High risk: the model is used for veterinary or medical diagnosis.",
})  # fmt: skip
OBJECTS_RISKS: Mapping[str, str] = MappingProxyType({
    "low": "Low risk: the model is used for scientific or educational purposes.",
    "medium": "Medium risk: the model is used for automatic checkout in a grocery shop.",
    "high": "High risk: the model is used to understand scenes for self-driving cars.",
})  # fmt: skip


class Photos(NamedTuple):
    """Photos with a label for each, a model, and an explainer that fits the method."""

    name: str
    """Part of the study's name, such as cub; empty for the creatures that come with understudy."""
    dataset: Ref
    """Photos that the model did not learn from, with the attribute `label`."""
    model: Ref
    accuracy: float
    """Of the model on such photos, in percent; people read it on the last pages."""
    n_classes: int
    explainer: Ref | None = None
    """By default what reads the maps of a `map_model`: class_maps, prototype_matches or tree_path."""
    examples: Ref | None = None
    """Photos to take three examples of each class from; by default those of `dataset`, where a photo that is an example
    itself gets another one in its place, so that other photos are better."""
    noun: str = "class"
    """What a class is called, such as species."""
    plural: str = "classes"
    kind: str = "photos"
    """What the photos show, such as photos of birds."""
    risks: Mapping[str, str] = OBJECTS_RISKS
    most_rows: int = 10
    """The most prototypes of a class, or steps of a path, that a page shows."""

    def explainer_of(self, method: Method, task: Task, *, names_nodes: bool = True) -> Ref:
        """Return the explainer of a study, set up as its task needs it.

        With `names_nodes`, the steps of a tree are called as in the drawing of it.
        """
        shown = self.explainer or _default_explainer(method, task, self.most_rows)
        if task.startswith("distinction") and _has_scale(shown):
            shown = _on_one_scale(shown)
        if shown.name == "tree_path" and names_nodes:
            shown = shown.model_copy(update={"params": {"names_nodes": True, **shown.params}})
        if task != "agreement-examples":
            return shown
        examples = Ref(
            name="class_examples",
            params={
                "dataset": _written(self.examples or self.dataset),
                "n": 3,
                "caption": f"Photos of the predicted {self.noun}",
            },
        )
        return Ref(name="composite", params={"parts": [_written(shown), _written(examples)]})


def _has_scale(shown: Ref) -> bool:
    return "scale" in registry.entry("explainers", shown.name).model_fields


def _on_one_scale(shown: Ref) -> Ref:
    """Let the four maps of a photo share a scale: each on its own would hide which class has most evidence."""
    if shown.params.get("scale", "shared") != "shared":
        raise StudyError(
            [
                f"The explainer {shown.name!r} has scale = {shown.params['scale']!r}, which hides which of the four classes "
                "has most evidence. Leave `scale` out for distinction, or choose 'shared'."
            ]
        )
    return shown.model_copy(update={"params": {**shown.params, "scale": "shared"}})


def _default_explainer(method: Method, task: Task, most_rows: int) -> Ref:
    if method in ("gradcam", "bagnet"):
        scale = "shared" if task.startswith("distinction") else "per_map"
        return Ref(name="class_maps", params={"scale": scale})
    if method == "protopnet":
        return Ref(name="prototype_matches", params={"n_rows": most_rows})
    if task == "tree-aware":
        return Ref(name="tree_path", params={"shows_decisions": True, "shows_scores": True})
    if task == "distinction":
        return Ref(name="tree_path", params={"leaves_open": 2, "shows_decisions": True})
    return Ref(name="tree_path")


def _written(ref: Ref) -> Json:
    return {"name": ref.name, "params": ref.params}
