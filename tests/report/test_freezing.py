from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.report import report_samples as samples
from understudy.errors import UnderstudyError
from understudy.report import Statements, Witness, add_witness, freeze, read_freeze
from understudy.schema import digest_of

NOON = datetime(2026, 3, 1, 12, 0, 1, 900_000, tzinfo=UTC)


def test_a_frozen_study_is_recognised(tmp_path: Path) -> None:
    files = freeze(samples.study(), tmp_path / "prereg", at=NOON, version="0.1.0")
    kept = read_freeze(files.sidecar)
    assert files.sidecar.name == "saliency-helps.preregistration.json"
    assert kept.frozen_at == NOON.replace(microsecond=0)
    assert kept.plan_digest == digest_of(samples.study().plan)
    assert kept.covers(samples.study())


def test_one_changed_word_is_another_study(tmp_path: Path) -> None:
    files = freeze(samples.study(), tmp_path, at=NOON, version="0.1.0")
    assert not read_freeze(files.sidecar).covers(samples.study(question="Another question."))


def test_the_form_lies_beside_the_sidecar(tmp_path: Path) -> None:
    files = freeze(samples.study(), tmp_path, at=NOON, version="0.1.0")
    assert samples.study().digest in files.form.read_text(encoding="utf-8")


def test_freezing_again_keeps_the_first_time(tmp_path: Path) -> None:
    freeze(samples.study(), tmp_path, at=NOON, version="0.1.0")
    files = freeze(samples.study(), tmp_path, at=datetime(2027, 1, 1, tzinfo=UTC), version="0.2.0")
    assert read_freeze(files.sidecar).frozen_at == NOON.replace(microsecond=0)


def test_statements_that_come_too_late_are_refused(tmp_path: Path) -> None:
    freeze(samples.study(), tmp_path, at=NOON, version="0.1.0")
    with pytest.raises(UnderstudyError, match="was frozen at 2026-03-01 12:00:01 UTC with other statements"):
        freeze(samples.study(), tmp_path, at=NOON, version="0.1.0", statements=Statements(authors="A. Lab"))


def test_a_form_that_is_gone_is_written_again(tmp_path: Path) -> None:
    files = freeze(samples.study(), tmp_path, at=NOON, version="0.1.0")
    files.form.unlink()
    freeze(samples.study(), tmp_path, at=NOON, version="0.1.0")
    assert files.form.exists()


def test_a_changed_study_does_not_replace_a_frozen_one(tmp_path: Path) -> None:
    freeze(samples.study(), tmp_path, at=NOON, version="0.1.0")
    with pytest.raises(UnderstudyError, match="freezes another version of 'saliency-helps'"):
        freeze(samples.study(seed=8), tmp_path, at=NOON, version="0.1.0")


def test_a_file_that_is_no_freeze_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"study_name": "a"}', encoding="utf-8")
    with pytest.raises(UnderstudyError, match="study_digest is missing; add it"):
        read_freeze(tmp_path / "x.json")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnderstudyError, match="cannot be read"):
        read_freeze(tmp_path / "absent.json")


def test_a_link_is_added_once_and_never_replaced(tmp_path: Path) -> None:
    sidecar = freeze(samples.study(), tmp_path, at=NOON, version="0.1.0").sidecar
    assert add_witness(sidecar, Witness("https://a.example")).registry_link == "https://a.example"
    assert add_witness(sidecar, Witness(timestamp_token="eA==")).registry_link == "https://a.example"
    with pytest.raises(UnderstudyError, match="already holds another registry link"):
        add_witness(sidecar, Witness("https://b.example"))
