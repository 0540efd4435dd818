"""Doctor: a sound server is green, and every planted fault gets one clear sentence."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.alert_receivers import webhook
from tests.certificates import Authority
from tests.ports import free_port
from tests.serve.stage_door import folder_of, server
from tests.shell import understudy
from tests.workflow.doctor_scene import Prolific, Proxy, Scene, over_tls, study_with, talking_http, with_platform
from understudy.actions.backup import back_up
from understudy.actions.doctor import machine_checks
from understudy.actions.doctor_site import Examined, Patient, site_checks
from understudy.actions.recruit import PlatformFile, remember
from understudy.actions.run_folder import existing_run
from understudy.record.log import now_ms
from understudy.serve.alert_channels import Webhook


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def scene(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("doctor")
    run = folder_of(study_with(contact="ada@lab.edu", ethics="Board of the lab, board@lab.edu"), folder / "run")
    proxy = Proxy()
    with webhook() as hook, server(run, clock=lambda: now_ms() + proxy.ahead_ms) as app:
        proxy.app = app
        with_platform(app.state.server)
        remember(run, PlatformFile(study_id="x", webhook_secret=Prolific.webhook_secret))
        back_up(existing_run(run), folder / "copy", now_ms)
        with over_tls(proxy, authority.certificate()) as url:
            patient = Patient(
                url, run, folder / "copy", (Webhook(hook.url),), authority.file, has_address=lambda _: True,
                http_port=free_port(), free_bytes=lambda _: 50 * 10**9,
            )  # fmt: skip
            yield Scene(proxy, patient, hook)


def examined(patient: Patient) -> dict[str, Examined]:
    return {check.name: check for check in (*site_checks(patient), *machine_checks(patient))}


def wrong(patient: Patient) -> dict[str, str]:
    return {check.name: check.words for check in examined(patient).values() if check.is_well is False}


def test_a_sound_server_is_green(scene: Scene) -> None:
    found = examined(scene.patient)
    assert {check.is_well for check in found.values()} == {True}
    assert list(found) == [
        "certificate", "http", "server", "https", "cookies", "addresses", "answers", "clock", "time zone", "webhook",
        "files", "disk", "erasing", "contact", "backup", "alerts",
    ]  # fmt: skip
    assert scene.hook.got[-1]["alert"] == "test"


PLANTED: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "the proxy does not say https": (
        {"says_https": False},
        {
            "https": "does not know that people come by https; let the proxy send X-Forwarded-Proto",
            "cookies": "Cookies come without Secure; do not let the proxy change them, and see the line https.",
        },
    ),
    "the proxy drops HSTS": ({"loses": "strict-transport-security"}, {"https": "Strict-Transport-Security does not"}),
    "the proxy drops cookies": ({"loses": "set-cookie"}, {"cookies": "The cookie of the server does not reach"}),
    "the proxy hides addresses": (
        {"says_address": False}, {"addresses": "The server sees the address of the proxy in place of people's"},
    ),
    "the proxy believes claims": ({"believes_claims": True}, {"addresses": "Anybody can claim any address"}),
    "the clock is ahead": ({"ahead_ms": 90_000}, {"clock": "The server's clock is 90 s ahead of this machine's"}),
    "the clock is behind": ({"ahead_ms": -7_200_000}, {"clock": "7200 s behind this machine's"}),
    "the server is down": ({"status": 502}, {"server": "The proxy answers with status 502; check that understudy serve"}),
    "the proxy lets no answers through": (
        {"post_status": 405}, {"answers": "does not let people's answers through (status 405 to a POST)"},
    ),
    "the proxy takes small requests only": ({"post_status": 413}, {"answers": "client_max_body_size 2m"}),
    "the proxy drops the token": ({"drops": b"authorization"}, {"answers": "The header Authorization does not reach"}),
    "a cache answers": ({"has_cache": True}, {"answers": "people would get each other's pages"}),
    "nothing can be stored": ({"status": 503}, {"server": "The server is up but cannot store events"}),
}  # fmt: skip


@pytest.mark.parametrize("fault", PLANTED)
def test_a_fault_of_the_proxy_or_the_server_is_named(scene: Scene, fault: str) -> None:
    changes, said = PLANTED[fault]
    before = replace(scene.proxy)
    try:
        vars(scene.proxy).update(changes)
        found = wrong(replace(scene.patient, folder=None, backup=None, channels=()))
    finally:
        vars(scene.proxy).update(vars(before))
    assert found.keys() == said.keys()
    assert [name for name, part in said.items() if part not in found[name]] == []


@pytest.mark.parametrize(
    ("zone", "wanted", "said"),
    [
        ("Mars/Olympus", "", "TZ is 'Mars/Olympus', which the server takes for UTC+0 h"),
        ("UTC", "Asia/Tokyo", "The server is at UTC+0 h, and not in Asia/Tokyo; set TZ=Asia/Tokyo"),
        ("Asia/Tokyo", "Asia/Tokyo", None),
    ],
)
def test_a_wrong_time_zone_is_named(
    scene: Scene, zone: str, wanted: str, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        found = wrong(replace(scene.patient, folder=None, backup=None, channels=(), time_zone=wanted))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert list(found) == ([] if said is None else ["time zone"])
    assert said is None or said in found["time zone"]


CERTIFICATES: dict[str, tuple[str, int, str]] = {
    "it has expired": ("localhost", -1, "The certificate has expired; renew it"),
    "it is for another name": ("elsewhere.example", 90, "The certificate is for another name than localhost"),
    "it ends soon": ("localhost", 5, "It ends in 5 days; renew it"),
}


@pytest.mark.parametrize("fault", CERTIFICATES)
def test_a_bad_certificate_is_named(authority: Authority, fault: str) -> None:
    name, days, said = CERTIFICATES[fault]
    with talking_http(authority.certificate(name, days=days)) as port:
        checks = list(site_checks(Patient(f"https://localhost:{port}", authority=authority.file)))
    assert (checks[0].name, checks[0].is_well) == ("certificate", False)
    assert said in checks[0].words


def test_a_recruiter_that_the_server_does_not_believe_is_named(scene: Scene) -> None:
    folder = scene.patient.folder
    assert folder is not None
    remember(folder, PlatformFile(study_id="x", webhook_secret="another secret"))
    try:
        found = wrong(scene.patient)
    finally:
        remember(folder, PlatformFile(study_id="x", webhook_secret=Prolific.webhook_secret))
    assert found == {
        "webhook": "A message signed as by the recruiter is refused (status 403); restart the server, or run: "
        f"understudy recruit webhook {folder}"
    }


def test_an_unknown_authority_and_a_silent_server_are_named(scene: Scene) -> None:
    unknown = next(site_checks(replace(scene.patient, authority=None)))
    silent = next(site_checks(replace(scene.patient, url=f"https://localhost:{free_port()}")))
    assert "is signed by nobody that browsers know" in unknown.words
    assert "Nobody answers at localhost:" in silent.words


def test_a_server_without_encryption_is_examined_as_far_as_it_can_be(scene: Scene) -> None:
    with over_tls(scene.proxy, None) as url:
        found = {check.name: check.is_well for check in site_checks(replace(scene.patient, url=url))}
    assert found["certificate"] is False
    assert [found[name] for name in ("server", "clock", "webhook")] == [True, True, True]
    assert [found[name] for name in ("https", "cookies", "addresses")] == [None, None, None]


def test_a_dead_port_without_encryption_is_named(scene: Scene) -> None:
    *_, last = site_checks(replace(scene.patient, url=f"http://localhost:{free_port()}"))
    assert (last.name, last.is_well, "Nobody answers at localhost:" in last.words) == ("server", False, True)


def test_another_program_at_the_address_is_named(authority: Authority) -> None:
    with talking_http(authority.certificate()) as port:
        checks = list(site_checks(Patient(f"https://localhost:{port}", authority=authority.file)))
    assert "localhost answers, but not as understudy does" in checks[-1].words


def test_a_connection_that_breaks_off_is_named(authority: Authority) -> None:
    with talking_http(authority.certificate(), hangs_up=True) as port:
        checks = list(site_checks(Patient(f"https://localhost:{port}", authority=authority.file)))
    assert (checks[-1].name, "localhost breaks off (" in checks[-1].words) == ("server", True)


def test_an_open_http_port_is_named(scene: Scene) -> None:
    with talking_http() as port:
        found = wrong(replace(scene.patient, http_port=port))
        plain = next(site_checks(replace(scene.patient, url=f"http://localhost:{port}")))
    assert found == {
        "http": "http://localhost answers without encryption (status 200); let the proxy send it to https."
    }
    assert "is not encrypted; put nginx or Caddy with a certificate in front" in plain.words


# The machine


def machine_faults(patient: Patient) -> dict[str, str]:
    return {check.name: check.words for check in machine_checks(patient) if check.is_well is False}


@pytest.mark.parametrize("name", ["serve.secret", "people.sqlite", "."])
def test_a_file_that_others_can_read_is_named(scene: Scene, name: str) -> None:
    assert scene.patient.folder is not None
    path = scene.patient.folder / name
    is_new = not path.exists()
    path.touch()
    mode = path.stat().st_mode
    path.chmod(0o644 if path.is_file() else 0o755)
    try:
        found = machine_faults(scene.patient)
    finally:
        path.chmod(mode)
        if is_new:
            path.unlink()
    assert found["files"] == f"Other accounts can read {path}; run: chmod -R go-rwx {scene.patient.folder}"


def test_a_disk_that_is_nearly_full_is_named(scene: Scene) -> None:
    found = machine_faults(replace(scene.patient, free_bytes=lambda _: 300_000_000))
    assert found == {"disk": "0.3 GB are free, and 2 GB are wanted; make room, or answers cannot be stored."}


def test_an_old_or_missing_backup_is_named(scene: Scene, tmp_path: Path) -> None:
    old = machine_faults(replace(scene.patient, clock=lambda: now_ms() + 30 * 3_600_000))
    missing = machine_faults(replace(scene.patient, backup=tmp_path))
    assert old["backup"].startswith("The last one is 30 hours old; check that this still runs: understudy backup ")
    assert missing["backup"].startswith(f"There is none in {tmp_path}; run: understudy backup ")


@pytest.mark.parametrize(
    ("plant", "words"),
    [
        (lambda copy: (copy / "events.sqlite").write_bytes((copy / "events.sqlite").read_bytes()[:5000]), "events.sqlite"),
        (lambda copy: (copy / "study.json").unlink(), "study.json is missing from the backup"),
        (lambda copy: copy.chmod(0o755), "Other accounts can read"),
        (lambda copy: _of_another_version(copy), "in another version, and not what"),
    ],
)  # fmt: skip
def test_a_new_backup_that_could_not_be_restored_is_named(
    scene: Scene, tmp_path: Path, plant: Callable[[Path], object], words: str
) -> None:
    assert scene.patient.backup is not None
    copy = shutil.copytree(scene.patient.backup, tmp_path / "copy")
    copy.chmod(0o700)
    plant(copy)
    assert words in machine_faults(replace(scene.patient, backup=copy))["backup"]


def _of_another_version(copy: Path) -> None:
    manifest = json.loads((copy / "backup.json").read_text())
    (copy / "backup.json").write_text(json.dumps(manifest | {"study_digest": "0" * 64}))


def test_a_receiver_of_alerts_that_does_not_answer_is_named(scene: Scene) -> None:
    gone = Webhook(f"http://127.0.0.1:{free_port()}/hook")
    found = machine_faults(replace(scene.patient, channels=(gone,)))
    assert found["alerts"].startswith("the webhook at 127.0.0.1 did not get the test: it cannot be reached (")


CONTACTS: dict[str, tuple[dict[str, str], str]] = {
    "no address": ({"contact": "Ada, room 3"}, "The consent page gives people no e-mail address"),
    "an example": ({"contact": "ada@example.org"}, "ada@example.org on the consent page is an example"),
    "a typo": ({"ethics": "board@nowhere.edu"}, "board@nowhere.edu on the consent page cannot work: nowhere.edu is not found"),
}  # fmt: skip


@pytest.mark.parametrize("case", CONTACTS)
def test_a_contact_that_cannot_work_is_named(case: str, tmp_path: Path) -> None:
    fields, said = CONTACTS[case]
    folder = folder_of(study_with(**fields), tmp_path / "run")
    found = machine_faults(Patient("https://x.example", folder, has_address=lambda _: False))
    assert said in found["contact"]


# The command


def doctor(scene: Scene, *more: str) -> Any:
    patient = scene.patient
    return understudy("doctor", patient.url, "--authority", str(patient.authority), *more)


def test_the_command_prints_a_line_for_each_check_and_its_status_says_how_it_went(scene: Scene) -> None:
    well = doctor(scene, "--low-disk", "0")
    ill = doctor(scene, "--time-zone", "Asia/Tokyo")
    assert (well.code, well.out.splitlines()[-1]) == (0, "All 8 checks are good.")
    assert "ok    certificate  valid for " in well.out
    assert "-     backup       give --backup and the folder that understudy backup writes" in well.out
    assert (ill.code, ill.out.splitlines()[-1]) == (1, "1 of 8 checks failed.")
    assert "FAIL  time zone    The server is at UTC" in ill.out


def test_the_command_writes_json(scene: Scene) -> None:
    rows = json.loads(doctor(scene, "--json").out)
    assert {"name": "cookies", "is_well": True, "words": "Secure, closed to scripts, not sent to other sites"} in rows


BAD_WORDS: list[tuple[Callable[[Path], list[str]], str]] = [
    (lambda _: ["study.example.org"], "'study.example.org' is not the address of a server; write https://"),
    (lambda _: ["https://x:port"], "is not the address of a server"),
    (lambda path: ["https://x.example", "--authority", str(path / "none.pem")], "cannot be read as certificates"),
]


@pytest.mark.parametrize(("words", "said"), BAD_WORDS)
def test_bad_words_get_a_sentence(words: Callable[[Path], list[str]], said: str, tmp_path: Path) -> None:
    shown = understudy("doctor", *words(tmp_path))
    assert (shown.code, said in shown.err) == (2, True)


def test_an_unknown_time_zone_gets_a_sentence(scene: Scene) -> None:
    shown = doctor(scene, "--time-zone", "Berlin")
    assert (shown.code, shown.err) == (2, "--time-zone 'Berlin' is not a time zone; write one such as Europe/Berlin.\n")
