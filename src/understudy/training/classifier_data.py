"""Cases as tensors, and what a classifier makes of them chunk by chunk."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from understudy.sources.cases import PADDING, Part
from understudy.training.nets.classifiers import ClassifierNet

CHUNK = 2048


@dataclass(frozen=True)
class CaseRows:
    """One part of the cases as tensors."""

    inputs: Tensor
    labels: Tensor

    def __len__(self) -> int:
        """Count the cases."""
        return len(self.labels)

    def batch(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Return inputs, without needless padding, and labels."""
        return without_padding(self.inputs[places]), self.labels[places]

    def chunks(self) -> Iterable[tuple[Tensor, Tensor]]:
        """Yield all cases in their order, as many at once as memory allows."""
        for places in torch.arange(len(self)).split(CHUNK):
            yield self.batch(places)


def rows_from_part(part: Part) -> CaseRows:
    """Turn cases into tensors."""
    return CaseRows(torch.from_numpy(part.inputs).long(), torch.from_numpy(part.labels).long())


@torch.no_grad()
def accuracy(net: ClassifierNet, rows: CaseRows) -> float:
    """Return the share of cases that the net classifies correctly."""
    net.eval()
    n_correct = sum(int((net(inputs).argmax(1) == labels).sum()) for inputs, labels in rows.chunks())
    return n_correct / len(rows)


@torch.no_grad()
def latents_of(net: ClassifierNet, rows: CaseRows) -> Tensor:
    """Return the last hidden layer of every case."""
    net.eval()
    return torch.cat([net.latents(inputs) for inputs, _ in rows.chunks()])


@torch.no_grad()
def is_correct(net: ClassifierNet, rows: CaseRows) -> Tensor:
    """Return whether the net classifies each case correctly."""
    net.eval()
    return torch.cat([net(inputs).argmax(1) == labels for inputs, labels in rows.chunks()])


def correctly_classified(net: ClassifierNet, rows: CaseRows) -> CaseRows:
    """Return the cases that the net classifies correctly."""
    chosen = is_correct(net, rows)
    return CaseRows(rows.inputs[chosen], rows.labels[chosen])


def without_padding(inputs: Tensor) -> Tensor:
    """Drop the columns that are padding in every row."""
    width = int((inputs != PADDING).any(0).sum())
    return inputs[:, :width]
