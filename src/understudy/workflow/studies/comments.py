"""Comments for a new study file: what each part is for, where it begins."""

import re

HEADER = (
    "A study: what people see, what they are asked, who is excluded, and what counts as evidence.",
    "Change it, then run: understudy check FILE. The reference of the study file lists every field.",
)
COMMENTS = {
    "factors": "What varies: between people, within a person, over items, or over questions.",
    "bindings": "Which data, model and explanation belong to each level. If several match, the last one is used.",
    "assignment": "How people are assigned, and how many completed sessions each condition needs.",
    "item_sets": "Which items are drawn, and what they are balanced over.",
    "flow": "What people see, page by page.",
    "measures": "What is measured, with the names that the plan uses.",
    "exclusions": "Who is excluded, by rules over session measures.",
    "pay": "What people earn. Participants read expected_minutes on the consent page.",
    "plan": "What counts as evidence: outcomes, descriptions and hypotheses.",
    "plan.outcomes": "One number per person, or one row per trial, from a measure.",
    "plan.hypotheses": "Each claim, and the test that decides it.",
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
