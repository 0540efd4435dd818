import { strict as assert } from "node:assert";
import { test } from "node:test";

import type { Alternatives, PrototypeMatches, Region, TreePath, TreeStep } from "../src/schema";
import { type Context, standalone } from "../src/shared/task";
import { explanationView } from "../src/views";
import { displayFrom } from "../src/views/display";

const CONTEXT = standalone();
const PHOTO = { file: `${"a".repeat(64)}.png`, width: 96, height: 96, alt: "" };
const OTHER = { file: `${"b".repeat(64)}.png`, width: 96, height: 48, alt: "" };
const REGION: Region = { left: 0.25, top: 0.5, width: 0.25, height: 0.5, label: "" };
const said = (element: Element | null) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const all = (element: Element, selector: string) => [...element.querySelectorAll(selector)].map(said);

function row(id: string): TreeStep {
  return { row_id: id, region: REGION, source: OTHER, source_region: REGION };
}

function matches(n: number): PrototypeMatches {
  return { kind: "prototype_matches", picture: PHOTO, rows: Array.from({ length: n }, (_, k) => row(`r${k}`)) };
}

function style(element: Element | null, name: string): string {
  return (element as HTMLElement).style.getPropertyValue(name);
}

test("a row shows photo, region, prototype and the photo of the prototype, numbered and headed", () => {
  const shown = explanationView(matches(2), CONTEXT);
  assert.deepEqual(all(shown, "thead th"), ["Number", "Photo", "Region", "Prototype", "Photo of the prototype"]);
  assert.deepEqual(all(shown, "tbody th"), ["1", "2"]);
  const files = [...shown.querySelectorAll("tbody tr:first-child img")].map((image) => image.getAttribute("src"));
  assert.deepEqual(files, [PHOTO.file, PHOTO.file, OTHER.file, OTHER.file]);
});

test("a region is cut out of its photo in the photo's own proportions", () => {
  const [region, prototype] = [...explanationView(matches(1), CONTEXT).querySelectorAll(".crop")];
  const image = region?.querySelector("img") ?? null;
  assert.deepEqual(
    ["width", "height", "left", "top"].map((side) => style(image, side)),
    ["400%", "200%", "-100%", "-100%"],
  );
  assert.equal(style(region ?? null, "--ratio"), "0.5");
  assert.equal(style(prototype ?? null, "--ratio"), "1");
});

test("descriptions of pictures name row and region, and nothing else", () => {
  const told = [...explanationView(matches(1), CONTEXT).querySelectorAll("img")].map((image) => image.alt);
  assert.deepEqual(told, [
    "Row 1: the photo, with the region outlined",
    "Row 1: the region of the photo, enlarged",
    "Row 1: the prototype, enlarged",
    "Row 1: the photo of the prototype, with the prototype outlined",
  ]);
});

test("steps say similarity and decision in numbers and words, where the explanation has them", () => {
  const step = { ...row("s"), similarity: 0.8, is_present: true };
  const path: TreePath = {
    kind: "tree_path",
    picture: PHOTO,
    steps: [step, { ...step, similarity: 0.25, is_present: false }],
  };
  const shown = explanationView(path, CONTEXT);
  assert.deepEqual(all(shown, "tbody th"), ["Step 1", "Step 2"]);
  assert.deepEqual(all(shown, ".decision"), ["Similarity, Decision", "0.80 ✓ Present", "0.25 ✕ Absent"]);
  const hidden = explanationView({ ...path, steps: [row("s")] }, CONTEXT);
  assert.equal(hidden.querySelector(".decision"), null);
});

test("steps and decisions are called what the study calls them", () => {
  const path: TreePath = { kind: "tree_path", picture: PHOTO, steps: [{ ...row("s"), is_present: false }] };
  const shown = explanationView(path, CONTEXT, { stepName: "Node {step}", decisionNames: ["no", "yes"] });
  assert.deepEqual([all(shown, "tbody th"), all(shown, "td.decision")], [["Node 1"], ["✕ no"]]);
});

