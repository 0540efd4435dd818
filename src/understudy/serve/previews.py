"""Preview: every page of a study, condition by condition, as a simulated person met it; nothing is stored."""

from collections.abc import Iterator

from understudy.conduct import Ended, Script
from understudy.schema import Event, ResponseGiven, SessionEnded, SessionStarted
from understudy.schema.simulation import PreviewWalk, PreviewWalks
from understudy.schema.wire import PreviewCondition, PreviewContents, PreviewPage, PreviewPart, PreviewTrial
from understudy.serve.live_session import Live, opening, title_of
from understudy.serve.page_state import States
from understudy.serve.public_study import PublicStudy
from understudy.serve.wire import Refusal

_FROM_OUTSIDE = ("withdrew", "abandoned")


class Preview:
    """The pages of one study."""

    def __init__(self, script: Script, public: PublicStudy, walks: PreviewWalks) -> None:
        self._script, self._public = script, public
        self._walks = {walk.condition: walk for walk in walks.walks}
        self._levels = {cell.name: dict(cell.levels) for cell in script.study.cells}
        self.contents = PreviewContents(
            name=script.study.name,
            title=script.study.title,
            language=script.study.language,
            digest=script.digest,
            conditions=tuple(map(self._condition, walks.walks)),
        )
        self._states = States()

    def page(self, condition: str, number: int, trial_id: str | None = None) -> bytes:
        """Write the state of one page, with another item in its place if one is named."""
        walk = self._walks.get(condition)
        if walk is None:
            raise Refusal(404, f"{condition!r} is not a condition. Conditions are: {', '.join(self._walks)}.")
        # The session is asked for each page anew: it must show what people see who have come as far.
        live = next((live for at, live in enumerate(_states_of(self._script, walk), 1) if at == number), None)
        if live is None:
            raise Refusal(404, f"{condition!r} has no page {number}; see the contents of the preview.")
        if trial_id is not None and not self._fits(live, trial_id):
            raise Refusal(404, f"{trial_id!r} is not a trial of this page; see the contents of the preview.")
        return self._states.preview_of(self._public, live, trial_id)

    def _fits(self, live: Live, trial_id: str) -> bool:
        now = live.at_hand
        return not isinstance(now, Ended) and trial_id in self._script.all_trial_ids(now.visit)

    def _condition(self, walk: PreviewWalk) -> PreviewCondition:
        parts: list[tuple[str, list[PreviewPage]]] = []
        listed: set[str] = set()
        met = {event.trial_id for event in walk.events if isinstance(event, ResponseGiven)}
        outcome = "left"
        for number, live in enumerate(_states_of(self._script, walk), 1):
            now = live.at_hand
            if isinstance(now, Ended):
                outcome = now.outcome
                break
            title = now.part.title if now.part is not None else ""
            if not parts or parts[-1][0] != title:
                parts.append((title, []))
            key = now.visit.visit_id
            others = () if key in listed else self._others(live, met)
            listed.add(key)
            parts[-1][1].append(self._page(live, number, others))
        return PreviewCondition(
            name=walk.condition,
            levels=self._levels.get(walk.condition, {}),
            parts=tuple(PreviewPart(title=title, pages=tuple(pages)) for title, pages in parts),
            n_pages=sum(len(pages) for _, pages in parts),
            outcome=outcome,
        )

    def _page(self, live: Live, number: int, others: tuple[PreviewTrial, ...]) -> PreviewPage:
        step, now = live.step(self._public), live.at_hand
        if step is None or isinstance(now, Ended):
            raise AssertionError("a page is made of a step")
        block = now.visit.block
        return PreviewPage(
            number=number,
            trial_id=now.trial.trial_id,
            block=block.block_id,
            task=now.trial.task,
            purpose=block.purpose,
            label=title_of(now.trial) or block.block_id.replace("_", " "),
            position=step.position,
            n_positions=step.n_positions,
            others=others,
        )

    def _others(self, live: Live, met: set[str]) -> tuple[PreviewTrial, ...]:
        now = live.at_hand
        if isinstance(now, Ended):
            return ()
        return tuple(
            PreviewTrial(trial_id=trial_id, label=self._script.trials[trial_id].stimulus_id or trial_id)
            for trial_id in self._script.all_trial_ids(now.visit)
            if trial_id not in met
        )


def _states_of(script: Script, walk: PreviewWalk) -> Iterator[Live]:
    """Yield the session before each page, and once more at its end; it is the same object each time."""
    started, *rest = walk.events
    if not isinstance(started, SessionStarted):
        raise AssertionError("a walk begins with its session")
    live = opening(script, started)
    yield live
    for event in rest:
        if not is_given(event):
            continue
        live.take(event)
        if isinstance(event, ResponseGiven):
            yield live


def is_given(event: Event) -> bool:
    """Tell whether an event came from outside, and is not derived by the session itself."""
    return event.stream != "engine" or (isinstance(event, SessionEnded) and event.outcome in _FROM_OUTSIDE)
