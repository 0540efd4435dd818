"""R's lme4 and ordinal as peers: data go over as a CSV file, CPU seconds and coefficients come back."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

SCRIPT = Path(__file__).parent / "fit_glmer.R"


Engine = Literal["glmer", "lmer", "clmm"]


class Fitted(NamedTuple):
    """What glmer took for all the data sets together, and the last coefficient it found in each."""

    seconds: float
    version: str
    coefficients: npt.NDArray[np.float64]


def has_glmer(package: str = "lme4") -> bool:
    """Tell whether Rscript and a package are on this machine."""
    if shutil.which("Rscript") is None:
        return False
    asked = subprocess.run(["Rscript", "-e", f"library({package})"], capture_output=True, check=False)
    return asked.returncode == 0


def fit_by_glmer(data: pd.DataFrame, formula: str, engine: Engine = "glmer") -> Fitted:
    """Fit every data set of a frame, told apart by its column `dataset`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        data.to_csv(path, index=False)
        said = subprocess.run(
            ["Rscript", str(SCRIPT), str(path), formula, engine], capture_output=True, text=True, check=True
        ).stdout.split()
    return Fitted(float(said[0]), said[1], np.array(said[2:], dtype=np.float64))
