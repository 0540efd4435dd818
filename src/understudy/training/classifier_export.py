"""Export of classifiers, with all their outputs."""

import torch
from torch import Tensor, nn

from understudy.training.export import Ends, onnx_from_module
from understudy.training.nets.classifiers import ClassifierNet, CodesBody
from understudy.training.nets.prototypes import Prototypes


def onnx_from_classifier(net: ClassifierNet) -> bytes:
    """Write a classifier with all its outputs.

    One input (`codes` or `tokens`) and these outputs: `probabilities`, `margins`, `latents`, for prototypes
    `similarities`, and for tokens `word_vectors`, which depends on no input.
    """
    similarities = ("similarities",) if isinstance(net.head, Prototypes) else ()
    shown = ("probabilities", "margins", "latents", *similarities)
    if isinstance(net.body, CodesBody):
        codes = torch.zeros(2, len(net.body.starts), dtype=torch.long)
        return onnx_from_module(_ClassifierOutputs(net), codes, Ends("codes", shown))
    # The longer row comes first, as packing demands while it is traced.
    tokens = torch.tensor([[0, 0, 0], [0, 0, -1]])
    ends = Ends("tokens", (*shown, "word_vectors"), free_axes=("rows", "length"))
    return onnx_from_module(_ClassifierOutputs(net), tokens, ends)


class _ClassifierOutputs(nn.Module):
    """All outputs of a classifier at once."""

    def __init__(self, net: ClassifierNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        latents = self.net.latents(inputs)
        head, body = self.net.head, self.net.body
        similarities: tuple[Tensor, ...] = ()
        if isinstance(head, Prototypes):
            similarities = (head.similarities(latents),)
            evidence = head.evidence(similarities[0])
        else:
            evidence = head(latents)
        word_vectors = () if isinstance(body, CodesBody) else (body.words.weight,)
        return evidence.softmax(1), evidence[:, 1] - evidence[:, 0], latents, *similarities, *word_vectors
