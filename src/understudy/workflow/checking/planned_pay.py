"""Planned pay: whether the base pay keeps what the study says people should earn in an hour."""

from understudy.schema import Study


def planned_pay_sentences(study: Study) -> list[str]:
    """Return a warning if the base pay is less, for the expected time, than what the study says people should earn."""
    minimum = study.recruitment.hourly_minimum if study.recruitment is not None else None
    if minimum is None or study.pay is None or study.pay.expected_minutes is None:
        return []
    per_hour = study.pay.base / study.pay.expected_minutes * 60
    if per_hour >= minimum:
        return []
    return [
        f"The base pay makes {study.pay.currency} {per_hour:.2f} an hour, less than recruitment.hourly_minimum ({minimum:.2f}); people "
        "who earn no bonus get less than the study states."
    ]
