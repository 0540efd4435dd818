"""Write the parameters that `understudy calibrate` fitted into the package, where the cast `dials` reads them.

Run it after a new docs/calibration.json: python docs/calibrated_people.py
"""

from pathlib import Path

from understudy.participants.dial_people import FITTED
from understudy.protocols.ross2021.calibration import person_from
from understudy.protocols.ross2021.calibration_rows import Calibration

ROOT = Path(__file__).parents[1]
FITS = ROOT / "src" / "understudy" / "participants" / "dials" / "fits.py"
HEAD = '''"""The people who turn dials, with the parameters that `understudy calibrate` fitted to Sinelines."""

from understudy.schema import Ref

FITTED = (
'''


def main() -> None:
    """Write the file."""
    held = Calibration.model_validate_json((ROOT / "docs" / "calibration.json").read_text(encoding="utf-8"))
    # Strategies that a page left out keep their earlier parameters.
    people = {person.name: person for person in FITTED}
    people |= {fit.strategy: person_from(fit.strategy, fit.parameters) for fit in held.fits}
    lines = "".join(f"    Ref(name={person.name!r}, params={person.params!r}),\n" for person in people.values())
    FITS.write_text(
        f'{HEAD}{lines})\n"""Those on the page are the same as in docs/calibration.json; the others keep earlier fits."""\n'.replace(
            "'", '"'
        ),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
