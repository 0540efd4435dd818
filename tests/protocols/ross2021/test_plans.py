"""The plans after Ross et al. (2021): which outcomes are tested and described."""

import pytest

from understudy.protocols import ross2021_mnist, ross2021_synthetic, ross2021_thinkaloud
from understudy.protocols.ross2021.printed import published_results
from understudy.schema import Study, blocks_in


@pytest.mark.parametrize("study", [ross2021_synthetic(), ross2021_mnist(), ross2021_thinkaloud()])
def test_times_are_described_with_and_without_skipped_questions(study: Study) -> None:
    described = {description.description_id for description in study.plan.descriptions}
    assert {"interactive_response_time", "interactive_solved_response_time"} <= described
    printed = published_results(study)
    assert printed is not None
    assert "interactive_solved_response_time" in {column.description for column in printed.further}


def test_people_who_think_aloud_rate_the_ease_of_each_model() -> None:
    assert "ease" in [block.block_id for block in blocks_in(ross2021_thinkaloud().flow)]


@pytest.mark.parametrize("outcome", ["difficulty", "response_time", "slide_distance"])
def test_the_think_aloud_study_tests_ease_time_and_way_of_the_dials(outcome: str) -> None:
    tests = [test.hypothesis_id for test in ross2021_thinkaloud().plan.hypotheses if test.outcome == outcome]
    assert [f"dials{size}_{outcome}_any" for size in (5, 10)] == [name for name in tests if name.endswith("_any")]
    assert len(tests) == 2 * (1 + 3)
