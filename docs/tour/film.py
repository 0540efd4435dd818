"""Film: a few seconds and a picture, drawn and recorded by the browser itself."""

import base64
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser

_DRAW = """
  const canvas = document.createElement('canvas'); canvas.width = 640; canvas.height = HEIGHT;
  const ink = canvas.getContext('2d');
  const figures = [['Income', 0.9], ['Savings', 0.35], ['Years employed', 0.6], ['Open loans', 0.45]];
  const draw = (at) => {
    ink.fillStyle = '#0f2f35'; ink.fillRect(0, 0, 640, HEIGHT);
    ink.fillStyle = '#ffffff'; ink.font = '600 24px sans-serif'; ink.fillText('What the model looks at', 40, 58);
    figures.forEach(([name, share], place) => {
      const y = 88 + place * (HEIGHT - 100) / 4;
      ink.fillStyle = '#cfe3e0'; ink.font = '18px sans-serif'; ink.fillText(name, 40, y + 19);
      ink.fillStyle = '#6fcfc8'; ink.fillRect(210, y, 380 * share * Math.min(1, 0.35 + at / 1500), 26);
    });
  };
"""
_PICTURE = f"() => {{ {_DRAW} draw(1500); return canvas.toDataURL('image/png').split(',')[1]; }}"
_FILM = f"""async () => {{ {_DRAW}
  const recorder = new MediaRecorder(canvas.captureStream(25), {{mimeType: 'video/webm;codecs=vp8'}});
  const parts = []; recorder.ondataavailable = (event) => parts.push(event.data);
  const stopped = new Promise((resolve) => recorder.onstop = resolve);
  draw(0);
  recorder.start();
  const start = performance.now();
  await new Promise((resolve) => {{ const go = () => {{
    const at = performance.now() - start;
    draw(at);
    at < 1800 ? requestAnimationFrame(go) : resolve(); }}; go(); }});
  recorder.stop(); await stopped;
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(''));
}}"""


async def make_media(browser: "Browser", *, film: Path, picture: Path) -> None:
    """Draw the film and the picture of the showcase."""
    page = await browser.new_page()
    film.write_bytes(base64.b64decode(await page.evaluate(_FILM.replace("HEIGHT", "300"))))
    picture.write_bytes(base64.b64decode(await page.evaluate(_PICTURE.replace("HEIGHT", "230"))))
    await page.close()
