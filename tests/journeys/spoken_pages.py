"""What a screen reader says: Chromium's accessibility tree of a page as lines, in reading order."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from playwright.sync_api import CDPSession, Page

_SILENT = frozenset(
    {"RootWebArea", "generic", "InlineTextBox", "none", "paragraph", "LineBreak", "LayoutTable", "Pre", "rowgroup", "time",
     "LabelText", "Legend", "ListMarker", "strong", "emphasis", "code", "DescriptionList", "Abbr", "Section", "caption",
     "Figcaption", "MenuListPopup", "SvgRoot", "Canvas", "Video"}
)  # fmt: skip
"""Roles that readers do not announce; what is inside them is read."""
_WHOLE = frozenset({"button", "link", "heading", "radio", "checkbox", "option", "term", "img", "image", "cell", "gridcell",
                    "columnheader", "rowheader", "StaticText", "textbox", "searchbox", "slider", "combobox", "spinbutton",
                    "progressbar"})  # fmt: skip
"""Roles that are read in one piece, by their name; controls inside cells are read as well."""
_CONTROLS = frozenset({"button", "link", "radio", "checkbox", "option", "heading", "combobox", "textbox", "searchbox"})
"""Roles whose name says all that is inside them."""
_STATES = ("level", "checked", "disabled", "expanded", "required", "invalid", "readonly", "busy", "selected", "pressed")


def spoken(page: Page) -> list[str]:
    """Return what is read of a page from top to bottom."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    for node in nodes:
        if _text(node, "role") in ("slider", "progressbar", "meter"):
            node["value"] = {"value": _value_text(session, node) or _text(node, "value")}
    session.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    lines = list(_lines(nodes[0], by_id, ""))
    # The label next to a control is read with the control.
    return [line for before, line in pairwise(["", *lines]) if not (line.startswith('"') and before.endswith(line))]


def _value_text(session: CDPSession, node: dict[str, Any]) -> str:
    """Return what is said in place of a number; the tree itself has the number only."""
    found = session.send("DOM.resolveNode", {"backendNodeId": node["backendDOMNodeId"]})["object"]["objectId"]
    asked = {"objectId": found, "functionDeclaration": "function () { return this.getAttribute('aria-valuetext'); }"}
    return str(session.send("Runtime.callFunctionOn", asked)["result"].get("value") or "")


def _lines(node: dict[str, Any], by_id: dict[str, dict[str, Any]], above: str) -> Iterator[str]:
    role, name = _text(node, "role"), _text(node, "name")
    is_read = not node.get("ignored") and role not in _SILENT
    # The text of a button or heading is its name already.
    if is_read and not (role == "StaticText" and (not name.strip() or name.strip() in above)):
        yield " ".join(
            part for part in (_called(role), f'"{name.strip()}"' if name.strip() else "", *_said(node)) if part
        )
    inside = name if is_read and role in _WHOLE else "" if is_read else above
    if is_read and role in _CONTROLS and role != "combobox":
        return
    for child_id in node.get("childIds", ()):
        if child_id in by_id:
            yield from _lines(by_id[child_id], by_id, inside or above)


def _called(role: str) -> str:
    return "" if role == "StaticText" else role


def _said(node: dict[str, Any]) -> Iterator[str]:
    states = {state["name"]: state["value"].get("value") for state in node.get("properties", ())}
    for state in _STATES:
        value = states.get(state)
        if state == "level" and _text(node, "role") != "heading":
            continue
        if value is True or value == "true":
            yield state
        elif value not in (None, False, "false"):
            yield f"{state} {value}"
    value = _text(node, "value")
    if value:
        yield f"value {value}"
    described = _text(node, "description")
    if described:
        yield f"described: {described}"


def _text(node: dict[str, Any], field: str) -> str:
    return str(node.get(field, {}).get("value", ""))


def unsaid(lines: list[str]) -> list[str]:
    """Return what would leave a listener guessing: controls, pictures and tables without a name, and a page without a title."""
    nameless = [
        line
        for line in lines
        if re.match(r"(button|link|radio|checkbox|textbox|slider|combobox|image|table|dialog)\b(?! \")", line)
    ]
    titles = [line for line in lines if re.match(r'heading ".+" level 1', line)]
    return nameless + ([] if titles or any(line.startswith("dialog") for line in lines) else ["no heading of level 1"])
