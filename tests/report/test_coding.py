"""Coding in forms and reports: what is planned beforehand, and what was done, in plain sentences."""

from dataclasses import replace

from tests.coded_people import coded_study
from understudy.report.coding import AnnotatorLine, CodingSummary, coding_sentences, scheme_sentences
from understudy.report.study_sentences import exclusion_sentences

PEOPLE = (
    AnnotatorLine("ann", 5, is_blind=True, is_synthetic=False),
    AnnotatorLine("ada", 4, is_blind=False, is_synthetic=False),
)
HALFWAY = CodingSummary(
    scheme_id="s", title="S", phase="closed", n_units=5, n_complete=4, n_disputed=2, n_settled=1, annotators=PEOPLE,
    agreement=(), counts=(), excluded=(("misunderstood", 1),),
)  # fmt: skip


def test_a_form_says_who_codes_what_by_which_codes() -> None:
    (sentence,) = scheme_sentences(coded_study())
    assert sentence == (
        "Coding scheme `judgement`: 2 annotators, blind to condition and other answers, code each of the free texts. Read the "
        "text, then decide whether the person understood the task. One code of: `include` (It is about the model); `unsure` "
        "(You cannot tell); `exclude` (It is about something else). Agreement and decisions are about include | unsure, exclude."
    )


def test_a_form_says_when_the_exclusion_follows() -> None:
    (sentence,) = exclusion_sentences(coded_study())
    assert (
        "Applied once annotators, blind to condition and answers, have coded the texts, if `left_out == 1`." in sentence
    )


def test_a_report_says_who_was_blind_what_is_open_and_whom_it_leaves_out() -> None:
    assert coding_sentences(HALFWAY) == [
        "4 of 5 texts coded by as many annotators as planned.",
        "Coded by ann (5, blind to conditions and answers), ada (4, not blind).",
        "Annotators disagreed about 2 texts; 1 of them waits for a decision.",
        "The exclusion 'misunderstood' leaves out 1 participant because of these codes.",
        "Coding is not finished, so more people may still be left out.",
    ]


def test_a_finished_report_says_nothing_of_what_may_follow() -> None:
    told = coding_sentences(replace(HALFWAY, n_complete=5, n_settled=2))
    assert told[2:] == [
        "Annotators disagreed about 2 texts; all are settled, each with a reason in the log.",
        "The exclusion 'misunderstood' leaves out 1 participant because of these codes.",
    ]
