"""`understudy links`: print a signed link for each participant."""

import os
from pathlib import Path
from typing import cast
from urllib.parse import urlencode

import typer

from understudy.errors import UnderstudyError
from understudy.recruiters import id_parameters
from understudy.registry import entry
from understudy.roles import Recruiter
from understudy.schema import Study
from understudy.serve.people.admission import SIGNATURE, allowed_ids
from understudy.workflow.runs.run_folder import existing_run
from understudy.workflow.runs.run_secrets import keyring_of, sent_out


def links(folder: Path, ids: Path, *, address: str, parameter: str | None, secret_file: Path | None) -> None:
    """Print one signed link for each id, for studies with access.links = "signed"."""
    if parameter is not None and parameter not in id_parameters():
        raise UnderstudyError(
            f"{parameter!r} is not a parameter that holds an id. Choose from: {', '.join(id_parameters())}."
        )
    found = sorted(allowed_ids(ids))
    if not found:
        raise UnderstudyError(f"{ids} has no ids; write one on each line.")
    study = existing_run(folder).script.study
    name, chosen = study.name, parameter or _own_parameter(study)
    keyring = keyring_of(folder, os.environ, secret_file)
    sent_out(folder, keyring, os.environ, secret_file)
    for participant in found:
        query = urlencode({chosen: participant, SIGNATURE: keyring.link_signature(name, participant)})
        typer.echo(f"{address.rstrip('/')}/s/{name}?{query}")
    if study.access.links == "open":
        typer.echo(
            'People can also start without these links: with links = "open" under access, anybody who has the address can start, with '
            'any id. Write links = "signed" to admit only people with a link.',
            err=True,
        )


def _own_parameter(study: Study) -> str:
    """Return the parameter by which the study's recruiter names people; that of plain links without a recruiter."""
    named = "link" if study.recruitment is None else study.recruitment.recruiter.name
    recruiter = cast("type[Recruiter]", entry("recruiters", named))
    return recruiter.id_parameters[0]
