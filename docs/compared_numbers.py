"""Writes the numbers by which pages compare us with papers, from one table of rows (`make docs`).

A page writes a number and, right after it, the row that it comes from: `72.4<!-- row: kim2022.agreement.cub.gradcam.right.mean -->`.
A sentence without a number that can be computed names a row that says yes: `<!-- holds: hase2020.only_lime_on_tables -->`.
`compared-numbers.csv` has every row with its source: a table or section of a paper, or a stored file of ours. The rows come
from paper_rows.py and our_rows.py, so a number changes in one place.
"""

import csv
import io
import re
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from our_rows import counted, our_rows
from paper_rows import DOCS, ROOT, Row, printed_rows

TABLE = DOCS / "compared-numbers.csv"
WORDS = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty",
)
COUNTED = {word: number for number, word in enumerate(WORDS)} | {"thirty": 30, "forty": 40, "fifty": 50}
"""Number words of pages; the other way round, a number is written as a word where the page has a word."""
NUMBER = r"(?:< )?[+−-]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)"
HYPOTHESES = r"H\d+(?:,? H\d+)*"
NAME = r"\s*(?P<row>[\w.+-]+)\s*"
MARKED = re.compile(rf"(?P<told>{HYPOTHESES}|{NUMBER}|\b(?:{'|'.join(COUNTED)}))<!--\s*row:{NAME}-->", re.IGNORECASE)
HOLDS = re.compile(rf"<!--\s*holds:{NAME}-->")
MARKER = re.compile(r"<!--\s*(?:row|holds):[^>]*-->")


def rows() -> dict[str, Row]:
    """Return every row by its name."""
    found: dict[str, Row] = {}
    for name, value, source in (*printed_rows(), *our_rows()):
        if name in found:
            raise ValueError(f"Two rows are called {name}.")
        found[name] = Row(_written(value), source)
    return found


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{float(value):.7g}"  # type: ignore[arg-type]


