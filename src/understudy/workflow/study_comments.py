"""Comments for a new study file: what each part is for, where it begins."""

import re

HEADER = (
    "A study: who sees what, what people are asked, who is left out, and what will count as evidence.",
    "Change it, then run: understudy check FILE. The reference of the study file lists every field.",
)
COMMENTS = {
    "factors": "What varies: between people, within a person, over items, or over questions.",
    "bindings": "Which data, model and explanation belong to each level; later ones win.",
    "assignment": "How people are assigned, and how many who complete are wanted per condition.",
    "item_sets": "Which items are drawn, and what they are balanced over.",
    "flow": "What people see, page by page.",
    "measures": "What is counted, under the names that the plan uses.",
    "exclusions": "Who is left out, by a rule over measures of a session.",
    "pay": "What people earn; expected_minutes is what you announce.",
    "plan": "What will count as evidence: outcomes, descriptions and hypotheses.",
    "plan.outcomes": "One number per person, or one row per trial, from a measure.",
    "plan.hypotheses": "Each claim with the test that decides about it.",
}
_TABLE = re.compile(r"^\[\[?([\w.]+)\]?\]|^([\w]+) = ", re.MULTILINE)


def commented(toml: str) -> str:
    """Return the text of a study with a comment before the first line of each part."""
    waiting = dict(COMMENTS)
    lines = [*(f"# {sentence}" for sentence in HEADER), ""]
    for line in toml.splitlines():
        found = _TABLE.match(line)
        name = (found.group(1) or found.group(2)) if found else None
        if name in waiting:
            lines += [f"# {waiting.pop(name)}"]
        lines.append(line)
    return "\n".join(lines) + "\n"
