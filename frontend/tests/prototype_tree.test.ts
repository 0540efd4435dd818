import { strict as assert } from "node:assert";
import { test } from "node:test";

import type { PrototypeTree } from "../src/schema";
import { type Context, standalone } from "../src/shared/task";
import { explanationView } from "../src/views";
import { treeLayout } from "../src/views/tree_layout";

const PHOTO = { file: `${"a".repeat(64)}.png`, width: 96, height: 48, alt: "" };
const REGION = { left: 0.25, top: 0.5, width: 0.5, height: 0.5, label: "" };

/** A full tree of some levels, whose decisions have prototypes. */
function full(levels: number): PrototypeTree {
  const n = 2 ** levels - 1;
  const goal = (at: number) => (at < n ? at : -1 - (at - n));
  const decisions = Array.from({ length: n }, (_, at) => ({
    absent: goal(2 * at + 1),
    present: goal(2 * at + 2),
    source: PHOTO,
    source_region: REGION,
    similarity: null,
  }));
  return {
    kind: "prototype_tree",
    decisions,
    ends: Array.from({ length: n + 1 }, (_, k) => `Species ${k + 1}`),
    visited: [],
  };
}

function drawn(tree: PrototypeTree): { element: HTMLElement; told: [string, unknown][] } {
  const told: [string, unknown][] = [];
  const context: Context = { ...standalone(), log: (action, payload) => void told.push([action, payload]) };
  const element = explanationView(tree, context);
  document.body.replaceChildren(element);
  return { element, told };
}

function press(frame: Element, key: string): void {
  const event = new Event("keydown", { bubbles: true, cancelable: true });
  frame.dispatchEvent(Object.assign(event, { key }));
}

test("ends are apart, and each decision is above the middle of what follows", () => {
  const tree = full(3);
  const { places, width } = treeLayout(tree);
  const at = (number: number) => places.find((place) => place.at === number)?.x ?? 0;
  assert.equal(new Set(places.filter((place) => place.at < 0).map(({ x }) => x)).size, 8);
  assert.equal(at(0), width / 2);
  assert.equal(at(1), (at(3) + at(4)) / 2);
});

test("a small tree is drawn on the page, with the way of a photo in bold", () => {
  const { element } = drawn({ ...full(2), visited: [0, 1, -2] });
  assert.equal(element.querySelectorAll(".decision.is-taken").length, 2);
  assert.equal(element.querySelector(".end.is-taken")?.textContent, "Species 2");
  assert.equal(element.querySelector("svg")?.getAttribute("role"), "img");
  assert.match(element.querySelector("ol")?.textContent ?? "", /Absent → Step 2; Present → Step 3/);
});

test("a drawing and its words call a step what a path calls it", () => {
  const tree = full(2);
  const numbered = tree.decisions.map((decision, at) => ({ ...decision, number: ["1", "2a", "2b"][at] ?? "" }));
  const { element } = drawn({ ...tree, decisions: numbered });
  const names = [...element.querySelectorAll(".decision text")].map((text) => text.textContent);
  assert.deepEqual(names.sort(), ["Step 1", "Step 2a", "Step 2b"]);
  const lines = [...element.querySelectorAll("ol li")].map((line) => line.textContent);
  assert.equal(lines[0], "Step 1: Absent → Step 2a; Present → Step 2b");
  assert.match(lines[2] ?? "", /^Step 2b: /);
});

test("a large tree opens in a window that keys enlarge and move, and its use is logged", () => {
  const { element, told } = drawn(full(4));
  assert.equal(element.querySelector("svg"), null);
  element.querySelector("button")?.click();
  const dialog = document.querySelector("dialog");
  const frame = dialog?.querySelector(".tree-frame");
  assert.ok(dialog && frame);
  const shown = () => frame.querySelector("svg")?.getAttribute("viewBox");
  const whole = shown();
  press(frame, "+");
  const near = shown();
  assert.notEqual(near, whole);
  press(frame, "ArrowRight");
  assert.notEqual(shown(), near);
  press(frame, "0");
  assert.equal(shown(), whole);
  dialog.close();
  assert.deepEqual(told[0], ["tree_opened", { n_decisions: 15 }]);
  const [action, payload] = told[1] ?? [];
  assert.equal(action, "tree_closed");
  assert.equal((payload as { n_moves: number }).n_moves, 3);
});

test("what an end may not say is an end in words", () => {
  const tree = full(2);
  const { element } = drawn({ ...tree, ends: tree.ends.map(() => "") });
  assert.match(element.querySelector("ol")?.textContent ?? "", /Absent → end; Present → end/);
});
