/** The picture as a pure function: verdicts and a few options in, a drawing out; the same on paper and on a page. */

import { alphaText } from "./chances";
import { type Drawn, d, textOf } from "./drawn";
import { drawKey } from "./key";
import { type Layout, laidOut, WIDTHS } from "./layouts";
import { brokenLines } from "./lines_of_text";
import { FONT, ON_A_PAGE, ON_PAPER, PAPER_FONT, sheetOf } from "./looks";
import { conclusions, type Reading, reading } from "./reading";
import { rowTop } from "./rows";
import type { Scene } from "./scene";
import { chainOf, type Highlight } from "./trace";
import { HYPOTHESES, type HypothesisId, type Part, partOf, type Verdicts } from "./verdicts";

export interface PictureOptions {
  readonly layout?: Layout;
  /** The threshold; that of the verdicts when it is left out. */
  readonly alpha?: number | null;
  /** The name of a group; all objects when it is left out. */
  readonly group?: string | null;
  readonly highlight?: Highlight | null;
}

/** A drawing, and where its rows begin and end, in parts of its height. */
export interface Live {
  readonly drawn: Drawn;
  rowAt(id: HypothesisId): { above: number; below: number };
}

const PAD = 16;
const TEST_WORDS: Readonly<Record<string, string>> = {
  t: "paired t-tests",
  sign_flip: "sign-flip tests",
  runs: "tests over runs and objects",
};

/** Draws the picture for paper, with its title and its conclusions, as SVG text. */
export function svg(verdicts: Verdicts, options: PictureOptions = {}): string {
  const now = reading(partOf(verdicts, options.group ?? null), verdicts.concept, options.alpha ?? verdicts.alpha);
  return textOf(onPaper(verdicts, now, options));
}

/** Draws the picture for a page, whose own words stand around it. */
export function onAPage(
  verdicts: Verdicts,
  now: Reading,
  options: PictureOptions & { readonly pinned: Highlight | null },
): Live {
  const layout = options.layout ?? "horizontal";
  const scene = sceneOf(verdicts, now, { ...options, isLive: true });
  const body = laidOut(scene, layout, 0);
  const key = drawKey(PAD, body.bottom + 10, WIDTHS[layout] - 2 * PAD);
  const size = { width: WIDTHS[layout], height: body.bottom + key.height + 16 };
  const marks = { class: `probe is-${layout}`, role: "group", "aria-label": "Hypotheses, tests and results" };
  const drawn = d(
    "svg",
    { ...frame(size), ...marks },
    d("style", {}, sheetOf(ON_A_PAGE, FONT)),
    ...body.parts,
    key.drawn,
  );
  const rowAt = (id: HypothesisId) => {
    const top = rowTop(body.rows, HYPOTHESES.indexOf(id));
    return { above: top / size.height, below: (top + body.rows.height) / size.height };
  };
  return { drawn, rowAt };
}

/** Says in one line what was measured and how, with everything that was left out. */
export function measuredWords(part: Part, alpha: number): string {
  const dropped = Object.entries(part.n_dropped)
    .filter(([, n]) => n > 0)
    .map(([why, n]) => `${countText(n)} left out (${why.replace(/_/g, " ")})`);
  const correction = part.correction === "holm" ? "Holm-corrected" : "uncorrected";
  const parts = [
    `${countText(part.n_objects)} test objects`,
    ...(dropped.length > 0 ? dropped : ["none left out"]),
    TEST_WORDS[part.test] ?? part.test,
    correction,
    `threshold ${alphaText(alpha)}`,
  ];
  return parts.join(" · ");
}

/** Names what is tested, and in which group. */
export function titleOf(verdicts: Verdicts, group: string | null): string {
  const concept = verdicts.concept.charAt(0).toUpperCase() + verdicts.concept.slice(1);
  return group === null ? concept : `${concept}: ${group}`;
}

/** Writes a count with commas, also where no language is built in. */
export function countText(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

function onPaper(verdicts: Verdicts, now: Reading, options: PictureOptions): Drawn {
  const layout = options.layout ?? "horizontal";
  const width = WIDTHS[layout];
  const told = brokenLines(measuredWords(now.part, now.alpha), width - 2 * PAD, 12.5);
  const name = titleOf(verdicts, options.group ?? null);
  const title = brokenLines(name, width - 2 * PAD, 21);
  const top = 22 + title.length * 26 + told.length * 17 + 20;
  const body = laidOut(sceneOf(verdicts, now, { ...options, isLive: false }), layout, top);
  const key = drawKey(PAD, body.bottom + 10, width - 2 * PAD);
  const words = concluded(now, body.bottom + 10 + key.height + 24, width);
  const size = { width, height: words.bottom + 12 };
  return d(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      ...frame(size),
      ...size,
      class: `probe is-${layout}`,
      role: "img",
      "aria-label": `Concept test of ${name}`,
    },
    d("title", {}, `Concept test of ${name}`),
    d(
      "desc",
      {},
      conclusions(now)
        .map((conclusion) => conclusion.sentence)
        .join(" ") || "No hypothesis is confirmed.",
    ),
    d("style", {}, sheetOf(ON_PAPER, PAPER_FONT)),
    d("rect", { class: "ground", ...size }),
    ...title.map((text, line) => d("text", { class: "title", x: PAD, y: 34 + line * 26 }, text)),
    ...told.map((text, line) => d("text", { class: "told", x: PAD, y: 30 + title.length * 26 + line * 17 }, text)),
    ...body.parts,
    key.drawn,
    ...words.parts,
  );
}

/** Writes what is confirmed below the picture. */
function concluded(now: Reading, top: number, width: number): { parts: Drawn[]; bottom: number } {
  const found = conclusions(now);
  const parts: Drawn[] = [
    d(
      "text",
      { class: "heading", x: PAD, y: top },
      found.length > 0 ? "Confirmed, in words" : "No hypothesis is confirmed",
    ),
  ];
  let y = top + 22;
  for (const { id, sentence } of found) {
    parts.push(d("text", { class: "name", x: PAD, y }, id));
    for (const text of brokenLines(sentence, width - 2 * PAD - 34, 13)) {
      parts.push(d("text", { class: "sentence", x: PAD + 34, y }, text));
      y += 18;
    }
  }
  return { parts, bottom: y };
}

function sceneOf(
  verdicts: Verdicts,
  now: Reading,
  options: PictureOptions & { readonly pinned?: Highlight | null; readonly isLive: boolean },
): Scene {
  const repeats = options.group ? null : (verdicts.repeats ?? null);
  return {
    reading: now,
    chain: chainOf(now, options.highlight ?? null),
    pinned: options.pinned ?? null,
    repeats,
    isLive: options.isLive,
  };
}

function frame({ width, height }: { width: number; height: number }): Record<string, string> {
  return { viewBox: `0 0 ${width} ${Math.round(height)}` };
}
