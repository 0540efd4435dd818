"""Items: drawn from a dataset, balanced over strata and matched."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from understudy.conduct import balanced_order
from understudy.errors import MaterialsError
from understudy.prepare.assets import shipped_contents, with_paths
from understudy.prepare.bindings import Bound
from understudy.prepare.pool_search import Answering, SearchedPool, search_pool
from understudy.registry import create
from understudy.roles import Dataset, Floats, Model, PicturePool, Rng
from understudy.schema import ItemSet, Stimulus, Study, matches
from understudy.schema.assets import files_named_in
from understudy.sources.cases import require_same_legend
from understudy.sources.picture_pools import PoolPart, model_inputs

# Exact balance: equally many items of each stratum.


def pick_balanced(
    strata: Sequence[Hashable], n: int, wanted: Sequence[Hashable], *, accepts: Callable[[int], bool] = lambda _: True
) -> list[int] | None:
    """Return the indices of the first n / k items of each of the k wanted strata, or None if there are too few.

    `accepts` is called only for strata with room, because the call may read a picture.
    """
    per_stratum = n // len(wanted)
    by_stratum: dict[Hashable, list[int]] = {stratum: [] for stratum in wanted}
    for index, stratum in enumerate(strata):
        if stratum in by_stratum and len(by_stratum[stratum]) < per_stratum and accepts(index):
            by_stratum[stratum].append(index)
    if any(len(indices) < per_stratum for indices in by_stratum.values()):
        return None
    # Sorted, so that the items keep the order of the draw and strata do not come in blocks.
    return sorted(index for indices in by_stratum.values() for index in indices)


def pick_distinct(
    strata: Sequence[Hashable],
    values: Sequence[Sequence[Hashable]],
    n: int,
    wanted: Sequence[Hashable],
    *,
    accepts: Callable[[int], bool] = lambda _: True,
) -> list[int] | None:
    """Return n / k items of each of the k wanted strata, no two of which share a value; None if there are too few.

    `values` has the values of each item, one for each attribute that must differ. The rarest stratum chooses first,
    because it has the fewest values left.
    """
    sizes = Counter(strata)
    taken: set[tuple[int, Hashable]] = set()
    chosen: list[int] = []
    for stratum in sorted(wanted, key=lambda stratum: sizes[stratum]):
        n_missing = n // len(wanted)
        for index in (index for index, own in enumerate(strata) if own == stratum):
            named = {*enumerate(values[index])}
            if n_missing and not named & taken and accepts(index):
                taken |= named
                chosen.append(index)
                n_missing -= 1
        if n_missing:
            return None
    return sorted(chosen)


# Matching: equally many items of each stratum, in which other attributes are equally common too.

Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True)
class MatchedItems:
    """Chosen items in groups of one of each stratum; the items of a group share the matched value where they can."""

    groups: tuple[tuple[int, ...], ...]
    is_exact: bool
    """Whether the items of every group share the value."""
    n_matched: int = 0
    """How many items are in groups that do."""

    def order(self, rng: Rng) -> list[int]:
        """Return the items with groups in random order, and the items of a group one after the other in random order.

        Sets that are assigned in turn then get whole groups, so that the items of each person match as well.
        """
        chosen = [self.groups[int(k)] for k in rng.permutation(len(self.groups))]
        return [group[int(k)] for group in chosen for k in rng.permutation(len(group))]


def pick_matched(
    strata: Sequence[Hashable],
    values: Sequence[Hashable],
    n: int,
    wanted: Sequence[Hashable],
    *,
    accepts: Callable[[int], bool] = lambda _: True,
) -> MatchedItems | None:
    """Choose n / k items of each of the k wanted strata with the same values in all of them; None if there are too few.

    Values are used about equally often, so that a rare one is not crowded out. Where the strata have too few values in
    common, the first other items of each fill up.
    """
    per_stratum = n // len(wanted)
    pool: dict[Hashable, dict[Hashable, list[int]]] = {}
    for index, (stratum, value) in enumerate(zip(strata, values, strict=True)):
        if stratum in wanted:
            pool.setdefault(value, {name: [] for name in wanted})[stratum].append(index)
    accepted: set[int] = set()
    while True:
        chosen = _chosen(pool, wanted, per_stratum)
        if chosen is None:
            return None
        # An item is accepted once, because that marks it as used, and only if it is needed, because it may read a picture.
        fresh = {index for group in chosen.groups for index in group} - accepted
        refused = {index for index in sorted(fresh) if not accepts(index)}
        if not refused:
            return chosen
        accepted |= fresh - refused
        for indices in (indices for by_stratum in pool.values() for indices in by_stratum.values()):
            indices[:] = [index for index in indices if index not in refused]


def _chosen(
    pool: Mapping[Hashable, Mapping[Hashable, Sequence[int]]], wanted: Sequence[Hashable], per_stratum: int
) -> MatchedItems | None:
    if any(sum(len(by_stratum[name]) for by_stratum in pool.values()) < per_stratum for name in wanted):
        return None
    room = {value: min(len(indices) for indices in by_stratum.values()) for value, by_stratum in pool.items()}
    shares = even_shares(room, per_stratum)
    groups = [
        group
        for value, share in shares.items()
        for group in zip(*(pool[value][name][:share] for name in wanted), strict=True)
    ]
    n_missing = per_stratum - len(groups)
    others = (
        sorted(index for value, by_stratum in pool.items() for index in by_stratum[name][shares[value] :])
        for name in wanted
    )
    fill = zip(*(indices[:n_missing] for indices in others), strict=True)
    return MatchedItems((*groups, *fill), is_exact=n_missing == 0, n_matched=len(groups) * len(wanted))


def even_shares(room: Mapping[Value, int], n: int) -> dict[Value, int]:
    """Distribute up to n items over values one by one in turn, never more than a value has room for."""
    shares: Counter[Value] = Counter()
    while shares.total() < min(n, sum(room.values())):
        for value, most in room.items():
            if shares[value] < most and shares.total() < n:
                shares[value] += 1
    return {value: shares[value] for value in room}


@dataclass(frozen=True)
class DrawnItems:
    """Items of one set under one combination of levels, with the numbers explainers need."""

    stimuli: tuple[Stimulus, ...]
    rows: Floats | None
    pictures: PicturePool | None
    """The drawn pictures, if models read pictures instead of rows."""
    assets: Mapping[str, bytes | Path]
    """The files that these items show."""

    @property
    def inputs(self) -> Floats | None:
        """The inputs of these items for a model; pictures become numbers only here."""
        if self.pictures is None:
            return self.rows
        return model_inputs(self.pictures.read(range(len(self.stimuli))))


def draw_items(
    study: Study, item_set: ItemSet, bound: Bound, rng: Rng, *, taken: Collection[str], root: Path
) -> DrawnItems:
    """Draw until the set is full and balanced, or say why it cannot be."""
    ref = item_set.dataset or bound.dataset
    if ref is None:
        raise MaterialsError(
            f"Item set {item_set.name!r} has no data: name a dataset in the set, or bind one to its conditions."
        )
    dataset: Dataset = create("datasets", with_paths("datasets", ref, root))
    model = create("models", with_paths("models", bound.model, root)) if bound.model else None
    # Without strata and other sets the first items will do; otherwise a first guess that is usually enough.
    n_pool = item_set.n_items if not (item_set.strata or taken) else max(64, 8 * item_set.n_items)
    # What a model knows besides its answer costs time, and is asked for only where items are chosen by it.
    chosen_by = {*item_set.strata, *item_set.only, *item_set.matched_on, *item_set.distinct_on}
    knows_more = bool(chosen_by - {"prediction", "model_is", "label"})
    for searched in search_pool(dataset, Answering(model, knows_more=knows_more), n_pool, rng):
        if model is not None:
            require_same_legend(model, searched.sample.legend, of=f"item set {item_set.name!r} has")
        _require_strata(item_set, searched.attributes)
        _require_same_labels(item_set, searched.attributes, model)
        chosen = _items_chosen(study, item_set, searched, taken, rng)
        if chosen is not None:
            return _drawn(item_set, searched, chosen, root)
        if searched.is_all:
            raise MaterialsError(_shortage(study, item_set, searched, taken))
    raise MaterialsError(f"Item set {item_set.name!r} could not look at its data. Give it a dataset that has items.")


def _require_same_labels(item_set: ItemSet, attributes: Mapping[str, Sequence[Any]], model: Model | None) -> None:
    """Refuse a model that shares no label with the items, if right and wrong answers are to be balanced."""
    is_judged = "model_is" in item_set.strata or {"label", "prediction"} <= {*item_set.strata}
    if model is None or not model.labels or not is_judged or "label" not in attributes:
        return
    known = sorted({str(label) for label in attributes["label"]})
    if not {*known} & {*model.labels}:
        raise MaterialsError(
            f"Item set {item_set.name!r} has the labels {', '.join(map(repr, known[:8]))}, but the model answers "
            f"{', '.join(map(repr, model.labels[:8]))}, so it would never be right. Give the model the labels of the "
            "dataset, in the order of its outputs."
        )


def _require_strata(item_set: ItemSet, attributes: Mapping[str, Sequence[Any]]) -> None:
    named = (*item_set.strata, *item_set.matched_on, *item_set.distinct_on, *item_set.only)
    absent = [name for name in named if name not in attributes]
    if absent:
        wanted = next(
            how
            for how, names in (
                ("to be balanced over", item_set.strata),
                ("to be matched on", item_set.matched_on),
                ("to differ in", item_set.distinct_on),
                ("to be chosen by", item_set.only),
            )
            if absent[0] in names
        )
        raise MaterialsError(
            f"Item set {item_set.name!r} is {wanted} {', '.join(map(repr, absent))}, which its items do not "
            f"have. They have: {', '.join(attributes) or 'no attributes'}."
        )


def _items_chosen(
    study: Study, item_set: ItemSet, searched: SearchedPool, taken: Collection[str], rng: Rng
) -> list[int] | None:
    free = searched.free_of(taken)
    fits = [_fits(item_set, searched, k) for k in range(searched.n)]

    def accepts(k: int) -> bool:
        # Asked first, because an id may have to be computed from a picture.
        return fits[k] and free.accepts(k)

    if not (item_set.strata or item_set.distinct_on):
        first = [k for k, _ in zip(filter(accepts, range(searched.n)), range(item_set.n_items), strict=False)]
        return first if len(first) == item_set.n_items else None
    strata = _values(item_set.strata, searched)
    wanted = _wanted_strata(study, item_set, (strata[k] for k in range(searched.n) if fits[k] and free.may_take(k)))
    if _only_answer(item_set, searched.attributes) is not None:
        return None
    if item_set.n_items % len(wanted):
        raise MaterialsError(
            f"Item set {item_set.name!r} cannot be balanced: {item_set.n_items} items over {len(wanted)} strata "
            f"({' x '.join(item_set.strata)}). Use a multiple of {len(wanted)}."
        )
    if item_set.matched_on:
        matched = pick_matched(
            strata, _values(item_set.matched_on, searched), item_set.n_items, wanted, accepts=accepts
        )
        # More data may hold the items that a match lacks.
        if matched is None or not (matched.is_exact or searched.is_all):
            return None
        if item_set.matching == "exact" and not matched.is_exact:
            raise MaterialsError(_unmatched(item_set, searched, matched.n_matched))
        return matched.order(rng)
    picked = (
        pick_distinct(strata, _values(item_set.distinct_on, searched), item_set.n_items, wanted, accepts=accepts)
        if item_set.distinct_on
        else pick_balanced(strata, item_set.n_items, wanted, accepts=accepts)
    )
    if picked is None:
        return None
    order = balanced_order([strata[k] for k in picked], rng)
    return [picked[k] for k in order]


def _unmatched(item_set: ItemSet, searched: SearchedPool, n_matched: int) -> str:
    instead = f"Ask for {n_matched} items, give more cases" if n_matched else "Give more cases"
    return (
        f"Item set {item_set.name!r} wants {item_set.n_items} items with the same {', '.join(item_set.matched_on)} in "
        f"every combination of {' x '.join(item_set.strata)}, but the {searched.n} items of its dataset have that for "
        f"{n_matched} only. {instead}, or set matching to 'near' and let `understudy check` say what gives answers away."
    )


def _fits(item_set: ItemSet, searched: SearchedPool, k: int) -> bool:
    return matches(item_set.only, {name: str(searched.attributes[name][k]) for name in item_set.only})


def _values(names: Sequence[str], searched: SearchedPool) -> list[tuple[str, ...]]:
    columns = [searched.attributes[name] for name in names]
    return [tuple(str(column[k]) for column in columns) for k in range(searched.n)]


def _wanted_strata(study: Study, item_set: ItemSet, seen: Iterator[tuple[str, ...]]) -> list[tuple[str, ...]]:
    # Where a model is hardly ever wrong, the first inputs show no mistake, and yet mistakes are wanted.
    declared: dict[str, tuple[str, ...]] = {"model_is": ("right", "wrong")}
    declared |= {factor.name: factor.levels for factor in study.factors if factor.scope == "item"}
    known = set() if all(declared.get(name) for name in item_set.strata) else {*seen}
    values = [
        [
            value
            for value in declared.get(name) or sorted({stratum[index] for stratum in known})
            if matches({name: item_set.only[name]} if name in item_set.only else {}, {name: value})
        ]
        for index, name in enumerate(item_set.strata)
    ]
    return list(product(*values))


def _drawn(item_set: ItemSet, searched: SearchedPool, chosen: list[int], root: Path) -> DrawnItems:
    sample, attributes = searched.sample, searched.attributes
    contents, files = shipped_contents(sample, chosen, root)
    stimuli = tuple(
        Stimulus(
            stimulus_id=searched.ids.of(k),
            content=content,
            truth={name: values[k] for name, values in attributes.items()},
            strata={name: attributes[name][k] for name in item_set.strata},
        )
        for content, k in zip(contents, chosen, strict=True)
    )
    known = frozenset(sample.assets)
    shown = {address: sample.assets[address] for address in files_named_in(contents, known)}
    rows = None if sample.inputs is None else sample.inputs[chosen]
    pictures = None if sample.pictures is None else PoolPart(sample.pictures, chosen)
    return DrawnItems(stimuli, rows, pictures, {**shown, **files})


def _only_answer(item_set: ItemSet, attributes: Mapping[str, Sequence[Any]]) -> str | None:
    """Return the model's only answer, if items are to differ in its answers and it gives just one."""
    differs = "prediction" in (*item_set.strata, *item_set.distinct_on)
    answers = {str(answer) for answer in attributes["prediction"]} if differs else set()
    return answers.pop() if len(answers) == 1 else None


