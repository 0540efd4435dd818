"""The folder of a prepared study: only `public/` may be served."""

import os
import shlex
import shutil
from pathlib import Path

from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.prepare.prepared import Prepared
from understudy.registry import load_extensions
from understudy.schema import AnswerKey, Materials, Study, canonical_json, json_from_record


def write_prepared(prepared: Prepared, folder: Path) -> Path:
    """Write study, materials, key and assets; the same prepared study always writes the same bytes."""
    public = folder / "public"
    # Files of an earlier preparation must not stay public.
    shutil.rmtree(public, ignore_errors=True)
    (public / "assets").mkdir(parents=True, exist_ok=True)
    # The folder will hold the answer key, what people answer and who they are.
    folder.chmod(0o700)
    for address, source in prepared.files.items():
        if isinstance(source, bytes):
            (public / "assets" / address).write_bytes(source)
        else:
            shutil.copyfile(source, public / "assets" / address)
    (public / "materials.json").write_text(canonical_json(json_from_record(prepared.materials)), encoding="utf-8")
    _write_private(folder / "answers.json", canonical_json(json_from_record(prepared.key)))
    (folder / "study.json").write_text(canonical_json(json_from_record(prepared.study)), encoding="utf-8")
    return folder


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from the moment it exists."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    path.chmod(0o600)


def read_prepared(folder: Path) -> Prepared:
    """Read a folder that `write_prepared` wrote, and check that its files belong together."""
    # Materials name kinds of explanations, which a package may bring that nobody has asked for yet.
    load_extensions()
    if folder.is_file():
        raise MaterialsError(
            f"{folder} is a file. Give the folder that understudy prepare or understudy rehearse wrote."
        )
    if not folder.exists():
        raise MaterialsError(
            f"There is no folder {folder}. Check the path, or prepare a study there: "
            f"understudy prepare STUDY --out {shlex.quote(str(folder))}"
        )
    try:
        study = Study.model_validate_json((folder / "study.json").read_text(encoding="utf-8"))
        materials = Materials.model_validate_json((folder / "public" / "materials.json").read_text(encoding="utf-8"))
        key = AnswerKey.model_validate_json((folder / "answers.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MaterialsError(
            f"{error.filename} is missing, so {folder} is not a prepared study. "
            f"Run: understudy prepare STUDY --out {shlex.quote(str(folder))}"
        ) from None
    except (ValidationError, UnicodeDecodeError):
        raise MaterialsError(
            f"The files in {folder} are damaged. Prepare the study again: understudy prepare STUDY --out {shlex.quote(str(folder))}"
        ) from None
    if not study.digest == materials.study_digest == key.study_digest:
        raise MaterialsError(f"The files in {folder} belong to different versions of the study. Prepare it again.")
    assets = folder / "public" / "assets"
    return Prepared(study, materials, key, {address: assets / address for address in materials.assets})
