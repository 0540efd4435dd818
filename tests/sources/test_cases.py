"""The cases that classifiers learn from: counted, split and named as stated."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.case_files import write_adult, write_polarity
from understudy.errors import MaterialsError
from understudy.roles import Variables, Vocabulary
from understudy.sources import adult, income, reviews
from understudy.sources.adult import adult_cases
from understudy.sources.cases import Cases, content_from_row, grouped_split
from understudy.sources.income import income_cases
from understudy.sources.reviews import polarity_cases, review_cases
from understudy.sources.words import UNKNOWN, tokens_from_text, words_by_frequency

DATA = Path(os.environ.get("UNDERSTUDY_DATA", ""))
with_data = pytest.mark.skipif(
    not os.environ.get("UNDERSTUDY_DATA") or not (DATA / "adult" / "adult.data").is_file(),
    reason="needs UNDERSTUDY_DATA with adult, rt-polarity, glove-100d and simulatability-stimuli",
)
SHOWN_AS = {
    "28.00 < Age <= 37.00": "29 to 37",
    "37.00 < Age <= 48.00": "38 to 48",
    "Age <= 28.00": "28 or younger",
    "Age > 48.00": "49 or older",
    "Hours per week <= 40.00": "40 or fewer",
    "40.00 < Hours per week <= 45.00": "41 to 45",
    "Hours per week > 45.00": "46 or more",
}
"""The published names of numeric categories -> ours."""


def sizes(cases: Cases) -> tuple[int, int, int]:
    return len(cases.train.labels), len(cases.validation.labels), len(cases.test.labels)


def words_of(cases: Cases) -> Vocabulary:
    assert isinstance(cases.legend, Vocabulary)
    return cases.legend


@with_data
def test_the_published_adult_cases_are_counted_as_in_the_paper() -> None:
    cases = adult_cases(DATA / "adult", "paper")
    every = np.concatenate([cases.train.sources, cases.validation.sources, cases.test.sources])
    assert (sizes(cases), len(every), len(np.unique(every))) == ((12_545, 1_568, 1_569), 15_682, 11_675)


@with_data
def test_the_published_adult_cases_leak_as_stated() -> None:
    cases = adult_cases(DATA / "adult", "paper")
    assert np.isin(cases.test.sources, cases.train.sources).mean() == pytest.approx(0.394, abs=0.001)


@with_data
def test_the_items_of_the_paper_stand_where_their_numbers_say() -> None:
    cases = adult_cases(DATA / "adult", "paper")
    table = pd.read_csv(DATA / "simulatability-stimuli" / "master.csv")
    for item in table[table["domain"] == "tabular"].to_dict("records"):
        published = dict(line.split(" = ", 1) for line in str(item["context"]).strip().split("\n"))
        shown = content_from_row(cases.test.inputs[item["id"]], cases.legend)
        assert cases.labels[cases.test.labels[item["id"]]] == item["label"]
        for feature in ("Age", "Sex", "Capital Gain", "Capital Loss", "Hours per week"):
            assert shown[feature] == SHOWN_AS.get(published[feature], published[feature])


@with_data
@pytest.mark.parametrize("one", ["train", "validation"])
def test_no_adult_record_and_no_description_stands_in_two_parts(one: str) -> None:
    cases = adult_cases(DATA / "adult", "leak_free")
    part = cases.train if one == "train" else cases.validation
    assert not np.isin(cases.test.sources, part.sources).any()
    assert not {tuple(row) for row in cases.test.inputs} & {tuple(row) for row in part.inputs}


@with_data
def test_leak_free_adult_records_occur_once_and_in_equal_classes() -> None:
    cases = adult_cases(DATA / "adult", "leak_free")
    every = np.concatenate([cases.train.sources, cases.validation.sources, cases.test.sources])
    labels = np.concatenate([cases.train.labels, cases.validation.labels, cases.test.labels])
    assert (len(every), len(np.unique(every)), int(labels.sum())) == (15_682, 15_682, 7_841)


@with_data
def test_the_published_sentences_are_counted_as_in_the_paper() -> None:
    cases = polarity_cases(DATA / "rt-polarity", "paper")
    assert (sizes(cases), sum(sizes(cases))) == ((7_511, 835, 2_087), 10_433)


@with_data
def test_no_sentence_stands_in_two_parts() -> None:
    cases = polarity_cases(DATA / "rt-polarity", "leak_free")
    parts = [{tuple(row) for row in part.inputs} for part in (cases.train, cases.validation, cases.test)]
    assert sum(map(len, parts)) == len(set.union(*parts)) == sum(sizes(cases))


@with_data
def test_tags_agree_with_hand_given_ones_for_words_that_no_list_holds() -> None:
    legend = words_of(polarity_cases(DATA / "rt-polarity", "paper", DATA / "glove-100d"))
    tag_of = dict(zip(legend.words, legend.tags, strict=True))
    by_hand = {
        "NOUN": "circus theory car adventure singer sketch conflicts nuance sisters awards misery satire texture guilt",
        "VERB": "exist decide alienate depicts inspires stumble operates catches reminded exhausted throw acknowledges",
        "ADJ": "terrible lurid shadowy frozen pompous somber public accessible spectacular trite wholesome passionate",
        "ADV": "visually mentally frustratingly firmly skillfully occasionally predictably",
        "ADP": "amid throughout despite",
    }
    pairs = [(tag, tag_of[word]) for tag, words in by_hand.items() for word in words.split()]
    assert np.mean([wanted == found for wanted, found in pairs]) > 0.9


@with_data
def test_the_sentences_of_the_paper_are_cut_as_they_were_shown() -> None:
    table = pd.read_csv(DATA / "simulatability-stimuli" / "master.csv")
    shown = [str(one).split() for one in table[table["domain"] == "text"]["context"]]
    agree = [tokens_from_text(" ".join(one)) == one for one in shown]
    assert np.mean(agree) > 0.9


def test_missing_data_say_what_to_put_where(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"adult\.data is not there\. Run: understudy data get adult, "):
        adult_cases(tmp_path, "leak_free")
    with pytest.raises(MaterialsError, match=r"rt-polarity\.neg is not there\. Run: understudy data get rt-polarity, "):
        polarity_cases(tmp_path, "leak_free")


def test_a_file_that_is_not_the_adult_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "adult.data").write_text("39, State-gov, 77516\n", encoding="utf-8")
    with pytest.raises(MaterialsError, match=r"Line 1 of .* does not have 15 columns"):
        adult_cases(tmp_path, "paper")


def test_an_unknown_category_is_named(tmp_path: Path) -> None:
    path = write_adult(tmp_path) / "adult.data"
    path.write_text(path.read_text().replace("Cuba", "Atlantis"), encoding="utf-8")
    with pytest.raises(MaterialsError, match="holds 'Atlantis', which the Adult data do not have"):
        adult_cases(tmp_path, "leak_free")


def test_the_categories_of_adult_make_sixty_six_columns() -> None:
    assert [len(values) for values in adult.LEGEND.values] == [4, 9, 7, 4, 9, 6, 5, 2, 3, 3, 3, 11]


def test_groups_stay_together() -> None:
    groups = np.repeat(np.arange(50), 4)
    parts = grouped_split(groups, (0.1, 0.2), np.random.RandomState(1))
    assert [len(part) for part in parts] == [140, 20, 40]
    assert sum(len(set(groups[part])) for part in parts) == 50


def test_a_sentence_that_stands_twice_is_kept_once(tmp_path: Path) -> None:
    folder = write_polarity(tmp_path, n=50)
    path = folder / "rt-polarity.pos"
    path.write_bytes(path.read_bytes() + b"\n" + path.read_bytes().split(b"\n")[0])
    assert sum(sizes(polarity_cases(folder, "leak_free"))) == 100
    assert sum(sizes(polarity_cases(folder, "paper"))) == 101


def test_contractions_hyphens_and_dots_are_cut() -> None:
    assert tokens_from_text("It's a well-made film... don't miss it !") == (
        ["it", "'s", "a", "well", "-", "made", "film", "...", "do", "n't", "miss", "it", "!"]
    )


def test_words_are_numbered_by_frequency_after_the_unknown_one() -> None:
    assert words_by_frequency([["b", "a", "b"], ["c"]]) == (UNKNOWN, "b", "a", "c")


@pytest.mark.parametrize("made", [income_cases, review_cases], ids=["income", "reviews"])
def test_no_generated_case_stands_twice(made: type) -> None:
    cases: Cases = made()
    every = np.concatenate([cases.train.inputs, cases.validation.inputs, cases.test.inputs])
    assert len(np.unique(every, axis=0)) == len(every) == sum(sizes(cases))


@pytest.mark.parametrize("made", [income_cases, review_cases], ids=["income", "reviews"])
def test_generated_cases_follow_their_rule_with_noise(made: type) -> None:
    cases: Cases = made()
    rule = income.points_from_codes if isinstance(cases.legend, Variables) else reviews.strengths_from_tokens
    follows = (rule(cases.train.inputs) > 0) == cases.train.labels
    assert 0.8 < follows.mean() < 0.92
    assert 0.45 < cases.train.labels.mean() < 0.55


def test_schooling_pays_in_full_time_work_only() -> None:
    part_time, full_time = np.zeros((2, 3, 8))
    part_time[:, 1] = full_time[:, 1] = [0, 1, 2]
    full_time[:, 3] = 1
    assert np.ptp(income.points_from_codes(part_time)) == 0
    assert (np.diff(income.points_from_codes(full_time)) > 0).all()


@pytest.mark.parametrize(
    ("sentence", "strength"),
    [
        ("the play is superb .", 1.4),
        ("the play is not superb .", -0.84),
        ("the plot is dull , but the cast is warm .", 0.6),
        ("the plot is dull , and the cast is warm .", -0.2),
        ("the pace is utterly dull .", -1.3),
    ],
)
def test_negation_turns_and_but_doubles(sentence: str, strength: float) -> None:
    words = reviews.vocabulary().words
    tokens = np.array([[float(words.index(word)) for word in sentence.split()]])
    assert reviews.strengths_from_tokens(tokens)[0] == pytest.approx(strength)
