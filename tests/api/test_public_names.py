"""`import understudy as us` offers these names and no others, and imports none of them before it is used."""

import subprocess
import sys

import pytest

import understudy as us

PUBLIC = (
    "Analysis", "AnalysisPlan", "Checked", "Explanations", "Findings", "Hypothesis", "Importance", "PictureFolder", "Power",
    "PredictionProblem", "Preregistration", "Ref", "Run", "Scope", "Simulated", "Study", "UnderstudyError", "WorldPictures", "__version__", "analyze",
    "between", "check", "draw_world", "explain", "export_classifier", "export_decoder", "export_picture_classifier", "factorial",
    "gate", "importance", "load", "mixed", "open_run", "picture_batches", "play", "power", "prepare", "preregister", "probe", "ready_studies",
    "record_attributions", "record_heatmaps", "rehearse", "save", "scale", "serve", "show", "simulation_study",
    "study_from_toml", "toml_from_study", "within",
)  # fmt: skip
"""Taking a name away, or giving it another meaning, breaks the code of others: it belongs in the changelog."""


def test_the_public_names_are_these() -> None:
    assert tuple(us.__all__) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_is_there_and_says_what_it_is(name: str) -> None:
    assert getattr(us, name).__doc__


def test_every_function_and_result_has_an_example() -> None:
    without = [name for name in PUBLIC if ">>>" not in str(getattr(us, name).__doc__)]
    assert [name for name in without if not is_record(getattr(us, name))] == ["__version__"]


def is_record(thing: object) -> bool:
    """Tell whether something is data; the reference explains it field by field, in place of an example."""
    return isinstance(thing, type) and not thing.__module__.startswith("understudy.api")


def test_a_completing_shell_lists_the_public_names() -> None:
    assert [name for name in dir(us) if not name.startswith("__")] == [name for name in PUBLIC if name != "__version__"]


def test_importing_the_package_imports_no_library() -> None:
    code = "import sys, understudy; print(sorted({n.split('.')[0] for n in sys.modules} & set(sys.argv[1:])))"
    heavy = ["numpy", "pandas", "pydantic", "scipy", "altair", "typer", "rich", "sqlalchemy"]
    assert subprocess.check_output([sys.executable, "-c", code, *heavy], text=True) == "[]\n"


def test_stages_with_the_name_of_a_function_can_still_be_imported() -> None:
    code = "import understudy.serve.access; import understudy as us; from understudy.serve import Settings; us.serve.__call__"
    subprocess.run([sys.executable, "-c", code], check=True)
