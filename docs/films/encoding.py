"""Encoding: frames to a WebM file (VP9, no sound) through ffmpeg."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from films.palette import HEIGHT, WIDTH
from films.timeline import FRAMES_PER_S
from understudy.errors import MaterialsError

_QUALITY = "36"
"""Constant quality of VP9, 0 (best) to 63: at 36 letters have no visible noise around them."""
_KEYFRAME_EVERY_S = 10


def write_webm(frames: Iterable[Image.Image], path: Path) -> None:
    """Encode frames; bytes depend on the frames and on the version of ffmpeg."""
    # Not next to the film: half a film must not stay in the package when this is interrupted.
    with TemporaryDirectory() as folder:
        part = Path(folder) / path.name
        _encode(frames, part)
        shutil.copyfile(part, path)


def _encode(frames: Iterable[Image.Image], path: Path) -> None:
    program = shutil.which("ffmpeg")
    if program is None:
        raise MaterialsError("ffmpeg is not installed. Install it (Debian: apt-get install ffmpeg) and run this again.")
    # fmt: off
    command = [
        program, "-hide_banner", "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(FRAMES_PER_S), "-i", "-",
        # Frames like the one before are left out, so that only movement is encoded.
        "-vf", "mpdecimate=hi=1:lo=1:frac=0,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-fps_mode", "vfr",
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
        "-c:v", "libvpx-vp9", "-crf", _QUALITY, "-b:v", "0", "-deadline", "good", "-cpu-used", "5", "-row-mt", "1",
        "-g", "9999", "-force_key_frames", f"expr:gte(t,n_forced*{_KEYFRAME_EVERY_S})", "-an", "-fflags", "+bitexact", "-flags:v", "+bitexact",
        # The index comes first, so that a browser can move in a film that has not arrived yet.
        "-cues_to_front", "1", str(path),
    ]
    # fmt: on
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:  # noqa: S603 -- our own arguments
        _send(frames, encoder)
        if encoder.wait() != 0:
            raise MaterialsError("ffmpeg could not write the film; its own message is above.")


def _send(frames: Iterable[Image.Image], encoder: "subprocess.Popen[bytes]") -> None:
    """Write frames to the encoder until it has them all, or until it gives up, which its exit status then says."""
    if encoder.stdin is None:
        raise MaterialsError("ffmpeg takes no frames. Run this again.")
    with contextlib.suppress(BrokenPipeError), encoder.stdin as stream:
        for frame in frames:
            stream.write(frame.tobytes())
