"""Own data: everything that is stored about one person, as a page to read and as JSON, with their recordings.

A copy holds what the person's own page sent and was told. It names no condition and no right answer, so that it tells nobody
more about the study than taking part did.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any, NamedTuple

from understudy.conduct import Script
from understudy.record import RecordedPart, parts_in
from understudy.recruiters import recruiter_id_of
from understudy.schema import (
    AnnotationGiven,
    CodesGiven,
    CodesSettled,
    Event,
    Interacted,
    PaySettled,
    ResponseGiven,
    SessionEnded,
    SessionExcluded,
    Study,
    TrialShown,
    blocks_in,
)
from understudy.serve.page_state import pay_state
from understudy.serve.wire import WireNames

_OWN_WORDS = 24
"""Answers from this length on are what somebody wrote, and not one of a few options that others chose as well."""
_SUBMISSIONS = ("SESSION_ID", "assignmentId")
PAGE, DATA = "my-data.html", "my-data.json"


class Stored(NamedTuple):
    """What a run holds of one person."""

    script: Script
    events: Sequence[Event]
    names: WireNames
    """What blocks are called on the person's page."""
    fields: Mapping[str, str]
    """The parameters of the link by which they came."""
    read: Callable[[RecordedPart], bytes]
    pay: Mapping[str, Any] | None
    """What they were told about their pay; None where nothing was settled."""
    code: str | None = None


def own_data(stored: Stored, *, for_researchers: bool) -> dict[str, Any]:
    """Return everything that is stored about a person; researchers hand on their own notes about the person as well."""
    events = stored.events
    study = stored.script.study
    ended = next((event for event in reversed(events) if isinstance(event, SessionEnded)), None)
    shown = {event.step: event for event in events if isinstance(event, TrialShown)}
    answers = [_answered(stored, event, shown) for event in events if isinstance(event, ResponseGiven)]
    did = [
        {"page": event.step + 1, "at": _when(event.at_ms), "what": event.action, "details": stored.names.written_payload(event)}
        for event in events
        if isinstance(event, Interacted)
    ]  # fmt: skip
    plain: dict[str, Any] = {
        "study": study.shown_title or study.name,
        "session": events[0].session_id,
        "pseudonym": getattr(events[0], "participant_id", ""),
        "link": dict(stored.fields),
        "began": _when(events[0].at_ms),
        "ended": None if ended is None else {"at": _when(ended.at_ms), "how": ended.outcome, "reason": ended.reason},
        "pay": None if stored.pay is None else dict(stored.pay),
        "code": stored.code,
        "answers": answers,
        "pages_seen": [{"page": step + 1, "at": _when(event.at_ms)} for step, event in sorted(shown.items())],
        "interactions": did,
        "recordings": [
            {"file": _file_of(number, part), "at": _when(part.chunks[0].at_ms), "bytes": sum(c.n_bytes for c in part.chunks)}
            for number, part in enumerate(parts_in(events), start=1)
        ],
        "who_sees_it": who_sees(study),
    }  # fmt: skip
    if for_researchers:
        plain["notes_of_researchers"] = [
            {"at": _when(event.at_ms), "excluded": event.reason}
            if isinstance(event, SessionExcluded)
            else {"at": _when(event.at_ms), "about": event.question_id, "code": event.code}
            if isinstance(event, AnnotationGiven)
            else {"at": _when(event.at_ms), "about": event.scheme_id, "codes": list(event.codes or ())}
            for event in events
            if isinstance(event, SessionExcluded | AnnotationGiven | CodesGiven | CodesSettled)
        ]
        plain["settled_pay"] = [
            {"at": _when(event.at_ms), "currency": event.currency, "base": event.base, "bonus": event.bonus}
            for event in events
            if isinstance(event, PaySettled)
        ]
    return plain