def _shortage(study: Study, item_set: ItemSet, searched: SearchedPool, taken: Collection[str]) -> str:
    always = _always(item_set, searched)
    if always is not None:
        return always
    over = f" in equal numbers over {' x '.join(item_set.strata)}" if item_set.strata else ""
    over += f" that all differ in {', '.join(item_set.distinct_on)}" if item_set.distinct_on else ""
    over += "".join(f" with {name} {_either(values)}" for name, values in item_set.only.items())
    apart = f" that are in none of {', '.join(item_set.apart_from)}" if item_set.apart_from else ""
    free = searched.free_of(taken).known_free()
    attributes = f", attributes {', '.join(searched.attributes)}" if searched.attributes else ""
    return (
        f"Item set {item_set.name!r} wants {item_set.n_items} items{over}{apart}, but its dataset gives too few "
        f"({len(free)} looked at{attributes}). {_rarest(study, item_set, searched, free)}"
    )


def _always(item_set: ItemSet, searched: SearchedPool) -> str | None:
    """Say that a model is never wrong, or never right, where a study needs both; None if it is both."""
    verdicts = {*searched.attributes["model_is"]} if "model_is" in item_set.strata else set()
    if len(verdicts) != 1 or "model_is" in item_set.only:
        return None
    if verdicts == {"right"}:
        return (
            f"The model is right about all {searched.n} items, and item set {item_set.name!r} needs wrong predictions as "
            "well. Give items that it did not learn from, or a model that makes mistakes."
        )
    return (
        f"The model is wrong about all {searched.n} items, and item set {item_set.name!r} needs right predictions as well. "
        "Give it the labels of the items in the order of its outputs, or a better model."
    )


