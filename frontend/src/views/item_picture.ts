/** Item picture: a picture at a size to judge it by: tiny ones enlarged pixel by pixel, large ones to be opened. */

import { h } from "../shared/dom";
import type { Context } from "../shared/task";
import { letOpen, zoom } from "./zoom";

/** Below this, smoothing would invent what is not there. */
export const TINY_PX = 80;
/** Photos and renderings below the first are enlarged smoothly; above the second, the page cannot show all there is. */
const [SMALL_PX, LARGE_PX] = [240, 640];

/** Draws a served file in its frame. */
export function itemPicture(file: string, alt: string, context: Context): HTMLElement {
  const source = context.media(file);
  const image = h("img", { src: source, alt });
  const frame = h("span", { class: "picture-frame" }, image);
  const open = () => {
    const draw = () => h("img", { src: source, alt });
    zoom([{ draw, title: alt, caption: "", told: { file } }], 0, context);
  };
  const fit = () => {
    const longer = Math.max(image.naturalWidth, image.naturalHeight);
    if (longer === 0) return;
    image.classList.toggle("is-tiny", longer < TINY_PX);
    image.classList.toggle("is-small", longer >= TINY_PX && longer < SMALL_PX);
    if (longer >= LARGE_PX) letOpen(frame, `${alt}. ${context.texts.views.enlarge}`, open);
  };
  image.addEventListener("load", fit, { once: true });
  return h("figure", { class: "picture" }, frame);
}
