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
from tests.shell import Shown, understudy
from tests.small_studies import two_groups
from understudy.actions.annotate import coded_run as codes_of
from understudy.actions.run_folder import existing_run, new_run
from understudy.conduct.coding_room import Author, Given, given_event
from understudy.record import lock_folder

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


def coded(run: Path, path: Path, name: str) -> Shown:
    """Take the file of somebody who has not coded before."""
    return understudy("annotate", run, "--import", path, "--annotator", name, "--new-annotator")


@pytest.fixture
def exported(runs: Path) -> Path:
    """The codes of two annotators who disagree, in one file."""
    run, texts = runs / "people", runs / "texts.csv"
    understudy("annotate", run, "--texts", texts)
    coded(run, filled(texts, "include", "exclude", "unsure", "include", "include"), "ann")
    coded(run, filled(texts, "exclude", "include", "unsure", "include", "include"), "bob")
    understudy("annotate", run, "--export", runs / "codes.csv")
    return runs / "codes.csv"


def test_status_says_what_to_do_next(runs: Path) -> None:
    shown = understudy("annotate", runs / "people")
    assert "0 of 5 texts coded by as many annotators as planned." in shown.out
    assert f"Next: name an owner (understudy researchers add {runs / 'people'} NAME --role owner), then" in shown.out
    assert f"name two annotators: understudy researchers add {runs / 'people'} NAME --role annotator" in shown.out


def test_codes_travel_through_a_spreadsheet_and_back(runs: Path) -> None:
    run, texts = runs / "people", runs / "texts.csv"
    assert understudy("annotate", run, "--texts", texts).code == 0
    blind = texts.read_text(encoding="utf-8")
    assert not any(word in blind for word in ("session", "synthetic-0", "shown", "hidden"))
    first = coded(run, filled(texts, "include", "exclude", "unsure", "include", ""), "ann")
    assert first.out.startswith("4 decisions of ann stored; 0 already known, 1 without a code.")
    again = understudy("annotate", run, "--import", texts, "--annotator", "ann")
    assert again.out.startswith("0 decisions of ann stored; 4 already known, 1 without a code.")
    exported = understudy("annotate", run, "--export", runs / "codes.csv")
    assert exported.out == f"{runs / 'codes.csv'}: 4 decisions about 4 of 5 texts.\n"
    given = rows((runs / "codes.csv").read_text(encoding="utf-8"))
    assert sorted(row["codes"] for row in given) == ["exclude", "include", "include", "unsure"]
    assert {(row["annotator"], row["is_blind"], row["agreed_codes"]) for row in given} == {("ann", "False", "")}


def test_codes_of_several_people_are_not_taken_under_one_name(runs: Path, exported: Path) -> None:
    before = understudy("annotate", runs / "people", "--json").out
    shown = understudy("annotate", runs / "people", "--import", exported, "--annotator", "ann")
    assert (shown.code, "its column annotator names bob. Delete the rows of other people" in shown.err) == (2, True)
    assert understudy("annotate", runs / "people", "--json").out == before


def test_a_text_with_two_rows_is_refused(runs: Path, exported: Path) -> None:
    lines = [f"{row['unit_id']},include" for row in rows(exported.read_text())]
    exported.write_text("\n".join(("unit_id,codes", *lines)))
    shown = understudy("annotate", runs / "people", "--import", exported, "--annotator", "ann")
    assert (shown.code, "Lines 2 and 3 are both about the text" in shown.err) == (2, True)


def test_one_code_from_a_file_makes_an_annotator_not_blind(runs: Path) -> None:
    run, texts = existing_run(runs / "people"), runs / "texts.csv"
    understudy("annotate", run.folder, "--texts", texts)
    with codes_of(run, is_writing=True) as opened:
        state = opened.state(opened.schemes[0])
        opened.add(
            [
                (unit.session_id, given_event(state, unit, Author("ann", is_blind=True), Given(("include",))))
                for unit in state.units
            ]
        )
    assert "ann (5, blind to conditions and answers)" in understudy("annotate", run.folder).out
    filled(texts, "exclude", "", "", "", "")
    understudy("annotate", run.folder, "--import", texts, "--annotator", "ann")
    assert "ann (5, not blind)" in understudy("annotate", run.folder).out


def test_a_name_that_nobody_has_is_refused_unless_it_is_new_on_purpose(runs: Path, exported: Path) -> None:
    shown = understudy("annotate", runs / "people", "--import", exported, "--annotator", "nobodyhere")
    assert "'nobodyhere' is not an annotator of this study. Known: ann, bob." in shown.err
    assert "add --new-annotator" in shown.err
    bad = coded(runs / "people", exported, "Some Body")
    assert "'Some Body' cannot be a researcher's name" in bad.err


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
    shown = coded(runs / "people", runs / "codes.csv", "ann")
    assert (shown.code, sentence in shown.err) == (2, True)


def test_a_wrong_code_leaves_the_whole_file_out(runs: Path) -> None:
    texts = runs / "texts.csv"
    understudy("annotate", runs / "people", "--texts", texts)
    filled(texts, "include", "maybe", "unsure", "include", "exclude")
    shown = coded(runs / "people", texts, "ann")
    assert "'maybe' is not in the code book. Choose from: include, unsure, exclude." in shown.err
    assert "Nobody has coded anything yet." in understudy("annotate", runs / "people").out


def test_codes_are_not_imported_next_to_a_server_on_the_same_file(runs: Path) -> None:
    understudy("annotate", runs / "people", "--texts", runs / "texts.csv")
    with lock_folder(runs / "people"):
        shown = coded(runs / "people", runs / "texts.csv", "ann")
    assert (shown.code, len(shown.err.strip().splitlines())) == (2, 1)
    assert "stop the server, run this command again" in shown.err


def test_a_study_without_a_scheme_has_nothing_to_code(tmp_path: Path) -> None:
    new_run(two_groups(), tmp_path, tmp_path)
    assert "has nothing to code: its study file has no [[annotation]]." in understudy("annotate", tmp_path).err
