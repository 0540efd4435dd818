"""Stacks the five files of one study of the Alien Zoo, each row marked with the file it comes from.

Usage: python tidy.py DATA_DIR OUT.csv STUDY   (STUDY is 1 or 2)
"""

import sys
from pathlib import Path

import pandas as pd

data, out, study = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
files = ["performance", "reactionTime", "attentionCheck", "survey", "demographics"]
stacked = pd.concat([pd.read_csv(data / f"{name}_IAZ_EXP{study}.csv").assign(file=name) for name in files])
stacked["trial"] = stacked["trialNo"].fillna(stacked["TrialNr"])
stacked["block"] = stacked["blockNo"].fillna(stacked["BlockNr"])
stacked.convert_dtypes().to_csv(out, index=False)
