"""Adult: census records in twelve categories each, prepared as Hase and Bansal (2020) did, and split in two ways.

Source: the training file of the UCI Adult data, `adult/adult.data`, 32,561 records. Two columns (fnlwgt and the number
of school years) are left out, ages and hours are cut at their quartiles, gains and losses at the median of those that
have any, and rare categories are merged.

`paper` draws 7,841 records of each class with replacement and then splits: 15,682 cases of 11,675 records, so that four
in ten test cases are copies of training cases. `leak_free` draws without replacement and puts all records that are
equal in the twelve categories into one part, so that no record and no description is in two parts.
"""

from functools import cache
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Variables
from understudy.sources.cases import Cases, SplitRule, cases_from_places, grouped_split, row_groups, shuffle_split

LABELS = ("below $50K", "above $50K")
FILE = "adult.data"
N_COLUMNS = 15
_BLUE = "Craft-repair Farming-fishing Handlers-cleaners Machine-op-inspct Transport-moving"
_LATIN = (
    "Dominican-Republic Guatemala Haiti Honduras Jamaica Mexico Nicaragua Outlying-US(Guam-USVI-etc) Puerto-Rico "
    "Trinadad&Tobago"
)
_EDGES: dict[str, tuple[int, tuple[int, ...], tuple[str, ...]]] = {
    "Age": (0, (28, 37, 48), ("28 or younger", "29 to 37", "38 to 48", "49 or older")),
    "Capital Gain": (10, (0, 7298), ("No gains", "Low gains", "High gains")),
    "Capital Loss": (11, (0, 1887), ("No losses", "Low losses", "High losses")),
    "Hours per week": (12, (40, 45), ("40 or fewer", "41 to 45", "46 or more")),
}
"""Numeric columns: their index, the last value of each category but the last, and the names of the categories."""
_GROUPS: dict[str, tuple[int, dict[str, str]]] = {
    "Workclass": (
        1,
        {
            "Private": "Private",
            "Self-employed": "Self-emp-not-inc",
            "Self-employed, incorporated": "Self-emp-inc",
            "Federal government": "Federal-gov",
            "State government": "State-gov",
            "Local government": "Local-gov",
            "Without pay": "Without-pay",
            "Never worked": "Never-worked",
            "Unknown": "?",
        },
    ),
    "Education": (
        3,
        {
            "Dropout": "Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th",
            "High school": "HS-grad Some-college",
            "Associate": "Assoc-acdm Assoc-voc",
            "Bachelor": "Bachelors",
            "Master": "Masters",
            "Professional school": "Prof-school",
            "Doctorate": "Doctorate",
        },
    ),
    "Marital Status": (
        5,
        {
            "Married": "Married-civ-spouse Married-AF-spouse",
            "Separated": "Married-spouse-absent Separated Divorced",
            "Never married": "Never-married",
            "Widowed": "Widowed",
        },
    ),
    "Occupation": (
        6,
        {
            "Clerical": "Adm-clerical",
            "Blue-collar": _BLUE,
            "Managerial": "Exec-managerial",
            "Professional": "Prof-specialty",
            "Sales": "Sales",
            "Service": "Other-service Priv-house-serv",
            "Other": "Protective-serv Tech-support",
            "Military": "Armed-Forces",
            "Unknown": "?",
        },
    ),
    "Relationship": (
        7,
        {
            "Husband": "Husband",
            "Wife": "Wife",
            "Own child": "Own-child",
            "Other relative": "Other-relative",
            "Not in family": "Not-in-family",
            "Unmarried": "Unmarried",
        },
    ),
    "Race": (
        8,
        {
            "White": "White",
            "Black": "Black",
            "Asian or Pacific Islander": "Asian-Pac-Islander",
            "American Indian or Eskimo": "Amer-Indian-Eskimo",
            "Other": "Other",
        },
    ),
    "Sex": (9, {"Male": "Male", "Female": "Female"}),
    "Country": (
        13,
        {
            "United States": "United-States",
            "British Commonwealth": "Canada England India Ireland Scotland",
            "China": "China Hong Taiwan",
            "South-East Asia": "Cambodia Laos Philippines Thailand Vietnam",
            "Western Europe": "France Germany Holand-Netherlands Italy",
            "Southern and eastern Europe": "Greece Hungary Poland Portugal South",
            "Latin America": _LATIN,
            "South America": "Columbia Ecuador El-Salvador Peru",
            "Other": "Cuba Iran Japan",
            "Yugoslavia": "Yugoslavia",
            "Unknown": "?",
        },
    ),
}
"""Columns of words: their index, and the words that make each category."""
FEATURES = (
    "Age",
    "Workclass",
    "Education",
    "Marital Status",
    "Occupation",
    "Relationship",
    "Race",
    "Sex",
    "Capital Gain",
    "Capital Loss",
    "Hours per week",
    "Country",
)
LEGEND = Variables(FEATURES, tuple(_EDGES[name][2] if name in _EDGES else tuple(_GROUPS[name][1]) for name in FEATURES))


