"""Practice with dials: easy pictures that teach every control."""

from collections.abc import Mapping
from typing import NamedTuple

from understudy.protocols.pages import NEXT_MODEL, screen
from understudy.schema import ItemSet, Json, Part, Ref, Screen, Stage

_DISC_PAIRS = (((0, 0), (0.6, 0.3)), ((1, 1), (0.1, 0.9)), ((0.4, 0.75), (0.2, 0)))
_SHAPE_PAIRS = (((1, 0, 0, 0.1), (0, 0, 1, 0.7)), ((0, 0, 1, 0.9), (0, 1, 0, 0.3)))
_SKIPPED_PAIR = (((0.9, 0.2), (0.3, 0.8)),)
_THRESHOLD = 0.98
_PAGES = (
    "You will see a **picture** and a **target**. Dials change the picture. We do not tell you what each dial does: "
    "turn it to find out.\n\nTurn the dials until your picture matches the target. A bar shows how similar the two are, "
    "and a mark on it shows how similar they need to be.",
    "Turn a dial with the mouse, your finger or the keyboard: the arrow keys move it a little, and Page Up and Page Down "
    "move it by a tenth.\n\nYou can show the target on top of your picture or next to it. A button switches between the "
    "two at any time.",
)
_NAMES = "You can name each dial as soon as you have an idea of what it does. The name stays with the dial."
_SKIPPING = (
    "Work as quickly as you can. If you have tried for {seconds:g} seconds and your picture does not match yet, you can skip "
    "it without a penalty. Pauses do not count."
)
_SKIPPING_AT_ONCE = (
    "Work as quickly as you can. If a picture takes too long, you can skip it at any time without a penalty."
)
_BEGIN = "First, you practise with a few easy pictures. Take your time."
_OPTIONS = "Some dials have only a few positions. Choose one of them."
_SKIP = (
    "If a picture takes too long, you can skip it with the button **Skip, no penalty** at the bottom. Press it once now, so "
    "you know where it is."
)


PRACTISING = Part(title="Practise", text="Your practice answers do not count.", has_break=False)


def next_model(title: str = "Model {turn} of {turns}") -> Screen:
    """Return the page before a model, which begins a part."""
    page = screen("next_model", "instructions", "instructions", {"pages": [NEXT_MODEL]})
    return page.model_copy(update={"part": Part(title=title)})


class Practice(NamedTuple):
    """The item sets and blocks of a practice."""

    item_sets: tuple[ItemSet, ...]
    blocks: tuple[Screen | Stage, ...]


def dials_practice(
    *,
    has_options: bool = True,
    has_labels: bool = False,
    taught_skip_s: float | None = None,
    overlay: bool = True,
    skip_after_s: float | None = None,
    when: Mapping[str, str | tuple[str, ...]] | None = None,
) -> Practice:
    """Build a practice that requires using each kind of control at least once.

    Parameters
    ----------
    has_options
        Whether people practise choices as well as sliders.
    has_labels
        Whether people practise naming a dial, for studies in which they may.
    taught_skip_s
        Seconds at work after which a question of the study may be skipped, for studies in which it may. People are told, and
        a last picture is there to be skipped. The seconds are not counted down on the page, as in the paper.
    overlay
        Whether the target lies on top at first, as it will in the study.
    skip_after_s
        Seconds at work after which a practice question can be left unsolved. Without it, it cannot.
    when
        Factor levels for which the practice exists.
    """
    shown: Json = {"overlay": overlay, "labels": has_labels, "skip_after_s": skip_after_s}
    labels = ["labels"] if has_labels else []
    taught: list[tuple[ItemSet, Json]] = [
        (_items("practice_first", "practice-disc", _DISC_PAIRS[:1]), {"uses": ["slider", "overlay", *labels]}),
        (_items("practice_sliders", "practice-disc", _DISC_PAIRS[1:]), {}),
    ]
    if has_options:
        items = _items("practice_options", "practice-shape", _SHAPE_PAIRS)
        taught.append((items, {"text": _OPTIONS, "uses": ["options", "slider"]}))
    if taught_skip_s is not None:
        taught.append((_items("practice_skip", "practice-disc", _SKIPPED_PAIR), {"text": _SKIP, "skip_after_s": 0}))
    skipping = _SKIPPING.format(seconds=taught_skip_s) if taught_skip_s else _SKIPPING_AT_ONCE
    told = [*([_NAMES] if has_labels else []), *([] if taught_skip_s is None else [skipping]), _BEGIN]
    instructions = "\n\n".join(told)
    intro = Screen(
        block_id="practice_intro",
        purpose="instructions",
        part=PRACTISING,
        when=dict(when or {}),
        task=Ref(name="instructions", params={"pages": [_PAGES[0], f"{_PAGES[1]}\n\n{instructions}"]}),
    )
    stages = [
        Stage(
            block_id=items.name,
            purpose="practice",
            when=dict(when or {}),
            items=items.name,
            order="given",
            task=Ref(name="reconstruct", params={**shown, **params}),
            feedback="continuous",
        )
        for items, params in taught
    ]
    return Practice(tuple(items for items, _ in taught), (intro, *stages))


def _items(name: str, decoder: str, pairs: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]) -> ItemSet:
    plain = [[list(start), list(target)] for start, target in pairs]
    params: Json = {"decoder": decoder, "pairs": plain, "threshold": _THRESHOLD}  # type: ignore[dict-item]
    return ItemSet(name=name, n_items=len(pairs), dataset=Ref(name="reconstruction", params=params))
