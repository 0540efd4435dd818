import { strict as assert } from "node:assert";
import { test } from "node:test";

import type { Heatmap, Json, PictureGrid } from "../src/schema";
import { standalone } from "../src/shared/task";
import { explanationView } from "../src/views";
import { contentView } from "../src/views/content";
import { type Display, displayFrom } from "../src/views/display";
import { drawnSize, enlarged } from "../src/views/heat_values";
import { hues, type Rgb } from "../src/views/hue_scale";

const CONTEXT = standalone();
const GERMAN = standalone("de");
const FILE = `${"a".repeat(64)}.png`;
const PICTURE = { file: FILE, width: 300, height: 200, alt: "" };
const said = (element: Element | null) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const all = (element: Element, selector: string) => [...element.querySelectorAll(selector)].map(said);
const labels = (element: Element, selector: string) =>
  [...element.querySelectorAll(selector)].map((found) => found.getAttribute("aria-label")?.replaceAll("\u00a0", " "));
const packed = (...bytes: number[]) => btoa(String.fromCharCode(...bytes));

/** Strong in the upper left, weak elsewhere. */
const CORNER = packed(255, 0, 0, 0, 0, 0, 0, 0, 0);

function heat(fields: Partial<Heatmap> = {}): Heatmap {
  const layers = [{ label: "", rows: 3, columns: 3, values: CORNER }];
  return { kind: "heatmap", picture: PICTURE, layers, limits: [0, 1], ...fields };
}

