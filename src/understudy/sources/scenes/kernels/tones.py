"""Tones: linear light to the bytes of a picture."""

import numpy as np

from understudy.sources.scenes.kernels.jit import kernel
from understudy.sources.scenes.kernels.powers import log2
from understudy.sources.scenes.packing import SHINE


@kernel
def develop(linear, frame, tones, picture):
    """Write the picture; the first row of `tones` has the logarithms at both ends of the curve, the rest the curve."""
    first, last, n = tones[0], tones[1], tones.shape[0] - 2
    scale = (n - 1) / (last - first)
    for row in range(linear.shape[0]):
        for column in range(linear.shape[1]):
            for channel in range(3):
                light = max(linear[row, column, channel] * frame[SHINE, channel], 1e-12)
                place = min(max((log2(light) - first) * scale, 0.0), n - 1.001)
                step = int(place)
                share = place - step
                value = tones[2 + step] * (1.0 - share) + tones[3 + step] * share
                picture[row, column, channel] = np.uint8(value + 0.5)
