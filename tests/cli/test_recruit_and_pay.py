"""The commands that recruit and pay: what they print, what they ask, and what they refuse."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
import typer

from tests.fake_prolific import TOKEN, FakeProlific, Fault, Faults, served
from tests.paid_people import Person, log_in
from tests.paid_studies import PROLIFIC, paid_study
from tests.serve.stage_door import ADMIN, SECRET, folder_of
from tests.shell import Shown, understudy
from understudy.actions.backup import RESTORED
from understudy.record import open_log
from understudy.schema import Sequential
from understudy.serve.access import Keyring
from understudy.serve.people import People

ADDRESS = ("--address", "https://study.example")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProlific]:
    platform = FakeProlific()
    with served(platform) as address:
        for name, value in (
            ("UNDERSTUDY_PROLIFIC_URL", address), ("UNDERSTUDY_PROLIFIC_TOKEN", TOKEN),
            ("UNDERSTUDY_SECRET", SECRET.decode()), ("UNDERSTUDY_ADMIN_TOKEN", ADMIN),
        ):  # fmt: skip
            monkeypatch.setenv(name, value)
        yield platform


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(paid_study(), tmp_path / "run")


def came(folder: Path, fake: FakeProlific, *people: Person) -> None:
    """Let people take part and come back, as the server and the platform would store it."""
    listed, keyring = People(folder / "people.sqlite"), Keyring(SECRET)
    with open_log(log_in(folder)) as log:
        for person in people:
            started, *rest = person.events()
            pseudonym = keyring.participant_id(person.name)
            log.append([started.model_copy(update={"participant_id": pseudonym}), *rest])
            listed.remember(pseudonym, {"PROLIFIC_PID": person.name})
            fake.enter("study0", person.name)
            fake.come_back(person.submission_id, keyring.outcome_code("two-groups", person.life))


def published(folder: Path) -> None:
    understudy("recruit", "draft", folder, *ADDRESS)
    understudy("recruit", "publish", folder, "--yes")


def test_a_draft_is_made_once_even_without_an_answer(folder: Path, fake: FakeProlific) -> None:
    # The first request asks for a draft of this name, and the second one creates it.
    kinds: Iterator[Fault] = iter(("none", "lost_after"))
    fake.faults = Faults(lambda _method, _path: next(kinds, "none"))
    first, again = understudy("recruit", "draft", folder, *ADDRESS), understudy("recruit", "draft", folder, *ADDRESS)
    assert (first.code, again.code, list(fake.studies)) == (0, 0, ["study0"])
    assert "draft study0, 20 places" in again.out


def test_publishing_shows_the_cost_and_asks(folder: Path, fake: FakeProlific) -> None:
    understudy("recruit", "draft", folder, *ADDRESS)
    dry = understudy("recruit", "publish", folder, "--dry-run")
    assert "20 places at GBP 2.00: GBP 56.00 with fees." in dry.out
    with patch.object(typer, "confirm", side_effect=typer.Abort):
        understudy("recruit", "publish", folder)
    assert fake.studies["study0"]["status"] == "UNPUBLISHED"
    assert understudy("recruit", "publish", folder, "--yes").out.endswith("The study is ACTIVE.\n")


@pytest.mark.parametrize(
    ("currency", "cents", "code", "words"),
    [
        ("USD", 10**6, 2, "pays in USD, but pay.currency is 'GBP'"),
        ("GBP", 4000, 0, "The workspace has GBP 40.00 left, which is not enough."),
        ("GBP", 10**6, 0, ""), ("", 0, 0, ""),
    ],
)  # fmt: skip
def test_publishing_looks_into_the_purse(
    folder: Path, fake: FakeProlific, currency: str, cents: int, code: int, words: str
) -> None:
    fake.currency, fake.available_cents = currency, cents
    understudy("recruit", "draft", folder, *ADDRESS)
    shown = understudy("recruit", "publish", folder, "--yes")
    assert (shown.code, fake.studies["study0"]["status"]) == (code, "UNPUBLISHED" if code else "ACTIVE")
    assert words in shown.err + shown.out
    assert ("workspace" in shown.err + shown.out) is bool(words)


def test_a_published_study_is_paused_resumed_and_enlarged(folder: Path, fake: FakeProlific) -> None:
    published(folder)
    shown = [
        understudy("recruit", "pause", folder), understudy("recruit", "pause", folder),
        understudy("recruit", "resume", folder), understudy("recruit", "places", folder, 5, "--yes"),
        understudy("recruit", "status", folder),
    ]  # fmt: skip
    assert [line.out for line in shown] == [
        "The study is PAUSED.\n", "The study is PAUSED.\n", "The study is ACTIVE.\n", "The study has 25 places.\n",
        "two-groups is ACTIVE, 25 places.\n",
    ]  # fmt: skip
    assert fake.studies["study0"]["total_available_places"] == 25


def test_pay_shows_asks_and_pays(folder: Path, fake: FakeProlific) -> None:
    published(folder)
    came(folder, fake, Person("ann", "completed", bonus=0.37), Person("bob", "screened_out"))
    dry = understudy("pay", folder, "--dry-run")
    assert (dry.code, fake.payments) == (0, [])
    assert "Not paid now: 1 × waits until the submission is returned; then 0.40 is paid as a bonus." in dry.out
    done = understudy("pay", folder, "--yes")
    assert "Approved 1 submission, ordered 1 bonus.\nConfirmed so far: GBP 2.37. On its way: GBP 0.00.\n" in done.out
    assert [payment.cents for payment in fake.payments] == [200, 37]
    assert '"due_cents": 0' in understudy("pay", folder, "--json").out


@pytest.mark.parametrize(
    "closing", [{"sequential": Sequential(looks=(8, 12))}, {"blinded": True}], ids=("looks", "blinded")
)
def test_pay_by_condition_is_hidden_while_results_are_closed(
    tmp_path: Path, fake: FakeProlific, closing: dict[str, object]
) -> None:
    study = paid_study()
    plan = study.plan.model_copy(update=closing)
    folder = folder_of(study.model_copy(update={"plan": plan}), tmp_path / "run")
    published(folder)
    came(folder, fake, *(Person(f"p{number}", "completed", bonus=0.1 * (number % 5)) for number in range(8)))
    said = understudy("pay", folder, "--dry-run").out
    assert "all conditions: GBP" in said
    assert "Pay by condition is hidden while the results are closed" in said
    assert not [name for name in ("shown", "hidden") if f"{name}: GBP" in said]
    assert '"condition": null' in understudy("pay", folder, "--json").out


def test_a_lost_answer_is_said_in_one_sentence_and_the_order_stays_open(folder: Path, fake: FakeProlific) -> None:
    published(folder)
    came(folder, fake, Person("ann", "completed", bonus=0.37))
    fake.faults, fake.delay = Faults.once("lost_after", "/pay/"), 10_000
    shown = understudy("pay", folder, "--yes")
    assert (shown.code, shown.err.count("\n")) == (2, 1)
    assert "Nothing is ordered again" in shown.err
    assert "On its way: GBP 0.37." in shown.out


@pytest.mark.parametrize(
    ("verdict", "reason", "sentence"),
    [
        ("reject", "Bad.", "at least 100 characters"), ("ban", "x", "Choose from: approve, return, reject"),
        ("return", " ", "Give a reason"),
    ],
)  # fmt: skip
def test_decisions_need_a_reason(folder: Path, fake: FakeProlific, verdict: str, reason: str, sentence: str) -> None:
    published(folder)
    came(folder, fake, Person("ann", "completed"))
    shown = understudy("recruit", "decide", folder, "ann", verdict, "--reason", reason, "--yes")
    assert (shown.code, fake.submissions["sub-ann"]["status"]) == (2, "AWAITING REVIEW")
    assert sentence in shown.err


def test_decisions_are_carried_out_and_noted_with_their_reason(folder: Path, fake: FakeProlific) -> None:
    published(folder)
    came(folder, fake, Person("ann", "completed"), Person("bob", "completed"), Person("cy", "excluded"))
    long = (
        "The answers were typed at random, in less than a second for each of the twelve pages that were shown to you."
    )
    given = {"ann": ("return", "Please try again."), "bob": ("reject", long), "cy": ("approve", "Did the work.")}
    shown = [
        understudy("recruit", "decide", folder, name, *(verdict, "--reason", reason, "--yes"))
        for name, (verdict, reason) in given.items()
    ]
    assert [command.code for command in shown] == [0, 0, 0]
    assert fake.submissions["sub-ann"]["return_requested"] is not None
    assert [fake.submissions[f"sub-{name}"]["status"] for name in ("bob", "cy")] == ["REJECTED", "APPROVED"]
    with open_log(log_in(folder)) as log:
        steps = [(entry.step, entry.reason) for entry in log.payments("two-groups")]
    assert ("return_asked", "Please try again.") in steps
    assert ("rejected", f"OTHER: {long}") in steps
    assert ("confirmed", "Did the work.") in steps
    again = understudy("recruit", "decide", folder, "bob", "approve", "--reason", "After all.")
    assert "is REJECTED, and only one that is AWAITING REVIEW" in again.err


def test_groups_messages_and_webhooks(folder: Path, fake: FakeProlific) -> None:
    published(folder)
    came(folder, fake, Person("ann", "completed"))
    empty = understudy("recruit", "group", folder, "Part 1", "--workspace", "w1")
    understudy("pay", folder, "--yes")
    made = understudy("recruit", "group", folder, "Part 1", "--workspace", "w1")
    understudy("recruit", "message", folder, "ann", "Thank you.")
    hook = understudy("recruit", "webhook", folder, *ADDRESS, "--workspace", "w1")
    assert (empty.code, made.out, fake.groups) == (2, "group0: 1 person.\n", {"group0": ["ann"]})
    assert [sent["body"] for sent in fake.messages] == ["Thank you."]
    assert (hook.code, [made["target_url"] for made in fake.subscriptions.values()]) == (
        0,
        ["https://study.example/api/s/two-groups/webhook"],
    )
    assert (folder / "recruitment.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("recruit", "publish"), "has no draft at Prolific yet"),
        (("recruit", "draft", "--address", "study.example"), "give the whole address"),
        (("recruit", "draft", "--address", "http://study.example"), "https:// addresses only"),
        (("recruit", "draft", "--address", "https://127.0.0.1"), "nobody outside can reach '127.0.0.1'"),
        (("recruit", "draft", "--address", "https://localhost:8000"), "nobody outside can reach 'localhost'"),
        (("recruit", "draft", "--address", "https://study.example/s/x?a=1"), "such as https://study.example."),
        (("recruit", "places", "5"), "has no draft at Prolific yet"),
        (("recruit", "hit", "--address", "https://study.example"), "is not recruited at Mechanical Turk"),
        (("recruit", "decide", "ann", "reject", "--reason", ""), "Give a reason with --reason"),
        (("recruit", "webhook", "--address", "http://x", "--workspace", "w"), "https:// addresses only"),
        (("pay",), "has no draft at Prolific yet"),
        (("pay", "--paid", "nothing.csv"), "nothing.csv cannot be read"),
    ],
)
def test_mistakes_are_one_sentence(folder: Path, fake: FakeProlific, words: tuple[str, ...], sentence: str) -> None:
    n_own = 2 if words[0] == "recruit" else 1
    with patch.object(typer, "confirm", side_effect=AssertionError("asked before it refused")):
        shown = understudy(*words[:n_own], folder, *words[n_own:])
    assert (shown.code, shown.err.count("\n")) == (2, 1)
    assert sentence in shown.err
    assert fake.payments == []


def test_without_a_token_nothing_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNDERSTUDY_PROLIFIC_TOKEN", raising=False)
    assert "UNDERSTUDY_PROLIFIC_TOKEN is not set" in understudy("recruit", "status", folder).err


@pytest.mark.parametrize("token", ["to\u2014ken", "\u201ctoken\u201d", "to ken"])
def test_a_token_that_cannot_be_one_gets_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("UNDERSTUDY_PROLIFIC_TOKEN", token)
    shown = understudy("recruit", "status", folder)
    assert (shown.code, "has characters that no token of Prolific has" in shown.err) == (2, True)


def test_a_draft_is_shown_without_a_token(folder: Path, monkeypatch: pytest.MonkeyPatch, fake: FakeProlific) -> None:
    monkeypatch.delenv("UNDERSTUDY_PROLIFIC_TOKEN")
    shown = understudy("recruit", "draft", folder, *ADDRESS, "--dry-run")
    code = Keyring(SECRET).outcome_code("two-groups", "screened_out")
    assert f"{code}  screened out" in shown.out
    assert '"external_study_url": "https://study.example/s/two-groups?PROLIFIC_PID={{%PROLIFIC_PID%}}' in shown.out
    assert "20 places at GBP 2.00: GBP 40.00 before Prolific's fees" in shown.out
    assert "at most GBP 10.00, before fees." in shown.out
    assert (shown.code, fake.n_requests, (folder / "recruitment.json").exists()) == (0, 0, False)


def test_a_study_recruited_elsewhere_is_told_so_before_a_token_is_asked_for(
    listed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNDERSTUDY_PROLIFIC_TOKEN", raising=False)
    shown = understudy("recruit", "draft", listed, *ADDRESS)
    assert "names the recruiter 'link', and this command works with Prolific" in shown.err


def test_links_name_people_as_their_recruiter_does(listed: Path, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("ann\n")
    own, theirs = (understudy("links", run, tmp_path / "ids.txt") for run in (listed, folder))
    assert "?participant_id=ann&signature=" in own.out
    assert "?PROLIFIC_PID=ann&signature=" in theirs.out
    assert "anybody who has the address can start" in own.err


def test_invited_people_become_a_group_at_prolific(folder: Path, fake: FakeProlific, tmp_path: Path) -> None:
    published(folder)
    came(folder, fake, Person("ann", "completed"), Person("bob", "declined"))
    follows = {"study": "two-groups", "after_days": 1, "within_days": 100_000}
    later = folder_of(paid_study(name="part-2", follows=follows), tmp_path / "later")
    asked = ("--group", "Part 1 done", "--workspace", "w1", "--yes")
    shown = understudy("invite", folder, later, *ADDRESS, *asked)
    assert (shown.code, fake.groups) == (0, {"group0": ["ann"]})
    assert "group0: 1 person. It goes into allowed_group of the later part." in shown.err


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """A run whose recruiter has no API, with one person."""
    recruitment = {**PROLIFIC, "recruiter": "link", "hourly_minimum": 30}
    folder = folder_of(paid_study(recruitment=recruitment), tmp_path / "listed")
    with open_log(log_in(folder)) as log:
        log.append(Person("ann", "completed").events())
    return folder


def test_a_study_without_an_api_is_paid_by_a_list(listed: Path, tmp_path: Path, fake: FakeProlific) -> None:
    path = tmp_path / "due.csv"
    refused: Shown = understudy("pay", listed)
    first = understudy("pay", listed, "--csv", path)
    text = path.read_text()
    second = understudy("pay", listed, "--csv", path)
    assert "Write a list with --csv FILE" in refused.err
    assert f"1 person, GBP 2.00. When it is paid: understudy pay {listed} --paid {path}\n" in first.out
    assert "Nothing new is due. Ordered and not confirmed yet: GBP 2.00 for 1 person on list-" in second.out
    assert path.read_text() == text
    paid, again = understudy("pay", listed, "--paid", path), understudy("pay", listed, "--csv", path)
    assert (paid.out, again.out) == ("Confirmed as paid: 1 person.\n", "Nothing is due.\n")
    assert path.stat().st_mode & 0o077 == 0
    assert fake.n_requests == 0


def test_what_is_owed_is_shown_without_an_api_and_without_an_order(listed: Path) -> None:
    with open_log(log_in(listed)) as log:
        for name in ("bob", "cy", "dee", "eve", "fay", "gus"):
            log.append(Person(name, "completed").events())
    dry = understudy("pay", listed, "--dry-run").out
    assert [word in dry for word in ("due: by a list", "GBP 14.00", "less than the 30.00")] == [True] * 3
    known = json.loads(understudy("pay", listed, "--json").out)
    assert (known["owed_cents"], known["due_cents"], known["open_cents"]) == (1400, 1400, 0)


def test_simulated_people_are_not_paid(tmp_path: Path) -> None:
    folder = folder_of(paid_study(), tmp_path / "run")
    started, *rest = Person("ann", "completed").events()
    with open_log(log_in(folder)) as log:
        log.append([started.model_copy(update={"participant_kind": "synthetic"}), *rest])
    for words in (["--dry-run"], ["--json"], ["--csv", tmp_path / "due.csv"], []):
        assert "simulated people are not paid" in understudy("pay", folder, *words).out


def restored(folder: Path, fake: FakeProlific) -> Path:
    """Back a run up, pay its bonus, which the platform does not show yet, and put the backup back."""
    published(folder)
    came(folder, fake, Person("ann", "completed", bonus=0.37))
    backup = folder.parent / "backup"
    assert understudy("backup", folder, backup).code == 0
    fake.delay = 10_000
    assert understudy("pay", folder, "--yes").code == 0
    shutil.rmtree(folder)
    assert understudy("restore", backup, folder).code == 0
    return backup


def test_a_bonus_ordered_after_the_backup_is_not_ordered_again(folder: Path, fake: FakeProlific) -> None:
    backup = restored(folder, fake)
    shown, looked = understudy("pay", folder, "--yes"), understudy("pay", folder, "--dry-run")
    assert (shown.code, looked.code) == (2, 0)
    assert "--no-orders-lost" in shown.err
    assert "is a backup" in understudy("pay", backup, "--yes").err
    fake.settle()
    assert fake.paid_cents("sub-ann") == 237
    again = understudy("pay", folder, "--yes", "--no-orders-lost")
    assert (again.code, fake.paid_cents("sub-ann"), (folder / RESTORED).exists()) == (0, 237, False)
