"""Legends: a model is not asked about cases that are numbered otherwise than those it was exported for."""

from pathlib import Path

import numpy as np
import pytest

from tests.models.own_parts import even_odds
from understudy import registry
from understudy.errors import MaterialsError
from understudy.models import export_classifier
from understudy.roles import Model, Variables, Vocabulary
from understudy.sources.cases import digest_of_legend, require_same_legend

TOWNS = Variables(("town",), (("Bonn", "Kiel", "Ulm"),))
FEWER = Variables(("town",), (("Kiel", "Ulm"),))


def exported(legend: Variables | Vocabulary, folder: Path) -> Model:
    inputs = np.zeros((3, 1))
    ref = export_classifier(even_odds, folder / "even", example=inputs, labels=("no", "yes"), legend=legend)
    made: Model = registry.create("models", ref)
    return made


@pytest.mark.parametrize("now", [FEWER, Variables(("city",), TOWNS.values), Vocabulary(("Bonn", "Kiel", "Ulm"))])
def test_cases_that_are_numbered_otherwise_are_refused(now: Variables | Vocabulary, tmp_path: Path) -> None:
    model = exported(TOWNS, tmp_path)
    require_same_legend(model, TOWNS, of="the file has")
    with pytest.raises(MaterialsError, match="other features, values or words than the file has now"):
        require_same_legend(model, now, of="the file has")


def test_words_in_another_order_are_refused(tmp_path: Path) -> None:
    model = exported(Vocabulary(("good", "bad")), tmp_path)
    with pytest.raises(MaterialsError, match="Export it again with the legend"):
        require_same_legend(model, Vocabulary(("bad", "good")), of="the file has")


def test_a_net_keeps_the_digest_of_its_legend(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    net = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.Softmax(dim=1))
    ref = export_classifier(net, tmp_path / "net", example=np.arange(3.0)[:, None], labels=("no", "yes"), legend=TOWNS)
    assert ref.params["legend_digest"] == digest_of_legend(TOWNS)
    with pytest.raises(MaterialsError, match="Export it again with the legend"):
        require_same_legend(registry.create("models", ref), FEWER, of="the file has")
