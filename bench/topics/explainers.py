"""Explainers: one item explained, beside lime and anchor-exp, and beside the pure cost of the model's answers."""

from collections.abc import Callable
from itertools import combinations, product
from time import process_time
from typing import Any

import numpy as np

from explained import SEED, TABLES, TEXTS, Cost, Scene, cost_of, explained_again, scene_of
from lime_peer import ANCHOR, LIME, PEER
from measured import Bench, Peer, Row, timed
from peer_folder import NoPeer
from understudy.explainers.inputs import without_gaps
from understudy.roles import Floats, Variables, Vocabulary
from understudy.schema import Attribution, Explanation, RuleCondition, RuleExplanation
from understudy.sources.edits import WordTable, choices_for, edited_rows, edited_texts
from understudy.sources.words import words_for

N_SEEDS = 3
N_SAMPLES, N_FEATURES, MIN_LENGTH, THRESHOLD = 5000, 5, 10, 0.95


def lime_of_rows(is_quick: bool) -> Row:
    """Measure LIME on rows of categories, with the sampling of the library."""
    scene = scene_of(TABLES, 5 if is_quick else 30)
    cost = cost_of(scene, "lime", sampling="values", n_samples=N_SAMPLES, n_features=N_FEATURES)
    mine = [
        [
            set(explanation.features) if isinstance(explanation, Attribution) else set[str]()
            for explanation in explained_again(scene, "lime", seed, sampling="values")
        ]
        for seed in range(N_SEEDS)
    ]
    peer, same = Peer("lime", LIME, None), ""
    try:
        theirs = [_lime_rows(scene, seed) for seed in range(N_SEEDS)]
        took = timed(lambda: _lime_rows(scene, 1), n_repeats=1, n_warm=0)
        peer = peer._replace(seconds=took.best_s / len(scene.items), note="its default settings")
        across = np.mean([_overlap(a, b) for a, b in product(mine, theirs)])
        within = np.mean([_overlap(a, b) for a, b in combinations(theirs, 2)])
        same = f"; {across:.3f} of five features are lime's, lime with another seed {within:.3f}"
    except NoPeer as error:
        peer = peer._replace(note=f"peer not available: {error}")
    return _row("LIME, a row of categories", scene, cost, peer, reads=_times(cost) + same, target=">= 15x lime")


def lime_of_texts(is_quick: bool) -> Row:
    """Measure LIME on sentences."""
    scene = scene_of(TEXTS, 3 if is_quick else 12, min_length=MIN_LENGTH)
    cost = cost_of(scene, "lime", n_samples=N_SAMPLES, n_features=N_FEATURES)
    texts = [_shortened(row) for row in scene.items]
    pure = timed(lambda: [scene.model.predict(rows) for rows in texts], n_repeats=2).best_s / len(texts)
    reads = f"{cost.ours.best_s / pure:.2f}x the model on all 5,000 texts; {cost.n_rows:,.0f} of them differ"
    peer = Peer("lime", LIME, None)
    try:
        peer = peer._replace(seconds=timed(lambda: _lime_texts(scene), n_repeats=1, n_warm=0).best_s / len(scene.items))
    except NoPeer as error:
        peer = peer._replace(note=f"peer not available: {error}")
    return _row("LIME, a sentence", scene, cost, peer, reads=reads, target="<= 1.2x the model")


def anchor_of_rows(is_quick: bool) -> Row:
    """Measure Anchor on rows of categories."""
    scene = scene_of(TABLES, 5 if is_quick else 30)
    cost = cost_of(scene, "anchor")
    assert isinstance(scene.legend, Variables)
    place = {name: k for k, name in enumerate(scene.legend.features)}
    ours = [
        [place[condition.feature] for condition in _conditions(said) if condition.feature is not None]
        for said in cost.said
    ]
    peer, compared = _anchor_peer(scene, ours, _anchor_rows, "beam of 1, which is all it uses")
    reads, target = f"{_times(cost)}; {compared}", _anchor_target(10)
    return _row("Anchor, a row of categories", scene, cost, peer, reads=reads, target=target)


def anchor_of_texts(is_quick: bool) -> Row:
    """Measure Anchor on sentences; anchor-exp searches with our replacement of words, its own needs a language model."""
    scene = scene_of(TEXTS, 3 if is_quick else 12, min_length=MIN_LENGTH)
    cost = cost_of(scene, "anchor", allows_empty=True)
    ours = [
        [condition.position for condition in _conditions(said) if condition.position is not None] for said in cost.said
    ]
    peer, compared = _anchor_peer(scene, ours, _anchor_texts, "its search, our replacement of words")
    reads, target = f"{_times(cost)}; {compared}", _anchor_target(2)
    return _row("Anchor, a sentence", scene, cost, peer, reads=reads, target=target)


