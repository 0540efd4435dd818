"""Practice with dials: easy pictures that teach every control before a study begins."""

from typing import NamedTuple

from understudy.schema import ItemSet, Json, Ref, Screen, Stage

_DISC_PAIRS = (((0, 0), (0.6, 0.3)), ((1, 1), (0.1, 0.9)), ((0.4, 0.75), (0.2, 0)))
_SHAPE_PAIRS = (((1, 0, 0, 0.1), (0, 0, 1, 0.7)), ((0, 0, 1, 0.9), (0, 1, 0, 0.3)))
_THRESHOLD = 0.98
_PAGES = (
    "You will see a **picture** and a **target**. Dials change the picture. Nobody tells you what each dial does: "
    "find out by turning it.\n\nTurn the dials until your picture matches the target. A bar shows how alike the two "
    "are, and a mark on it shows how alike they have to be.",
    "You can turn a dial with the mouse, or with the keyboard: the arrow keys move it a little, Page Up and Page Down "
    "move it further.\n\nThe target can lie on top of your picture or beside it. A button changes that at any time.\n\n"
    "First, a few easy pictures to practise. There is no hurry.",
)
_OPTIONS = "Some dials have a few fixed positions: choose one of them."


class Practice(NamedTuple):
    """The pieces of a practice, to be put into a study's item sets and before its first stage."""

    item_sets: tuple[ItemSet, ...]
    blocks: tuple[Screen | Stage, ...]


def dials_practice(*, has_options: bool = True, has_labels: bool = False, overlay: bool = True) -> Practice:
    """Build a practice that nobody leaves without having used each kind of control once.

    Parameters
    ----------
    has_options
        Whether choices are practised beside sliders.
    has_labels
        Whether people practise naming a dial, for studies in which they may.
    overlay
        Whether the target lies on top at first, as it will in the study.
    """
    shown: Json = {"overlay": overlay, "labels": has_labels, "skip_after_s": None}
    labels = ["labels"] if has_labels else []
    stages = [
        _stage("practice_first", {**shown, "uses": ["slider", "overlay", *labels]}),
        _stage("practice_sliders", shown),
        _stage("practice_options", {**shown, "text": _OPTIONS, "uses": ["options", "slider"]}),
    ]
    sets = [
        _items("practice_first", "practice-disc", _DISC_PAIRS[:1]),
        _items("practice_sliders", "practice-disc", _DISC_PAIRS[1:]),
        _items("practice_options", "practice-shape", _SHAPE_PAIRS),
    ]
    n = 3 if has_options else 2
    intro = Screen(
        block_id="practice_intro", purpose="instructions", task=Ref(name="instructions", params={"pages": list(_PAGES)})
    )
    return Practice(tuple(sets[:n]), (intro, *stages[:n]))


def _stage(name: str, params: Json) -> Stage:
    task = Ref(name="reconstruct", params=params)
    return Stage(block_id=name, purpose="practice", items=name, order="given", task=task)


def _items(name: str, decoder: str, pairs: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]) -> ItemSet:
    plain = [[list(start), list(target)] for start, target in pairs]
    params: Json = {"decoder": decoder, "pairs": plain, "threshold": _THRESHOLD}  # type: ignore[dict-item]
    return ItemSet(name=name, n_items=len(pairs), dataset=Ref(name="reconstruction", params=params))
