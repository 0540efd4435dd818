"""Task parameters: the base of what each task's page is shown."""

from pydantic import ConfigDict

from understudy.schema.record import Record


class TaskParams(Record):
    """What the page of a task is shown; each task declares its own as `Params`.

    A field that is not declared never reaches a browser, and a field added later needs a default: that is how
    materials of older and newer versions stay readable.
    """

    model_config = ConfigDict(extra="ignore")
