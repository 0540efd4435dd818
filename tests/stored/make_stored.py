"""Makes the stored runs that every later version must open: run folders, archives, result files, a browser's messages.

Written once, by version 0.1.0 of understudy at commit e060334, and kept to show how. Later versions do not run it
again: what they would write is not what is being tested. It uses the command line alone, so that it reads the same
after the package has been laid out anew. With the front end built, from the repository root:

    PYTHONPATH=tests python tests/stored/make_stored.py

The study files in `studies/` are ready studies made small, with the Python of that commit:

- loan: `loan_demo()`
- tabular, text: `hase2020_tabular` and `hase2020_text` with 8 items and 4 examples
- reconstruction: `ross2021_synthetic` with 3 targets, 6 questions about dials and the smallest decoders
- questions, served, static, dials: the studies of the browser journeys; `questions` has three more questionnaires, and
  every picture of `dials` may be skipped after 30 seconds
- attributions: `simulation_study` on `cases.csv`, one of its explainers reading `attributions.json`, which
  `record_attributions` wrote
- pictures: figures of `drawn_shapes` to be named
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.stored.recording import record_served, record_static

HERE = Path(__file__).parent
STUDIES = HERE / "studies"
REHEARSED = {
    "loan.toml": ["--people", "12", "--effect", "explanation=shown:0.9"],
    "tabular.toml": ["--people", "18"],
    "text.toml": ["--people", "12"],
    "reconstruction.toml": ["--people", "12"],
    "questions.yaml": ["--people", "12", "--cast", "careful"],
    "attributions.toml": ["--people", "12"],
    "pictures.toml": ["--people", "10"],
    "dials.yaml": ["--browser", "2"],
}
LEFT_OUT = ("tables", "explanations", "in_use.lock", "report.html")
"""Parts of a run folder that follow from the others, or that last as long as a command."""


def understudy(*words: str | Path) -> str:
    """Run one command and return what it prints."""
    command = [sys.executable, "-m", "understudy", *map(str, words)]
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout


def pack(folder: Path, path: Path) -> None:
    """Store a folder as one file that depends on its content alone."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as packed:
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder)
            if file.is_file() and name.parts[0] not in LEFT_OUT:
                packed.writestr(zipfile.ZipInfo(name.as_posix()), file.read_bytes(), zipfile.ZIP_LZMA)


def store_rehearsed(work: Path) -> None:
    """Rehearse each study and store its run folder and its archive."""
    for file, options in REHEARSED.items():
        name = Path(file).stem
        understudy("rehearse", STUDIES / file, "--out", work / name, "--seed", "7", "--json", *options)
        understudy("export", work / name, "--out", HERE / f"{name}.archive.zip")
        pack(work / name, HERE / f"{name}.run.zip")


def store_served(work: Path) -> None:
    """Freeze a study, serve it to people in Chromium, and store what they left and what one browser sent."""
    understudy("preregister", STUDIES / "served.toml", "--out", HERE / "preregistration", "--authors", "A. N. Author")
    understudy("prepare", STUDIES / "served.toml", "--out", work / "served")
    messages = record_served(work / "served")
    (HERE / "messages.json").write_text(json.dumps(messages, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    frozen = HERE / "preregistration" / "served.preregistration.json"
    understudy("export", work / "served", "--out", HERE / "served.archive.zip", "--preregistration", frozen)
    pack(work / "served", HERE / "served.run.zip")


def store_static(work: Path) -> None:
    """Export a study as a folder of pages, let people save their answers, and store them with the run they belong to."""
    understudy("prepare", STUDIES / "static.toml", "--out", work / "static")
    understudy("export", work / "static", "--static", work / "site", "--sessions", "2")
    pack(work / "static", HERE / "static.run.zip")
    files = record_static(work / "site", HERE / "results")
    understudy("collect", work / "static", *files)
    understudy("export", work / "static", "--out", HERE / "static.archive.zip")


def store_analysis(work: Path) -> None:
    """Analyse the exported table of the loan study as somebody would who has nothing but the archive."""
    with zipfile.ZipFile(HERE / "loan.archive.zip") as archive:
        table = next(name for name in archive.namelist() if name.endswith("Trials_data.csv"))
        archive.extract(table, work)
    found = understudy("analyze", work / table, "--plan", STUDIES / "loan.analysis.toml", "--json")
    (HERE / "loan.analysis.json").write_text(found, encoding="utf-8")


def store_probe(work: Path) -> None:
    """Train and judge a small concept test, and store its results and its verdicts."""
    words = ("--seeds", "2", "--n-train", "200", "--n-test", "60", "--out", work / "probe")
    understudy("probe", "run", "rotation", *words, "--json")
    pack(work / "probe", HERE / "probe.results.zip")
    (HERE / "probe.verdicts.json").write_text(understudy("probe", work / "probe", "--json"), encoding="utf-8")


def store_digests() -> None:
    """Note the version of each study file, as `understudy check` says it."""
    files = sorted(
        path for path in STUDIES.iterdir() if path.suffix in (".toml", ".yaml") and "analysis" not in path.name
    )
    found = {path.name: json.loads(understudy("check", path, "--json"))["version"] for path in files}
    (HERE / "digests.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Make everything anew."""
    for old in (*HERE.glob("*.zip"), *HERE.glob("*.json")):
        old.unlink()
    for folder in ("preregistration", "results"):
        shutil.rmtree(HERE / folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        store_rehearsed(work)
        store_analysis(work)
        store_served(work)
        store_static(work)
        store_probe(work)
    store_digests()


if __name__ == "__main__":
    main()
