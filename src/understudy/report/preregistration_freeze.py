"""Freeze a study: write its preregistration form, and the digests that later findings are compared with."""

from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from understudy.errors import UnderstudyError
from understudy.report.preregistration import Statements, preregistration_markdown
from understudy.schema import Record, Study, digest_of, sentences_from_validation


class Freeze(Record):
    """The digests of a preregistered study, with date and software version."""

    format: Literal[1] = 1
    study_name: str
    study_digest: str
    plan_digest: str
    frozen_on: date
    understudy_version: str

    def covers(self, study: Study) -> bool:
        """Tell whether a study is the frozen one."""
        return study.digest == self.study_digest


class FrozenFiles(NamedTuple):
    """The two files of a preregistration."""

    form: Path
    sidecar: Path


def freeze(study: Study, folder: Path, *, on: date, version: str, statements: Statements | None = None) -> FrozenFiles:
    """Write the form and its sidecar to a folder; a study that is already frozen there keeps its first date."""
    files = FrozenFiles(
        folder / f"{study.name}.preregistration.md",
        folder / f"{study.name}.preregistration.json",
    )
    form = preregistration_markdown(study, statements=statements)
    if files.sidecar.exists():
        earlier = read_freeze(files.sidecar)
        if earlier.covers(study):
            _keep_form(files.form, form, frozen_on=earlier.frozen_on, is_stated=statements not in (None, Statements()))
            return files
        raise UnderstudyError(
            f"{files.sidecar} freezes another version of {study.name!r}: digest {earlier.study_digest[:12]} of "
            f"{earlier.frozen_on}, and this study has {study.digest[:12]}. Freeze into another folder, or give the "
            "changed study another name."
        )
    promised = Freeze(
        study_name=study.name,
        study_digest=study.digest,
        plan_digest=digest_of(study.plan),
        frozen_on=on,
        understudy_version=version,
    )
    folder.mkdir(parents=True, exist_ok=True)
    files.form.write_text(form, encoding="utf-8")
    files.sidecar.write_text(promised.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return files


def _keep_form(path: Path, form: str, *, frozen_on: date, is_stated: bool) -> None:
    """Keep a frozen form, restore a missing one, and reject statements that differ from it."""
    if not path.exists():
        path.write_text(form, encoding="utf-8")
    elif is_stated and path.read_text(encoding="utf-8") != form:
        raise UnderstudyError(
            f"{path} was frozen on {frozen_on} with other statements, and stays as it is. Freeze into another folder, "
            "or, if nobody has seen the form yet, delete both files and freeze again."
        )


def read_freeze(path: Path) -> Freeze:
    """Read the sidecar of a preregistration."""
    try:
        return Freeze.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UnderstudyError(f"The preregistration {path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error))
        raise UnderstudyError(f"{path} is not a preregistration file. {faults}") from None
