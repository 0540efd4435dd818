"""Practice with dials, and the measures and the plan of the studies."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from understudy.protocols.pages import NEXT_MODEL, screen
from understudy.schema import Family, Hypothesis, ItemSet, Json, MeasureUse, Outcome, Part, Ref, Screen, Stage

# Measures and outcomes that the studies after Ross et al. (2021) share.

SOLVING = {
    "completion": "The share of solved questions",
    "error_auc": "The error over time",
    "difficulty": "The felt difficulty",
    "response_time": "The time for a question",
    "slide_distance": "The way of the dials",
}
"""Outcome of the interactive task -> its name in claims."""
DESCRIBED = (*SOLVING, "solved_response_time")
"""What the tables of the interactive task hold. The paper does not say whether its times count skipped questions, so that
both are given."""
JUDGING = {
    "correctness": "The share of right answers",
    "difficulty": "The felt difficulty",
    "response_time": "The time for a question",
    "confidence": "Confidence",
    "understanding": "The sense that the dial makes",
}
"""Outcome of the single-dial task -> its name in claims."""


def answered(name: str, question: str, *blocks: str, row: str | None = None) -> MeasureUse:
    """Return the use of a rating as a number, since the paper compares means of ratings."""
    params = {"question": question, "kind": "bounded", **({} if row is None else {"row": row})}
    return MeasureUse(name=name, measure=Ref(name="answer", params=params), blocks=blocks)


def solving_measures() -> tuple[MeasureUse, ...]:
    """Return the measures of the interactive task, and difficulty."""
    return (
        MeasureUse(name="solved", measure=Ref(name="solved")),
        MeasureUse(name="n_solved", measure=Ref(name="solved"), summary="sum"),
        MeasureUse(name="error", measure=Ref(name="error_auc")),
        MeasureUse(name="distance", measure=Ref(name="slide_distance")),
        MeasureUse(name="seconds", measure=Ref(name="response_time")),
        MeasureUse(name="solved_seconds", measure=Ref(name="solved_response_time")),
    )


def naming_measures() -> tuple[MeasureUse, ...]:
    """Return the measures of the names that people give to dials."""
    return (
        MeasureUse(name="names", measure=Ref(name="dial_labels")),
        MeasureUse(name="named", measure=Ref(name="label_coverage")),
    )


def naming_outcome(by: tuple[str, ...] = ()) -> Outcome:
    """Return the largest share of dials that carried a name at the end of a question."""
    return Outcome(name="named_dials", measure="named", summary="max", by=by)


def solving_outcomes(by: tuple[str, ...] = ()) -> tuple[Outcome, ...]:
    """Return one number for each person (and model, where people meet several).

    Error is summed over a stage; learning is how many more of the last questions were solved than of the first.
    """
    return (
        Outcome(name="completion", measure="solved", by=by),
        Outcome(name="error_auc", measure="error", summary="sum", by=by),
        Outcome(name="response_time", measure="seconds", by=by),
        Outcome(name="solved_response_time", measure="solved_seconds", by=by),
        Outcome(name="slide_distance", measure="distance", by=by),
        Outcome(name="learning", measure="solved", summary="gain", by=by),
    )


def judging_outcomes(by: tuple[str, ...]) -> tuple[Outcome, ...]:
    """Return the outcomes of the single-dial task that the interactive one does not have."""
    return (
        Outcome(name="correctness", measure="right", by=by),
        Outcome(name="confidence", measure="confidence", by=by),
        Outcome(name="understanding", measure="sense", by=by),
    )


# The tests of Ross et al. (2021): all levels together, then every pair, Bonferroni over all that the paper ran.

N_TESTS = 435
"""Tests in the whole paper, which its threshold of 0.05 / 435 corrects for."""
PAPER = Family(name="paper", correction="bonferroni", n_tests=N_TESTS)
_ANALYSES = {
    # The paper's degrees of freedom are whole, so it did not correct for sphericity.
    "within": (Ref(name="rm_anova", params={"sphericity": "none"}), Ref(name="paired_t")),
    "between": (Ref(name="oneway_anova"), Ref(name="independent_t")),
}


def paper_tests(
    outcomes: Mapping[str, str],
    levels: Sequence[str],
    *,
    scope: Literal["within", "between"],
    prefix: str = "",
    where: str | None = None,
) -> Iterator[Hypothesis]:
    """Yield, for each outcome, one test of all models and one of every pair; `outcomes` maps names to words."""
    together, in_pairs = _ANALYSES[scope]
    for outcome, words in outcomes.items():
        stem = f"{prefix}{outcome}"
        yield Hypothesis(
            hypothesis_id=f"{stem}_any", claim=f"{words} differs between models.", outcome=outcome, factor="model",
            where=where, analysis=together, family=PAPER.name,
        )  # fmt: skip
        for first, second in combinations(levels, 2):
            yield Hypothesis(
                hypothesis_id=f"{stem}_{second}_{first}", claim=f"{words} differs between {second.upper()} and {first.upper()}.",
                outcome=outcome, factor="model", contrast=(second, first), where=where, analysis=in_pairs,
                family=PAPER.name,
            )  # fmt: skip


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
