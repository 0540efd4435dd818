"""CUDA graphs: a training step is captured once on a graphics card and replayed, without launching each kernel again."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from understudy.extras import optional

N_WARM = 3
"""How often a step runs before it is captured, so that torch has chosen its kernels and its memory."""


def replayed(step: Callable[..., Any], examples: Sequence[Any], changed: Sequence[Any]) -> Callable[..., Any]:
    """Return the step, replayed from a capture where the examples lie on a graphics card; elsewhere the step itself.

    The examples are one full batch; a batch of another length takes the step uncaptured. `changed` are all tensors that
    a step changes: they have their values again when this returns.
    """
    if not examples[0].is_cuda:
        return step
    torch = optional("torch", extra="torch")
    inputs = [example.clone() for example in examples]
    before = [value.clone() for value in changed]
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(N_WARM):
            step(*inputs)
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outcome = step(*inputs)
    # The capture knows tensors by their place in memory, so that what was learned meanwhile is undone in place.
    for value, old in zip(changed, before, strict=True):
        value.copy_(old)

    def run(*batch: Any) -> Any:
        if len(batch[0]) != len(inputs[0]):
            return step(*batch)
        for captured, value in zip(inputs, batch, strict=True):
            captured.copy_(value)
        graph.replay()
        return outcome

    return run


def changed_by(module: Any, optimisers: Iterable[Any]) -> list[Any]:
    """Return every tensor that a step changes: weights, and what the optimisers remember."""
    changed = [value.data for value in module.state_dict().values()]
    for optimiser in optimisers:
        if not optimiser.state:
            _begin(optimiser)
        changed += [value for memory in optimiser.state.values() for value in memory.values()]
    return changed


def _begin(optimiser: Any) -> None:
    """Let an optimiser make its memory by a step along no gradient, and leave it as blank as before any step."""
    torch = optional("torch", extra="torch")
    for group in optimiser.param_groups:
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    for memory in optimiser.state.values():
        for value in memory.values():
            value.zero_()
