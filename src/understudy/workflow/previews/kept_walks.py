"""The walks of a preview as a run folder keeps them; apart from what makes them, so that a server starts fast."""

from pathlib import Path

from pydantic import ValidationError

from understudy.schema.preview import PreviewWalks

WALKS = "preview.json"
"""The file of a run with the walks of its preview; it can be deleted and made again."""


def kept_walks(path: Path, study_digest: str) -> PreviewWalks | None:
    """Return the walks of a file; None where there is none of this version of the study."""
    try:
        walks = PreviewWalks.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return None
    return walks if walks.study_digest == study_digest else None
