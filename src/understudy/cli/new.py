"""`understudy new`: a study file to start from."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from understudy.errors import StudyError
from understudy.protocols import ready_study
from understudy.schema import Study, json_from_record, sentences_from_validation
from understudy.workflow.study_file import write_study


def new(
    path: Annotated[Path, typer.Argument(help="The file to write, .toml or .yaml.")],
    like: Annotated[str, typer.Option(help="The ready study to start from.")] = "loan-demo",
) -> None:
    """Write a complete study file to change to your own needs.

    Example: understudy new my-study.toml
    """
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
