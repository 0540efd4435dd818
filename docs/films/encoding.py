"""Encoding: frames to a WebM file (VP9, no sound) through ffmpeg."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from films.palette import HEIGHT, WIDTH
from films.timeline import FRAMES_PER_S
from understudy.errors import MaterialsError

_QUALITY = "38"
"""Constant quality of VP9, 0 (best) to 63: at 38 letters have no visible noise around them."""
_KEYFRAME_EVERY_S = 10


def write_webm(frames: Iterable[Image.Image], path: Path) -> None:
    """Encode frames; bytes depend on the frames and on the version of ffmpeg."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise MaterialsError("ffmpeg is not installed. Install it (Debian: apt-get install ffmpeg) and run this again.")
    part = path.with_name(f".{path.stem}.part.webm")
    # fmt: off
    command = [
        program, "-hide_banner", "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(FRAMES_PER_S), "-i", "-",
        # Frames like the one before are left out, so that only movement is encoded.
        "-vf", "mpdecimate=hi=1:lo=1:frac=0,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-vsync", "vfr",
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
        "-c:v", "libvpx-vp9", "-crf", _QUALITY, "-b:v", "0", "-deadline", "good", "-cpu-used", "5", "-row-mt", "1",
        "-g", "9999", "-force_key_frames", f"expr:gte(t,n_forced*{_KEYFRAME_EVERY_S})", "-an", "-fflags", "+bitexact", "-flags:v", "+bitexact",
        # The index comes first, so that a browser can move in a film that has not arrived yet.
        "-cues_to_front", "1", str(part),
    ]
    # fmt: on
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:  # noqa: S603 -- our own arguments
        if encoder.stdin is None:
            raise MaterialsError("ffmpeg takes no frames. Run this again.")
        for frame in frames:
            encoder.stdin.write(frame.tobytes())
        encoder.stdin.close()
        if encoder.wait() != 0:
            raise MaterialsError("ffmpeg could not write the film; its own message is above.")
    part.replace(path)
