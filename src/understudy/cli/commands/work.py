"""The work of each command, by the name of its module in `cli`: imported when it runs, so that help starts fast."""

from typing import TYPE_CHECKING

from understudy.deferred import Deferred

__all__ = [
    "analyze",
    "annotate",
    "backup",
    "calibrate",
    "check",
    "collect",
    "data",
    "demo",
    "doctor",
    "export",
    "invite",
    "join",
    "links",
    "monitor",
    "new",
    "pay",
    "person",
    "power",
    "prepare",
    "preregister",
    "preview",
    "probe",
    "probe_run",
    "recruit",
    "rehearse",
    "report",
    "researchers",
    "restore",
    "serve",
    "status",
    "train",
    "tune",
    "worlds",
    "worlds_creatures",
    "worlds_models",
]

if TYPE_CHECKING:
    from understudy.cli import (
        analyze,
        annotate,
        backup,
        calibrate,
        check,
        demo,
        doctor,
        export,
        links,
        new,
        pay,
        person,
        power,
        preregister,
        preview,
        probe,
        recruit,
        rehearse,
        report,
        researchers,
        serve,
        status,
        train,
        worlds,
    )
    from understudy.cli import backup as restore
    from understudy.cli import export as collect
    from understudy.cli import links as invite
    from understudy.cli import links as join
    from understudy.cli import probe as probe_run
    from understudy.cli import rehearse as prepare
    from understudy.cli import status as monitor
    from understudy.cli import train as data
    from understudy.cli import train as tune
    from understudy.cli import worlds as worlds_creatures
    from understudy.cli import worlds as worlds_models
else:
    globals().update({name: Deferred(f"understudy.cli.{name}") for name in __all__})
