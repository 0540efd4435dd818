"""The study as participants see it: every trial as its page gets it, written once, and the files each needs."""

from typing import cast

from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.registry import entry, offers
from understudy.roles import RecordsVoice, Task
from understudy.schema import Json, Materials, Study, Trial
from understudy.schema.assets import files_named_in
from understudy.schema.wire import AnnouncedPay, ShownTrial, StudyHeading
from understudy.serve.access import WaysBack
from understudy.serve.wire import WireNames, written, written_around


class PublicStudy:
    """Trials and heading of a study, ready to be sent."""

    def __init__(self, study: Study, materials: Materials) -> None:
        self.digest = materials.study_digest
        self.ways_back: WaysBack | None = None
        """How people return to their recruiter; set by the server, whose secret makes the codes."""
        self.heading = StudyHeading(
            name=study.name,
            title=study.shown_title,
            language=study.language,
            digest=self.digest,
            minutes=study.pay.expected_minutes if study.pay else None,
            pay=announced_pay(study),
            may_restart=study.access.restart_after_erasing,
            kept_min=study.assignment.release_after_min,
            modules=materials.modules,
        )
        known = frozenset(materials.assets)
        self.models = frozenset(name for name in known if name.endswith(".onnx"))
        self.trials = {name: shown_trial(trial) for name, trial in materials.trials.items()}
        self.written_heading = written(self.heading)
        self._written_rest = {
            name: written_around(trial, {}, leaves_out=frozenset({"trial_id", "block_id"}))[1:]
            for name, trial in self.trials.items()
        }
        self.files = {name: tuple(dict.fromkeys(files_named_in(trial, known))) for name, trial in self.trials.items()}

    def written_trial(self, trial_id: str, names: WireNames) -> bytes:
        """Write a trial with the names that one session knows; the rest is the same for everybody and written once."""
        trial = self.trials[trial_id]
        given = (names.of(trial.trial_id).encode(), names.of(trial.block_id).encode())
        return b'{"trial_id":"%s","block_id":"%s",%s' % (*given, self._written_rest[trial_id])


def announced_pay(study: Study) -> AnnouncedPay | None:
    """Return what people are told about their pay before they agree."""
    if study.pay is None:
        return None
    most = [bonus.at_most for bonus in study.pay.bonuses]
    limits = [limit for limit in most if limit is not None]
    return AnnouncedPay(
        currency=study.pay.currency,
        base=study.pay.base,
        has_bonus=bool(most),
        bonus_up_to=sum(limits) if limits and len(limits) == len(most) else None,
    )


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
    # Which blocks are recorded is the server's business; their names may tell the condition.
    return params | {"blocks": []} if offers("tasks", trial.task, RecordsVoice) and "blocks" in params else params
