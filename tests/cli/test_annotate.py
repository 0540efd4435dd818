"""`understudy annotate`: status and what to do next, codes in and out, and a rehearsal with simulated annotators."""

import csv
import io
import json
import shutil
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.coded_people import coded_run
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.record import lock_folder
from understudy.workflow.run_folder import new_run

TEXTS = ["The model liked high incomes.", "I had lunch.", '=HYPERLINK("x")', "Savings, it seems.", "No idea."]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of people and one of simulated people, made once."""
    folder = tmp_path_factory.mktemp("runs")
    coded_run(folder / "people", TEXTS)
    coded_run(folder / "synthetic", [f"Text {number}" for number in range(40)], kind="synthetic")
    return folder


@pytest.fixture
def runs(prepared: Path, tmp_path: Path) -> Path:
    shutil.copytree(prepared, tmp_path / "runs")
    return tmp_path / "runs"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def filled(path: Path, *codes: str) -> Path:
    """Write codes into a file of texts, in the order of the texts in TEXTS."""
    lines = rows(path.read_text(encoding="utf-8"))
    by_text = {text.lstrip("'"): code for text, code in zip(TEXTS, codes, strict=True)}
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, lines[0].keys())
        writer.writeheader()
        writer.writerows({**line, "codes": by_text[line["text"].lstrip("'")]} for line in lines)
    return path


def test_status_says_what_to_do_next(runs: Path) -> None:
    shown = understudy("annotate", runs / "people")
    assert "0 of 5 texts coded by as many annotators as planned." in shown.out
    assert f"Next: name two annotators: understudy researchers add {runs / 'people'} NAME --role annotator" in shown.out


def test_codes_travel_through_a_spreadsheet_and_back(runs: Path) -> None:
    run, texts = runs / "people", runs / "texts.csv"
    assert understudy("annotate", run, "--texts", texts).code == 0
    blind = texts.read_text(encoding="utf-8")
    assert not any(word in blind for word in ("session", "synthetic-0", "shown", "hidden"))
    first = understudy(
        "annotate", run, "--import", filled(texts, "include", "exclude", "unsure", "include", ""), "--annotator", "ann"
    )
    assert first.out == "4 decisions of ann stored; 0 were known, 1 have no code.\n"
    again = understudy("annotate", run, "--import", texts, "--annotator", "ann")
    assert again.out == "0 decisions of ann stored; 4 were known, 1 have no code.\n"
    understudy("annotate", run, "--export", runs / "codes.csv")
    given = rows((runs / "codes.csv").read_text(encoding="utf-8"))
    assert sorted(row["codes"] for row in given) == ["exclude", "include", "include", "unsure"]
    assert {(row["annotator"], row["is_blind"], row["agreed_codes"]) for row in given} == {("ann", "False", "")}


def test_simulated_annotators_rehearse_the_whole_chain(runs: Path) -> None:
    run = runs / "synthetic"
    shown = understudy("annotate", run, "--simulate", 2, "--error", "0.2", "--seed", 3, "--settle")
    assert shown.out.startswith("SYNTHETIC: 80 decisions of 2 simulated annotators")
    (summary,) = json.loads(understudy("annotate", run, "--json").out)
    assert [line["is_synthetic"] for line in summary["annotators"]] == [True, True]
    assert (summary["n_complete"], summary["n_settled"]) == (40, summary["n_disputed"])
    assert f"Next: understudy report {run}" in understudy("annotate", run).out
    understudy("report", run, "--out", runs / "report.html")
    page = (runs / "report.html").read_text(encoding="utf-8")
    n_left_out = dict(summary["excluded"])["misunderstood"]
    assert f"leaves out {n_left_out} participants because of these codes." in page
    assert "Agreement of annotators" in page


def test_other_programs_get_a_code_book_and_a_project(runs: Path) -> None:
    run = runs / "synthetic"
    understudy("annotate", run, "--simulate", 2)
    understudy("annotate", run, "--export", runs / "codes.qdc")
    understudy("annotate", run, "--export", runs / "codes.qdpx")
    book = ET.parse(runs / "codes.qdc").getroot()
    space = {"b": "urn:QDA-XML:codebook:1.0", "p": "urn:QDA-XML:project:1.0"}
    assert [code.get("name") for code in book.findall("b:Codes/b:Code/b:Code", space)] == [
        "include",
        "unsure",
        "exclude",
    ]
    with zipfile.ZipFile(runs / "codes.qdpx") as archive:
        project = ET.fromstring(archive.read("project.qde"))
        names = archive.namelist()
    codings = project.findall(".//p:Coding/p:CodeRef", space)
    known = {code.get("guid") for code in project.iter("{urn:QDA-XML:project:1.0}Code")}
    assert (len(codings), len(names)) == (80, 41)
    assert {coding.get("targetGUID") for coding in codings} <= known


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--scheme", "mood", "--texts", "x.csv"],
            "'mood' is not a coding scheme of this study. Choose from: judgement.",
        ),
        (["--export", "codes.txt"], "codes.txt has the ending '.txt'. Choose from: .csv, .qdc, .qdpx."),
        (["--import", "codes.csv"], "Say who filled in the file: --annotator NAME."),
        (["--simulate", "2"], "has texts of people, which simulated annotators never code."),
    ],
)
def test_mistakes_get_one_sentence(runs: Path, words: list[str], sentence: str) -> None:
    shown = understudy("annotate", runs / "people", *words)
    assert (shown.code, len(shown.err.strip().splitlines())) == (2, 1)
    assert sentence in shown.err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("unit,codes\n1,include\n", "has no column 'unit_id'; it needs unit_id and codes"),
        ("unit_id,codes\nnobody,include\n", "Line 2 names a text that this run does not have: 'nobody'."),
    ],
)
def test_a_file_that_does_not_fit_is_not_taken(runs: Path, text: str, sentence: str) -> None:
    (runs / "codes.csv").write_text(text)
    shown = understudy("annotate", runs / "people", "--import", runs / "codes.csv", "--annotator", "ann")
    assert (shown.code, sentence in shown.err) == (2, True)


def test_a_wrong_code_leaves_the_whole_file_out(runs: Path) -> None:
    texts = runs / "texts.csv"
    understudy("annotate", runs / "people", "--texts", texts)
    filled(texts, "include", "maybe", "unsure", "include", "exclude")
    shown = understudy("annotate", runs / "people", "--import", texts, "--annotator", "ann")
    assert "'maybe' is not in the code book. Choose from: include, unsure, exclude." in shown.err
    assert "Nobody has coded anything yet." in understudy("annotate", runs / "people").out


def test_codes_are_not_imported_next_to_a_server_on_the_same_file(runs: Path) -> None:
    understudy("annotate", runs / "people", "--texts", runs / "texts.csv")
    with lock_folder(runs / "people"):
        shown = understudy("annotate", runs / "people", "--import", runs / "texts.csv", "--annotator", "ann")
    assert (shown.code, len(shown.err.strip().splitlines())) == (2, 1)


def test_a_study_without_a_scheme_has_nothing_to_code(tmp_path: Path) -> None:
    new_run(two_groups(), tmp_path, tmp_path)
    assert "has nothing to code: its study file has no [[annotation]]." in understudy("annotate", tmp_path).err