def pages() -> list[Path]:
    """Return the pages that may have marked numbers."""
    return sorted([ROOT / "README.md", *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.md")])


def table(found: dict[str, Row]) -> str:
    """Return the table of rows as text."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("row", "value", "source"))
    writer.writerows((name, *found[name]) for name in sorted(found))
    return stream.getvalue()


def kept_rows() -> dict[str, Row]:
    """Read the table of rows."""
    return {row["row"]: Row(row["value"], row["source"]) for row in counted(TABLE)}


def filled(text: str, known: dict[str, Row]) -> str:
    """Return a page with every marked number as its row has it, in the form that the page gives it."""
    return MARKED.sub(lambda found: _as_told(found["told"], known, found["row"]) + found[0][len(found["told"]) :], text)


def _as_told(told: str, known: dict[str, Row], name: str) -> str:
    return formatted(known[name].value, told) if name in known else told


def formatted(value: str, like: str) -> str:
    """Write a value in the form of a text: as many decimals, with or without a sign, as a word or as hypotheses."""
    if re.fullmatch(HYPOTHESES, like):
        return (", " if "," in like else " ").join(value.split())
    if like.lower() in COUNTED:
        word = next((word for word, number in COUNTED.items() if Decimal(value) == number), value)
        return word.capitalize() if like[0].isupper() else word
    is_below, number = value.startswith("< "), Decimal(value.removeprefix("< "))
    places = Decimal(1).scaleb(-len(like.partition(".")[2]))
    text = f"{abs(number).quantize(places, ROUND_HALF_UP):,f}"
    bare = like.removeprefix("< ").lstrip("+−-")
    sign = "−" if number < 0 else "+" if like.removeprefix("< ").startswith("+") else ""
    return "< " * is_below + sign + (text.removeprefix("0") if bare.startswith(".") else text)


def faults(text: str, known: dict[str, Row]) -> list[str]:
    """Return a sentence for each marker of a page that its row does not bear out."""
    said = [
        f"{found['told']} is not what the row {found['row']} has: {formatted(known[found['row']].value, found['told'])}."
        for found in MARKED.finditer(text)
        if found["row"] in known and _as_told(found["told"], known, found["row"]) != found["told"]
    ]
    said += [
        f"The row {found['row']} does not say yes."
        for found in HOLDS.finditer(text)
        if known.get(found["row"], Row("yes", "")).value != "yes"
    ]
    named = [found["row"] for found in (*MARKED.finditer(text), *HOLDS.finditer(text))]
    said += [f"There is no row {name}." for name in named if name not in known]
    n_markers = len(MARKER.findall(text))
    return said if len(named) == n_markers else [*said, f"{n_markers - len(named)} markers have no number before them."]


NOT_COMPARED = re.compile(
    r"^```.*?^```$"  # code
    r"|^#[^\n]*$|^!\[[^\n]*$"  # headings and pictures
    r"|<!--.*?-->"
    r"|`[^`\n]*`"
    r"|\]\([^)]*\)"  # where links lead
    r"|\b(?:Tables?|Figures?|[Ss]tudy|stud(?:y|ies)) A?\d+(?:(?:,| and| to) A?\d+)*"  # places in a paper
    r"|\bH\d+(?:(?:,| and|, and) H\d+)*"  # names of hypotheses
    r"|\b(?:two|three)-\w+"  # two-way
    r"|\b(?:19|20)\d\d\b|\bdoi \S+|\barXiv [\d.]+|\b27\(2\)",  # years and addresses
    re.MULTILINE | re.DOTALL,
)
"""What has digits or number words that compare nothing."""
COUNTS = re.compile(
    rf"(?<![\w-])(?:{NUMBER}|(?:{'|'.join(word for word in COUNTED if word not in ('zero', 'one'))})\b)", re.IGNORECASE
)


PAPERS = re.compile(
    r"\b(?:Kim|Hase|Bansal|Ross|Sixt|Wang|Schuessler)\b|\bHIVE\b|\bHypoML\b|\b(?:the|a|this|each|that) papers?\b|"
    r"\bpapers?'s?\b|\bthe authors\b|\boriginal (?:code|models?|study)\b|\breleased (?:code|items|page)\b|(?<!not )\bprinted\b(?! by)|"
    r"\bpublished:|\b(?:as|than) published\b|\bpublished (?!data|stud|stimuli|on\b)\w+",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of a paper."""
PAPER_COLUMN = re.compile(r"\s*(?:the )?(?:paper|published|printed)\s*", re.IGNORECASE)
"""The head of a column that holds what a paper has."""
TABLES = re.compile(r"^(?:\|.*\n?)+", re.MULTILINE)
SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z*`\[(])|\n\s*\n|\n(?=[-*|] ?)|\n(?=\d+\. )")


def unmarked_comparisons(text: str, *, has_tables: bool = True) -> list[str]:
    """Return the sentences and rows of tables that speak of a paper and have a number without a row."""
    bare = re.sub(r"^```.*?^```$|^#[^\n]*$|\]\([^)]*\)", "", text, flags=re.MULTILINE | re.DOTALL)
    bare = MARKER.sub(lambda found: " ".join(found[0].split()), bare)
    said = SENTENCES.split(bare if has_tables else TABLES.sub("\n", bare))
    found = [" ".join(one.split()) for one in said if PAPERS.search(one) and unmarked(one)]
    return [*found, *(_unmarked_cells(bare) if has_tables else ())]


def _unmarked_cells(text: str) -> list[str]:
    """Return the cells without a row in the columns of tables that hold what a paper has."""
    found = []
    for table in TABLES.findall(text):
        head, *rows = [line.strip().strip("|").split("|") for line in table.splitlines()]
        places = [place for place, name in enumerate(head) if PAPER_COLUMN.fullmatch(name)]
        found += [row[place].strip() for row in rows for place in places if unmarked(row[place])]
    return found


PARTS_OF_PROTOCOLS = ("What the paper found", "What we found when we recomputed")
"""Headings under which every number of a protocol's page has a row."""
UNCOMPARED = ("spoken-pages.md", "benchmarks.md", "before-and-after.md", "style.md", "reference")
"""Pages, or folders of pages, that quote what pages said or are lists."""


def unmarked_in(path: Path) -> list[str]:
    """Return what a page compares with a paper by a number without a row.

    A page that a script writes from a stored file says so at its top: its tables hold what that file has. A page that
    `understudy calibrate` wrote holds nothing else.
    """
    text, within = path.read_text(encoding="utf-8"), path.relative_to(ROOT).parts
    written = re.search(r"^<!-- (?:Generated|Written) by (`understudy )?", text[:400], re.MULTILINE)
    if {*within} & {*UNCOMPARED} or (written and written[1]):
        return []
    parts = {part.partition("\n")[0]: part for part in text.split("\n## ")} if "protocols" in within else {}
    numbers = [number for name in PARTS_OF_PROTOCOLS for number in unmarked(parts.get(name, "").partition("\n")[2])]
    return [*unmarked_comparisons(text, has_tables=written is None), *numbers]


def unmarked(text: str) -> list[str]:
    """Return the numbers of a page, in digits or words, that name no row."""
    return [found[0] for found in COUNTS.finditer(NOT_COMPARED.sub(" ", MARKED.sub(" ", text)))]


def main() -> None:
    """Write the table and the numbers of every page, and say what changed."""
    found = rows()
    TABLE.write_text(table(found), encoding="utf-8")
    for path in pages():
        text = path.read_text(encoding="utf-8")
        new = filled(text, found)
        if new != text:
            path.write_text(new, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}: numbers written\n")


if __name__ == "__main__":
    main()
