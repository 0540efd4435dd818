"""The picture of a concept test: a page that stands alone, and SVG, PNG and PDF without a browser."""

import html
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import vl_convert
from pydantic import BaseModel

from understudy.errors import UnderstudyError
from understudy.probe.script_engine import script_value
from understudy.probe.web_files import web_file

Layout: TypeAlias = Literal["horizontal", "vertical"]
Document: TypeAlias = BaseModel | Mapping[str, object]
"""Verdicts as a record, or as the JSON document that was written from one."""
_DOTS_PER_UNIT = 2.0
"""How many dots of a PNG one unit of the drawing has."""
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
    """What a still picture shows."""

    layout: Layout = "horizontal"
    alpha: float | None = None
    """The threshold; None takes that of the verdicts."""
    group: str | None = None
    """The name of a group; None takes all objects."""
    highlight: str | None = None
    """The id of a hypothesis, analysis or result set whose chain is lit, such as H1, A2 or PP."""


AS_JUDGED = PictureOptions()
"""The whole, at the threshold of the verdicts, across."""


def plain_document(verdicts: Document) -> Mapping[str, object]:
    """Return verdicts as plain JSON."""
    return verdicts.model_dump(mode="json") if isinstance(verdicts, BaseModel) else verdicts


def page(verdicts: Document) -> str:
    """Return a page with the moving picture, as one HTML text that needs nothing else."""
    document = plain_document(verdicts)
    # Inside a script only `<` can end it.
    return _SHELL.format(
        policy=_POLICY,
        title=html.escape(f"Concept test: {document.get('concept', '')}"),
        style=web_file("probe.css"),
        verdicts=_json(document).replace("<", "\\u003c"),
        script=web_file("probe.js").replace("</script", "<\\/script"),
    )


def svg(verdicts: Document, options: PictureOptions = AS_JUDGED) -> str:
    """Return a still picture as SVG."""
    document = plain_document(verdicts)
    _check(document, options)
    settings = options._asdict() | {"highlight": _highlight(options.highlight)}
    return script_value(web_file("probe.js"), f"understudyProbe.svg({_json(document)}, {_json(settings)})")


def png(verdicts: Document, options: PictureOptions = AS_JUDGED) -> bytes:
    """Return a still picture as PNG."""
    return bytes(vl_convert.svg_to_png(svg(verdicts, options), scale=_DOTS_PER_UNIT))


def pdf(verdicts: Document, options: PictureOptions = AS_JUDGED) -> bytes:
    """Return a still picture as PDF, in lines and letters."""
    return bytes(vl_convert.svg_to_pdf(svg(verdicts, options)))


_FORMS: dict[str, Callable[[Document, PictureOptions], bytes]] = {
    ".html": lambda verdicts, _: page(verdicts).encode(),
    ".svg": lambda verdicts, options: svg(verdicts, options).encode(),
    ".png": png,
    ".pdf": pdf,
}


def require_ending(path: Path) -> None:
    """Refuse a path whose ending names no form of a picture."""
    if path.suffix.lower() not in _FORMS:
        raise UnderstudyError(
            f"A picture ends in .html, .svg, .png or .pdf, not in {path.suffix.lower()!r}; rename {path.name}."
        )


def write_picture(verdicts: Document, path: Path, options: PictureOptions = AS_JUDGED) -> Path:
    """Write the picture in the form that the ending of a path names, and return the path."""
    require_ending(path)
    content = _FORMS[path.suffix.lower()](verdicts, options)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _check(document: Mapping[str, object], options: PictureOptions) -> None:
    if options.alpha is not None and not 0 < options.alpha < 1:
        raise UnderstudyError(f"The threshold is {options.alpha}, but must lie between 0 and 1.")
    groups = document.get("groups") or ()
    names = [str(group["name"]) for group in groups] if isinstance(groups, list | tuple) else []
    if options.group is not None and options.group not in names:
        raise UnderstudyError(
            f"{options.group!r} is no group of these verdicts. Groups are: {', '.join(names) or 'none'}."
        )


def _highlight(name: str | None) -> dict[str, str] | None:
    if name is None:
        return None
    kinds = {"H": "hypothesis", "A": "analysis", "P": "result", "M": "result"}
    allowed = {*(f"H{k}" for k in range(1, 13)), *(f"A{k}" for k in range(1, 7)), "PP", "PD", "MP", "MD"}
    if name not in allowed:
        raise UnderstudyError(f"{name!r} cannot be highlighted; give H1 to H12, A1 to A6, PP, PD, MP or MD.")
    return {"kind": kinds[name[0]], "id": name}
