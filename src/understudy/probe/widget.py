"""The picture of a concept test as a notebook widget, for Jupyter and marimo."""

from typing import TYPE_CHECKING

from understudy.drawing import web_file
from understudy.extras import optional
from understudy.probe.picture import Document, plain_document

if TYPE_CHECKING:
    import traitlets
    from anywidget import AnyWidget
else:
    AnyWidget = optional("anywidget", extra="notebook").AnyWidget
    traitlets = optional("traitlets", extra="notebook")


class ProbeWidget(AnyWidget):
    """Shows verdicts in a cell; `alpha` and `group` follow the reader's choices."""

    _esm = web_file("probe_widget.js")
    verdicts = traitlets.Dict().tag(sync=True)
    alpha = traitlets.Float(0.05).tag(sync=True)
    group = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self, verdicts: Document) -> None:
        """Create the widget from verdicts or from their JSON document."""
        document = plain_document(verdicts)
        super().__init__(verdicts=dict(document), alpha=document["alpha"])
