"""Freeze a study: write its preregistration form, and the digests that later findings are compared with."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import AwareDatetime, ValidationError

from understudy.errors import UnderstudyError, refuse_large
from understudy.report.preregistration import Statements, preregistration_markdown
from understudy.schema import Record, Study, digest_of, sentences_from_validation


class Freeze(Record):
    """The digests of a preregistered study, with time and software version."""

    format: Literal[1, 2] = 2
    study_name: str
    study_digest: str
    plan_digest: str
    frozen_at: AwareDatetime | None = None
    """To the second, in UTC; absent in files of version 0.1.0, which hold the day only."""
    frozen_on: date
    understudy_version: str
    registry_link: str = ""
    """Where a public registry keeps the form."""
    timestamp_token: str = ""
    """A token of a timestamp authority (RFC 3161) over the form, in base64."""

    def covers(self, study: Study) -> bool:
        """Tell whether a study is the frozen one."""
        return study.digest == self.study_digest

    @property
    def when(self) -> str:
        """When the study was frozen, as exactly as the file says."""
        return f"on {self.frozen_on}" if self.frozen_at is None else f"at {self.frozen_at:%Y-%m-%d %H:%M:%S} UTC"


class Witness(NamedTuple):
    """What somebody else says about the time of a freeze."""

    registry_link: str = ""
    timestamp_token: str = ""


class FrozenFiles(NamedTuple):
    """The two files of a preregistration."""

    form: Path
    sidecar: Path


def freeze(
    study: Study, folder: Path, *, at: datetime, version: str, statements: Statements | None = None
) -> FrozenFiles:
    """Write the form and its sidecar to a folder; a study that is already frozen there keeps its first time."""
    files = FrozenFiles(
        folder / f"{study.name}.preregistration.md",
        folder / f"{study.name}.preregistration.json",
    )
    form = preregistration_markdown(study, statements=statements)
    if files.sidecar.exists():
        earlier = read_freeze(files.sidecar)
        if earlier.covers(study):
            _keep_form(files.form, form, when=earlier.when, is_stated=statements not in (None, Statements()))
            return files
        raise UnderstudyError(
            f"{files.sidecar} freezes another version of {study.name!r}: digest {earlier.study_digest[:12]}, frozen "
            f"{earlier.when}, and this study has {study.digest[:12]}. Freeze into another folder, or give the "
            "changed study another name."
        )
    second = at.astimezone(UTC).replace(microsecond=0)
    promised = Freeze(
        study_name=study.name,
        study_digest=study.digest,
        plan_digest=digest_of(study.plan),
        frozen_at=second,
        frozen_on=second.date(),
        understudy_version=version,
    )
    folder.mkdir(parents=True, exist_ok=True)
    files.form.write_text(form, encoding="utf-8")
    _write(promised, files.sidecar)
    return files


def add_witness(sidecar: Path, witness: Witness) -> Freeze:
    """Add a registry link or a timestamp token to a freeze; what is already there cannot be replaced."""
    frozen = read_freeze(sidecar)
    news = {name: text for name, text in witness._asdict().items() if text}
    for name, text in news.items():
        if getattr(frozen, name) not in ("", text):
            raise UnderstudyError(
                f"{sidecar} already holds another {name.replace('_', ' ')}. It stays as it is; freeze into another folder."
            )
    if any(getattr(frozen, name) != text for name, text in news.items()):
        frozen = frozen.model_copy(update=news)
        _write(frozen, sidecar)
    return frozen


def _write(frozen: Freeze, sidecar: Path) -> None:
    sidecar.write_text(frozen.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _keep_form(path: Path, form: str, *, when: str, is_stated: bool) -> None:
    """Keep a frozen form, restore a missing one, and reject statements that differ from it."""
    if not path.exists():
        path.write_text(form, encoding="utf-8")
    elif is_stated and path.read_text(encoding="utf-8") != form:
        raise UnderstudyError(
            f"{path} was frozen {when} with other statements, and stays as it is. Freeze into another folder, "
            "or, if nobody has seen the form yet, delete both files and freeze again."
        )


def read_freeze(path: Path) -> Freeze:
    """Read the sidecar of a preregistration."""
    refuse_large(path, 64, UnderstudyError, "Check that it is the file that understudy preregister wrote.")
    try:
        return Freeze.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UnderstudyError(f"The preregistration {path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error))
        raise UnderstudyError(f"{path} is not a preregistration file. {faults}") from None
