"""What a study reveals: how much people who come again and again could find out about its answers."""

from collections.abc import Iterator

from understudy.recruiters import takes_signed_links
from understudy.registry import offers
from understudy.roles import DisclosesResults
from understudy.schema import Screen, Stage, Study, blocks_in


def revealed_sentences(study: Study) -> list[str]:
    """Return one sentence for each way in which answers can be found out, and one that says what prevents it."""
    ways = list(_ways(study))
    if not ways:
        return ["No page shows results, so nobody can find the answers by trying again."]
    if study.access.links != "open":
        how = "a signed link" if study.access.links == "signed" else "a listed id"
        return [*ways, f"Nobody can try again under another name: each person needs {how}."]
    closed = 'Set access.links to "signed" or "listed", or access.results to "hidden".'
    advice = closed if takes_signed_links(study) else 'Set access.results to "hidden".'
    return [*ways, f"Anybody can come back under an invented id and find the answers by trying. {advice}"]


def _ways(study: Study) -> Iterator[str]:
    keyed = {block.block_id for block in blocks_in(study.flow) if block.purpose == "main"}
    for block in blocks_in(study.flow):
        yield from _ways_of_block(study, block)
    if study.pay is not None and study.pay.bonuses and keyed and study.access.results != "hidden":
        yield f"The end tells the {'bonus' if study.access.results == 'shown' else 'whole pay'}, which follows from the answers."


def _ways_of_block(study: Study, block: Screen | Stage) -> Iterator[str]:
    if isinstance(block, Stage) and block.purpose == "main" and block.feedback in ("per_trial", "after_stage"):
        what = "each answer" if block.feedback == "per_trial" else "the share of right answers"
        yield f"Stage {block.block_id!r} tells {what} while people take part."
    tells = block.purpose == "feedback" or offers("tasks", block.task.name, DisclosesResults)
    if tells and study.access.results == "shown":
        yield f"The page {block.block_id!r} tells results."
