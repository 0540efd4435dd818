/** The pictures of monitoring: who stays, who comes each day, and shares of a whole. */

import type { MonitoredDay, MonitoredPage } from "../schema";
import { h, svg } from "../shared/dom";

const STAY = { width: 760, height: 190, left: 48, right: 92, top: 12, bottom: 24 };
const DAYS = { width: 760, height: 110, left: 48, top: 8, bottom: 20 };
/** Lines differ in dash as well as in hue, so that they are told apart without colours. */
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "1 4", "12 4"];
export const N_HUES = 6;

/** Draws the share of people who are still there at each page, a line for each condition. */
export function stayingChart(pages: readonly MonitoredPage[], labels: readonly string[]): HTMLElement {
  const { width, height, left, right, top, bottom } = STAY;
  const x = (place: number) => left + ((width - left - right) * place) / Math.max(1, pages.length - 1);
  const y = (share: number) => top + (height - top - bottom) * (1 - share);
  const drawing = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  for (const share of [0, 0.5, 1])
    drawing.append(
      svg("line", { class: "grid", x1: left, x2: width - right, y1: y(share), y2: y(share) }),
      svg("text", { class: "label", x: left - 8, y: y(share) + 4, "text-anchor": "end" }, `${100 * share} %`),
    );
  pages.forEach((page, place) => {
    if (place % Math.ceil(pages.length / 8) !== 0) return;
    const anchor = place === 0 ? "start" : "middle";
    drawing.append(
      svg("text", { class: "label", x: x(place), y: height - 6, "text-anchor": anchor }, short(page.block)),
    );
  });
  const ends: number[] = [];
  labels.forEach((label, index) => {
    const started = Math.max(0, ...pages.map((page) => page.reached[index] ?? 0));
    if (started === 0) return;
    // A page of other conditions has no number here, and the line goes past it.
    const points = pages.flatMap((page, place) => {
      const n = page.reached[index];
      return n == null ? [] : [{ n, place }];
    });
    const d = points.map(({ n, place }, at) => `${at === 0 ? "M" : "L"} ${x(place)} ${y(n / started)}`).join(" ");
    const end = apart(y((points.at(-1)?.n ?? 0) / started), ends);
    drawing.append(
      svg("path", { class: `line hue-${index % N_HUES}`, d, "stroke-dasharray": DASHES[index % N_HUES] ?? "" }),
      svg("text", { class: `line-name hue-${index % N_HUES}`, x: width - right + 8, y: end + 4 }, short(label, 13)),
    );
  });
  return figure(drawing, stayingInWords(pages, labels));
}

/** Tells where most people leave, in a sentence. */
export function stayingInWords(pages: readonly MonitoredPage[], labels: readonly string[]): string {
  const lost = pages.map((page) => page.left.reduce((sum, n) => sum + n, 0));
  const most = Math.max(0, ...lost);
  if (most === 0) return "Nobody has left yet.";
  const tied = pages.filter((_, place) => lost[place] === most);
  const told = tied.map((page) => {
    const parts = labels.map((label, index) => `${label} ${page.left[index] ?? 0}`);
    return `${words(page.block)} (${parts.join(", ")})`;
  });
  return `Most people leave at ${told.join(" and at ")}.`;
}

/** Draws how many people started each day, and how many of them have completed or left. */
export function daysChart(days: readonly MonitoredDay[]): HTMLElement {
  const { width, height, left, top, bottom } = DAYS;
  const totals = days.map(({ day, started, completed, left: gone }) => ({
    day,
    started: sum(started),
    completed: sum(completed),
    gone: sum(gone),
  }));
  const most = Math.max(1, ...totals.map(({ started }) => started));
  const step = (width - left) / Math.max(14, totals.length);
  const drawing = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const tall = (n: number) => ((height - top - bottom) * n) / most;
  const base = height - bottom;
  drawing.append(
    svg("line", { class: "grid", x1: left, x2: width, y1: base, y2: base }),
    svg("text", { class: "label", x: left - 8, y: top + 8, "text-anchor": "end" }, String(most)),
  );
  totals.forEach(({ day, started, completed, gone }, index) => {
    const at = left + index * step + 2;
    const bar = (kind: string, n: number, under: number) =>
      svg("rect", { class: kind, x: at, y: base - tall(under + n), width: Math.max(2, step - 4), height: tall(n) });
    drawing.append(
      bar("bar-rest", started - completed - gone, completed + gone),
      bar("bar-left", gone, completed),
      bar("bar-done", completed, 0),
    );
    if (index % Math.ceil(totals.length / 6) === 0)
      drawing.append(svg("text", { class: "label", x: at, y: height - 5 }, day.slice(5)));
  });
  const told = totals.map(
    ({ day, started, completed, gone }) => `${day}: ${started} started, ${completed} completed, ${gone} left`,
  );
  return figure(drawing, told.join("; "));
}

/** Draws parts of a whole as one bar with its legend. */
export function mixBar(name: string, mix: Readonly<Record<string, number>>): HTMLElement {
  const entries = Object.entries(mix);
  const total = sum(entries.map(([, n]) => n));
  const segments = entries.map(([, n], index) => {
    const part = h("span", { class: `segment hue-${index % N_HUES}` });
    part.style.setProperty("--share", String(n / Math.max(1, total)));
    return part;
  });
  const legend = entries.map(([label, n], index) =>
    h(
      "li",
      {},
      h("span", { class: `dot hue-${index % N_HUES}` }),
      `${label} `,
      h("strong", {}, `${Math.round((100 * n) / total)} %`),
    ),
  );
  return h(
    "div",
    { class: "mix" },
    h("h3", {}, name),
    h("div", { class: "mix-bar", "aria-hidden": "true" }, ...segments),
    h("ul", { class: "mix-legend" }, ...legend),
  );
}

/** Keeps names at the ends of lines from covering each other. */
function apart(wanted: number, taken: number[]): number {
  let y = wanted;
  while (taken.some((other) => Math.abs(other - y) < 13)) y += 13;
  taken.push(y);
  return y;
}

function figure(drawing: SVGElement, caption: string): HTMLElement {
  return h("figure", { class: "chart-figure" }, drawing, h("figcaption", { class: "visually-hidden" }, caption));
}

export function words(block: string): string {
  return block.replaceAll("_", " ");
}

function short(text: string, longest = 14): string {
  const plain = words(text);
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
