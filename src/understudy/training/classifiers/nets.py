"""Nets: from codes or tokens to a hidden layer, and from there to evidence, linearly or by prototypes."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from understudy.inference.classifier_recipes import Recipe
from understudy.roles import Floats, Variables, Vocabulary


class CodesBody(nn.Module):
    """Two hidden layers over one-hot codes."""

    def __init__(self, sizes: list[int], n_hidden: int) -> None:
        super().__init__()
        starts = [sum(sizes[:place]) for place in range(len(sizes))]
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

    def __init__(self, n_words: int, recipe: Recipe) -> None:
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
        packed = pack_padded_sequence(vectors, is_word.sum(1).cpu(), batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=tokens.shape[1])
        scores = torch.tanh(self.key(states)) @ self.query / self.width**0.5
        weights = scores.masked_fill(~is_word, -1e9).softmax(1)
        return (weights.unsqueeze(1) @ states).squeeze(1)


class Prototypes(nn.Module):
    """Evidence by likeness: for each class, exp(-squared distance) to the nearest of its prototypes."""

    def __init__(self, n_classes: int, n_each: int, n_latent: int) -> None:
        super().__init__()
        self.n_classes, self.n_each = n_classes, n_each
        self.places = nn.Parameter(torch.rand(n_classes * n_each, n_latent))

    def distances(self, latents: Tensor) -> Tensor:
        """Return the squared distance of each row to each prototype; those of the first class come first."""
        # Written out, since cdist loses the digits of small distances.
        return (latents.unsqueeze(1) - self.places).square().sum(2)

    def forward(self, latents: Tensor) -> Tensor:
        """Return the evidence for each class, between 0 and 1."""
        likeness = (-self.distances(latents)).exp()
        return likeness.view(len(latents), self.n_classes, self.n_each).amax(2)


class Net(nn.Module):
    """A body, a reduction where prototypes live in fewer dimensions, and what turns it into evidence."""

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


def net_from_recipe(recipe: Recipe, legend: Variables | Vocabulary, n_classes: int, generator: torch.Generator) -> Net:
    """Build the net of a recipe with its first weights, a linear head included."""
    body: CodesBody | TokensBody
    if isinstance(legend, Variables):
        body = CodesBody([len(values) for values in legend.values], recipe.n_hidden)
    else:
        body = TokensBody(len(legend.words), recipe)
    net = Net(body, recipe.n_latent if recipe.n_prototypes else None, n_classes)
    for name, weights in net.named_parameters():
        if weights.ndim > 1:
            nn.init.xavier_uniform_(weights, generator=generator)
        elif name.endswith("query"):
            nn.init.uniform_(weights, -0.1, 0.1, generator=generator)
        else:
            nn.init.zeros_(weights)
    if isinstance(body, TokensBody) and isinstance(legend, Vocabulary):
        _start_words(body.words, legend.vectors, generator)
    return net


def _start_words(words: nn.Embedding, vectors: Floats | None, generator: torch.Generator) -> None:
    """Start from known vectors of the same length, and at random for words that have none."""
    bound = (3 / words.embedding_dim) ** 0.5
    nn.init.uniform_(words.weight, -bound, bound, generator=generator)
    if vectors is not None and vectors.shape[1] == words.embedding_dim:
        known = torch.from_numpy(vectors).float()
        is_known = known.abs().sum(1) > 0
        with torch.no_grad():
            words.weight[is_known] = known[is_known]
