"""Needs: what platforms must know of a study, and the sentence for each thing that its file does not say."""

from collections.abc import Iterator, Sequence

from understudy.schema import Study


def listed_title(study: Study) -> str:
    """Return what people read in the list of studies; the study's own title could give its question away."""
    return (study.recruitment.title if study.recruitment else "") or study.shown_title


def platform_needs(
    study: Study, platform: str, *, currencies: Sequence[str] = (), longest_title: int | None = None
) -> Iterator[str]:
    """Yield a sentence for each thing that a platform which lists paid studies needs."""
    recruitment, pay = study.recruitment, study.pay
    if not listed_title(study):
        yield f"{platform} needs a title that people read in its list; write recruitment.title."
    if longest_title is not None and len(listed_title(study)) > longest_title:
        yield (
            f"The title in the list of {platform} has {len(listed_title(study))} characters; shorten recruitment.title to at most "
            f"{longest_title}."
        )
    if recruitment is None or not recruitment.description:
        yield f"{platform} needs a description that people read before they start; write recruitment.description."
    if pay is None or pay.base <= 0:
        yield f"{platform} needs to know what a participant is paid; write pay.base, more than 0."
    if pay is not None and currencies and pay.currency not in currencies:
        yield f"{platform} pays in {' or '.join(currencies)}, but pay.currency is {pay.currency!r}; write the one of your account."
    if pay is None or pay.expected_minutes is None:
        yield f"{platform} needs to know how long the study takes; write pay.expected_minutes."
    yield from id_needs(study, platform)


def id_needs(study: Study, platform: str) -> Iterator[str]:
    """Yield a sentence if people could start without the id by which the platform knows them, or could not start at all."""
    if study.access.links == "signed":
        yield (
            f"{platform} creates the links of its people itself. They have no signature, so nobody could start; write "
            'links = "open" under access.'
        )
    if not study.access.needs_id:
        yield (
            f'{platform} knows people by the id in their link, and this study lets people start without one; write ids = "required" '
            "under access."
        )