def _either(values: str | tuple[str, ...]) -> str:
    return " or ".join(map(repr, (values,) if isinstance(values, str) else values))


def _rarest(study: Study, item_set: ItemSet, searched: SearchedPool, free: Sequence[int]) -> str:
    """Say which items are too rare, and what to do."""
    only = _only_answer(item_set, searched.attributes)
    if only is not None:
        return f"The model answers {only!r} to all of them. Bind a model that gives every answer, or other cases."
    labels = {str(label) for label in searched.attributes.get("label", ())}
    if len(labels) == 1 and "model_is" in item_set.strata:
        return f"All of them have the label {labels.pop()!r}. Give items of every class that the model knows."
    if not item_set.strata or not free:
        return "Ask for fewer, or give more data."
    strata = _values(item_set.strata, searched)
    counts = Counter(strata[k] for k in free)
    wanted = _wanted_strata(study, item_set, (strata[k] for k in free))
    rare = min(wanted, key=lambda stratum: counts[stratum])
    description = " and ".join(f"{name} {value!r}" for name, value in zip(item_set.strata, rare, strict=True))
    of_them = dict(zip(item_set.strata, rare, strict=True))
    differs = "label" in of_them and of_them.get("prediction", of_them["label"]) != of_them["label"]
    is_wrong = differs or of_them.get("model_is") == "wrong"
    fitted = ", such as cases that the model was not fitted on" if is_wrong else ""
    return (
        f"{item_set.n_items // len(wanted)} with {description} are needed, but there are only {counts[rare]}. "
        f"Ask for fewer, or give more data{fitted}."
    )
