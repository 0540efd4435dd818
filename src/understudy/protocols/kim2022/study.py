"""Kim et al. (2022), HIVE: a method, a task and photos make one study; ten sets of photos, five people for each."""

from collections.abc import Iterator
from numbers import Real
from typing import Any, NamedTuple

from understudy.errors import StudyError
from understudy.protocols.kim2022.blocks import EXAMPLES, ITEMS, MOMENT, MOMENTS, Arm, arm_blocks, closing, opening
from understudy.protocols.kim2022.lessons import simplification_of
from understudy.protocols.kim2022.photos import Photos
from understudy.protocols.kim2022.plan import (
    BONUS,
    MODEL_IS,
    SETS,
    has_wrong_items,
    measures,
    plan_of,
    risk_factor,
    row_factor,
)
from understudy.protocols.kim2022.variants import Budget, Method, Task, budget_of, is_agreement, require_variant
from understudy.schema import AssignmentRule, Binding, Bonus, Factor, ItemSet, Pay, Ref, Screen, Study

# Requirements: what photos and choices a study can be made of, in one sentence for each fault.

FEWEST_CLASSES = 4
"""Distinction has four options, and with fewer classes a guess at the prediction is too often right in agreement."""
MOST_SETS = 1000
STARTS = ("blank", "random", "accuracy")


def require_photos(data: Any) -> None:
    """Refuse what is not photos with a model that can be told about."""
    if not isinstance(data, Photos):
        raise StudyError(
            [
                f"data is {_said(data)}, and a study needs photos with a model. Give Photos(dataset=, model=, ...), or "
                "creatures(method) for those that come with understudy."
            ]
        )
    faults = [*_photo_faults(data)]
    if faults:
        raise StudyError(faults)


def require_choices(choices: Any) -> None:
    """Refuse sizes and starts that no study can have; `choices` is a Kim2022."""
    if not all(hasattr(choices, name) for name in ("n_sets", "per_set", "start", "shows_tree", "seed")):
        raise StudyError([f"choices is {_said(choices)}. Give Kim2022(n_sets=, per_set=, ...), or leave it out."])
    faults = [*_choice_faults(choices)]
    if faults:
        raise StudyError(faults)


def _photo_faults(data: Photos) -> Iterator[str]:
    for name in ("dataset", "model"):
        if not isinstance(getattr(data, name), Ref):
            yield f"{name} is {_said(getattr(data, name))}. Name an entry of the catalogue, such as Ref(name=..., params={{...}})."
    if not _is_number(data.accuracy) or not 0 <= data.accuracy <= 100:
        yield f"accuracy is {_said(data.accuracy)}. Give how many per cent of photos the model gets right, from 0 to 100."
    if not _is_count(data.n_classes):
        yield f"n_classes is {_said(data.n_classes)}. Give how many classes the model knows, as a whole number."
    elif data.n_classes < FEWEST_CLASSES:
        yield (
            f"The model knows {data.n_classes} {data.plural}, and these studies need at least {FEWEST_CLASSES}: with fewer, "
            "people are right too often by guessing. Give a model that tells more classes apart."
        )
    if not _is_count(data.most_rows) or data.most_rows < 1:
        yield f"most_rows is {_said(data.most_rows)}. Give how many rows a page may show, 1 or more."


def _choice_faults(choices: Any) -> Iterator[str]:
    if not _is_count(choices.n_sets) or not 1 <= choices.n_sets <= MOST_SETS:
        yield (
            f"n_sets is {_said(choices.n_sets)}. Give how many sets of photos there are, a whole number from 1 to "
            f"{MOST_SETS:,}; the paper has 10."
        )
    if not _is_count(choices.per_set) or choices.per_set < 1:
        yield (
            f"per_set is {_said(choices.per_set)}. Give how many people see each set, a whole number from 1 on; the paper "
            "has 5."
        )
    if choices.start not in STARTS:
        yield f"start is {_said(choices.start)}. Choose where the sliders start: {', '.join(STARTS)}."
    if not isinstance(choices.shows_tree, bool):
        yield f"shows_tree is {_said(choices.shows_tree)}. Choose True or False."
    if not _is_count(choices.seed) or choices.seed < 0:
        yield f"seed is {_said(choices.seed)}. Give a whole number from 0 on."


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _said(value: Any) -> str:
    return repr(value) if isinstance(value, str | int | float | type(None)) else f"a {type(value).__name__}"


PREDICTION = "prediction"
PER_HOUR = 12.0
"""Dollars, as in the paper."""
PER_RIGHT = 0.05
"""The bonus that distinction promises, for each right answer."""


class Kim2022(NamedTuple):
    """The size of a study, and choices that the paper left open."""

    n_sets: int = 10
    """Sets of photos; each person sees one."""
    per_set: int = 5
    """People for each set; the study has room for `n_sets` times as many."""
    start: str = "blank"
    """Where the sliders of the trade-off start: blank, random, or accuracy as in the paper."""
    shows_tree: bool = True
    """Whether people can open a drawing of the whole tree of a ProtoTree."""
    seed: int = 2022


