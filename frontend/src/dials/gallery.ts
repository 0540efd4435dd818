/** Gallery: one's own picture and the target, side by side or the target on top. */

import { numberIn, type Values } from "../distances/agreement";
import { TOLERANCE } from "../distances/bands";
import { ON_FROM } from "../distances/overlaps";
import { h } from "../shared/dom";
import { sha256 } from "../shared/sha256";
import type { Context } from "../shared/task";
import { type Picture, pictureView } from "../views/picture";
import type { Live } from "./params";

export interface Gallery {
  readonly element: HTMLElement;
  readonly toggle: HTMLButtonElement;
  /** Resolves when the way of drawing is there. */
  readonly opened: Promise<void>;
  /** Draws the target, and one's own picture unless there is none. */
  show(own: Values | null, target: Values): void;
  /** Writes down what is drawn, so that screens can be compared. */
  seal(): void;
}

export function gallery(
  live: Live,
  context: Context,
  isOverlaidNow: boolean,
  toggled: (isOn: boolean) => void,
): Gallery {
  const words = context.texts.reconstruct;
  let isOverlaid = isOverlaidNow;
  const frames = { own: frame("own"), target: frame("target") };
  const pictures: { own?: Picture; target?: Picture } = {};
  let isTargetDrawn = false;
  const toggle = h("button", { type: "button", class: "button quiet overlay", onclick: () => turn(!isOverlaid) });
  const key = (role: "own" | "target") =>
    h("span", { class: `key is-${role}` }, h("span", { class: "swatch", "aria-hidden": "true" }), words[role]);
  const keys = h("p", { class: "keys is-each" }, key("own"), key("target"));
  const both = h("p", { class: "keys" }, words.both);
  const isGrey = live.card.view === "image" && (live.card.shape.length < 3 || live.card.shape.at(0) === 1);
  const element = h(
    "div",
    {
      class: `gallery is-${live.card.view.endsWith(".js") ? "own-view" : live.card.view}`,
      role: "group",
      "aria-label": words.pictures,
    },
    h("div", { class: "frames" }, frames.own, frames.target),
    keys,
    both,
    toggle,
  );
  element.style.setProperty("--side", `${live.edge}px`);
  element.classList.toggle("is-grey", isGrey);
  const put = () => {
    element.classList.toggle("is-overlaid", isOverlaid);
    // Lines have colours of their own, and grey pictures get some; coloured ones on top of each other have none.
    both.hidden = !isOverlaid || live.card.view === "line" || isGrey;
    keys.hidden = !both.hidden;
    toggle.textContent = isOverlaid ? words.apart : words.overlay;
  };
  const turn = (isOn: boolean) => {
    isOverlaid = isOn;
    put();
    toggled(isOn);
  };
  put();
  const { name, params } = live.distance;
  const opened = pictureView(live.card.view, (address) => context.media(address)).then((draw) => {
    for (const role of ["own", "target"] as const) {
      const picture = draw({
        shape: live.card.shape,
        limits: live.card.limits,
        role,
        onFrom: name === "binary_jaccard" ? numberIn(params, "threshold", ON_FROM) : undefined,
        tolerance:
          name === "tolerance_band" && role === "target" ? numberIn(params, "tolerance", TOLERANCE) : undefined,
      });
      pictures[role] = picture;
      frames[role].replaceChildren(picture.element);
    }
  });
  opened.catch(() => undefined);
  return {
    element,
    toggle,
    opened,
    show(own, target) {
      if (own) pictures.own?.draw(own);
      else frames.own.hidden = toggle.hidden = true;
      if (!isTargetDrawn) pictures.target?.draw(target);
      isTargetDrawn = true;
    },
    seal() {
      for (const role of ["own", "target"] as const)
        frames[role].dataset["drawn"] = sha256(pictures[role]?.content() ?? "");
    },
  };

  function frame(role: "own" | "target"): HTMLElement {
    return h("div", { class: `frame is-${role}`, role: "img", "aria-label": words[role] });
  }
}
