"""One command makes all pictures of the ready studies, from any weights, and starts from what it has."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("numba", reason="needs the extra scenes")

from understudy.errors import MaterialsError  # noqa: E402
from understudy.protocols.sixt2022.make_material import (  # noqa: E402
    CONDITIONS,
    MaterialOrder,
    main,
    make_material,
    material_faults,
)
from understudy.protocols.sixt2022.material_grids import (  # noqa: E402
    GridOptions,
    Source,
    SubjectName,
    draw_test_pictures,
    recipe_in,
    scored_pictures,
)
from understudy.schema import GridFile  # noqa: E402
from understudy.sources.grids import read_grid_folder  # noqa: E402
from understudy.sources.pictures import pixels_from_file  # noqa: E402
from understudy.training.concepts import ConceptOptions  # noqa: E402
from understudy.training.export import write_parts  # noqa: E402
from understudy.training.picture_data import PictureFolder, levels_to_values  # noqa: E402
from understudy.training.picture_data import sixt2022 as named_world  # noqa: E402
from understudy.training.picture_training import flow_from_recipe, picture_net_from_recipe  # noqa: E402
from understudy.training.recipes import FlowRecipe, PictureNetRecipe  # noqa: E402
from understudy.worlds.sixt2022 import sixt2022  # noqa: E402

torch.set_num_threads(1)
FLOW = FlowRecipe("inn-16", n_pixels=16, n_steps=(2, 2), widths=(6, 6), n_epochs=1)
CNN = PictureNetRecipe("cnn-16", "classifier", n_pixels=16, n_epochs=1, widths=(6, 6))
N_ROWS = 4


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> PictureFolder:
    folder = PictureFolder(tmp_path_factory.mktemp("pictures"))
    draw_test_pictures(folder, named_world, n=120, n_pixels=16, seed=1)
    return folder


def weights_in(folder: Path, pictures: PictureFolder) -> Path:
    """Write networks whose logits differ between pictures and are around 0, as after learning."""
    flow, net = flow_from_recipe(FLOW), picture_net_from_recipe(CNN, 0).eval()
    values = levels_to_values(pictures.rows("test", torch.device("cpu")).levels)
    last: Any = net.head[-1]
    with torch.no_grad():
        flow.head.weight.add_(0.1 * torch.randn(flow.head.weight.shape, generator=torch.Generator().manual_seed(1)))
        logits = net.logits(values)
        last.weight.div_(logits.std())
        last.bias.sub_(logits.mean()).div_(logits.std())
    write_parts({"flow": flow, "classifier": net}, folder)
    (folder / "results.json").write_text(json.dumps({"recipe": asdict(FLOW)}))
    return folder


def order_in(folder: Path, pictures: PictureFolder, *, subject: SubjectName = "flow") -> MaterialOrder:
    return MaterialOrder(
        source=Source(weights_in(folder / "weights", pictures), pictures, subject, FLOW, CNN),
        grids=GridOptions("a small network", sixt2022(), n_rows=N_ROWS, percentile=60, moved=("background", "hue")),
        out=folder / "material",
        state=folder / "state",
        concepts=ConceptOptions(n_components=4, n_vectors=200, n_scored=60, n_kept=N_ROWS // 2),
        n_tutorial_pixels=16,
    )


def silent(_text: str) -> None:
    pass


def grids_of(out: Path) -> dict[str, GridFile]:
    return {name: read_grid_folder(out / name) for name in (*CONDITIONS, *(f"tutorial/{name}" for name in CONDITIONS))}


@pytest.mark.parametrize("subject", ["flow", "classifier"])
def test_every_condition_has_equally_many_pictures(
    tmp_path: Path, pictures: PictureFolder, subject: SubjectName
) -> None:
    make_material(order_in(tmp_path, pictures, subject=subject), silent)
    grids = grids_of(tmp_path / "material")
    assert {len(grids[name].cells) for name in CONDITIONS} == {N_ROWS * 5}
    assert {len(grids[f"tutorial/{name}"].cells) for name in CONDITIONS} == {20}
    assert grids["baseline"].column_headings == grids["counterfactuals"].column_headings
    assert "a small network" in grids["counterfactuals"].method


def test_counterfactuals_store_targets_and_logits_before_and_after_rounding(
    tmp_path: Path, pictures: PictureFolder
) -> None:
    order = order_in(tmp_path, pictures)
    make_material(order, silent)
    grid = grids_of(order.out)["counterfactuals"]
    scored = scored_pictures(order.source, order.state, silent)
    assert scored.flow is not None
    stored = np.stack([pixels_from_file(order.out / "counterfactuals" / cell.file) for cell in grid.cells])
    with torch.no_grad():
        logits = scored.flow.logits((torch.from_numpy(stored).float() + 0.5) / 256 - 0.5).numpy()
    assert [cell.stored_logit for cell in grid.cells] == pytest.approx(logits.tolist(), abs=2e-3)
    assert [cell.logit for cell in grid.cells] == pytest.approx([cell.target for cell in grid.cells], abs=2e-3)
    assert grid.facts["deviation"].keys() == {"mean", "median", "largest"}  # type: ignore[union-attr]


def test_baseline_columns_rise(tmp_path: Path, pictures: PictureFolder) -> None:
    order = order_in(tmp_path, pictures)
    make_material(order, silent)
    for row in grids_of(order.out)["baseline"].rows:
        logits = [cell.stored_logit for cell in row if cell is not None and cell.stored_logit is not None]
        assert logits == sorted(logits)


def test_concepts_have_highlights_and_say_how_strong_they_are(tmp_path: Path, pictures: PictureFolder) -> None:
    order = order_in(tmp_path, pictures)
    make_material(order, silent)
    grid = grids_of(order.out)["concepts"]
    assert all(cell.highlight for cell in grid.cells)
    assert grid.row_headings == ("Concept 1, high", "Concept 1, low", "Concept 2, high", "Concept 2, low")
    assert len(grid.facts["r"]) == N_ROWS // 2  # type: ignore[arg-type]


def test_a_second_run_does_not_look_at_the_pictures_again_and_writes_the_same(
    tmp_path: Path, pictures: PictureFolder
) -> None:
    order, told = order_in(tmp_path, pictures), list[str]()
    make_material(order, silent)
    before = {path: path.read_bytes() for path in order.out.rglob("*.*")}
    make_material(order, told.append)
    assert {path: path.read_bytes() for path in order.out.rglob("*.*")} == before
    assert not [text for text in told if "of 120 pictures" in text and "right" not in text]


def test_conditions_of_different_sizes_are_a_fault(tmp_path: Path, pictures: PictureFolder) -> None:
    order = order_in(tmp_path, pictures)
    make_material(replace(order, concepts=replace(order.concepts, n_kept=1)), silent)
    (fault,) = material_faults(order.out, sixt2022(), ("legs", "hue"))
    assert "(baseline 20, counterfactuals 20, concepts 10)" in fault


def test_the_recipe_is_that_of_the_run(tmp_path: Path, pictures: PictureFolder) -> None:
    weights_in(tmp_path, pictures)
    other = replace(FLOW, n_steps=(1,), widths=(3,))
    assert recipe_in(tmp_path, other) == FLOW
    assert recipe_in(tmp_path / "elsewhere", other) == other


def test_weights_of_another_size_are_refused(tmp_path: Path, pictures: PictureFolder) -> None:
    order = order_in(tmp_path, pictures)
    source = replace(order.source, flow=replace(FLOW, widths=(8, 8)))
    with pytest.raises(MaterialsError, match="are of a network of another size"):
        scored_pictures(source, order.state, silent)


def test_a_folder_without_weights_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--weights", str(tmp_path), "--out", str(tmp_path / "out"), "--n-test", "5"])
    assert status == 2
    assert "There are no weights in" in capsys.readouterr().err
