"""Parts of a longitudinal study: who is invited to a later one, and how they are found in the log of the earlier."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pandas as pd

from understudy.actions.run_folder import Run, existing_run, require_unblinded
from understudy.actions.run_tables import tables_of
from understudy.conduct.assignment import is_invited
from understudy.conduct.attrition import Lost, attrition_of
from understudy.errors import UnderstudyError
from understudy.record import Log, SessionSummary
from understudy.recruiters import recruiter_id_of
from understudy.schema import Study
from understudy.schema.study import FollowUp, Standing
from understudy.serve import ServedStudy
from understudy.serve.access import SIGNATURE, Keyring
from understudy.serve.people import People


class EarlierRun(NamedTuple):
    """An earlier part: its study, and the log that holds its sessions."""

    study: Study
    log: Log

    def session_of(self, participant_id: str) -> SessionSummary | None:
        """Return somebody's session."""
        return self.log.summary_of(self.study.name, participant_id)


@contextmanager
def opened_run(folder: Path) -> Iterator[EarlierRun]:
    """Open an earlier part that another server serves, or none any more."""
    run = existing_run(folder)
    with run.open_log() as log:
        yield EarlierRun(run.script.study, log)


def with_earlier_parts(studies: Sequence[ServedStudy], named: Sequence[EarlierRun]) -> list[ServedStudy]:
    """Return the studies, each later part with a way to look people up in its earlier one."""
    known = [*named, *(EarlierRun(served.script.study, served.log) for served in studies)]
    return [replace(served, earlier_part=_lookup(served.script.study, known)) for served in studies]


def _lookup(study: Study, known: Sequence[EarlierRun]) -> Callable[[str], SessionSummary | None] | None:
    follows = study.follows
    if follows is None:
        return None
    earlier = next((run for run in known if run.study.name == follows.study), None)
    if earlier is None:
        raise UnderstudyError(
            f"{study.name} follows {follows.study!r}, and only its people may come. Serve both folders, or name the run "
            "of the earlier part with --earlier-part."
        )
    require_same_conditions(earlier.study, study)
    return earlier.session_of


def require_same_conditions(earlier: Study, later: Study) -> None:
    """Raise an error if people should keep a condition that the later part does not have."""
    names = {cell.name for cell in later.cells}
    strange = [cell.name for cell in earlier.cells if cell.name not in names]
    if later.follows is not None and later.follows.keeps_condition and strange:
        raise UnderstudyError(
            f"People keep their condition, but {later.name!r} has no {', '.join(map(repr, strange))}. Give its conditions "
            "the same names, or set keeps_condition = false."
        )


# The parts of a longitudinal study: who is invited to the later one, and both joined person by person.

FIRST, SECOND, CHANGE = "_1", "_2", "change_"
_OF_PERSON = ("participant", "is_synthetic", "condition")
_NOT_COMPARED = ("base_pay", "bonus", "is_pilot")


class PartFlow(NamedTuple):
    """How many people of one condition went from the earlier part to the later one."""

    condition: str
    n_started: int
    n_invited: int
    """Those who may take the later part."""
    n_came: int
    n_completed: int

    @property
    def lost_share(self) -> float | None:
        """The share of invited people who did not complete the later part."""
        return None if not self.n_invited else 1 - self.n_completed / self.n_invited


class JoinedParts(NamedTuple):
    """One row for each person of the earlier part, and what became of them."""

    people: pd.DataFrame
    flow: tuple[PartFlow, ...]
    compared: tuple[str, ...]
    """Columns of both parts whose change was computed."""
    is_synthetic: bool

    @property
    def sentence(self) -> str:
        """Whether conditions lost people differently between the parts."""
        lost = [Lost(row.n_invited, row.n_invited - row.n_completed) for row in self.flow]
        found = attrition_of(lost)
        if found is None:
            return "Too few people were invited in each condition to say whether conditions lose people differently."
        most, least = self.flow[found.first].condition, self.flow[found.second].condition
        name = "exact test" if found.method == "exact" else "chi-square test"
        return (
            f"Between the parts, {most} lost {100 * lost[found.first].share:.0f} % and {least} {100 * lost[found.second].share:.0f} %: "
            f"a difference of {100 * found.difference:.0f} points, 95 % interval {100 * found.low:.0f} to "
            f"{100 * found.high:.0f}; {name}, p = {found.p:.3f}."
        )


