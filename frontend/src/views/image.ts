/** Image: rows and columns of grey, or of red, green and blue, drawn at their own size and enlarged by the page. */

import type { Values } from "../distances/agreement";
import { h } from "../shared/dom";
import type { Picture, PictureKind } from "./picture";

export function image({ shape, limits, onFrom }: PictureKind): Picture {
  const [rows = 1, columns = 1, channels = 1] = shape;
  const [low, high] = limits;
  const canvas = h("canvas", { width: columns, height: rows });
  const pixels = new Uint8ClampedArray(rows * columns * 4);
  const level = (value: number) => {
    if (onFrom !== undefined) return value >= onFrom ? 255 : 0;
    return Math.round((255 * (value - low)) / (high - low));
  };
  return {
    element: canvas,
    draw(values: Values) {
      for (let pixel = 0; pixel < rows * columns; pixel += 1) {
        for (let hue = 0; hue < 3; hue += 1) {
          pixels[4 * pixel + hue] = level(values[channels === 3 ? 3 * pixel + hue : pixel] ?? 0);
        }
        pixels[4 * pixel + 3] = 255;
      }
      canvas.getContext("2d")?.putImageData(new ImageData(pixels, columns, rows), 0, 0);
    },
    content: () => pixels.join(" "),
  };
}
