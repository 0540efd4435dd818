"""Writes one row per person and attribute from the counts behind Table 2, in two arrangements.

The paper prints how many people were right about each attribute, not who was. Tests of one attribute need no more. Tests
of two attributes, or of a person's number of right answers, depend on who was right about what, so there are two
arrangements at opposite ends:

- nested: the same people are right about everything, as far as the counts allow
- apart: right answers are spread over people as evenly as the counts allow; in study 1, people who are wrong about the
  legs are right about the other attributes first

Usage: python tidy.py COUNTS.csv OUT.csv STUDY
"""

import sys
from pathlib import Path

import pandas as pd

counts, out, study = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
table = pd.read_csv(counts)
rows = []
for condition, printed in table[table["study"] == study].groupby("condition", sort=False):
    n = int(printed["n"].iloc[0])
    start = 0
    for attribute, n_right in zip(printed["attribute"], printed["n_right"], strict=True):
        nested = set(range(n_right))
        # In study 1 the last people, among them those who are wrong about the legs; in study 2 whose turn it is.
        first = (0 if attribute == "legs" else n - n_right) if study == 1 else start
        apart = {(first + k) % n for k in range(n_right)}
        start += n_right
        for arrangement, right in (("nested", nested), ("apart", apart)):
            for person in range(n):
                name = f"{arrangement}-{condition}-{person + 1:02d}"
                rows.append((name, arrangement, condition, attribute, int(person in right)))
columns = ["person", "arrangement", "condition", "attribute", "right"]
pd.DataFrame(rows, columns=columns).to_csv(out, index=False)