def follow_up_of(first: Run, second: Run) -> FollowUp:
    """Return how the later part follows the earlier one, or say what does not fit."""
    follows, name = second.script.study.follows, first.script.study.name
    if follows is None:
        raise UnderstudyError(
            f"{second.folder} follows no earlier part. Write [follows] with study = {name!r} into its study file."
        )
    if follows.study != name:
        raise UnderstudyError(f"{second.folder} follows {follows.study!r}, but {first.folder} holds {name!r}.")
    require_same_conditions(first.script.study, second.script.study)
    return follows


def invited_sessions(first: Run, second: Run) -> Iterator[SessionSummary]:
    """Yield the sessions of the earlier part whose people may take the later one, in order of start."""
    follows = follow_up_of(first, second)
    with first.open_log() as log:
        yield from (summary for summary in log.summaries(first.script.study.name) if is_invited(follows, summary))


def joined_parts(first: Run, second: Run) -> JoinedParts:
    """Join both parts by pseudonym: one row for each person who started the earlier one."""
    for run in (first, second):
        require_unblinded(run)
    invited = {summary.participant_id for summary in invited_sessions(first, second)}
    tables = [tables_of(run).sessions for run in (first, second)]
    if not len(tables[0]):
        raise UnderstudyError(f"{first.folder} holds nobody yet, so there is nothing to join.")
    early, late = (_counted(table) for table in tables)
    people = early.merge(late.drop(columns=["is_synthetic"]), on="participant", how="left", suffixes=(FIRST, SECOND))
    people.insert(1, "is_invited", people["participant"].isin(invited))
    people.insert(2, "came_back", people["session_2"].notna())
    people["condition"] = people["condition_1"]
    compared = tuple(_compared(early, late))
    for name in compared:
        people[f"{CHANGE}{name}"] = people[f"{name}{SECOND}"].astype(float) - people[f"{name}{FIRST}"].astype(float)
    flow = tuple(_flow(people, cell.name) for cell in first.script.study.cells)
    return JoinedParts(people, flow, compared, bool(people["is_synthetic"].any()))


def _counted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the session table with a column that says whether the plan would count the session."""
    return table.assign(is_counted=(table["outcome"] == "completed") & table["excluded_by"].isna())


def _compared(early: pd.DataFrame, late: pd.DataFrame) -> Iterator[str]:
    for name in early.columns:
        is_number = name in late.columns and all(
            pd.api.types.is_numeric_dtype(table[name]) and not pd.api.types.is_bool_dtype(table[name])
            for table in (early, late)
        )
        if is_number and name not in (*_OF_PERSON, *_NOT_COMPARED):
            yield name


def _flow(people: pd.DataFrame, condition: str) -> PartFlow:
    own = people[people["condition_1"] == condition]
    invited = own[own["is_invited"]]
    return PartFlow(
        condition,
        len(own),
        len(invited),
        int(invited["came_back"].sum()),
        int(invited["is_counted_2"].eq(True).sum()),
    )


# Invitations to a later part: a signed personal link for everybody who may come, and when.


class Invitation(NamedTuple):
    """One person who may take the later part."""

    recruiter_id: str
    link: str
    opens_ms: int
    closes_ms: int | None
    standing: Standing
    has_come: bool


class Inviting(NamedTuple):
    """The two parts, where the later one is served, and the secret that signs its links."""

    first: Run
    second: Run
    address: str
    keyring: Keyring


def invitations(inviting: Inviting, now_ms: int) -> Iterator[Invitation]:
    """Yield an invitation for each person of the earlier part who may take the later one and has a recruiter's id."""
    first, second = inviting.first, inviting.second
    follows, name = follow_up_of(first, second), second.script.study.name
    fields = _fields_by_person(first)
    with second.open_log() as log:
        came = {summary.participant_id for summary in log.summaries(name)}
    for summary in invited_sessions(first, second):
        given = fields.get(summary.participant_id, {})
        recruiter_id = recruiter_id_of(given)
        if recruiter_id is None:
            continue
        parameter = next(key for key, value in given.items() if value == recruiter_id)
        signature = inviting.keyring.link_signature(name, recruiter_id)
        query = urlencode({parameter: recruiter_id, SIGNATURE: signature})
        opens_ms, closes_ms = follows.window_ms(summary.last_event_ms)
        yield Invitation(
            recruiter_id,
            f"{inviting.address.rstrip('/')}/s/{name}?{query}",
            opens_ms,
            closes_ms,
            follows.standing_at(now_ms, summary.last_event_ms),
            summary.participant_id in came,
        )


def _fields_by_person(run: Run) -> dict[str, dict[str, str]]:
    with run.open_log() as log:
        if log.is_shared:
            return log.people(run.script.study.name)
    path = run.folder / "people.sqlite"
    if not path.exists():
        return {}
    return People(path).all()
