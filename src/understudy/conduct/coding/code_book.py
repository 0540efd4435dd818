"""Code book: the codes of a scheme as the study declares them and researchers have changed them since, by the log."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from understudy.measures.codes import UnitCodes
from understudy.schema.annotation import BookEntry, Code, CodingPhase, CodingScheme


@dataclass(frozen=True)
class CodeBook:
    """The codes that annotators choose from, and which labels of open coding belong to each."""

    phase: CodingPhase
    codes: tuple[Code, ...]
    merged: Mapping[str, str]
    """Label of open coding -> the code it became part of."""
    renamed: Mapping[str, str]
    """Label of open coding -> the label it is read as."""

    def code(self, code_id: str) -> Code | None:
        """Return the code of that name."""
        return next((code for code in self.codes if code.code_id == code_id), None)

    def label_of(self, label: str) -> str:
        """Return what a label of open coding is called now."""
        return self.renamed.get(label, label)


def book_of(scheme: CodingScheme, entries: Iterable[BookEntry]) -> CodeBook:
    """Fold the changes of a study's code books into that of one scheme."""
    codes = {code.code_id: code for code in scheme.codes}
    phase: CodingPhase = scheme.begins
    merged: dict[str, str] = {}
    renamed: dict[str, str] = {}
    for entry in entries:
        if entry.scheme_id != scheme.scheme_id:
            continue
        match entry.change:
            case "closed_coding_began":
                phase = "closed"
            case "label_renamed":
                # Labels that were renamed to this one before follow it.
                follows = [old for old, now in renamed.items() if now in entry.merged]
                renamed.update(dict.fromkeys((*entry.merged, *follows), entry.label))
            case "code_defined" | "labels_merged":
                codes[entry.code_id] = _changed(codes.get(entry.code_id), entry)
                merged.update(dict.fromkeys(entry.merged, entry.code_id))
    return CodeBook(phase, tuple(codes.values()), merged, renamed)


def _changed(known: Code | None, entry: BookEntry) -> Code:
    code = known or Code(code_id=entry.code_id)
    return code.model_copy(
        update={
            "label": entry.label or code.label,
            "definition": entry.definition or code.definition,
            "examples": tuple(dict.fromkeys((*code.examples, *entry.examples))),
        }
    )


def label_counts(book: CodeBook, units: Iterable[UnitCodes]) -> dict[str, Counter[str]]:
    """Return how often each annotator gave each label of open coding, the most frequent labels first."""
    counts: dict[str, Counter[str]] = {}
    for unit in units:
        for event in unit.given.values():
            for label in event.codes or ():
                counts.setdefault(book.label_of(label), Counter())[event.annotator] += 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1].total(), item[0])))
