/** Crop: a region of a served picture, enlarged or outlined in the whole; no file of its own is needed. */

import type { Region, ShownPicture } from "../schema";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";

/** Draws only the region, as large as its place allows. */
export function crop(picture: ShownPicture, region: Region, alt: string, context: Context): HTMLElement {
  const image = h("img", { src: context.media(picture.file), alt });
  const place = {
    width: 1 / region.width,
    height: 1 / region.height,
    left: -region.left / region.width,
    top: -region.top / region.height,
  };
  for (const [side, share] of Object.entries(place)) image.style.setProperty(side, `${100 * share}%`);
  return framed("crop", (region.width * picture.width) / (region.height * picture.height), image);
}

/** Draws the whole picture with a box around the region. */
export function boxed(picture: ShownPicture, region: Region, alt: string, context: Context): HTMLElement {
  const box = h("span", { class: "region" });
  for (const side of ["left", "top", "width", "height"] as const) box.style.setProperty(side, `${100 * region[side]}%`);
  const image = h("img", { src: context.media(picture.file), alt });
  return framed("outlined", picture.width / picture.height, image, box);
}

function framed(name: string, ratio: number, ...parts: HTMLElement[]): HTMLElement {
  const frame = h("span", { class: name }, ...parts);
  frame.style.setProperty("--ratio", String(ratio));
  return frame;
}