def own_archive(stored: Stored, *, for_researchers: bool = False) -> bytes:
    """Return a ZIP file with a page to read, the same as JSON, and the recordings."""
    plain = own_data(stored, for_researchers=for_researchers)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PAGE, _page(plain, stored.script.study.language))
        archive.writestr(DATA, json.dumps(plain, indent=2, ensure_ascii=False))
        for number, part in enumerate(parts_in(stored.events), start=1):
            archive.writestr(_file_of(number, part), stored.read(part))
    return packed.getvalue()


def pay_told(study: Study, events: Sequence[Event]) -> dict[str, Any] | None:
    """Return as much of somebody's pay as the study lets people know; None where nothing was settled."""
    pay = next((event for event in reversed(events) if isinstance(event, PaySettled)), None)
    return None if pay is None else pay_state(pay, study.access.results).model_dump()


def words_of(
    session_id: str, participant_id: str, fields: Mapping[str, str], events: Sequence[Event]
) -> frozenset[str]:
    """Return the words by which files tell of somebody: ids, and what they wrote themselves."""
    written = (
        answer
        for event in events
        if isinstance(event, ResponseGiven)
        for answer in event.response.values()
        if isinstance(answer, str) and len(answer) >= _OWN_WORDS
    )
    own = (recruiter_id_of(fields) or "", *(fields.get(name, "") for name in _SUBMISSIONS))
    return frozenset({session_id, participant_id, *own, *written} - {""})


def who_sees(study: Study) -> list[str]:
    """Say who sees the data of a study: what its consent page says, and who else does by the study's own design."""
    said = [block.task.params.get("storage") for block in blocks_in(study.flow) if block.task.name == "consent"]
    words = _WORDS[_language(study.language)]
    found = [text for text in said if isinstance(text, str) and text]
    found.append(words["team"])
    if study.annotation:
        found.append(words["annotators"])
    if study.recruitment is not None:
        found.append(words["recruiter"].format(recruiter=study.recruitment.recruiter.name))
    return found


def _answered(stored: Stored, event: ResponseGiven, shown: Mapping[int, TrialShown]) -> dict[str, Any]:
    trial = stored.script.trials.get(event.trial_id)
    prompts = {} if trial is None else {ask.question_id: getattr(ask, "prompt", "") for ask in trial.asks}
    return {
        "page": event.step + 1,
        "shown": _when(shown[event.step].at_ms) if event.step in shown else None,
        "answered": _when(event.at_ms),
        "seconds": round(event.rt_ms / 1000, 3),
        "active_seconds": None if event.active_ms is None else round(event.active_ms / 1000, 3),
        "answers": [
            {"question": prompts.get(name) or name, "id": name, "answer": answer}
            for name, answer in event.response.items()
        ],
    }


def _file_of(number: int, part: RecordedPart) -> str:
    # Never the name of the block, which may tell the condition.
    return f"recordings/{number:03d}.{part.chunks[0].media}"


def _when(at_ms: int) -> str:
    try:
        return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{at_ms} ms"


def _language(language: str) -> str:
    return "de" if language.lower().startswith("de") else "en"


