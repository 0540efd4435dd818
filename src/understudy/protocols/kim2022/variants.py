"""Variants: the four methods, the tasks that each is studied with, and the 19 studies of the paper."""

from typing import Literal, NamedTuple, TypeAlias

from understudy.errors import StudyError

Method: TypeAlias = Literal["gradcam", "bagnet", "protopnet", "prototree"]
Task: TypeAlias = Literal["agreement", "agreement-examples", "distinction", "distinction-label", "tree-aware"]

_MAPS: tuple[Task, ...] = ("agreement", "agreement-examples", "distinction", "distinction-label")
TASKS: dict[Method, tuple[Task, ...]] = {
    "gradcam": _MAPS,
    "bagnet": _MAPS,
    "protopnet": ("agreement", "distinction"),
    "prototree": ("agreement", "tree-aware", "distinction"),
}
"""The tasks of each method. Examples and labels belong to maps; prototypes show photos of the class anyway."""


class PaperStudy(NamedTuple):
    """One of the studies of the paper."""

    data: Literal["CUB", "ImageNet"]
    method: Method
    task: Task


PAPER_STUDIES: tuple[PaperStudy, ...] = (
    *(
        PaperStudy("CUB", method, task)
        for method, tasks in TASKS.items()
        for task in tasks
        if task != "distinction-label"
    ),
    *(PaperStudy("ImageNet", method, task) for method in ("gradcam", "bagnet") for task in _MAPS),
)
"""Eleven with birds and eight with objects, of 50 people each."""


class Budget(NamedTuple):
    """What one person is asked, and how long it takes."""

    n_right: int
    """Photos that the model classified correctly."""
    n_wrong: int
    minutes: float
    """Mean duration in the paper, rounded up; pay follows from it."""


_MINUTES: dict[Method, float] = {"gradcam": 7.0, "bagnet": 7.0, "protopnet": 14.0, "prototree": 11.0}


def budget_of(method: Method, task: Task) -> Budget:
    """Return how many photos one person sees: five right and five wrong ones, fewer where a photo takes longer."""
    # The paper names one time for all tasks of a method; rated steps and four options take longer than one map.
    takes_longer = task.startswith("distinction") if method != "prototree" else task == "agreement"
    minutes = _MINUTES[method] + (3.0 if takes_longer else 0.0)
    if method == "protopnet" and task == "distinction":
        return Budget(4, 0, minutes)
    if method == "prototree" and task == "distinction":
        return Budget(10, 0, minutes)
    return Budget(5, 5, minutes)


def require_variant(method: str, task: str) -> None:
    """Refuse a method or a task that does not exist, or that do not go together."""
    tasks = {name: allowed for name, allowed in TASKS.items() if name == method}
    if not tasks:
        raise StudyError([f"{method!r} is not a method. Choose from: {', '.join(TASKS)}."])
    for name, allowed in tasks.items():
        if task not in allowed:
            raise StudyError([f"{task!r} is not a task for {name}. Choose from: {', '.join(allowed)}."])


def is_agreement(task: Task) -> bool:
    """Tell whether people judge one prediction, instead of choosing between several."""
    return task in ("agreement", "agreement-examples", "tree-aware")


def has_ratings(method: Method, task: Task) -> bool:
    """Tell whether people rate rows of prototypes."""
    return method == "protopnet" or (method == "prototree" and task == "agreement")
