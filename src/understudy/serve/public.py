"""The study as participants see it: every trial as its page gets it, written once, and the files each needs."""

from typing import cast

from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.registry import entry
from understudy.roles import Task
from understudy.schema import Json, Materials, Study, Trial
from understudy.schema.served_file import files_named_in
from understudy.schema.wire import ShownTrial, StudyHeading
from understudy.serve.written import written


class PublicStudy:
    """Trials and heading of a study, ready to be sent."""

    def __init__(self, study: Study, materials: Materials) -> None:
        self.digest = materials.study_digest
        self.heading = StudyHeading(
            name=study.name,
            title=study.shown_title,
            language=study.language,
            digest=self.digest,
            modules=materials.modules,
        )
        known = frozenset(materials.assets)
        self.models = frozenset(name for name in known if name.endswith(".onnx"))
        self.trials = {name: shown_trial(trial) for name, trial in materials.trials.items()}
        self.written_heading = written(self.heading)
        self.written_trials = {name: written(trial) for name, trial in self.trials.items()}
        self.files = {name: tuple(dict.fromkeys(files_named_in(trial, known))) for name, trial in self.trials.items()}


def shown_trial(trial: Trial) -> ShownTrial:
    """Return a trial as its page gets it: what the task's `Params` declare, defaults included, and nothing else."""
    return ShownTrial(
        trial_id=trial.trial_id,
        block_id=trial.block_id,
        task=trial.task,
        params=_params(trial),
        asks=trial.asks,
        explanation=trial.explanation,
    )


def _params(trial: Trial) -> Json:
    task = cast("type[Task]", entry("tasks", trial.task))
    try:
        params: Json = task.Params.model_validate(trial.params).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "params"
        raise MaterialsError(
            f"The page {trial.trial_id!r} does not fit the task {trial.task!r}: {where}: {first['msg']}. "
            "Prepare the study again with this version."
        ) from None
    return params
