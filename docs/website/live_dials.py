"""Live dials: the reconstruction task with its model in the page, to try in the gallery of the site."""

import base64
import json
from pathlib import Path

from understudy.errors import UnderstudyError
from understudy.prepare import prepare
from understudy.protocols import ready_study
from understudy.schema import Json
from understudy.schema.assets import files_named_in
from website.pages import ROOT

WEB = ROOT / "src" / "understudy" / "_web"
STUDY, BLOCK = "ross2021-synthetic", "practice_sliders"
_SETUP = """<title>Live example: reconstruct</title>
<style>#player { padding: 12px; }</style>
<script src="reconstruct_files.js"></script>
<script>
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
window.understudy = {
  shown: SHOWN,
  language: "en",
  files: Object.fromEntries(Object.entries(window.understudyFiles).map(([name, text]) => [name, bytes(text)])),
  resized: () => undefined,
  finished: () => location.reload(),
};
</script>
"""


def write_live_dials(folder: Path) -> None:
    """Write the page, and its model with what runs it as a script: browsers do not fetch files from a folder."""
    page = WEB / "notebook_page.html"
    if not page.is_file():
        raise UnderstudyError(f"{page} is missing. Build the front end first: `make web`.")
    prepared = prepare(ready_study(STUDY), Path())
    trial = next(trial for trial in prepared.materials.trials.values() if trial.block_id == BLOCK)
    shown: Json = {"kind": "task", "task": trial.task, "params": trial.params, "asks": [], "explanation": None}
    runtime = next((WEB / "assets").glob("ort-wasm*.wasm"))
    contents = {"runtime.wasm": runtime.read_bytes()}
    for address in files_named_in(trial.params, prepared.files):
        file = prepared.files[address]
        contents[address] = file if isinstance(file, bytes) else file.read_bytes()
    texts = {name: base64.b64encode(content).decode() for name, content in contents.items()}
    (folder / "reconstruct_files.js").write_text(f"window.understudyFiles = {json.dumps(texts)};\n", encoding="utf-8")
    setup = _SETUP.replace("SHOWN", json.dumps(shown).replace("</", "<\\/"))
    text = page.read_text(encoding="utf-8").replace('<meta charset="utf-8">', f'<meta charset="utf-8">{setup}', 1)
    (folder / "reconstruct.html").write_text(text, encoding="utf-8")
