"""What a screen reader says: Chromium's accessibility tree of a page as lines, in reading order."""

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

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
_STATES = ("level", "checked", "disabled", "expanded", "required", "invalid", "readonly", "busy", "selected", "pressed")


def spoken(page: Page) -> list[str]:
    """Return what is read of a page from top to bottom."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    return list(_lines(nodes[0], by_id, ""))


def _lines(node: dict[str, Any], by_id: dict[str, dict[str, Any]], above: str) -> Iterator[str]:
    role, name = _text(node, "role"), _text(node, "name")
    is_read = not node.get("ignored") and role not in _SILENT
    # The text of a button or heading is its name already.
    if is_read and not (role == "StaticText" and (not name.strip() or name.strip() in above)):
        yield " ".join(
            part for part in (_called(role), f'"{name.strip()}"' if name.strip() else "", *_said(node)) if part
        )
    inside = name if is_read and role in _WHOLE else "" if is_read else above
    for child_id in node.get("childIds", ()):
        if child_id in by_id:
            yield from _lines(by_id[child_id], by_id, inside or above)


def _called(role: str) -> str:
    return "" if role == "StaticText" else role


def _said(node: dict[str, Any]) -> Iterator[str]:
    states = {state["name"]: state["value"].get("value") for state in node.get("properties", ())}
    for state in _STATES:
        value = states.get(state)
        if value not in (None, False, "false"):
            yield state if value in (True, "true") else f"{state} {value}"
    value = _text(node, "value")
    if value:
        yield f"value {states.get('valuetext') or value}"
    described = _text(node, "description")
    if described:
        yield f"described: {described}"


def _text(node: dict[str, Any], field: str) -> str:
    return str(node.get(field, {}).get("value", ""))
