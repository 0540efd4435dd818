"""Prolific's API description: which operation a request is, and whether request and answer fit its schemas."""

import os
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

_URI = "urn:prolific"


class Description:
    """The operations of the API, each with the schemas of what goes in and out."""

    def __init__(self, path: Path) -> None:
        self._document: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=_loader())
        resource = Resource.from_contents(self._document, default_specification=DRAFT202012)
        self._registry = Registry().with_resource(_URI, resource)
        self._routes = [
            (method.upper(), re.compile(re.sub(r"\{[^}]*\}", "[^/]+", template)), template)
            for template, methods in self._document["paths"].items()
            for method in methods
            if method in ("get", "post", "put", "patch", "delete")
        ]

    def operation(self, method: str, path: str) -> tuple[str, str]:
        """Return the operation id and the path template of a request."""
        # A path without parameters wins over one whose parameter would swallow its last part.
        found = [template for known, pattern, template in self._routes if known == method and pattern.fullmatch(path)]
        assert found, f"{method} {path} is not in the description"
        template = min(found, key=lambda text: text.count("{"))
        return str(self._document["paths"][template][method.lower()]["operationId"]), template

    def check_request(self, method: str, path: str, body: Any) -> None:
        """Raise if a request does not fit its operation."""
        _, template = self.operation(method, path)
        asked = self._document["paths"][template][method.lower()].get("requestBody")
        assert (asked is None) == (body is None), (
            f"{method} {template}: a body is {'not ' if asked is None else ''}wanted"
        )
        if asked is not None:
            place = f"#/paths/{_escaped(template)}/{method.lower()}/requestBody/content/application~1json/schema"
            self._check(place, body, closed=True)

    def check_query(self, method: str, path: str, query: Collection[str]) -> None:
        """Raise if a request has a parameter that its operation does not know, or lacks one that it needs."""
        _, template = self.operation(method, path)
        known = self._document["paths"][template][method.lower()].get("parameters", [])
        asked = {
            parameter["name"]: parameter.get("required", False) for parameter in known if parameter["in"] == "query"
        }
        assert set(query) <= asked.keys(), f"{method} {template} knows no {sorted(set(query) - asked.keys())}"
        assert {name for name, is_required in asked.items() if is_required} <= set(query)

    def check_answer(self, method: str, path: str, status: int, body: Any) -> None:
        """Raise if an answer does not fit its operation."""
        _, template = self.operation(method, path)
        known = self._document["paths"][template][method.lower()]["responses"]
        # The description leaves out overload and faults of the server.
        if str(status) in known and status != 204:
            self._check(
                f"#/paths/{_escaped(template)}/{method.lower()}/responses/{status}/content/application~1json/schema",
                body,
            )

    def _check(self, place: str, value: Any, *, closed: bool = False) -> None:
        schema: dict[str, Any] = {"$ref": f"{_URI}{place}"}
        if closed:
            # A misspelled field would otherwise pass unseen.
            schema["unevaluatedProperties"] = False
        Draft202012Validator(schema, registry=self._registry).validate(value)


@cache
def description() -> Description | None:
    """Return the description, None where the shared data are not at hand."""
    path = Path(os.environ.get("UNDERSTUDY_DATA", "")) / "prolific-openapi" / "openapi.yml"
    return Description(path) if path.is_file() else None


def description_or_skip() -> Description:
    """Return the description, or skip a test that is about it."""
    found = description()
    if found is None:
        pytest.skip("UNDERSTUDY_DATA names no folder with prolific-openapi/openapi.yml")
    return found


def _escaped(template: str) -> str:
    return template.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")


def _loader() -> Any:
    # The fast loader where the platform has it: the file has 15,000 lines.
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)
