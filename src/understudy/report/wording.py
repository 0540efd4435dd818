"""Words for verdicts, directions and corrections of findings."""

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from understudy import registry
from understudy.errors import UnknownName
from understudy.roles import HasModelRule
from understudy.schema import AnalysisPlan, Finding, Hypothesis, Provenance, Ref, Status, Verdict, utc_second

VERDICT: Final[dict[Verdict, str]] = {
    "supported": "Supported",
    "opposite": "Opposite direction",
    "not_supported": "Not supported",
    "inconclusive": "Inconclusive",
    "not_tested": "Not tested",
}
_COUNTED: Final[dict[Verdict, tuple[str, str]]] = {
    "supported": ("is supported", "are supported"),
    "opposite": ("has an effect in the opposite direction", "have effects in the opposite direction"),
    "not_supported": ("is not supported", "are not supported"),
    "inconclusive": ("is inconclusive", "are inconclusive"),
    "not_tested": ("was not tested", "were not tested"),
}
_STATUS: Final[dict[Status, tuple[str, str]]] = {
    "registered": ("is registered and confirmatory", "are registered and confirmatory"),
    "planned": ("is planned but not registered", "are planned but not registered"),
    "exploratory": (
        "is exploratory, so it can only suggest an effect",
        "are exploratory, so they can only suggest effects",
    ),
}
_ALL: Final[dict[Status, tuple[str, str]]] = {
    "registered": (
        "It was registered before the first participant arrived, so it is confirmatory.",
        "All were registered before the first participant arrived, so they are confirmatory.",
    ),
    "planned": (
        "It was planned before the data were collected but not registered: digests prove what the plan says, not when it was written.",
        "All were planned before the data were collected but not registered: digests prove what the plan says, not when it was written.",
    ),
    "exploratory": (
        "It is exploratory: it can suggest an effect but not confirm it.",
        "All are exploratory: they can suggest effects but not confirm them.",
    ),
}
"""For one finding, and for several of one status."""
CORRECTION: Final = {"none": "none", "bonferroni": "Bonferroni", "holm": "Holm", "fdr": "Benjamini–Hochberg"}
SIDES: Final = {
    "greater": "one-sided, greater",
    "less": "one-sided, less",
    "different": "two-sided",
    "equivalent": "equivalence, two one-sided tests",
}


def sides_of(hypothesis: Hypothesis) -> str:
    """Say how many sides a test has, and which direction is claimed."""
    sides = SIDES[hypothesis.direction]
    return f"{sides}, {hypothesis.expects} expected" if hypothesis.expects else sides


def joined(parts: Sequence[str]) -> str:
    """Join words as in a sentence.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def plural(n: int, noun: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "hypothesis"), plural(2, "hypothesis"), plural(3, "participant")
    ('1 hypothesis', '2 hypotheses', '3 participants')
    """
    many = noun[:-2] + "es" if noun.endswith("is") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else many}"


def people(n: int) -> str:
    """Return a count of people.

    >>> people(1), people(2)
    ('1 person', '2 people')
    """
    return "1 person" if n == 1 else f"{n:,} people"


