"""Agreement of annotators equals R's, and the plan's own analyses."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.coded_people import JUDGEMENT
from understudy.conduct.coding_room import agreement_tables, is_disputed, nominal_alpha
from understudy.measures.texts import UnitCodes
from understudy.schema import CodesGiven
from understudy.schema.annotation import CodingScheme
from understudy.statistics.agreement import agreement_table, cohen_kappa, coincidences, krippendorff_alpha

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "kappa.json").read_text())
SCHEME = CodingScheme.model_validate(JUDGEMENT)
CODES = ("include", "unsure", "exclude")


def said(**codes: str) -> UnitCodes:
    """What annotators said about one text; several codes are written as one word with spaces."""
    return UnitCodes({name: given(name, *code.split()) for name, code in codes.items()})


def given(annotator: str, *codes: str) -> CodesGiven:
    return CodesGiven(
        session_id="s", seq=1, at_ms=0, scheme_id="judgement", unit_id="u", content_digest="d", annotator=annotator,
        is_blind=True, phase="closed", codes=codes, revision=1, n_wanted=2, n_units=1,
    )  # fmt: skip


UNITS = [said(ann=a, bob=b) for a, b in zip(REFERENCE["first"], REFERENCE["second"], strict=True)]


def test_kappa_and_alpha_of_sixty_texts_equal_those_of_r() -> None:
    decision, codes = agreement_tables(SCHEME, CODES, UNITS)
    found = {
        "kappa": codes.pairs[0].kappa, "kappa_decision": decision.pairs[0].kappa,
        "alpha": codes.alpha, "alpha_decision": decision.alpha,
    }  # fmt: skip
    assert found == pytest.approx({name: REFERENCE[name] for name in found}, abs=1e-12)


def test_the_page_and_the_plan_compute_the_same_agreement() -> None:
    table = agreement_table(REFERENCE["first"], REFERENCE["second"])
    labels = np.array(
        [[CODES.index(a), CODES.index(b)] for a, b in zip(REFERENCE["first"], REFERENCE["second"], strict=True)]
    )
    alpha = krippendorff_alpha(coincidences(labels, 3).sum(axis=0), np.arange(3.0))
    about = agreement_tables(SCHEME, CODES, UNITS)[1]
    assert (about.pairs[0].kappa, about.alpha) == pytest.approx((cohen_kappa(table).kappa, alpha), abs=1e-12)


def test_confusion_counts_who_said_what_about_the_same_text() -> None:
    pair = agreement_tables(SCHEME, CODES, [said(ann="include", bob="unsure"), said(ann="exclude", bob="exclude")])[
        1
    ].pairs[0]
    assert (pair.labels, pair.counts, pair.n_same) == (CODES, ((0, 1, 0), (0, 0, 0), (0, 0, 1)), 1)


def test_agreement_of_one_code_in_use_is_unknown() -> None:
    about = agreement_tables(SCHEME, CODES, [said(ann="include", bob="include")] * 5)[0]
    assert (about.alpha, about.pairs[0].kappa) == (None, None)


def test_alpha_of_three_annotators_with_gaps_equals_the_kernel() -> None:
    rows = [(0, 0, 0), (1, 1, -1), (0, 1, 1), (2, 2, 2), (2, -1, 2), (0, 0, 1)]
    units = [{str(who): str(code) for who, code in enumerate(row) if code >= 0} for row in rows]
    wanted = krippendorff_alpha(coincidences(np.array(rows), 3).sum(axis=0), np.arange(3.0))
    assert nominal_alpha(units) == pytest.approx(wanted, abs=1e-12)


def test_several_codes_are_compared_code_by_code() -> None:
    scheme = CodingScheme.model_validate({**JUDGEMENT, "choose": "several", "groups": {}})
    tables = agreement_tables(
        scheme, CODES, [said(ann="include unsure", bob="include"), said(ann="unsure", bob="unsure")]
    )
    assert [(table.about, table.pairs[0].n_same) for table in tables] == [("include", 2), ("unsure", 1), ("exclude", 2)]


@pytest.mark.parametrize(("second", "is_open"), [("exclude", False), ("include", True)])
def test_codes_of_one_group_need_no_decision(second: str, is_open: bool) -> None:
    assert is_disputed(SCHEME, said(ann="unsure", bob=second)) is is_open