test("a fork shows both ways that may follow", () => {
  const fork = { first: row("f"), if_absent: row("a"), if_present: row("p") };
  const shown = explanationView({ kind: "tree_path", picture: PHOTO, steps: [row("s")], fork }, CONTEXT);
  assert.deepEqual(all(shown, "tbody th"), ["Step 1", "Step 2", "Step 3, if absent", "Step 3, if present"]);
  const named = {
    first: { ...row("f"), number: "2b" },
    if_absent: row("a"),
    if_present: { ...row("p"), number: "3d" },
  };
  const path: TreePath = { kind: "tree_path", picture: PHOTO, steps: [{ ...row("s"), number: "1" }], fork: named };
  const names = all(explanationView(path, CONTEXT), "tbody th");
  assert.deepEqual(names, ["Step 1", "Step 2b", "Step 3, if absent", "Step 3d, if present"]);
});

function tabs(context: Context, option_name = ""): HTMLElement {
  const options: Alternatives = { kind: "alternatives", options: [matches(1), matches(2), matches(3)] };
  return explanationView(options, context, { display: { ...displayFrom(undefined), option_name } });
}

const open = (shown: Element) => all(shown, '[role="tab"][aria-selected="true"]');
const nRows = (shown: Element) => shown.querySelectorAll('[role="tabpanel"]:not([hidden]) tbody tr').length;

test("options are tabs, of which one is open", () => {
  const shown = tabs(CONTEXT);
  assert.deepEqual(all(shown, '[role="tab"]'), ["Option 1", "Option 2", "Option 3"]);
  assert.deepEqual([open(shown), nRows(shown)], [["Option 1"], 1]);
  assert.deepEqual(all(tabs(CONTEXT, "Species {option}"), '[role="tab"]').slice(0, 1), ["Species 1"]);
});

test("tabs open by mouse and by keyboard, and each opening is told", () => {
  const told: unknown[] = [];
  const shown = tabs({ ...CONTEXT, log: (action, payload) => void told.push([action, payload]) });
  document.body.replaceChildren(shown);
  shown.querySelectorAll<HTMLElement>('[role="tab"]')[1]?.click();
  assert.deepEqual([open(shown), nRows(shown)], [["Option 2"], 2]);
  const press = (key: string) => shown.querySelector('[role="tab"][aria-selected="true"]')?.dispatchEvent(pressed(key));
  press("ArrowRight");
  press("ArrowRight");
  press("End");
  assert.deepEqual(open(shown), ["Option 3"]);
  const option = (number: number) => ["option_opened", { option: number }];
  assert.deepEqual(told, [option(2), option(3), option(1), option(3)]);
});

test("a reload finds the option that was open", () => {
  const saved = [{ action: "option_opened", payload: { option: 3 }, at_ms: 5 }];
  assert.deepEqual(open(tabs({ ...CONTEXT, saved })), ["Option 3"]);
});

test("maps of classes without a name are numbered like options, in one row", () => {
  const layers = [1, 2, 3, 4].map(() => ({ rows: 1, columns: 1, values: btoa("a") }));
  const shown = explanationView({ kind: "heatmap", picture: PHOTO, layers, limits: [1e-12, 1] }, CONTEXT);
  assert.deepEqual(all(shown, "figcaption"), ["Option 1", "Option 2", "Option 3", "Option 4"]);
  assert.equal(shown.querySelectorAll(".hue-bar").length, 1);
  assert.deepEqual(all(shown, ".hue-bar"), ["0 lessmore 1"]);
  assert.equal(style(shown, "--columns"), "5");
});

function pressed(key: string): Event {
  const event = new Event("keydown", { bubbles: true, cancelable: true });
  Object.defineProperty(event, "key", { value: key });
  return event;
}
