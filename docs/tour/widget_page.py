"""A widget in a page of its own, with Python at the other end of its messages, as a notebook would have it."""

import base64
from typing import Any

from playwright.sync_api import FrameLocator, Page

_ADDRESS = "http://notebook.test/"
_BODY = '<!doctype html><html lang="en"><title>A cell</title><body style="margin:12px"><div id="cell"></div>'
_RENDER = """async ([module, traits, files]) => {
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const heard = [];
  const all = { ...traits, files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, bytes(text)])) };
  const model = {
    get: (name) => all[name],
    on: (_, listener) => heard.push(listener),
    off: () => undefined,
    send: async (request) => {
      const { body, ...reply } = await window.askPython(request);
      for (const listener of heard) listener(reply, [bytes(body)]);
      window.answered = [...(window.answered ?? []), request];
    },
  };
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  (await import(address)).default.render({ model, el: document.querySelector("#cell") });
}"""


def opened_widget(page: Page, widget: Any) -> FrameLocator:
    """Show a widget in a page, and return the frame that it draws into."""
    page.route(_ADDRESS, lambda route: route.fulfill(body=_BODY, content_type="text/html"))
    page.goto(_ADDRESS)
    page.expose_function("askPython", lambda request: _replied(widget, request))
    traits = {name: getattr(widget, name) for name in ("shown", "language", "label")}
    files = {name: base64.b64encode(content).decode() for name, content in widget.files.items()}
    page.evaluate(_RENDER, [widget.script, traits, files])
    return page.frame_locator("iframe")


def _replied(widget: Any, request: dict[str, Any]) -> dict[str, Any]:
    reply = widget.reply_to(request)
    body = base64.b64encode(reply.content).decode()
    return {"id": request["id"], "status": reply.status, "type": reply.type, "body": body}
