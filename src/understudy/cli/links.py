"""`understudy links`: print a signed link for each participant."""

import os
from pathlib import Path
from urllib.parse import urlencode

import typer

from understudy.errors import UnderstudyError
from understudy.recruiters import id_parameters
from understudy.serve.admission import SIGNATURE, allowed_ids
from understudy.serve.tokens import Keyring
from understudy.workflow.run_folder import existing_run
from understudy.workflow.serving import secrets_from


def links(folder: Path, ids: Path, *, address: str, parameter: str, secret_file: Path | None) -> None:
    """Print one signed link for each id, for studies with access.links = "signed"."""
    if parameter not in id_parameters():
        raise UnderstudyError(
            f"{parameter!r} is not a parameter that holds an id. Choose from: {', '.join(id_parameters())}."
        )
    found = sorted(allowed_ids(ids))
    if not found:
        raise UnderstudyError(f"{ids} holds no ids; write one on each line.")
    name = existing_run(folder).script.study.name
    keyring = Keyring(secrets_from(os.environ, secret_file or folder / "serve.secret").secret)
    for participant in found:
        query = urlencode({parameter: participant, SIGNATURE: keyring.link_signature(name, participant)})
        typer.echo(f"{address.rstrip('/')}/s/{name}?{query}")