def _page(plain: Mapping[str, Any], language: str) -> str:
    """Return the page to read; whatever comes from the person or the study is text and never markup."""
    words = _WORDS[_language(language)]

    def text(value: object) -> str:
        return escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))

    facts = [(words[name], plain[name]) for name in ("session", "pseudonym", "began", "code") if plain[name]]
    if plain["ended"]:
        facts.append(
            (words["ended"], f"{plain['ended']['at']}, {plain['ended']['how']} {plain['ended']['reason']}".strip())
        )
    facts += [(f"{words['link']}: {name}", value) for name, value in plain["link"].items()]
    if plain["pay"]:
        facts.append((words["pay"], " ".join(f"{name} {value}" for name, value in plain["pay"].items())))
    rows = [
        f"<tr><td>{answered['page']}</td><td>{text(answered['answered'])}</td><td>{answered['seconds']}</td>"
        f"<td>{text(given['question'])}</td><td>{text(given['answer'])}</td></tr>"
        for answered in plain["answers"]
        for given in answered["answers"]
    ]
    heard = [
        f'<li>{text(each["at"])} <audio controls src="{text(each["file"])}"></audio></li>'
        for each in plain["recordings"]
    ]
    did = [
        f"<tr><td>{each['page']}</td><td>{text(each['at'])}</td><td>{text(each['what'])}</td><td>{text(each['details'])}</td></tr>"
        for each in plain["interactions"]
    ]
    notes = [f"<li>{text(note)}</li>" for note in plain.get("notes_of_researchers", [])]
    seen = [f"<li>{text(sentence)}</li>" for sentence in plain["who_sees_it"]]
    return f"""<!doctype html>
<html lang="{_language(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(words["title"])}</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; width: 100%; }} th, td {{ border: 1px solid #888; padding: .3rem .5rem; text-align: left;
vertical-align: top; }}
</style></head><body><h1>{escape(words["title"])}</h1><p>{escape(words["study"])}: {text(plain["study"])}</p>
<p>{escape(words["same"])}</p>
<table>{"".join(f"<tr><th>{text(name)}</th><td>{text(value)}</td></tr>" for name, value in facts)}</table>
<h2>{escape(words["sees"])}</h2><ul>{"".join(seen)}</ul>
<h2>{escape(words["answers"])}</h2><table><tr>{_headings(words["columns"])}</tr>{"".join(rows)}</table>
<h2>{escape(words["recordings"])}</h2>{f"<ul>{''.join(heard)}</ul>" if heard else f"<p>{escape(words['none'])}</p>"}
{f"<h2>{escape(words['notes'])}</h2><ul>{''.join(notes)}</ul>" if notes else ""}
<h2>{escape(words["interactions"])}</h2><table><tr>{_headings(words["did"])}</tr>{"".join(did)}</table>
</body></html>
"""


def _headings(columns: str) -> str:
    return "".join(f"<th>{escape(column)}</th>" for column in columns.split("|"))


_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "title": "What is stored about you",
        "study": "Study",
        "same": f"The file {DATA} has the same in a form for programs.",
        "session": "Session",
        "pseudonym": "Pseudonym",
        "began": "Began",
        "ended": "Ended",
        "code": "Completion code",
        "link": "From your link",
        "pay": "Pay",
        "sees": "Who sees it",
        "answers": "Your answers",
        "columns": "Page|Answered|Seconds|Question|Answer",
        "recordings": "Recordings of your voice",
        "notes": "Notes of the researchers",
        "interactions": "What the page noted",
        "did": "Page|Time|What|Details",
        "none": "None.",
        "team": "The people who run the study see your answers under the pseudonym. What your link said about you is kept apart.",
        "annotators": "People who code texts and recordings get them without your id.",
        "recruiter": "The recruiter ({recruiter}) learns how the session ended, your code and what you are paid, not your answers.",
    },
    "de": {
        "title": "Was über Sie gespeichert ist",
        "study": "Studie",
        "same": f"Die Datei {DATA} enthält dasselbe in einer Form für Programme.",
        "session": "Sitzung",
        "pseudonym": "Pseudonym",
        "began": "Begonnen",
        "ended": "Beendet",
        "code": "Abschlusscode",
        "link": "Aus Ihrem Link",
        "pay": "Bezahlung",
        "sees": "Wer es sieht",
        "answers": "Ihre Antworten",
        "columns": "Seite|Beantwortet|Sekunden|Frage|Antwort",
        "recordings": "Aufnahmen Ihrer Stimme",
        "notes": "Notizen der Forschenden",
        "interactions": "Was die Seite festgehalten hat",
        "did": "Seite|Zeit|Was|Einzelheiten",
        "none": "Keine.",
        "team": "Die Forschenden sehen Ihre Antworten unter dem Pseudonym. Was Ihr Link über Sie sagte, ist davon getrennt.",
        "annotators": "Wer Texte und Aufnahmen auswertet, bekommt sie ohne Ihre Kennung.",
        "recruiter": "Der Vermittler ({recruiter}) erfährt, wie die Sitzung endete, Ihren Code und Ihre Bezahlung, nicht Ihre Antworten.",
    },
}
