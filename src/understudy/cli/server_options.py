"""Options of the commands that run a server or examine one."""

from typing import Annotated, TypeAlias

import typer

DatabaseOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        envvar="UNDERSTUDY_DATABASE",
        help="URL of a PostgreSQL database for the events, so that several processes can serve the same studies.",
    ),
]
ProxyOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Address or network of a proxy to believe; this machine when absent. Repeat for more."),
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
