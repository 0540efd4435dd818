/** Tree window: a drawing that is larger than its window, enlarged and moved by mouse, buttons or keys. */

import { h } from "../shared/dom";
import type { Context } from "../shared/task";

export interface Movable {
  readonly element: HTMLElement;
  /** How often somebody enlarged, reduced or moved the drawing. */
  nMoves(): number;
}

const [STEP, CLOSEST] = [1.4, 8];

/** Shows the drawing whole at first. Plus, minus and zero change its size, and arrow keys move it. */
export function movableDrawing(
  drawing: SVGElement,
  size: { width: number; height: number },
  context: Context,
): Movable {
  const { tree } = context.texts.views;
  let [x, y, scale, nMoves] = [0, 0, 1, 0];
  const show = () => {
    const [width, height] = [size.width / scale, size.height / scale];
    x = Math.min(Math.max(x, 0), size.width - width);
    y = Math.min(Math.max(y, 0), size.height - height);
    drawing.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  };
  const move = (right: number, down: number) => {
    nMoves += 1;
    [x, y] = [x + right, y + down];
    show();
  };
  /** Keeps the point at this share of the window where it is. */
  const zoomTo = (next: number, [across, down] = [0.5, 0.5]) => {
    nMoves += 1;
    const kept = Math.min(Math.max(next, 1), CLOSEST);
    x += (across * size.width) / scale - (across * size.width) / kept;
    y += (down * size.height) / scale - (down * size.height) / kept;
    scale = kept;
    show();
  };
  const button = (words: string, sign: string, act: () => void) =>
    h("button", { type: "button", class: "button", "aria-label": words, title: words, onclick: act }, sign);
  const frame = h("div", { class: "tree-frame", tabindex: 0, role: "group", "aria-label": tree.frame });
  frame.append(drawing);
  frame.addEventListener("keydown", (event) => {
    const far = 0.2 / scale;
    const acts: Record<string, () => void> = {
      "+": () => zoomTo(scale * STEP),
      "=": () => zoomTo(scale * STEP),
      "-": () => zoomTo(scale / STEP),
      "0": () => zoomTo(1),
      ArrowLeft: () => move(-far * size.width, 0),
      ArrowRight: () => move(far * size.width, 0),
      ArrowUp: () => move(0, -far * size.height),
      ArrowDown: () => move(0, far * size.height),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  frame.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      const at: [number, number] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
      zoomTo(scale * (event.deltaY < 0 ? STEP : 1 / STEP), at);
    },
    { passive: false },
  );
  frame.addEventListener("pointerdown", (event) => frame.setPointerCapture(event.pointerId));
  frame.addEventListener("pointermove", (event) => {
    if (event.buttons !== 1) return;
    const box = frame.getBoundingClientRect();
    move(
      (-event.movementX / box.width) * (size.width / scale),
      (-event.movementY / box.height) * (size.height / scale),
    );
  });
  show();
  const element = h(
    "div",
    { class: "tree-window" },
    h(
      "div",
      { class: "tree-buttons" },
      button(tree.larger, "+", () => zoomTo(scale * STEP)),
      button(tree.smaller, "−", () => zoomTo(scale / STEP)),
      button(tree.whole, "⤢", () => zoomTo(1)),
      h("p", { class: "hint" }, tree.keys),
    ),
    frame,
  );
  return { element, nMoves: () => nMoves };
}
