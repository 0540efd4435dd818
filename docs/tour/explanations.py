"""The part of the tour for kinds of explanation: one picture of each, from small simulation studies that are served."""

from typing import TYPE_CHECKING

from tour.participants import Tour
from understudy.protocols.hase2020.lessons import LESSONS, screening_key
from understudy.protocols.hase2020.study import (
    INCOME,
    REVIEWS,
    Scope,
    Simulated,
    Source,
    classifier,
    five_explainers,
    simulation_study,
    with_prototypes,
)
from understudy.schema import Study

if TYPE_CHECKING:
    from tour.walker import Walker

_METHODS = {"tabular": ("anchor", "prototype", "decision_boundary"), "text": ("lime",)}
_SOURCES = {"tabular": INCOME, "text": REVIEWS}
_PICTURES = {
    "tabular": {
        "edited-case": ".item:has(.is-edits)",
        "rule": ".explanation:has(.rule):not(.example *)",
        "similar-case": ".similar-case .is-paired:not(.example *)",
        "path": ".explanation:has(.path):not(.example *)",
    },
    "text": {"lesson": ".card:has(.example)", "word-weights": ".explanation:has(.token-attribution):not(.example *)"},
}
"""Study -> picture -> the part of a page that it shows."""


def studies() -> list[Study]:
    """Build the studies, with one place in each arm."""
    return [_study(kind, source, _METHODS[kind]) for kind, source in _SOURCES.items()]


def _study(kind: str, source: Source, methods: tuple[str, ...]) -> Study:
    about = Simulated(
        problem=source.problem,
        dataset=source.dataset,
        model=classifier(source.model),
        explainers={name: ref for name, ref in five_explainers(source).items() if name in methods},
        also_model=with_prototypes(source.prototypes),
    )
    return simulation_study(
        f"showcase-{kind}", f"Explanations, {kind}", about, Scope(8, 4, 1, minutes=10, reward=2.0), seed=2020
    )


async def pictures(tour: Tour) -> None:
    """Send somebody into every arm, until each kind has been photographed."""
    for kind, methods in _METHODS.items():
        wanted = dict(_PICTURES[kind])
        for _ in (*methods, "control"):
            async with tour.somebody(f"/s/showcase-{kind}") as walker:
                await _walk(tour, walker, wanted, screening_key(tuple(LESSONS)))


async def _walk(tour: Tour, walker: "Walker", wanted: dict[str, str], right: dict[str, str]) -> None:
    while wanted and await walker.shown() not in ("end", "demographics"):
        for name, part in tuple(wanted.items()):
            if await walker.page.locator(part).count():
                await tour.album.take(walker.page, name, part=part)
                del wanted[name]
        await walker.answer()
        for question, answer in right.items():
            if await walker.page.locator(f"[data-question={question}]").count():
                await walker.choose(answer)
        await walker.go_on()
