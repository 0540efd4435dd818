/** Heat map: how much each place of a picture counted, beside the picture or over it, all classes on one scale. */

import type { Heatmap, HeatmapLayer } from "../schema";
import { freshId, h } from "../shared/dom";
import { sha256 } from "../shared/sha256";
import type { Context } from "../shared/task";
import { optionLabel } from "./alternatives";
import type { Display } from "./display";
import { enlarged, heatValues } from "./heat_values";
import { heatWords } from "./heat_words";
import { gradient, hues } from "./hue_scale";
import { TINY_PX } from "./item_picture";
import { percent, shortNumber } from "./numbers";
import { letOpen, zoom } from "./zoom";

/** Draws the maps; `isShown` says that the page shows the picture already, so that it is not repeated beside them. */
export function heatmap(explanation: Heatmap, context: Context, display: Display, isShown: boolean): HTMLElement {
  const { picture } = explanation;
  const layers = namedLayers(explanation, context, display);
  const { views } = context.texts;
  const opacity = keptOpacity(context) ?? display.opacity;
  const isOverlaid = display.layout === "overlay";
  const ratio = String(picture.width / picture.height);
  const cover = (share: number) => element.style.setProperty("--cover", String(share));
  const series = layers.map((layer) => ({
    draw: () => {
      const large = h("div", { class: `heatmap is-${display.layout}` }, map(explanation, layer, context, display));
      large.style.setProperty("--ratio", ratio);
      large.style.setProperty("--cover", element.style.getPropertyValue("--cover"));
      return large;
    },
    title: layer.label || views.heatmap.title,
    caption: "",
    told: { file: picture.file, layer: layer.label ?? "" },
  }));
  const maps = layers.map((layer, index) => {
    const box = map(explanation, layer, context, display);
    const frame = h("div", { class: "heat-frame" }, box);
    letOpen(frame, `${box.getAttribute("aria-label")} ${views.enlarge}`, () => zoom(series, index, context));
    return figure(frame, layer.label ?? "");
  });
  const photo =
    isOverlaid || isShown ? null : figure(h("div", { class: "heat-box" }, photograph(explanation, context)), "");
  const figures = h("div", { class: "heat-figures" }, photo, ...maps);
  const element = h(
    "div",
    { class: `heatmap is-${display.layout}`, role: "group", "aria-label": views.heatmap.title },
    figures,
    hueBar(explanation, context),
    isOverlaid && display.lets_change_opacity ? slider(opacity, context, (share) => cover(share)) : null,
  );
  const n = maps.length + (photo ? 1 : 0);
  const isCompared = layers.length > 2 && explanation.layers.every(({ label }) => !label);
  element.style.setProperty("--columns", String(isCompared ? n : n === 4 ? 2 : Math.min(n, 3)));
  element.style.setProperty("--ratio", ratio);
  if (n > 2) element.classList.add("is-several");
  // Options are compared with each other, which is easiest in one row.
  if (isCompared) element.classList.add("is-options");
  if (isOverlaid) cover(opacity);
  return element;
}

/** Maps of several classes that the page must not name are numbered like the options that people choose from. */
function namedLayers({ layers }: Heatmap, context: Context, { option_name }: Display): readonly HeatmapLayer[] {
  if (layers.length < 2) return layers;
  return layers.map((layer, index) => ({
    ...layer,
    label: layer.label || optionLabel(index + 1, context, option_name),
  }));
}

function map(explanation: Heatmap, layer: HeatmapLayer, context: Context, display: Display): HTMLElement {
  const { picture, is_signed = false } = explanation;
  const { rows, columns, bytes } = enlarged(heatValues(layer), picture, display.interpolation);
  const canvas = h("canvas", { width: columns, height: rows });
  // The replay compares what was drawn, and cannot read a canvas.
  canvas.dataset["drawn"] = sha256(`${layer.rows} ${layer.columns} ${layer.values}`);
  paint(canvas, bytes, is_signed);
  const isOverlaid = display.layout === "overlay";
  const said = heatWords(explanation, layer, context);
  return h(
    "div",
    { class: "heat-box", role: "img", "aria-label": isOverlaid && picture.alt ? `${picture.alt}. ${said}` : said },
    isOverlaid ? h("img", { src: context.media(picture.file), alt: "", class: isTiny(explanation) }) : null,
    canvas,
  );
}

function paint(canvas: HTMLCanvasElement, bytes: Uint8Array, isSigned: boolean): void {
  const ink = canvas.getContext("2d");
  if (!ink) return;
  const colors = hues(isSigned);
  const pixels = ink.createImageData(canvas.width, canvas.height);
  bytes.forEach((byte, index) => {
    const [red, green, blue] = colors[byte] ?? [0, 0, 0];
    pixels.data.set([red, green, blue, 255], 4 * index);
  });
  ink.putImageData(pixels, 0, 0);
}

function photograph(explanation: Heatmap, context: Context): HTMLElement {
  const { picture } = explanation;
  const alt = picture.alt || context.texts.judge.picture;
  return h("img", { src: context.media(picture.file), alt, class: isTiny(explanation) });
}

/** The pixels of a tiny picture are shown as they are: smoothing would invent what is not there. */
function isTiny({ picture }: Heatmap): string | null {
  return Math.max(picture.width, picture.height) < TINY_PX ? "is-tiny" : null;
}

function figure(box: HTMLElement, label: string): HTMLElement {
  return h("figure", { class: "heat" }, label ? h("figcaption", {}, label) : null, box);
}

/** The scale that all maps share, with its numbers and with words for them. */
function hueBar({ limits: [low, high], is_signed = false }: Heatmap, context: Context): HTMLElement {
  const { heatmap } = context.texts.views;
  const swatch = h("span", { class: "hue-swatch", "aria-hidden": "true" });
  swatch.style.setProperty("background", gradient(is_signed));
  // The end of a scale that differs from 0 only by rounding is read as 0.
  const shown = (value: number) => (Math.abs(value) < 0.005 * (high - low) ? 0 : value);
  const written = (value: number) => shortNumber(shown(value), context, is_signed);
  const number = (value: number) => h("span", { class: "hue-number" }, written(value));
  const [left, right] = is_signed ? [heatmap.against, heatmap.for] : [heatmap.less, heatmap.more];
  return h(
    "p",
    // Heard piece by piece, numbers and words would not belong together.
    { class: "hue-bar", role: "img", "aria-label": heatmap.scale(written(low), left, written(high), right) },
    swatch,
    h("span", {}, number(low), " ", left),
    is_signed ? h("span", {}, number(0)) : null,
    h("span", {}, right, " ", number(high)),
  );
}

function slider(opacity: number, context: Context, cover: (share: number) => void): HTMLElement {
  const id = freshId("opacity");
  const output = h("output", { for: id }, percent(opacity, context));
  const share = () => Number(input.value) / 100;
  const input: HTMLInputElement = h("input", {
    id,
    type: "range",
    min: 0,
    max: 100,
    step: 5,
    value: Math.round(100 * opacity),
    oninput: () => {
      cover(share());
      output.textContent = percent(share(), context);
    },
    onchange: () => context.log("opacity_changed", { opacity: share() }),
  });
  return h("div", { class: "opacity" }, h("label", { for: id }, context.texts.views.heatmap.opacity), input, output);
}

/** Where the participant had left the slider before a reload. */
function keptOpacity(context: Context): number | null {
  const kept = context.saved.findLast(({ action }) => action === "opacity_changed")?.payload["opacity"];
  return typeof kept === "number" ? kept : null;
}
