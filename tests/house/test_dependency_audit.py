"""The audit of dependencies fails on a known vulnerability, and says so where it cannot ask."""

import json

import pytest

from tests.house.dependency_audit import npm_audit, python_audit, sentence_of

SOUND = {"name": "uvicorn", "version": "0.54.0", "vulns": []}
BROKEN = {"name": "jinja2", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3.1"], "aliases": []}]}
UNKNOWN = {"name": "zipp", "skip_reason": "Dependency not found on PyPI and could not be audited: zipp (4.1.2)"}
NPM = {"auditReportVersion": 2, "vulnerabilities": {}, "metadata": {"dependencies": {"prod": 9}}}


def test_a_vulnerable_python_package_is_named_with_what_mends_it() -> None:
    audit = python_audit(json.dumps({"dependencies": [SOUND, BROKEN], "fixes": []}))
    assert audit.vulnerable == ("jinja2 2.0: PYSEC-1, fixed in 3.1",)


def test_sound_packages_are_counted() -> None:
    audit = python_audit("Found nothing\n" + json.dumps({"dependencies": [SOUND, UNKNOWN], "fixes": []}))
    assert sentence_of("Python", audit) == "Python: 1 packages, no known vulnerability"


@pytest.mark.parametrize(
    "output",
    ["", "Traceback\nConnectionError: no route to host", "[]", json.dumps({"dependencies": [UNKNOWN], "fixes": []})],
)
def test_a_database_that_cannot_be_reached_skips_the_audit(output: str) -> None:
    assert sentence_of("Python", python_audit(output)).startswith("Python: audit skipped: ")


def test_a_vulnerable_script_is_named() -> None:
    found = {**NPM, "vulnerabilities": {"jspsych": {"severity": "high", "range": "<8.3.1"}}}
    assert npm_audit(json.dumps(found)).vulnerable == ("jspsych: high, <8.3.1",)


@pytest.mark.parametrize("output", ["npm error network", json.dumps({"message": "405 Method Not Allowed"})])
def test_a_registry_that_gives_no_advisories_skips_the_audit(output: str) -> None:
    assert npm_audit(output).skipped in ("npm error network", "405 Method Not Allowed")


def test_sound_scripts_are_counted() -> None:
    assert npm_audit(json.dumps(NPM)).n_audited == 9
