"""Annotation: which texts and recordings people code, by which code book, and how the code book came about."""

from typing import Literal, Self, TypeAlias

from pydantic import Field, model_validator

from understudy.schema.record import Name, Record

CodingPhase: TypeAlias = Literal["open", "closed"]
"""open: annotators write labels of their own; closed: they choose from the code book."""
BookChange: TypeAlias = Literal["code_defined", "label_renamed", "labels_merged", "closed_coding_began"]


class Code(Record):
    """One code of a code book."""

    code_id: Name
    label: str = ""
    """What annotators read; the id if empty."""
    definition: str = ""
    """When to give the code, in one or two sentences."""
    examples: tuple[str, ...] = ()
    """Texts that get the code."""
    counterexamples: tuple[str, ...] = ()
    """Texts that look as if they did, and do not."""

    @property
    def words(self) -> str:
        """The label, or the id in words."""
        return self.label or self.code_id.replace("_", " ")


class CodingScheme(Record):
    """What annotators read, and the codes they give."""

    scheme_id: Name
    title: str = ""
    instruction: str = ""
    """What annotators are asked, in a few sentences."""
    reads: Literal["texts", "recordings"] = "texts"
    questions: tuple[str, ...] = ()
    """Questions whose answers are read, in this order; every free text if empty."""
    blocks: tuple[str, ...] = ()
    """Blocks whose answers or recordings are read; all if empty."""
    unit: Literal["answer", "person"] = "answer"
    """answer: each text is coded for itself; person: all texts of a person are read together and coded once."""
    choose: Literal["one", "several"] = "one"
    """How many codes a text may have; with several, it may also have none."""
    begins: CodingPhase = "closed"
    """open: the code book grows out of free labels before anybody chooses from it."""
    codes: tuple[Code, ...] = ()
    groups: dict[Name, tuple[str, ...]] = {}
    """Codes that count as the same for agreement and adjudication, such as unsure and exclude; each code in one group."""
    annotators: int = Field(default=2, ge=1, le=100)
    """How many people code each text of the overlap."""
    overlap: float = Field(default=1.0, ge=0, le=1)
    """Share of texts that several people code; one person codes each of the others."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        known = [code.code_id for code in self.codes]
        twice = sorted({name for name in known if known.count(name) > 1})
        if twice:
            raise ValueError(f"code {twice[0]!r} is given twice; give each code a name of its own.")
        if self.begins == "closed" and not known:
            raise ValueError("the code book is empty; add codes, or let it begin with open coding: begins = 'open'.")
        grouped = [name for names in self.groups.values() for name in names]
        if self.groups and (self.choose != "one" or sorted(grouped) != sorted(known)):
            raise ValueError("groups must hold every code once, and need choose = 'one'.")
        return self

    @property
    def words(self) -> str:
        """The title, or the id in words."""
        return self.title or self.scheme_id.replace("_", " ").capitalize()

    def group_of(self, code_id: str) -> str:
        """Return what a code counts as in agreement: its group, or itself."""
        return next((group for group, names in self.groups.items() if code_id in names), code_id)


class BookEdit(Record):
    """What changes in a code book."""

    change: BookChange
    code_id: str = ""
    """The code that is defined, or that labels are merged into."""
    label: str = ""
    """What annotators read from now on."""
    definition: str = ""
    examples: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    """Labels of open coding that belong to the code, or the label that is renamed."""


class BookSignature(Record):
    """Who changed which code book, and when."""

    study_name: str
    seq: int = Field(ge=1)
    """Counts the changes of one study, so that two researchers cannot change it at the same time unnoticed."""
    at_ms: int
    actor: str
    scheme_id: str


class BookEntry(BookEdit, BookSignature):
    """One change of a code book in the log; the code book is what all changes together say."""
