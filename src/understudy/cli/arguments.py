"""The arguments and options that commands share: a study, the folder of a run, whom to alert."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from understudy.deferred import Deferred

if TYPE_CHECKING:
    from understudy.protocols import ready
else:
    ready = Deferred("understudy.protocols.ready")

RunArgument: TypeAlias = Annotated[
    Path, typer.Argument(help="A folder made by understudy prepare or understudy rehearse.")
]


def studies_from(incomplete: str) -> list[str]:
    """Return the study files and ready studies that begin like this, for a shell that completes a command."""
    files = [path for pattern in ("*.toml", "*.yaml", "*.yml") for path in Path().glob(pattern)]
    return [name for name in (*sorted(map(str, files)), *ready.ready_names()) if name.startswith(incomplete)]


StudyArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="A study file (.toml, .yaml), or the name of a ready study such as loan-demo.", autocompletion=studies_from
    ),
]

AlertOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        envvar="UNDERSTUDY_ALERTS",
        help="Webhook (https://…) or e-mail address that is told when something is wrong; repeat for more.",
    ),
]
LowDiskOption: TypeAlias = Annotated[
    float, typer.Option(min=0, help="Gigabytes that should be free; less is a reason to act.")
]
