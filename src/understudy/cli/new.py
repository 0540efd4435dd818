"""`understudy new`: a study file to start from."""

from pathlib import Path

import typer
from pydantic import ValidationError

from understudy.errors import StudyError
from understudy.protocols import ready_study
from understudy.schema import Study, json_from_record, sentences_from_validation
from understudy.workflow.study_file import write_study


def new(path: Path, *, like: str) -> None:
    """Write a complete study file to change to your own needs."""
    if path.exists():
        raise StudyError([f"{path} exists already. Choose another name, so that nothing is lost."])
    try:
        study = Study.model_validate({**json_from_record(ready_study(like)), "name": path.stem})
    except ValidationError as error:
        raise StudyError(
            [f"The file's name becomes the study's: {fault}" for fault in sentences_from_validation(error)]
        ) from None
    write_study(study, path)
    typer.echo(f"Wrote {path}. Change it, then: understudy check {path}")