def kim2022(*, method: Method, task: Task, data: Photos, choices: Kim2022 = Kim2022()) -> Study:  # noqa: B008, it is frozen
    """Build the study of a method with one task on some photos."""
    require_variant(method, task)
    require_photos(data)
    require_choices(choices)
    budget, arm = budget_of(method, task), Arm(method, task, data, start=choices.start, shows_tree=choices.shows_tree)
    name = "-".join(filter(None, ("kim2022", data.name, method, task)))
    return Study(
        name=name,
        title=f"Can people tell right predictions from wrong ones? {method}, {task} (after Kim et al., 2022)",
        shown_title="Predictions about photos",
        question="Do explanations of this method let people see whether a prediction is right, and find the right class?",
        factors=_factors(arm, choices),
        bindings=(
            Binding(
                dataset=data.dataset,
                model=data.model,
                explainer=data.explainer_of(method, task, names_nodes=choices.shows_tree),
                model_explainer=arm.tree_explainer,
            ),
        ),
        simplifications={method: simplification_of(method, task, shows_tree=choices.shows_tree)},
        assignment=AssignmentRule(quota=choices.per_set),
        item_sets=item_sets(budget, choices.n_sets, only_of(method, task)),
        flow=(*_opening(budget, task), *arm_blocks(arm), *closing()),
        measures=measures((arm,)),
        pay=pay_of(budget, has_bonus=not is_agreement(task)),
        plan=plan_of(method, task, has_sets=choices.n_sets > 1),
        seed=choices.seed,
    )


def only_of(method: Method, task: Task) -> dict[str, str | tuple[str, ...]]:
    """Return which photos can be shown: only right ones where a photo takes long, and ones with two decisions to make."""
    only: dict[str, str | tuple[str, ...]] = {} if has_wrong_items(method, task) else {MODEL_IS: "right"}
    if method == "prototree" and task == "distinction":
        only["has_fork"] = "yes"
    return only


def item_sets(budget: Budget, n_sets: int, only: dict[str, str | tuple[str, ...]]) -> tuple[ItemSet, ItemSet]:
    """Return one right and one wrong worked example, of different classes, and the photos of all sets, which never include the examples.

    Right and wrong predictions are of the same classes, equally often. Where a model confuses few classes, the number on
    the page would otherwise tell people whether it is right.
    """
    return (
        ItemSet(
            name=EXAMPLES,
            n_items=2,
            strata=(MODEL_IS,),
            distinct_on=(PREDICTION, "label"),
            only={name: value for name, value in only.items() if name != MODEL_IS},
        ),
        ItemSet(
            name=ITEMS,
            n_items=n_sets * (budget.n_right + budget.n_wrong),
            strata=(MODEL_IS,),
            # Where people decide for a tree, the four ways out of each fork are right equally often: its prototypes would
            # otherwise give away the more common decision.
            matched_on=("way_out",) if "has_fork" in only else (PREDICTION,),
            only=only,
            apart_from=(EXAMPLES,),
            dealt_over=SETS if n_sets > 1 else None,
        ),
    )


def pay_of(budget: Budget, *, has_bonus: bool) -> Pay:
    """Return 12 dollars an hour, and the bonus that distinction promises."""
    n_photos = budget.n_right + budget.n_wrong
    bonuses = (Bonus(measure=BONUS, per_unit=PER_RIGHT, at_most=most_bonus(n_photos)),) if has_bonus else ()
    base = round(PER_HOUR * budget.minutes / 60, 2)
    return Pay(currency="USD", base=base, bonuses=bonuses, expected_minutes=budget.minutes)


def most_bonus(n_photos: int) -> float:
    """Return the bonus for as many right answers as there are photos, in whole cents."""
    return round(PER_RIGHT * n_photos, 2)


def _opening(budget: Budget, task: Task) -> tuple[Screen, ...]:
    base = PER_HOUR * budget.minutes / 60
    bonus = "" if is_agreement(task) else f", plus ${PER_RIGHT:.2f} for each correct answer in the main part"
    return opening(pay=f"${base:.2f}{bonus}.")


def _factors(arm: Arm, choices: Kim2022) -> tuple[Factor, ...]:
    rows = row_factor((arm,))
    sets = Factor(name=SETS, scope="between", levels=tuple(f"set_{k}" for k in range(1, choices.n_sets + 1)))
    return (
        *([sets] if choices.n_sets > 1 else []),
        Factor(name=MODEL_IS, scope="item", levels=("right", "wrong")),
        Factor(name=MOMENT, scope="within", levels=MOMENTS, order=Ref(name="fixed_order")),
        risk_factor(),
        *([rows] if rows else []),
    )
