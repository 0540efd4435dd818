"""Coding in the report: who coded, how they agreed, what was settled, and whom it left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from understudy.report import theme
from understudy.report.wording import plain, plural
from understudy.schema import Study
from understudy.schema.annotation import CodingPhase, CodingScheme


@dataclass(frozen=True)
class AnnotatorLine:
    """How much one annotator coded, and what they could see."""

    name: str
    n_coded: int
    is_blind: bool
    is_synthetic: bool


@dataclass(frozen=True)
class AgreementLine:
    """Agreement of two annotators about codes, about the decision, or about one code."""

    about: str
    pair: str
    n: int
    same: float
    kappa: float | None
    interval: tuple[float, float] | None
    alpha: float | None


@dataclass(frozen=True)
class CodingSummary:
    """One coding scheme as it is now."""

    scheme_id: str
    title: str
    phase: CodingPhase
    n_units: int
    n_complete: int
    n_disputed: int
    n_settled: int
    annotators: tuple[AnnotatorLine, ...]
    agreement: tuple[AgreementLine, ...]
    counts: tuple[tuple[str, int], ...]
    """Code -> texts that have it, as far as annotators agreed or somebody decided."""
    excluded: tuple[tuple[str, int], ...] = ()
    """Exclusion -> people it leaves out."""

    @property
    def is_whole(self) -> bool:
        """Whether every text is coded and every disagreement settled."""
        return self.phase == "closed" and self.n_complete == self.n_units and self.n_settled == self.n_disputed


class CodingView(NamedTuple):
    """A scheme as text."""

    title: str
    sentences: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def coding_views(summaries: Sequence[CodingSummary]) -> tuple[CodingView, ...]:
    """Return the schemes as sentences and table rows."""
    return tuple(
        CodingView(summary.title, tuple(coding_sentences(summary)), tuple(map(_row, summary.agreement)))
        for summary in summaries
    )


def coding_sentences(summary: CodingSummary) -> list[str]:
    """Say how far coding is, who did it, and what follows."""
    done = f"{summary.n_complete:,} of {plural(summary.n_units, 'text')} coded by as many annotators as planned."
    sentences = [done, _people(summary.annotators)]
    if summary.phase == "open":
        sentences.append("Coding is open: annotators write labels of their own, and the code book grows out of them.")
    if summary.n_disputed:
        left = summary.n_disputed - summary.n_settled
        wait = "1 of them waits" if left == 1 else f"{left} of them wait"
        rest = f"{wait} for a decision" if left else "all are settled, each with a reason in the log"
        sentences.append(f"Annotators disagreed about {plural(summary.n_disputed, 'text')}; {rest}.")
    sentences += [
        f"The exclusion {name!r} leaves out {plural(n, 'participant')} because of these codes."
        for name, n in summary.excluded
    ]
    if summary.excluded and not summary.is_whole:
        sentences.append("Coding is not finished, so more people may still be left out.")
    return sentences


def _people(annotators: Sequence[AnnotatorLine]) -> str:
    if not annotators:
        return "Nobody has coded anything yet."
    told = ", ".join(f"{line.name} ({line.n_coded}{_sight(line)})" for line in annotators)
    return f"Coded by {told}."


def _sight(line: AnnotatorLine) -> str:
    if line.is_synthetic:
        return ", synthetic"
    return ", blind to conditions and answers" if line.is_blind else ", not blind"


def _row(line: AgreementLine) -> tuple[str, ...]:
    interval = theme.DASH if line.interval is None else f"{_text(line.interval[0])} to {_text(line.interval[1])}"
    return line.about, line.pair, str(line.n), f"{line.same:.0%}", _text(line.kappa), interval, _text(line.alpha)


def _text(value: float | None) -> str:
    return theme.DASH if value is None else theme.number(value, decimals=3)


def scheme_sentences(study: Study) -> list[str]:
    """Say how texts will be coded, scheme by scheme, for a preregistration."""
    return [f"Coding scheme `{scheme.scheme_id}`: {_planned(scheme)}" for scheme in study.annotation]


def _planned(scheme: CodingScheme) -> str:
    what = {"texts": "free texts", "recordings": "recordings"}[scheme.reads]
    read = f"the {what} of each person together" if scheme.unit == "person" else f"each of the {what}"
    shared = "" if scheme.overlap == 1 else f" for {scheme.overlap:.0%} of them, and one for each of the others"
    sentences = [
        f"{plural(scheme.annotators, 'annotator')}{shared}, blind to condition and other answers, code {read}.",
        plain(scheme.instruction),
        "Open coding comes first: labels become the codes of closed coding." if scheme.begins == "open" else "",
        f"{'One code' if scheme.choose == 'one' else 'Any number of codes'} of: {_codes(scheme)}."
        if scheme.codes
        else "",
    ]
    groups = " | ".join(", ".join(names) for names in scheme.groups.values())
    sentences.append(f"Agreement and decisions are about {groups}." if groups else "")
    return " ".join(filter(None, sentences))


def _codes(scheme: CodingScheme) -> str:
    return "; ".join(
        f"`{code.code_id}` ({plain(code.definition).rstrip('.')})" if code.definition else f"`{code.code_id}`"
        for code in scheme.codes
    )
