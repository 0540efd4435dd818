"""`understudy links`: print a signed link for each participant."""

import os
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import typer

from understudy.cli.runs import RunArgument
from understudy.errors import UnderstudyError
from understudy.recruiters import id_parameters
from understudy.serve.admission import SIGNATURE, allowed_ids
from understudy.serve.tokens import Keyring
from understudy.workflow.run_folder import existing_run
from understudy.workflow.serving import secrets_from


def links(
    folder: RunArgument,
    ids: Annotated[Path, typer.Argument(help="File with one participant id on each line.")],
    address: Annotated[str, typer.Option(help="Where the server is reached.")] = "http://127.0.0.1:8000",
    parameter: Annotated[str, typer.Option(help="The parameter of the link that holds the id.")] = "PROLIFIC_PID",
    secret_file: Annotated[
        Path | None, typer.Option(help="File with the secrets of the server; serve.secret in the folder when absent.")
    ] = None,
) -> None:
    """Print one signed link for each id, for studies with access.links = "signed".

    Example: understudy links runs/my-study ids.txt --address https://study.example.org
    """
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