def boundary_of_rows(is_quick: bool) -> Row:
    """Measure Decision Boundary, 10,000 perturbations and the path, beside one perturbation at a time."""
    scene = scene_of(TABLES, 5 if is_quick else 30)
    cost = cost_of(scene, "decision_boundary", n_samples=10_000)
    assert isinstance(scene.legend, Variables)
    sizes = [len(names) for names in scene.legend.values]
    rows = edited_rows(scene.items[0], sizes, 10_000, 3, np.random.default_rng(SEED))
    pure = timed(lambda: scene.model.predict(rows), n_repeats=5).best_s
    n_alone = 200 if is_quick else 1000
    alone = timed(lambda: [scene.model.predict(row[None]) for row in rows[:n_alone]], n_repeats=1)
    peer = Peer("one row at a time", "", alone.best_s * 10_000 / n_alone, f"scaled from {n_alone:,} rows")
    reads = f"{cost.ours.best_s / pure:.2f}x the model on all 10,000 rows; {cost.n_rows:,.0f} of them differ"
    return _row("Decision Boundary, a row of categories", scene, cost, peer, reads=reads, target="<= 2.5x the model")


def _row(what: str, scene: Scene, cost: Cost, peer: Peer, *, reads: str, target: str) -> Row:
    return Row(
        what=what, n=len(scene.items), seed=SEED, ours=cost.ours, peer=peer, reads=reads, target=target,
        method=f"Seconds for each of {len(scene.items)} items of {scene.ref.name}, explained for {scene.name}. The model "
        "alone answers the same rows in batches of 2,048.",
    )  # fmt: skip


def _anchor_target(times: int) -> str:
    return f"<= {times}x the model alone, rules no longer at equal precision"


def _times(cost: Cost) -> str:
    return f"{cost.ours.best_s / cost.model_s:.2f}x the model alone on {cost.n_rows:,.0f} rows"


def _overlap(first: list[set[str]], second: list[set[str]]) -> float:
    return float(np.mean([len(a & b) / N_FEATURES for a, b in zip(first, second, strict=True)]))


def _shortened(row: Floats) -> Floats:
    """Remove words from a sentence as LIME does, each text once however many are alike."""
    ids, rng = row[row >= 0], np.random.default_rng(SEED)
    n_removed = rng.integers(1, len(ids), size=(N_SAMPLES, 1))
    keeps = np.argsort(rng.random((N_SAMPLES, len(ids))), axis=1) >= n_removed
    return without_gaps(np.broadcast_to(ids, keeps.shape), keeps)


def _anchor_peer(
    scene: Scene, ours: list[list[int]], explain: Callable[[Scene], list[list[int]]], note: str
) -> tuple[Peer, str]:
    """Time the peer, and say how precise rules are on fresh inputs and how long at equal precision."""
    mine = _fresh_precision(scene, ours)
    held = f"{(mine >= THRESHOLD).mean():.0%} of rules hold on fresh inputs"
    try:
        start = process_time()
        theirs = explain(scene)
        seconds = (process_time() - start) / len(scene.items)
    except NoPeer as error:
        return Peer("anchor-exp", ANCHOR, None, f"peer not available: {error}"), held
    other = _fresh_precision(scene, theirs)
    equal = np.flatnonzero(other >= mine - 0.01)
    lengths = [np.mean([len(rules[k]) for k in equal]) if len(equal) else np.nan for rules in (ours, theirs)]
    return Peer("anchor-exp", ANCHOR, seconds, note), (
        f"{held}, {(other >= THRESHOLD).mean():.0%} of the peer's; on the {len(equal)} items where the peer's are as "
        f"precise, {lengths[0]:.2f} conditions, the peer's {lengths[1]:.2f}"
    )


def _fresh_precision(scene: Scene, rules: list[list[int]]) -> Floats:
    """Return the share of inputs under each rule, not drawn before, that keep the answer."""
    rng, found = np.random.default_rng(SEED + 1), list[float]()
    for row, rule in zip(scene.items, rules, strict=True):
        if isinstance(scene.legend, Variables):
            fresh = scene.background[rng.integers(len(scene.background), size=10_000)]
            fresh[:, rule] = row[rule]
            own = row
        else:
            own = row[row >= 0]
            choices = choices_for(own.astype(np.int64), _words(scene), n_choices=100, temperature=0.4)
            changes = (rng.random((10_000, len(choices.places))) < 0.5) & ~np.isin(choices.places, rule)
            fresh = edited_texts(own, choices, changes, rng.random(changes.sum()))
        label = np.argmax(scene.model.predict(own[None])[0])
        found.append(float((np.argmax(scene.model.predict(fresh), axis=1) == label).mean()))
    return np.array(found)


