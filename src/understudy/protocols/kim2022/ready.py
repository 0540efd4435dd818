"""The ready studies of this protocol, by name: every method with every task, on creatures."""

from collections.abc import Callable
from functools import partial

from understudy.protocols.kim2022.demo import kim2022_demo
from understudy.protocols.kim2022.photos import comes_with, creatures
from understudy.protocols.kim2022.study import kim2022
from understudy.protocols.kim2022.variants import TASKS, Method, Task
from understudy.schema import Study


def creature_study(method: Method, task: Task) -> Study:
    """Build the study of a method and a task on creatures."""
    return kim2022(method=method, task=task, data=creatures(method))


def ready_studies() -> dict[str, Callable[[], Study]]:
    """Return the builders of the studies whose networks come with this installation."""
    single: dict[str, Callable[[], Study]] = {
        f"kim2022-{method}-{task}": partial(creature_study, method, task)
        for method, tasks in TASKS.items()
        if comes_with(method)
        for task in tasks
    }
    return single | ({"kim2022-demo": kim2022_demo} if all(map(comes_with, TASKS)) else {})
