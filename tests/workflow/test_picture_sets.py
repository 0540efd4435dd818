"""Pictures to train from are drawn in shards, and joined in the order of their rows."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from understudy.training import picture_networks
from understudy.training.picture_networks import draw_sets, n_missing, sizes_for
from understudy.training.recipes import picture_net_recipe
from understudy.worlds.pictures import ManyOptions, render_row
from understudy.worlds.sixt2022 import sixt2022

pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("numba", reason="needs the extra scenes")


def test_shards_are_joined_in_the_order_of_their_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_networks, "ManyOptions", partial(ManyOptions, per_shard=16))
    observer = picture_net_recipe("sixt2022/observer-64")
    drawn: list[int] = []
    assert n_missing(observer, tmp_path, 40) == 40
    draw_sets(observer, tmp_path, 40, advance=drawn.append)
    pictures, rows = (np.load(tmp_path / f"unbiased-{what}.npy") for what in ("pictures", "attributes"))
    table = pd.DataFrame(rows.astype(np.float64), columns=list(sixt2022().names))
    for number in (0, 15, 16, 39):
        assert np.array_equal(pictures[number], render_row(sixt2022(), table, number, edge=64).picture)
    assert (sum(drawn), n_missing(observer, tmp_path, 40)) == (40, 0)


def test_sets_keep_the_proportions_of_the_usual_run() -> None:
    assert sizes_for(120_000) == {"train": 120_000, "test": 3_000, "unbiased": 30_000}
