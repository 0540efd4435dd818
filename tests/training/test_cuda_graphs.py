"""Card steps: replayed steps teach what steps teach that are taken one by one."""

from typing import Any

import pytest

from understudy.training.loop import changed_by, replayed

torch = pytest.importorskip("torch", reason="steps on a graphics card need torch")

N_STEPS, BATCH = 7, 16


def learned(device: str, optimiser_name: str, *, is_replayed: bool) -> list[Any]:
    torch.manual_seed(3)
    net = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)).to(device)
    optimiser = getattr(torch.optim, optimiser_name)(net.parameters(), lr=0.01, capturable=device == "cuda")
    rows = torch.randn(100, 5, generator=torch.Generator().manual_seed(4)).to(device)

    def step(batch: Any) -> Any:
        optimiser.zero_grad(set_to_none=True)
        loss = net(batch).square().mean()
        loss.backward()
        optimiser.step()
        return loss.detach()

    run = replayed(step, (rows[:BATCH],), changed_by(net, (optimiser,))) if is_replayed else step
    losses = [float(run(batch)) for batch in rows.split(BATCH)]
    assert len(losses) == N_STEPS
    return [*losses, *(value.cpu() for value in changed_by(net, (optimiser,)))]


def check(device: str, optimiser_name: str) -> None:
    one_by_one = learned(device, optimiser_name, is_replayed=False)
    for mine, other in zip(learned(device, optimiser_name, is_replayed=True), one_by_one, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("optimiser_name", ["Adam", "Adadelta"])
def test_preparing_to_replay_changes_nothing_without_a_card(optimiser_name: str) -> None:
    check("cpu", optimiser_name)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no graphics card here")
@pytest.mark.parametrize("optimiser_name", ["Adam", "Adadelta"])
def test_replayed_steps_teach_the_same_as_steps_one_by_one(optimiser_name: str) -> None:
    check("cuda", optimiser_name)
