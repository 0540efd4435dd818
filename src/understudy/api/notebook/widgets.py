"""Widgets for Jupyter and marimo: the page that participants see, in a cell."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from understudy.api.notebook.memory_server import Asked, Reply
from understudy.api.notebook.seat import Seat
from understudy.deferred.pandas import pd
from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.schema import Explanation, Json
from understudy.schema.notebook import table_html, titled_html
from understudy.workflow.serving import PACKAGE, built_front_end

if TYPE_CHECKING:
    import traitlets
    from anywidget import AnyWidget
else:
    AnyWidget = optional("anywidget", extra="notebook").AnyWidget
    traitlets = optional("traitlets", extra="notebook")

_WEB = PACKAGE / "_web"


def _module() -> str:
    path = built_front_end() / "notebook_widget.js"
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        raise MaterialsError(f"The widget of notebooks is not built ({path} is missing). Run: make web") from None


class PageWidget(AnyWidget):
    """A page in a frame; `fallback` is what static copies of a notebook show."""

    _esm = _module()
    shown = traitlets.Dict().tag(sync=True)
    language = traitlets.Unicode("en").tag(sync=True)
    label = traitlets.Unicode("").tag(sync=True)
    files = traitlets.Dict().tag(sync=True)

    @property
    def script(self) -> str:
        """The module that draws the widget."""
        return str(self._esm)

    def _fallback(self) -> str:
        raise NotImplementedError

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        shown = bundle[0] if isinstance(bundle, tuple) else bundle
        if isinstance(shown, dict):
            # Places without a kernel, such as code hosts and exported pages, show this.
            shown["text/html"] = self._fallback()
            shown["text/plain"] = repr(self)
        return bundle


class ExplanationWidget(PageWidget):
    """Explanations, drawn as participants see them."""

    def __init__(
        self,
        explanations: Sequence[Explanation],
        files: Mapping[str, bytes],
        *,
        drawing: Json | None = None,
        language: str = "en",
    ) -> None:
        """Show explanations with the pictures that they name."""
        self._explanations = tuple(explanations)
        kinds = ", ".join(dict.fromkeys(explanation.kind for explanation in explanations))
        super().__init__(
            shown={
                "kind": "explanation",
                "explanations": [explanation.model_dump(mode="json") for explanation in explanations],
                "drawing": drawing or {},
            },
            files=dict(files),
            language=language,
            label=f"Explanation: {kinds}",
        )

    def __repr__(self) -> str:
        """Say what is shown."""
        return "\n".join(str(explanation) for explanation in self._explanations)

    def _fallback(self) -> str:
        return "".join(explanation._repr_html_() for explanation in self._explanations)


class PlayWidget(PageWidget):
    """A study to take part in, in a cell: a rehearsal that nothing is kept of."""

    def __init__(self, seat: Seat, language: str = "en") -> None:
        """Show the session of a seat."""
        self._seat = seat
        runtime = next((path.name for path in sorted((_WEB / "assets").glob("ort-wasm*.wasm"))), "")
        super().__init__(
            shown={"kind": "session", "study": seat.study_name, "token": seat.token, "runtime": runtime},
            language=language,
            label=f"Rehearsal of {seat.study_name}",
        )
        self.on_msg(self._asked)

    @property
    def answers(self) -> list[Json]:
        """What was answered so far: page, task, item, answers and seconds."""
        return self._seat.answers()

    @property
    def condition(self) -> str:
        """The condition that is played."""
        return self._seat.condition

    def table(self) -> pd.DataFrame:
        """Return the answers as a table, a column for each question."""
        whole = [(answer, _plain(answer["answers"])) for answer in self.answers]
        rows = [{**{name: answer[name] for name in answer if name != "answers"}, **given} for answer, given in whole]
        return pd.DataFrame(rows)

    def close(self) -> None:
        """Forget the session, and take the page away."""
        self._seat.close()
        super().close()

    def __repr__(self) -> str:
        """Say what is played, and how far it has got."""
        return f"Rehearsal of {self._seat.study_name} in the condition {self.condition}: {len(self.answers)} answers."

    def _fallback(self) -> str:
        rows = [(answer["page"], answer["item"], str(answer["answers"])) for answer in self.answers]
        told = "<p>Run the notebook to take part here.</p>"
        return titled_html(repr(self), told, table_html(("page", "item", "answers"), rows) if rows else "")

    def reply_to(self, request: Mapping[str, Any]) -> Reply:
        """Answer what the page asks, as the study's own server does."""
        return self._seat.server.ask(
            Asked(request["method"], request["path"], request["headers"], request["body"].encode())
        )

    def _asked(self, _widget: object, request: Mapping[str, Any], _buffers: object) -> None:
        reply = self.reply_to(request)
        self.send({"id": request["id"], "status": reply.status, "type": reply.type}, [reply.content])


def _plain(answers: Any) -> Json:
    return dict(answers) if isinstance(answers, Mapping) else {}