SPLIT_SEED = 1
"""The seed of the published draw and split."""


def adult_cases(folder: Path, rule: SplitRule, *, split_seed: int = SPLIT_SEED) -> Cases:
    """Read, prepare, draw and split the records."""
    return _split_cases(folder, rule, split_seed)


@cache
def _split_cases(folder: Path, rule: SplitRule, seed: int) -> Cases:
    codes, labels = records_from_file(folder / FILE)
    chosen = _drawn(labels, seed, is_replacing=rule == "paper")
    if rule == "paper":
        rest, last = shuffle_split(len(chosen), 0.2, np.random.RandomState(seed))
        validation, test = shuffle_split(len(last), 0.5, np.random.RandomState(seed))
        places = (chosen[rest], chosen[last[validation]], chosen[last[test]])
    else:
        train, validation, test = grouped_split(row_groups(codes[chosen]), (0.1, 0.1), np.random.RandomState(seed))
        places = (chosen[train], chosen[validation], chosen[test])
    return cases_from_places(codes, labels, places, names=LABELS, legend=LEGEND)


def records_from_file(path: Path) -> tuple[Floats, Ints]:
    """Return the codes of every record, and 1 for those above the limit."""
    if not path.is_file():
        raise MaterialsError(
            f"{path} is not there. Run: understudy data get adult, which fetches the training file of the UCI Adult "
            "data; or name the folder of datasets in UNDERSTUDY_DATA."
        )
    rows = [line.strip().split(", ") for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    misfit = next((number for number, row in enumerate(rows, start=1) if len(row) != N_COLUMNS), None)
    if misfit is not None:
        raise MaterialsError(
            f"Line {misfit} of {path} does not have {N_COLUMNS} columns, so this is not the Adult data."
        )
    columns = np.array(rows, dtype=object).T
    try:
        codes = np.column_stack([_codes_of(feature, columns) for feature in FEATURES])
    except (KeyError, ValueError) as error:
        raise MaterialsError(f"{path} holds {error}, which the Adult data do not have.") from None
    return codes, (columns[14] == ">50K").astype(np.int64)


def _codes_of(feature: str, columns: np.ndarray[tuple[int, ...], np.dtype[np.object_]]) -> Floats:
    if feature in _EDGES:
        column, edges, _ = _EDGES[feature]
        codes: Floats = np.searchsorted(edges, columns[column].astype(np.float64)).astype(np.float64)
        return codes
    column, groups = _GROUPS[feature]
    # An unknown word raises a KeyError, which the caller reports as a foreign file.
    code_of = {word: code for code, words in enumerate(groups.values()) for word in words.split()}
    return np.array([code_of[word] for word in columns[column]], dtype=np.float64)


def _drawn(labels: Ints, seed: int, *, is_replacing: bool) -> Ints:
    """Draw as many records of each class as the smaller class has."""
    # The published cases were drawn by this legacy generator; a new one would draw others.
    random = np.random.RandomState(seed)
    n = int(np.bincount(labels).min())
    parts = [random.choice(np.flatnonzero(labels == label), n, replace=is_replacing) for label in (0, 1)]
    return np.concatenate(parts).astype(np.int64)
