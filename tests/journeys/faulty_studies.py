"""Every mistake in a study file that we know of, beside the sentences its author reads."""

from typing import NamedTuple

from tests.journeys.faulty_flows import FLOWS
from tests.journeys.faulty_forms import FORMS
from tests.journeys.faulty_items import ITEMS
from tests.journeys.faulty_names import NAMES
from tests.journeys.faulty_plans import PLANS

FAULTY = (*FORMS, *NAMES, *FLOWS, *ITEMS, *PLANS)


class FaultyFile(NamedTuple):
    """A file that does not even hold a study."""

    label: str
    name: str
    content: bytes
    says: str


FILES = (
    FaultyFile(
        "broken TOML",
        "study.toml",
        b"name = two-groups\n",
        "study.toml is not TOML: Invalid value (at line 1, column 8). Correct the file there.",
    ),
    FaultyFile(
        "a TOML key twice",
        "study.toml",
        b"name = 'a'\nname = 'b'\n",
        "study.toml is not TOML: Cannot overwrite a value (at line 2, column 11). Correct the file there.",
    ),
    FaultyFile(
        "broken YAML",
        "study.yaml",
        b"name: [two\n",
        'study.yaml is not YAML: while parsing a flow sequence in "<unicode string>", line 1, column 7: name: [two ^ '
        "expected ',' or ']', but got '<stream end>' in \"<unicode string>\", line 2, column 1: ^. "
        "Correct the file there.",
    ),
    FaultyFile(
        "a YAML key twice",
        "study.yml",
        b"name: a\ntitle: b\nname: c\n",
        "study.yml is not YAML: duplicate key 'name' (line 3). Correct the file there.",
    ),
    FaultyFile(
        "broken JSON",
        "study.json",
        b"{'name': 1}",
        "study.json is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1). "
        "Correct the file there.",
    ),
    FaultyFile(
        "an empty TOML file",
        "study.toml",
        b"",
        "study.toml is empty. Start from a complete file: understudy new FILE",
    ),
    FaultyFile(
        "an empty YAML file",
        "study.yaml",
        b"# nothing yet\n",
        "study.yaml is empty. Start from a complete file: understudy new FILE",
    ),
    FaultyFile(
        "a list instead of fields",
        "study.yaml",
        b"- name\n- title\n",
        "study.yaml holds a list, but needs named fields, such as name and title.",
    ),
    FaultyFile(
        "a single word",
        "study.yaml",
        b"study\n",
        "study.yaml holds a single value, but needs named fields, such as name and title.",
    ),
    FaultyFile(
        "a file in another encoding",
        "study.toml",
        "title = 'Größe'".encode("latin-1"),
        "study.toml is not UTF-8 text. Save it as UTF-8.",
    ),
    FaultyFile(
        "a file of another kind",
        "study.docx",
        b"PK",
        "study.docx ends in '.docx'. Give a file that ends in .toml, .yaml, .yml, .json.",
    ),
)
