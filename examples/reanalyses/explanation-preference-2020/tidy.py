"""Reshapes the survey answers: one row for each side of an answer, chosen or rejected.

Usage: python tidy.py DATA_DIR OUT.csv
"""

import sys
from pathlib import Path

import pandas as pd

data, out = Path(sys.argv[1]), Path(sys.argv[2])
answers = pd.read_csv(data / "responses.csv")
sides = answers.melt(
    id_vars=["study", "participant", "question", "item", "kind"],
    value_vars=["chosen", "rejected"],
    var_name="side",
    value_name="method",
)
sides.to_csv(out, index=False)
