"""`understudy new`: a study file to start from, like a ready study or by answers to a few questions."""

import sys
from pathlib import Path

import typer
from pydantic import ValidationError

from understudy.actions.studies import commented, compact_toml, free_path
from understudy.actions.study_files import plain_for_toml, read_study, write_study
from understudy.errors import StudyError, UnderstudyError
from understudy.protocols import ready_study
from understudy.protocols.builders import DesignOptions, between, factorial, mixed, within
from understudy.recruiters import takes_signed_links
from understudy.schema import Ref, Study, json_from_record, sentences_from_validation
from understudy.schema.study import FollowUp

DESIGNS = (
    "explanations, each person sees one of them",
    "explanations, each person sees all of them",
    "before and after an explanation",
    "explanations and models",
    "something else: start from a complete example",
)
"""What a study can compare, in the order in which `new` asks."""


def new(path: Path | None, *, like: str, follows: Path | None = None) -> None:
    """Write a complete study file for you to adapt."""
    if path is None and not sys.stdin.isatty():
        raise UnderstudyError(
            "Name the file to write, such as: understudy new my-study.toml. Without a name, this command asks what the "
            "study compares, and there is no terminal to ask in."
        )
    target = path or Path(str(typer.prompt("File to write", default=str(free_path(Path("my-study.toml"))))))
    if target.exists():
        raise StudyError([f"{target} exists already. Choose another name, so that nothing is lost."])
    if follows is not None:
        _write(_later_part(read_study(follows), target.stem), target)
    else:
        _write(_named(_asked() if path is None else ready_study(like), target.stem), target)
    typer.echo(f"Wrote {target}. Change it, then: understudy check {target}")


def _later_part(earlier: Study, name: str) -> Study:
    """Return the same study as a later part, a week after the earlier one."""
    follows = FollowUp(study=earlier.name, after_days=7, within_days=14)
    links = "signed" if takes_signed_links(earlier) else "open"
    access = earlier.access.model_copy(update={"ids": "required", "links": links})
    return _named(earlier.model_copy(update={"follows": follows, "access": access}), name)


def _named(study: Study, name: str) -> Study:
    try:
        return Study.model_validate({**json_from_record(study), "name": name})
    except ValidationError as error:
        raise StudyError(
            [f"The file's name becomes the study's: {fault}" for fault in sentences_from_validation(error)]
        ) from None


def _write(study: Study, path: Path) -> None:
    if path.suffix == ".toml":
        path.write_text(commented(compact_toml(plain_for_toml(study))), encoding="utf-8")
    else:
        write_study(study, path)


def _asked() -> Study:
    """Ask what the study compares and how many people are wanted, and build a study with example data."""
    typer.echo("What does the study compare?")
    for number, words in enumerate(DESIGNS, start=1):
        typer.echo(f"  {number}  {words}")
    return _built(_number("Number", 1, most=len(DESIGNS)), _number("People per condition", 30, most=100_000))


def _number(question: str, usual: int, *, most: int) -> int:
    """Ask until a whole number from 1 to the most comes."""
    while True:
        number = int(typer.prompt(question, default=usual, type=int))
        if 1 <= number <= most:
            return number
        typer.echo(f"Give a number from 1 to {most:,}.")


def _built(design: int, people: int) -> Study:
    """Return a study of the chosen design about loans, whose data, model and explanation are to be replaced."""
    model = _model((1.5, 0.2, 0.9, -0.6))
    features = ["income", "savings", "years_employed", "open_loans"]
    arms = {"shown": Ref(name="weighted_features", params={"features": features}), "hidden": None}
    options: DesignOptions = {
        "dataset": "loan_cases",
        "model": model,
        "answers": ("defaulted", "repaid"),
        "task": "A model reads four figures of a loan application and says whether the loan will be repaid.",
        "people": people,
    }
    if design == len(DESIGNS):
        return ready_study("loan-demo")
    if design == 4:
        models = {"first": model, "second": _model((0.5, 1.2, 0.9, 0.6))}
        return factorial("study", arms, models, **options)
    return (between, within, mixed)[design - 1]("study", arms, **options)


def _model(weights: tuple[float, ...]) -> Ref:
    return Ref(name="linear_classifier", params={"weights": list(weights), "labels": ["defaulted", "repaid"]})
