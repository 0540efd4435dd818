"""The picture of a concept test: a self-contained page, and SVG, PNG and PDF without a browser."""

import html
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel

from understudy.drawing import pdf_from_svg, png_from_svg, script_value, web_file
from understudy.errors import UnderstudyError, optional

# Serve one page on this computer only.


@contextmanager
def serve_page(page: str, *, port: int = 0) -> Iterator[str]:
    """Serve a page until the block ends, and yield its address; port 0 picks a free port."""
    content = page.encode()

    class Handler(BaseHTTPRequestHandler):
        """Answers every request with the page."""

        def do_GET(self) -> None:
            """Send the page, or status 404 for any other path."""
            is_page = self.path in ("/", "/index.html")
            self.send_response(200 if is_page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Length", str(len(content) if is_page else 0))
            self.end_headers()
            if is_page:
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            """Log nothing."""

    try:
        # Bound to the loopback address, so no other computer can reach it.
        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise UnderstudyError(
            f"The page cannot be shown on port {port}: {error.strerror}. Give another port."
        ) from None
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


Layout: TypeAlias = Literal["horizontal", "vertical"]
Document: TypeAlias = BaseModel | Mapping[str, object]
"""Verdicts as a record, or as its JSON document."""
# The page fetches nothing, so that nothing leaves the computer on which it is opened.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="probe"><noscript>This page needs JavaScript; understudy can also write it as SVG, PNG or PDF.</noscript></main>
<script type="application/json" id="verdicts">{verdicts}</script>
<script>{script}
understudyProbe.begin();</script>
</body>
</html>
"""


class PictureOptions(NamedTuple):
    """What a static picture shows."""

    layout: Layout = "horizontal"
    alpha: float | None = None
    """The threshold; None uses that of the verdicts."""
    group: str | None = None
    """The name of a group; None uses all objects."""
    highlight: str | None = None
    """The id of a hypothesis, analysis or result set whose connections are highlighted, such as H1, A2 or PP."""


AS_JUDGED = PictureOptions()
"""All objects, at the threshold of the verdicts, in horizontal layout."""


def plain_document(verdicts: Document) -> Mapping[str, object]:
    """Return verdicts as plain JSON."""
    return verdicts.model_dump(mode="json") if isinstance(verdicts, BaseModel) else verdicts


def page(verdicts: Document) -> str:
    """Return a self-contained HTML page with the interactive picture."""
    document = plain_document(verdicts)
    # Only `<` can end a script element, so it is escaped.
    return _SHELL.format(
        policy=_POLICY,
        title=html.escape(f"Concept test: {document.get('concept', '')}"),
        style=web_file("probe.css"),
        verdicts=_json(document).replace("<", "\\u003c"),
        script=web_file("probe.js").replace("</script", "<\\/script"),
    )


def svg(verdicts: Document, options: PictureOptions = AS_JUDGED) -> str:
    """Return a static picture as SVG."""
    document = plain_document(verdicts)
    _check(document, options)
    settings = options._asdict() | {"highlight": _highlight(options.highlight)}
    return script_value(web_file("probe.js"), "understudyProbe.svg(...given)", [dict(document), settings])


def png(verdicts: Document, options: PictureOptions = AS_JUDGED) -> bytes:
    """Return a static picture as PNG."""
    return png_from_svg(svg(verdicts, options))


def pdf(verdicts: Document, options: PictureOptions = AS_JUDGED) -> bytes:
    """Return a static picture as PDF, as vectors and text."""
    return pdf_from_svg(svg(verdicts, options))


_FORMATS: dict[str, Callable[[Document, PictureOptions], bytes]] = {
    ".html": lambda verdicts, _: page(verdicts).encode(),
    ".svg": lambda verdicts, options: svg(verdicts, options).encode(),
    ".png": png,
    ".pdf": pdf,
}


def require_ending(path: Path) -> None:
    """Raise an error if the suffix of a path is not a picture format."""
    if path.suffix.lower() not in _FORMATS:
        raise UnderstudyError(
            f"A picture ends in .html, .svg, .png or .pdf, not in {path.suffix.lower()!r}; rename {path.name}."
        )


def write_picture(verdicts: Document, path: Path, options: PictureOptions = AS_JUDGED) -> Path:
    """Write the picture in the format of the path's suffix, and return the path."""
    require_ending(path)
    content = _FORMATS[path.suffix.lower()](verdicts, options)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _check(document: Mapping[str, object], options: PictureOptions) -> None:
    if options.alpha is not None and not 0 < options.alpha < 1:
        raise UnderstudyError(f"The threshold is {options.alpha}, but must be between 0 and 1.")
    groups = document.get("groups") or ()
    names = [str(group["name"]) for group in groups] if isinstance(groups, list | tuple) else []
    if options.group is not None and options.group not in names:
        raise UnderstudyError(
            f"{options.group!r} is not a group of these verdicts. Choose from: {', '.join(names) or 'none'}."
        )


def _highlight(name: str | None) -> dict[str, str] | None:
    if name is None:
        return None
    kinds = {"H": "hypothesis", "A": "analysis", "P": "result", "M": "result"}
    allowed = {*(f"H{k}" for k in range(1, 13)), *(f"A{k}" for k in range(1, 7)), "PP", "PD", "MP", "MD"}
    if name not in allowed:
        raise UnderstudyError(f"{name!r} cannot be highlighted; give H1 to H12, A1 to A6, PP, PD, MP or MD.")
    return {"kind": kinds[name[0]], "id": name}


# The picture of a concept test as a notebook widget, for Jupyter and marimo.

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
