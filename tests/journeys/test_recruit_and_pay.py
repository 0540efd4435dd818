"""The page "Recruit on Prolific and pay participants", executed against the fake platform by people who take its links."""

import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from tests.fake_prolific import TOKEN, FakeProlific, served
from tests.house.test_docs import fences
from tests.serve.stage_door import ADMIN, SECRET, Person, answering, played, server, typical
from tests.shell import understudy

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "recruit-and-pay.md"
ANSWERS: dict[str, dict[str, Any]] = {
    "ann": {}, "bob": {}, "cy": {}, "dee": {"consent": "I do not agree"}, "eve": {"fails": True},
}  # fmt: skip


def link_for(fake: FakeProlific, study_id: str, person: str) -> dict[str, str]:
    """What Prolific writes into the study's link for one person."""
    written = fake.studies[study_id]["external_study_url"]
    for field, value in (("PROLIFIC_PID", person), ("STUDY_ID", study_id), ("SESSION_ID", f"sub-{person}")):
        written = written.replace(f"{{{{%{field}%}}}}", value)
    assert urlsplit(written).path == "/s/my-study"
    return dict(parse_qsl(urlsplit(written).query))


def took_part(fake: FakeProlific, folder: Path) -> dict[str, str]:
    """Send everybody through the study and back, and return how it ended for each."""
    study_id = next(iter(fake.studies))

    async def play(client: httpx.AsyncClient) -> dict[str, str]:
        outcomes = {}
        for name, wishes in ANSWERS.items():
            submission_id = fake.enter(study_id, name)
            assert submission_id is not None
            person = Person(client, "my-study", **link_for(fake, study_id, name))
            await person.start()
            how = _wrong if wishes.pop("fails", False) else answering(**wishes)
            ended = await person.finish(how)
            fake.come_back(submission_id, dict(parse_qsl(urlsplit(ended["redirect"]).query))["cc"])
            outcomes[name] = ended["outcome"]
        return outcomes

    with server(folder) as app:
        return dict(played(app, play))


def _wrong(trial: dict[str, Any]) -> dict[str, Any]:
    """Choose the last option of every question of the comprehension check, and agree to take part."""
    last = {ask["question_id"]: ask["options"][-1] for ask in trial["asks"] if ask.get("options")}
    first = typical(trial)
    return first if "consent" in first else first | last


def ran(text: str) -> str:
    """Run the commands of one block."""
    shown = [understudy(*shlex.split(line)[1:]) for line in text.splitlines() if line.startswith("understudy ")]
    assert [command.err for command in shown if command.code] == []
    return "".join(command.out for command in shown)


def test_the_page_leads_from_a_study_file_to_paid_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNDERSTUDY_SECRET", SECRET.decode())
    monkeypatch.setenv("UNDERSTUDY_ADMIN_TOKEN", ADMIN)
    monkeypatch.setenv("UNDERSTUDY_PROLIFIC_TOKEN", TOKEN)
    fake, printed, outcomes = FakeProlific(), "", {}
    with served(fake) as address:
        monkeypatch.setenv("UNDERSTUDY_PROLIFIC_URL", address)
        for fence in fences(PAGE):
            if fence.language == "toml":
                with Path("my-study.toml").open("a", encoding="utf-8") as file:
                    file.write(f"\n{fence.text}")
            elif fence.language == "text":
                assert [line for line in fence.text.splitlines() if line not in printed.splitlines()] == []
            else:
                if "understudy pay" in fence.text:
                    outcomes = took_part(fake, Path("runs/my-study"))
                    fake.leave("sub-eve", "RETURNED")
                printed = ran(fence.text)
    assert outcomes == {
        "ann": "completed",
        "bob": "completed",
        "cy": "completed",
        "dee": "declined",
        "eve": "screened_out",
    }
    assert {name: fake.paid_cents(f"sub-{name}") > 200 for name in ("ann", "bob", "cy")} == dict.fromkeys(
        ("ann", "bob", "cy"), True
    )
    assert (fake.paid_cents("sub-dee"), fake.paid_cents("sub-eve")) == (0, 50)
    assert re.search(r"Approved 3 submissions, ordered 4 bonuses\.", printed)
    assert "On its way: USD 0.00." in printed
