"""Classifiers: from codes or tokens to a hidden layer, and from there to evidence, linearly or by prototypes."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from understudy.roles import Floats, Variables, Vocabulary
from understudy.training.prototypes import Prototypes
from understudy.training.recipes import ClassifierRecipe


class CodesBody(nn.Module):
    """Two hidden layers over one-hot codes."""

    def __init__(self, sizes: list[int], n_hidden: int) -> None:
        super().__init__()
        starts = [sum(sizes[:feature]) for feature in range(len(sizes))]
        self.starts: Tensor
        self.register_buffer("starts", torch.tensor(starts))
        self.width = n_hidden
        self.first = nn.Linear(sum(sizes), n_hidden)
        self.second = nn.Linear(n_hidden, n_hidden)

    def forward(self, codes: Tensor) -> Tensor:
        """Return the second hidden layer."""
        # A one-hot row times a matrix is a sum of the rows that the codes name.
        chosen = nn.functional.embedding(codes + self.starts, self.first.weight.T)
        return self.second(torch.relu(chosen.sum(1) + self.first.bias)).relu()


class TokensBody(nn.Module):
    """A recurrent layer in both directions over word vectors, pooled by attention."""

    def __init__(self, n_words: int, recipe: ClassifierRecipe) -> None:
        super().__init__()
        n = recipe.n_hidden
        self.width = 2 * n
        self.words = nn.Embedding(n_words, recipe.n_embedding)
        self.dropout = nn.Dropout(recipe.dropout)
        self.rnn = nn.LSTM(recipe.n_embedding, n, batch_first=True, bidirectional=True)
        self.key = nn.Linear(2 * n, 2 * n)
        self.query = nn.Parameter(torch.empty(2 * n))

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the mean of the recurrent states, weighted by attention."""
        is_word = tokens >= 0
        vectors = self.dropout(self.words(tokens.clamp(min=0)))
        # An exported LSTM takes lengths in any order. Sorting rows would only add nodes, which torch cannot export.
        is_sorted = torch.onnx.is_in_onnx_export()
        packed = pack_padded_sequence(vectors, is_word.sum(1).cpu(), batch_first=True, enforce_sorted=is_sorted)
        states, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=tokens.shape[1])
        scores = torch.tanh(self.key(states)) @ self.query / self.width**0.5
        # A large finite number: minus infinity would give NaN for a row without words.
        weights = scores.masked_fill(~is_word, -1e9).softmax(1)
        return (weights.unsqueeze(1) @ states)[:, 0]


class ClassifierNet(nn.Module):
    """A body, a reduction if prototypes have fewer dimensions, and the head that computes evidence."""

    def __init__(self, body: CodesBody | TokensBody, n_latent: int | None, n_classes: int) -> None:
        super().__init__()
        self.body: CodesBody | TokensBody = body
        self.reduction = None if n_latent is None else nn.Linear(body.width, n_latent)
        self.head: nn.Linear | Prototypes = nn.Linear(n_latent or body.width, n_classes)

    def latents(self, inputs: Tensor) -> Tensor:
        """Return the last hidden layer."""
        hidden = self.body(inputs)
        return hidden if self.reduction is None else self.reduction(hidden).sigmoid()

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the evidence for each class."""
        return self.head(self.latents(inputs))


def classifier_from_recipe(
    recipe: ClassifierRecipe, legend: Variables | Vocabulary, n_classes: int, generator: torch.Generator
) -> ClassifierNet:
    """Build the net of a recipe with its first weights, a linear head included."""
    body: CodesBody | TokensBody
    if isinstance(legend, Variables):
        body = CodesBody([len(values) for values in legend.values], recipe.n_hidden)
    else:
        body = TokensBody(len(legend.words), recipe)
    net = ClassifierNet(body, recipe.n_latent if recipe.n_prototypes else None, n_classes)
    for name, weights in net.named_parameters():
        if weights.ndim > 1:
            nn.init.xavier_uniform_(weights, generator=generator)
        elif name.endswith("query"):
            nn.init.uniform_(weights, -0.1, 0.1, generator=generator)
        else:
            nn.init.zeros_(weights)
    if isinstance(body, TokensBody) and isinstance(legend, Vocabulary):
        _draw_words(body.words, legend.vectors, generator)
    return net


def _draw_words(words: nn.Embedding, vectors: Floats | None, generator: torch.Generator) -> None:
    """Start from known vectors of the same length, and at random for words that have none."""
    bound = (3 / words.embedding_dim) ** 0.5
    nn.init.uniform_(words.weight, -bound, bound, generator=generator)
    if vectors is not None and vectors.shape[1] == words.embedding_dim:
        known = torch.from_numpy(vectors).float()
        is_known = known.abs().sum(1) > 0
        with torch.no_grad():
            words.weight[is_known] = known[is_known]
