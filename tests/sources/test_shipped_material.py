"""Files that come with a protocol are found from anywhere, and no other file of the package is."""

from pathlib import Path

import pytest

from understudy.prepare.assets import NamedAsset, asset_faults
from understudy.schema import Ref
from understudy.sources.files import PROTOCOLS, located


def test_a_plain_path_stays_in_the_folder_of_the_study(tmp_path: Path) -> None:
    assert located(tmp_path, "films/a.webm").path == tmp_path / "films" / "a.webm"


def test_a_shipped_path_leads_into_the_material_of_its_protocol(tmp_path: Path) -> None:
    assert located(tmp_path, "shipped:sixt2022/films/a.webm").path == PROTOCOLS / "sixt2022/material/films/a.webm"


@pytest.mark.parametrize("path", ["shipped:sixt2022/../study.py", "shipped:../../errors.py", "shipped:/etc/passwd"])
def test_no_other_file_of_the_package_can_be_published(path: str, tmp_path: Path) -> None:
    assert NamedAsset(path, "file").fault(tmp_path) is not None


def test_material_that_does_not_exist_is_named_in_a_sentence(tmp_path: Path) -> None:
    (fault,) = asset_faults("tasks", Ref(name="video", params={"asset": "shipped:sixt2022/films/none.webm"}), tmp_path)
    assert fault == (
        "needs 'shipped:sixt2022/films/none.webm', which does not come with this version of understudy. Correct the path."
    )
