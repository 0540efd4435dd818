"""What a run remembers about its platform, and which server hears from it."""

from pathlib import Path

import pytest

from tests.fake_prolific import FakeProlific, api_of
from tests.paid_people import published
from tests.paid_studies import PROLIFIC, paid_study
from tests.serve.stage_door import SECRET, folder_of
from understudy.actions.recruit import (
    RECRUITMENT,
    PlatformFile,
    ProlificPlatform,
    ProlificStudy,
    platform_file,
    platform_for,
    remember,
)
from understudy.actions.run_folder import existing_run
from understudy.errors import UnderstudyError
from understudy.serve.access import Keyring
from understudy.serve.settings import PlatformPerson

WITH_TOKEN = {"UNDERSTUDY_PROLIFIC_TOKEN": "t"}


def test_a_server_hears_from_the_platform_only_with_a_draft_and_a_token(tmp_path: Path) -> None:
    assert platform_for(tmp_path, WITH_TOKEN) is None
    remember(tmp_path, PlatformFile(study_id="s1", webhook_secret="w"))
    assert platform_for(tmp_path, {}) is None
    found = platform_for(tmp_path, WITH_TOKEN)
    assert found is not None
    assert (found.webhook_secret, platform_file(tmp_path)) == ("w", PlatformFile(study_id="s1", webhook_secret="w"))


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / RECRUITMENT).write_text("{}")
    with pytest.raises(UnderstudyError, match="delete it and run: understudy recruit draft"):
        platform_file(tmp_path)


def test_a_study_of_another_recruiter_has_no_draft_at_prolific(tmp_path: Path) -> None:
    run = existing_run(folder_of(paid_study(recruitment={**PROLIFIC, "recruiter": "link"}), tmp_path))
    with pytest.raises(UnderstudyError, match="names the recruiter 'link', and this command works with Prolific"):
        ProlificStudy(run, api_of(FakeProlific()))


def test_a_draft_that_a_crash_left_behind_is_found_by_its_name(tmp_path: Path) -> None:
    fake, run = FakeProlific(), existing_run(folder_of(paid_study(), tmp_path))
    there = ProlificStudy(run, api_of(fake))
    there.draft("https://study.example", Keyring(SECRET))
    (tmp_path / RECRUITMENT).unlink()
    assert not there.draft("https://study.example", Keyring(SECRET)).is_new
    assert list(fake.studies) == ["study0"]


def test_the_platform_says_who_is_active_and_who_ran_out_of_time() -> None:
    fake = FakeProlific()
    study_id = published(fake)
    fake.enter(study_id, "ann")
    platform = ProlificPlatform(api_of(fake), PlatformFile(study_id=study_id))
    assert platform.people() == [PlatformPerson("ann", "active")]
    fake.leave("sub-ann", "TIMED-OUT")
    assert platform.person("sub-ann") == PlatformPerson("ann", "timed_out")