def summary_sentences(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return a few sentences that summarise the verdicts."""
    if not findings:
        return ("The plan has no hypotheses. The report only describes the data.",)
    verdicts = Counter(finding.verdict for finding in findings)
    sentences = [_verdict_sentence(verdicts)]
    sentences.append(_status_sentence(findings))
    if any(finding.is_interim for finding in findings):
        sentences.append("Every verdict is interim: looks are still to come, and the planned sample is not complete.")
    if verdicts["opposite"]:
        sentences.append("“Opposite direction” means that the data support the reverse of the claim.")
    if verdicts["not_supported"]:
        sentences.append("“Not supported” means that the data do not meet the criterion, not that there is no effect.")
    return tuple(sentences)


def _verdict_sentence(verdicts: Counter[Verdict]) -> str:
    """Count the verdicts in one sentence.

    >>> _verdict_sentence(Counter({"not_supported": 3})), _verdict_sentence(Counter({"supported": 1}))
    ('None of the 3 hypotheses is supported.', 'The hypothesis is supported.')
    >>> _verdict_sentence(Counter({"supported": 2, "not_tested": 1}))
    'Of 3 hypotheses, 2 are supported and 1 was not tested.'
    """
    n = verdicts.total()
    if len(verdicts) > 1:
        counted = [f"{verdicts[v]} {words[verdicts[v] > 1]}" for v, words in _COUNTED.items() if verdicts[v]]
        return f"Of {n} hypotheses, {joined(counted)}."
    (only,) = verdicts
    if n == 1:
        return f"The hypothesis {_COUNTED[only][0]}."
    return (
        f"None of the {n} hypotheses is supported."
        if only == "not_supported"
        else f"All {n} hypotheses {_COUNTED[only][1]}."
    )


def _status_sentence(findings: Sequence[Finding]) -> str:
    """Say how far the findings can confirm anything; only a registration makes them confirmatory."""
    counts = Counter(finding.status for finding in findings)
    if len(counts) == 1:
        return _ALL[findings[0].status][len(findings) > 1]
    parts = [f"{counts[status]} {words[counts[status] > 1]}" for status, words in _STATUS.items() if counts[status]]
    return f"{joined(parts)}."


def registration_sentence(provenance: Provenance) -> str:
    """Return a sentence on whether and when the study was registered."""
    own = [entry for entry in provenance.registrations if entry.study_digest == provenance.study_digest]
    frozen = provenance.preregistered_digest
    if own:
        entered, n = utc_second(own[0].entered_ms), own[0].n_sessions_before
        late = f" By then, {n} participant{'s' * (n > 1)} had come." if n else ""
        return (
            f"This study and its plan were frozen at {own[0].frozen_at:%Y-%m-%d %H:%M:%S} UTC and recorded in the log at "
            f"{entered:%Y-%m-%d %H:%M:%S} UTC.{late}"
        )
    if frozen is None:
        return "This study was not preregistered."
    if frozen == provenance.study_digest:
        return (
            "The study and its plan are the ones that were preregistered; their digests are equal. The freeze was not "
            "recorded in the log."
        )
    return (
        f"The study differs from the one that was preregistered: digest {frozen[:12]} was frozen, "
        f"{provenance.study_digest[:12]} was analysed."
    )


def witness_lines(provenance: Provenance) -> tuple[str, ...]:
    """Return the registry links and timestamp tokens of the registrations of this study, each once."""
    own = [entry for entry in provenance.registrations if entry.study_digest == provenance.study_digest]
    links = [f"Public registry: {entry.registry_link}" for entry in own if entry.registry_link]
    tokens = [
        f"Timestamp token with SHA-256 {hashlib.sha256(base64.b64decode(entry.timestamp_token)).hexdigest()}, kept in "
        "the log and not verified here"
        for entry in own
        if entry.timestamp_token
    ]
    return tuple(dict.fromkeys([*links, *tokens]))


def correction_of(hypothesis: Hypothesis | None, plan: AnalysisPlan | None) -> str:
    """Return the correction of a hypothesis and its number of tests; empty if none is declared."""
    if plan is None or hypothesis is None or hypothesis.family is None:
        return ""
    family = next((family for family in plan.families if family.name == hypothesis.family), None)
    if family is None or family.correction == "none":
        return ""
    n_tests = family.n_tests or sum(claim.family == family.name for claim in plan.hypotheses)
    return f"{CORRECTION[family.correction]}, {plural(n_tests, 'test')} in family {family.name}"


def readable(name: str) -> str:
    """Return a registered name as words."""
    return name.replace("_", " ")


# Text for references to catalogue entries.


def named(ref: Ref) -> str:
    """Return a reference as its name and parameters.

    >>> named(Ref(name="answer", params={"question": "trust"}))
    '`answer` (question = trust)'
    """
    params = ", ".join(f"{name} = {value}" for name, value in ref.params.items())
    return f"`{ref.name}` ({params})" if params else f"`{ref.name}`"


def explained(catalogue: registry.Catalogue, ref: Ref) -> str:
    """Return a reference with the first sentence of its catalogue entry's docstring, if it has one."""
    try:
        lines = (registry.entry(catalogue, ref.name).__doc__ or "").strip().splitlines()
    except UnknownName:
        return named(ref)
    sentence = lines[0].rstrip(".") if lines else ""
    return f"{named(ref)} ({sentence})" if sentence else named(ref)


def estimand(analysis: Ref) -> str:
    """Return what an analysis estimates; empty if its entry does not say.

    >>> estimand(Ref(name="nothing_of_this_name"))
    ''
    """
    try:
        return str(getattr(registry.entry("analyses", analysis.name), "estimand", ""))
    except UnknownName:
        return ""


def model_rule(analysis: Ref) -> str:
    """Return when an analysis fits a simpler model than planned, and which; empty if it does not.

    >>> model_rule(Ref(name="nothing_of_this_name"))
    ''
    """
    try:
        entry = registry.entry("analyses", analysis.name)
    except UnknownName:
        return ""
    return entry.model_rule if isinstance(entry, HasModelRule) else ""


def quoted(names: Sequence[str]) -> str:
    """Return names in code style, joined as in a sentence.

    >>> quoted(["a", "b"])
    '`a` and `b`'
    """
    return joined([f"`{name}`" for name in names])


def plain(text: str) -> str:
    """Return text for Markdown on one line, with HTML escaped."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
