"""Lists every text that participants read, with its reading grade: `python docs/participant_texts.py`.

Writes docs/participant-texts.csv (one row per text) and docs/participant-texts.md (grades by study). English is graded by
the Flesch-Kincaid formula, German by the first Wiener Sachtextformel (Bamberger and Vanecek, 1984). Both take counts of
words, syllables and sentences, so a few lines replace a package with word lists.
"""

import csv
import importlib
import json
import pkgutil
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from understudy import tasks
from understudy.protocols import ready_names, ready_study
from understudy.schema import Study

HERE: Final = Path(__file__).parent
TEXTS: Final = HERE.parent / "frontend" / "src" / "shared" / "texts"
HIGHEST_GRADE: Final = 8
LONG: Final = 40
"""Words from which a single text is graded; a grade of fewer says little."""
_NOT_SHOWN: Final = frozenset(
    {"rule", "reason", "name", "block_id", "measure", "over", "transcript_of", "picture", "file"}
)
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_MARKUP: Final = re.compile(r"[*_#`]|\{[^}]*\}|^\s*[-\d.]+\s", re.MULTILINE)


class Text(NamedTuple):
    """One text, where it is from and its language."""

    source: str
    place: str
    language: str
    words: str


def texts_of_studies() -> Iterator[Text]:
    """Yield what the pages of ready studies say, each text once."""
    seen: set[str] = set()
    for name in ready_names():
        study: Study = ready_study(name)
        shown = json.loads(study.model_dump_json(include={"shown_title", "flow"}))
        shown["results"] = {claim.hypothesis_id: claim.plain for claim in study.plan.hypotheses if claim.plain}
        for place, words in _strings(shown, ""):
            if words not in seen and " " in words:
                seen.add(words)
                yield Text(name, place, study.language, words)


def _strings(value: object, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if key not in _NOT_SHOWN:
                yield from _strings(part, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for k, part in enumerate(value):
            yield from _strings(part, f"{place}.{k}")


def texts_of_player() -> Iterator[Text]:
    """Yield what the participant's page itself says, in each of its languages."""
    for path in sorted(TEXTS.glob("[de][en]*.ts")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.startswith(("import", "export", "/**", " *")) or line.lstrip().startswith("} as "):
                continue
            for plain, template in _STRING.findall(line):
                words = re.sub(r"\$\{[^}]*\}", "{…}", template) if template else plain
                # A template inside a template is cut in two by the search for quotes; its parts are listed elsewhere.
                if words.strip() and "${" not in words and not words.startswith("}"):
                    yield Text(path.name, str(number), path.name[:2], words)


def texts_of_forms() -> Iterator[Text]:
    """Yield what standard forms ask, and what the page of results says, in each of their languages."""
    forms = [f"understudy.tasks.{module.name}" for module in pkgutil.iter_modules(tasks.__path__)]
    for module in (*sorted(forms), "understudy.report.lay_page"):
        named = vars(importlib.import_module(module))
        source = "/".join(module.split(".")[1:]) + ".py"
        for worded in (value for value in named.values() if isinstance(value, Mapping) and {*value} == {"en", "de"}):
            for language, part in worded.items():
                for place, words in _strings(json.loads(json.dumps(part)), ""):
                    yield Text(source, place, language, words)


def grade(words: str, language: str) -> float:
    """Return the school grade in which a text can be read.

    >>> round(grade("The cat sat on the mat. It was happy.", "en"), 1)
    -0.3
    """
    plain = _MARKUP.sub(" ", words)
    found = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", plain)
    if not found:
        return 0.0
    n_sentences = max(1, len(re.findall(r"[.!?:](?:\s|$)|\n\s*\n", plain.strip() + "\n")))
    syllables = [_syllables(word.lower(), language) for word in found]
    per_sentence = len(found) / n_sentences
    if language == "de":
        long = sum(n >= 3 for n in syllables) / len(found) * 100
        wide = sum(len(word) > 6 for word in found) / len(found) * 100
        short = sum(n == 1 for n in syllables) / len(found) * 100
        return 0.1935 * long + 0.1672 * per_sentence + 0.1297 * wide - 0.0327 * short - 0.875
    return 0.39 * per_sentence + 11.8 * sum(syllables) / len(found) - 15.59


def _syllables(word: str, language: str) -> int:
    if language == "de":
        return max(1, len(re.findall(r"[aeiouyäöü]+", word)))
    groups = len(re.findall(r"[aeiouy]+", re.sub(r"(?:[^laeiouy]es|ed|[^laeiouy]e)$", "", word)))
    return max(1, groups)


def _grade_rows(texts: list[Text]) -> Iterator[str]:
    for source, language in dict.fromkeys((text.source, text.language) for text in texts):
        own = [text for text in texts if (text.source, text.language) == (source, language)]
        whole = "\n\n".join(text.words if text.words.endswith((".", "!", "?")) else f"{text.words}." for text in own)
        n_words = len(re.findall(r"\w+", whole))
        long = [grade(text.words, language) for text in own if len(text.words.split()) >= LONG]
        hardest = f"{max(long):.1f}" if long else "–"
        overall = f"{grade(whole, language):.1f}" if n_words >= LONG else "–"
        yield f"| {source} | {language} | {len(own)} | {n_words:,} | {overall} | {hardest} |"


def all_texts() -> list[Text]:
    """Return every text once, those of the page first."""
    return [*texts_of_player(), *texts_of_forms(), *texts_of_studies()]


def main() -> None:
    """Write both files."""
    texts = all_texts()
    with (HERE / "participant-texts.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["source", "place", "language", "grade", "text"])
        for text in texts:
            shown = f"{grade(text.words, text.language):.1f}" if len(text.words.split()) >= LONG else ""
            writer.writerow([text.source, text.place, text.language, shown, text.words])
    page = (HERE / "participant-texts.template.txt").read_text(encoding="utf-8")
    rows = "\n".join(_grade_rows(texts))
    (HERE / "participant-texts.md").write_text(
        page.format(n=len(texts), highest=HIGHEST_GRADE, long=LONG, rows=rows), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