function shownHeat(fields: Partial<Heatmap> = {}, display: Partial<Display> = {}): HTMLElement {
  return explanationView(heat(fields), CONTEXT, { display: { ...displayFrom(undefined), ...display } });
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("the sequential scale runs from dark violet to yellow, and every step is lighter", () => {
  const scale = hues(false);
  assert.deepEqual(
    [scale[0], scale[255]],
    [
      [0x44, 0x01, 0x54],
      [0xfd, 0xe7, 0x25],
    ],
  );
  // One byte after the next may differ by rounding alone.
  const lights = scale.filter((_, byte) => byte % 5 === 0).map(luminance);
  assert.ok(lights.every((light, step) => step === 0 || light > (lights[step - 1] ?? 0)));
});

test("the diverging scale is neutral at zero and equally dark at both ends", () => {
  const scale = hues(true);
  const [brown, blue] = [scale[0] as Rgb, scale[255] as Rgb];
  const middle = scale[127] as Rgb;
  assert.ok(Math.max(...middle) - Math.min(...middle) < 6);
  assert.ok(Math.abs(luminance(brown) - luminance(blue)) < 0.05);
  assert.ok(brown[0] > brown[2] && blue[2] > blue[0]);
});

test("a coarse map is smooth between its places and exact in their middles", () => {
  const picture = { file: FILE, width: 448, height: 224 };
  const values = { rows: 1, columns: 2, bytes: Uint8Array.of(0, 200) };
  const smooth = enlarged(values, picture, "auto").bytes;
  assert.deepEqual([smooth[0], smooth[111], smooth[447]], [0, 0, 200]);
  assert.ok(Math.abs((smooth[224] ?? 0) - 100) <= 1);
  assert.deepEqual([...new Set(enlarged(values, picture, "blocky").bytes)], [0, 200]);
});

test("a map as fine as its picture is not smoothed", () => {
  const values = { rows: 1, columns: 2, bytes: Uint8Array.of(0, 200) };
  const fine = enlarged(values, { file: FILE, width: 2, height: 1 }, "auto");
  assert.deepEqual([...new Set(fine.bytes)], [0, 200]);
});

test("maps are drawn large enough to be sharp and small enough to be light", () => {
  assert.deepEqual(drawnSize({ file: FILE, width: 28, height: 28 }), { rows: 448, columns: 448 });
  assert.deepEqual(drawnSize({ file: FILE, width: 4000, height: 2000 }), { rows: 512, columns: 1024 });
});

test("a heat map says where it is strongest, in the study's language", () => {
  assert.deepEqual(labels(shownHeat(), ".heat-box[role=img]"), [
    "Heat map: strongest in the upper left; 11% of the picture is above half of the highest value.",
  ]);
  assert.deepEqual(labels(explanationView(heat(), GERMAN), ".heat-box[role=img]"), [
    "Wärmekarte: am stärksten oben links; 11 % des Bildes liegen über der Hälfte des höchsten Werts.",
  ]);
});

test("a signed heat map says both where it speaks for and where it speaks against", () => {
  const values = packed(255, 128, 128, 128, 128, 128, 128, 128, 0);
  const layers = [{ label: "cat", rows: 3, columns: 3, values }];
  const shown = shownHeat({ layers, limits: [-2, 2], is_signed: true });
  assert.deepEqual(labels(shown, ".heat-box[role=img]"), [
    "Heat map for “cat”: strongest evidence for it in the upper left, 11% of the picture is above half of the highest value; " +
      "strongest evidence against it in the lower right, 11% of the picture is below half of the lowest value.",
  ]);
  assert.deepEqual(all(shown, ".hue-bar > span"), ["", "−2 against", "0", "for +2"]);
});

test("an even heat map is said to be the same everywhere", () => {
  const layers = [{ rows: 1, columns: 2, values: packed(7, 7) }];
  assert.deepEqual(labels(shownHeat({ layers }), ".heat-box[role=img]"), ["Heat map: the same everywhere."]);
});

test("the maps of several classes share one scale, and each has its label in words", () => {
  const layers = ["cat", "dog", "fox", "owl"].map((label) => ({ label, rows: 3, columns: 3, values: CORNER }));
  const shown = explanationView(heat({ layers, limits: [0, 0.25] }), CONTEXT, { valueNames: { cat: "a cat" } });
  assert.deepEqual(all(shown, "figcaption"), ["a cat", "dog", "fox", "owl"]);
  assert.deepEqual(all(shown, ".hue-bar"), ["0 lessmore 0.25"]);
});

test("the picture is beside its map, unless the page shows it already", () => {
  const pictures = (files: readonly string[]) =>
    explanationView(heat(), CONTEXT, { shownFiles: new Set(files) }).querySelectorAll("img").length;
  assert.deepEqual([pictures([]), pictures([FILE])], [1, 0]);
});

test("an overlay keeps the picture under the map, and its opacity is changed only where the study allows it", () => {
  const fixed = shownHeat({}, { layout: "overlay", opacity: 0.4 });
  assert.equal(fixed.querySelectorAll(".heat-box img + canvas").length, 1);
  assert.equal(fixed.style.getPropertyValue("--cover"), "0.4");
  assert.equal(fixed.querySelector("input"), null);
});

test("a changed opacity is drawn, told, and found again after a reload", () => {
  const told: [string, Json][] = [];
  const log = (action: string, payload: Json) => void told.push([action, payload]);
  const display: Display = { ...displayFrom(undefined), layout: "overlay", lets_change_opacity: true };
  const shown = explanationView(heat(), { ...CONTEXT, log }, { display });
  const slider = shown.querySelector("input") as HTMLInputElement;
  slider.value = "25";
  for (const sign of ["input", "change"]) slider.dispatchEvent(new Event(sign));
  assert.deepEqual(told, [["opacity_changed", { opacity: 0.25 }]]);
  assert.equal(shown.style.getPropertyValue("--cover"), "0.25");
  const saved = [{ action: "opacity_changed", payload: { opacity: 0.25 }, at_ms: 1 }];
  const again = explanationView(heat(), { ...CONTEXT, saved }, { display });
  assert.equal((again.querySelector("input") as HTMLInputElement).value, "25");
});

test("display options that are absent or unknown have their defaults", () => {
  const plain = { layout: "beside", opacity: 0.6, lets_change_opacity: false, interpolation: "auto", option_name: "" };
  assert.deepEqual(displayFrom(undefined), plain);
  assert.deepEqual(displayFrom({ layout: "above", opacity: "much" }), plain);
});

const GRID: PictureGrid = {
  kind: "picture_grid",
  row_headings: ["first", "second"],
  column_headings: ["low", "high"],
  rows: [
    [
      {
        picture: PICTURE,
        caption: "0.1",
        regions: [{ left: 0.5, top: 0.25, width: 0.25, height: 0.5, label: "head" }],
      },
      { picture: { ...PICTURE, alt: "a lizard" } },
    ],
    [null, { picture: PICTURE }],
  ],
};

test("a picture grid is a table with headings, and a picture without words is named by them", () => {
  const shown = explanationView(GRID, CONTEXT);
  assert.deepEqual(all(shown, "th[scope=col]"), ["low", "high"]);
  assert.deepEqual(all(shown, "th[scope=row]"), ["first", "second"]);
  const alts = [...shown.querySelectorAll("img")].map((image) => image.getAttribute("alt"));
  assert.deepEqual(alts, ["first, low", "a lizard", "second, high"]);
});

test("a grid without headings names pictures by row and column", () => {
  const bare = { kind: "picture_grid" as const, rows: [[{ picture: PICTURE }]] };
  const alt = (context: typeof CONTEXT) => explanationView(bare, context).querySelector("img")?.getAttribute("alt");
  assert.deepEqual([alt(CONTEXT), alt(GERMAN)], ["Row 1, column 1", "Zeile 1, Spalte 1"]);
});

test("a grid with headings on one side names pictures by these and by their place on the other", () => {
  const cell = { picture: PICTURE };
  const alts = (grid: PictureGrid) =>
    [...explanationView(grid, CONTEXT).querySelectorAll("img")].map((image) => image.getAttribute("alt"));
  const kind = "picture_grid" as const;
  assert.deepEqual(alts({ kind, column_headings: ["unsure"], rows: [[cell], [cell]] }), [
    "unsure, row 1",
    "unsure, row 2",
  ]);
  assert.deepEqual(alts({ kind, row_headings: ["high"], rows: [[cell, cell]] }), ["high, column 1", "high, column 2"]);
});

test("a highlight dims what is outside of its lines", () => {
  const points: [number, number][] = [
    [0, 0],
    [0.5, 0],
    [0.5, 0.25],
  ];
  const grid: PictureGrid = { kind: "picture_grid", rows: [[{ picture: PICTURE, highlight: [{ points }] }]] };
  const drawn = explanationView(grid, CONTEXT).querySelector(".highlight");
  const lines = [...(drawn?.querySelectorAll("path") ?? [])].map((path) => path.getAttribute("d"));
  assert.equal(drawn?.getAttribute("aria-hidden"), "true");
  assert.deepEqual(lines.slice(0, 2), ["M-1-1H2V2H-1ZM0 0L0.5 0L0.5 0.25Z", "M0 0L0.5 0L0.5 0.25Z"]);
});

test("a grid of many rows scrolls within its own area", () => {
  const rows = (n: number): PictureGrid => ({
    kind: "picture_grid",
    rows: Array.from({ length: n }, () => [{ picture: PICTURE }]),
  });
  const isTall = (n: number) => explanationView(rows(n), CONTEXT).classList.contains("is-tall");
  assert.deepEqual([isTall(4), isTall(10)], [false, true]);
});

test("regions lie where the grid says, and carry their label", () => {
  const region = explanationView(GRID, CONTEXT).querySelector<HTMLElement>(".region");
  assert.equal(said(region), "head");
  assert.deepEqual(
    ["left", "top", "width", "height"].map((side) => region?.style.getPropertyValue(side)),
    ["50%", "25%", "25%", "50%"],
  );
});

test("a grid is one stop for the Tab key, and a look at a picture is told", () => {
  const told: [string, Json][] = [];
  const log = (action: string, payload: Json) => void told.push([action, payload]);
  const shown = explanationView(GRID, { ...CONTEXT, log });
  document.body.replaceChildren(shown);
  const buttons = [...shown.querySelectorAll("button")];
  assert.deepEqual(
    buttons.map((button) => button.tabIndex),
    [0, -1, -1],
  );
  buttons[0]?.click();
  assert.deepEqual(told, [["picture_opened", { file: FILE, row: 0, column: 0 }]]);
  assert.deepEqual(labels(document.body, "dialog"), ["first, low"]);
});

test("an item shows its picture whether the field names a file or describes one", () => {
  const sources = (content: Json) =>
    [...contentView(content, CONTEXT).querySelectorAll("img")].map((image) => [image.getAttribute("src"), image.alt]);
  const named = "Picture of the case";
  assert.deepEqual(sources({ image: FILE }), [[FILE, named]]);
  assert.deepEqual(sources({ image: "b".repeat(64), size: 3 }), [["b".repeat(64), named]]);
  assert.deepEqual(sources({ photo: { ...PICTURE, alt: "A street" } }), [[FILE, "A street"]]);
});
