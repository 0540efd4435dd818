"""Kim et al. (2022), HIVE: a method, a task and photos make one study; ten sets of photos, five people for each."""

from typing import NamedTuple

from understudy.protocols.kim2022.blocks import EXAMPLES, ITEMS, MOMENT, MOMENTS, Arm, arm_blocks, closing, opening
from understudy.protocols.kim2022.lessons import simplification_of
from understudy.protocols.kim2022.photos import Photos
from understudy.protocols.kim2022.plan import MODEL_IS, SETS, has_wrong_items, plan_of
from understudy.protocols.kim2022.requirements import require_choices, require_photos
from understudy.protocols.kim2022.study_measures import BONUS, measures, risk_factor, row_factor
from understudy.protocols.kim2022.variants import Budget, Method, Task, budget_of, is_agreement, require_variant
from understudy.schema import AssignmentRule, Binding, Bonus, Factor, ItemSet, Pay, Ref, Screen, Study

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