def _words(scene: Scene) -> WordTable:
    assert isinstance(scene.legend, Vocabulary)
    return words_for(scene.model, scene.legend)


def _conditions(explanation: Explanation) -> tuple[RuleCondition, ...]:
    return explanation.conditions if isinstance(explanation, RuleExplanation) else ()


def _names(scene: Scene) -> dict[int, list[str]]:
    assert isinstance(scene.legend, Variables)
    return {position: list(names) for position, names in enumerate(scene.legend.values)}


def _lime_rows(scene: Scene, seed: int) -> list[set[str]]:
    lime, names = PEER.module("lime.lime_tabular"), _names(scene)
    assert isinstance(scene.legend, Variables)
    explainer = lime.LimeTabularExplainer(
        scene.background.copy(), categorical_features=list(names), categorical_names=names, random_state=seed
    )
    said = [
        explainer.explain_instance(row, scene.model.predict, num_features=N_FEATURES, num_samples=N_SAMPLES)
        for row in scene.items
    ]
    return [{scene.legend.features[position] for position, _ in explanation.as_map()[1]} for explanation in said]


def _lime_texts(scene: Scene) -> None:
    lime = PEER.module("lime.lime_text")
    assert isinstance(scene.legend, Vocabulary)
    number = {f"w{k}": k for k in range(len(scene.legend.words))}

    def answer(texts: list[str]) -> Floats:
        rows = [[number[word] for word in text.split()] for text in texts]
        ids = np.full((len(rows), max(1, *map(len, rows))), -1.0)
        for position, row in enumerate(rows):
            ids[position, : len(row)] = row
        return scene.model.predict(ids)

    explainer = lime.LimeTextExplainer(random_state=SEED)
    for row in scene.items:
        text = " ".join(f"w{int(k)}" for k in row if k >= 0)
        explainer.explain_instance(text, answer, num_features=N_FEATURES, num_samples=N_SAMPLES)


def _anchor_rows(scene: Scene) -> list[list[int]]:
    anchor, names = PEER.module("anchor.anchor_tabular"), _names(scene)
    assert isinstance(scene.legend, Variables)
    explainer = anchor.AnchorTabularExplainer(
        list(scene.model.labels), list(scene.legend.features), scene.background.copy(), names
    )
    return [
        list(explainer.explain_instance(row, _label_numbers(scene), threshold=0.95, delta=0.05, tau=0.1, batch_size=50).features())
        for row in scene.items
    ]  # fmt: skip


def _anchor_texts(scene: Scene) -> list[list[int]]:
    anchor, rng = PEER.module("anchor.anchor_base"), np.random.default_rng(SEED)
    table, rules = _words(scene), list[list[int]]()
    for row in scene.items:
        ids = row[row >= 0]
        choices = choices_for(ids.astype(np.int64), table, n_choices=100, temperature=0.4)
        label = np.argmax(scene.model.predict(ids[None])[0])

        def sample(present: list[int], n: int, compute_labels: bool = True, held: Any = (ids, choices, label)) -> Any:
            own, options, wanted = held
            changes = rng.random((n, len(options.places))) < 0.5
            changes[:, present] = False
            texts = edited_texts(own, options, changes, rng.random(changes.sum()))
            kept = np.argmax(scene.model.predict(texts), axis=1) == wanted if compute_labels else np.zeros(0)
            return texts, (~changes).astype(int), kept.astype(int)

        found = anchor.AnchorBaseBeam.anchor_beam(
            sample, delta=0.1, epsilon=0.15, batch_size=100, desired_confidence=0.95, stop_on_first=True
        )
        rules.append([int(choices.places[k]) for k in found["feature"]])
    return rules


def _label_numbers(scene: Scene) -> Any:
    return lambda rows: np.argmax(scene.model.predict(np.asarray(rows, dtype=np.float64)), axis=1)


ROWS = (
    Bench("LIME of rows", lime_of_rows),
    Bench("LIME of texts", lime_of_texts),
    Bench("Anchor of rows", anchor_of_rows),
    Bench("Anchor of texts", anchor_of_texts),
    Bench("Decision Boundary of rows", boundary_of_rows),
)
