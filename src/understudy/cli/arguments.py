"""The arguments and options that commands share: a study, the folder of a run, whom to alert, what to compute with."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

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
        help="Webhook (https://…) or e-mail address to notify when something goes wrong; repeat for more.",
    ),
]
LowDiskOption: TypeAlias = Annotated[float, typer.Option(min=0, help="Warn when fewer gigabytes than this are free.")]
PreregistrationOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="The .preregistration.json file to compare the findings with.")
]
BackgroundOption: TypeAlias = Annotated[
    Path | None, typer.Option(hidden=True, help="Give way to other processes, and note progress in this file.")
]
AddressOption: TypeAlias = Annotated[
    str, typer.Option(help="Where participants reach the server, such as https://study.example.org.")
]
SecretFileOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="File with the secrets of the server. Default: serve.secret in the folder.")
]
YesOption: TypeAlias = Annotated[bool, typer.Option("--yes", help="Continue without asking.")]
CastOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="mixed, dials, relevance, predictions, one kind of person, or a cast file. Default: the one that fits the study."
    ),
]
PeopleSeedOption: TypeAlias = Annotated[int, typer.Option(min=0, help="Seed of the simulated people.")]
WorkersOption: TypeAlias = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Number of processes on this machine. Default: one per core.")
]
EngineOption: TypeAlias = Annotated[str, typer.Option(help="local, or a Dask scheduler as dask://host:port.")]


# What a server has to know of runs besides its own: a pilot, earlier people, an earlier part.


class OtherRuns(NamedTuple):
    """How the served runs are connected with others; by default only with their own pilots."""

    is_pilot: bool = False
    """Whether the pilots of the folders are served, and not their studies."""
    pilot_places: int | None = None
    not_again: Sequence[Path] = ()
    """Runs whose people may not take part."""
    earlier_parts: Sequence[Path] = ()
    """Earlier parts of longitudinal studies that this server does not serve."""
