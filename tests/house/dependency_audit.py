"""Looks up every pinned dependency in the advisory databases: `make audit`.

A known vulnerability makes it fail; where the databases cannot be reached it says so and lets everything else go on.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
_PATIENCE_S = 120


class Audit(NamedTuple):
    """What one database says: how many packages it knew, what is wrong, or why it could not be asked."""

    n_audited: int = 0
    vulnerable: tuple[str, ...] = ()
    skipped: str | None = None


def python_audit(output: str) -> Audit:
    """Read what pip-audit prints as JSON."""
    found = _object_in(output)
    if found is None or not isinstance(found.get("dependencies"), list):
        return Audit(skipped=_last_line(output))
    audited = [dependency for dependency in found["dependencies"] if "skip_reason" not in dependency]
    if not audited:
        return Audit(skipped="the advisory database knows none of the packages, so it was not reached")
    vulnerable = [
        f"{one['name']} {one['version']}: {bug['id']}, fixed in {', '.join(bug['fix_versions']) or 'no version yet'}"
        for one in audited
        for bug in one["vulns"]
    ]
    return Audit(len(audited), tuple(vulnerable))


def npm_audit(output: str) -> Audit:
    """Read what npm audit prints as JSON."""
    found = _object_in(output)
    if found is None or "auditReportVersion" not in found:
        return Audit(skipped=str((found or {}).get("message") or _last_line(output)))
    vulnerable = [
        f"{name}: {vulnerability['severity']}, {vulnerability['range']}"
        for name, vulnerability in found["vulnerabilities"].items()
    ]
    return Audit(int(found["metadata"]["dependencies"]["prod"]), tuple(vulnerable))


def sentence_of(kind: str, audit: Audit) -> str:
    """Say how an audit went."""
    if audit.skipped is not None:
        return f"{kind}: audit skipped: {audit.skipped}"
    if audit.vulnerable:
        return "\n".join([f"{kind}: {len(audit.vulnerable)} known vulnerabilities", *audit.vulnerable])
    return f"{kind}: {audit.n_audited} packages, no known vulnerability"


def _object_in(output: str) -> dict[str, Any] | None:
    start = output.find("{")
    try:
        found, _ = json.JSONDecoder().raw_decode(output[max(0, start) :])
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "nothing was said"


def _output_of(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stdout if _object_in(done.stdout) else done.stderr


def main() -> int:
    """Ask both databases; 1 when something is known to be vulnerable."""
    pip = ["-m", "pip_audit", "--requirement", "constraints.txt", "--no-deps", "--disable-pip", "--format", "json"]
    audits = {
        "Python": python_audit(_output_of([sys.executable, *pip, "--progress-spinner", "off", "--timeout", "15"])),
        "Front end": npm_audit(_output_of([sys.executable, "frontend/with_node.py", "audit"])),
    }
    for kind, audit in audits.items():
        sys.stdout.write(f"{sentence_of(kind, audit)}\n")
    return int(any(audit.vulnerable for audit in audits.values()))


if __name__ == "__main__":
    sys.exit(main())
