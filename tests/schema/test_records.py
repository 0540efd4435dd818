"""Records refuse what no other part could read back."""

import pytest
from pydantic import ValidationError

from understudy.schema import Ref


@pytest.mark.parametrize("written", ["-Infinity", "NaN", '{"inner": [1, Infinity]}'])
def test_parameters_are_finite_also_in_json(written: str) -> None:
    with pytest.raises(ValidationError, match=r"low is .*, but must be a finite number"):
        Ref.model_validate_json(f'{{"name": "tost", "params": {{"low": {written}, "high": 1}}}}')
