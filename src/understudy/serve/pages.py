"""Pages: the few kind words a person reads when there is nothing to show."""

from html import escape

from starlette.responses import HTMLResponse


def kind_page(status: int, title: str, sentence: str) -> HTMLResponse:
    """Return a plain page with one sentence; it needs no script and no style."""
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title></head><body><main><h1>{escape(title)}</h1><p>{escape(sentence)}</p></main>"
        "</body></html>",
        status_code=status,
        headers={"Cache-Control": "no-store"},
    )


def not_found() -> HTMLResponse:
    """Say that there is nothing here."""
    return kind_page(
        404, "There is nothing here", "Please check the link you were given, or ask whoever sent it to you."
    )
