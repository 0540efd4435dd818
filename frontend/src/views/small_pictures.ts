/** Small pictures: outputs of a generative model, many on one page, grey pictures on canvas and lines as SVG. */

import { h, svg } from "../shared/dom";

/** How the outputs of a model are packed and drawn. */
export interface Look {
  readonly view: string;
  readonly shape: readonly number[];
  readonly limits: readonly [number, number];
  readonly packing: string;
}

/** One picture that is there at once and gets its content when it is unpacked. */
export interface SmallPicture {
  readonly element: HTMLElement;
  draw(values: Float32Array): void;
}

/** Unpacks outputs, one array of values for each picture. */
export async function unpacked(text: string, look: Look): Promise<Float32Array[]> {
  const length = look.shape.reduce((n, size) => n * size, 1);
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const values = look.packing === "zlib-u8" ? greys(await inflated(bytes), look) : floats(bytes);
  return Array.from({ length: Math.floor(values.length / length) }, (_, k) =>
    values.subarray(k * length, (k + 1) * length),
  );
}

/** Makes an empty picture; its words, if any, are for those who cannot see it. */
export function smallPicture(look: Look, label: string | null = null): SmallPicture {
  const drawing = look.view === "line" ? line(look) : image(look);
  const named = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return {
    element: h("div", { class: `small-picture is-${look.view === "line" ? "line" : "image"}`, ...named }, drawing.node),
    draw: drawing.draw,
  };
}

interface Drawing {
  readonly node: Node;
  draw(values: Float32Array): void;
}

function image({ shape, limits: [low, high] }: Look): Drawing {
  const [rows, columns] = [shape[0] ?? 1, shape[1] ?? 1];
  const canvas = h("canvas", { width: columns, height: rows });
  return {
    node: canvas,
    draw(values) {
      const ink = canvas.getContext("2d");
      if (!ink) return;
      const pixels = ink.createImageData(columns, rows);
      values.forEach((value, index) => {
        const grey = Math.round((255 * (value - low)) / (high - low));
        pixels.data.set([grey, grey, grey, 255], index * 4);
      });
      ink.putImageData(pixels, 0, 0);
    },
  };
}

const SIDE = 100;

function line({ limits: [low, high] }: Look): Drawing {
  const height = (value: number) => SIDE * (1 - (value - low) / (high - low));
  const zero = svg("line", { class: "zero", x1: 0, x2: SIDE, y1: height(0), y2: height(0) });
  const curve = svg("polyline", { class: "curve", points: "" });
  const node = svg("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, preserveAspectRatio: "none" });
  node.append(zero, curve);
  return {
    node,
    draw(values) {
      const step = SIDE / Math.max(1, values.length - 1);
      const points = Array.from(values, (value, k) => `${(k * step).toFixed(2)},${height(value).toFixed(2)}`);
      curve.setAttribute("points", points.join(" "));
    },
  };
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function greys(bytes: Uint8Array, { limits: [low, high] }: Look): Float32Array {
  return Float32Array.from(bytes, (byte) => low + (byte / 255) * (high - low));
}

function floats(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: Math.floor(bytes.byteLength / 4) }, (_, k) => view.getFloat32(4 * k, true));
}
