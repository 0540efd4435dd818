/** The coding page: where it goes next, and which keys do what. */

import { strict as assert } from "node:assert";
import { test } from "node:test";

import { choiceOf } from "../src/annotate/choice";
import { firstOpen } from "../src/annotate/coding";
import { keysOf } from "../src/annotate/keys";
import type { CodingDesk, QueuedUnit } from "../src/schema";

function queue(...codes: (string | null)[]): QueuedUnit[] {
  return codes.map((code, place) => ({
    unit_id: String(place),
    codes: code === null ? null : [code],
    note: "",
    revision: 0,
  }));
}

function desk(changes: Partial<CodingDesk>): CodingDesk {
  const codes = ["yes", "no"].map((code_id) => ({
    code_id,
    label: "",
    definition: "",
    examples: [],
    counterexamples: [],
  }));
  return { title: "", instruction: "", choose: "one", phase: "closed", codes, labels: [], queue: [], ...changes };
}

test("the next text is the next open one, then an earlier one, then the end", () => {
  assert.deepEqual(
    [firstOpen(queue("a", null, null), 1), firstOpen(queue(null, "a", "a"), 1), firstOpen(queue("a", "b"), 0)],
    [1, 0, 2],
  );
});

test("a number chooses one code, or turns one of several on and off", () => {
  const one = choiceOf(desk({}), () => undefined);
  one.press(1);
  one.press(2);
  const several = choiceOf(desk({ choose: "several" }), () => undefined);
  for (const number of [1, 2, 1]) several.press(number);
  assert.deepEqual([one.chosen(), several.chosen(), one.press(3)], [["no"], ["no"], false]);
});

test("a label that is typed is added once, and can be taken away", () => {
  const open = choiceOf(desk({ phase: "open", labels: ["money"] }), () => undefined);
  const field = open.element.querySelector("input");
  assert.ok(field);
  for (const label of [" income ", "income"]) {
    field.value = label;
    open.take();
  }
  const before = open.chosen();
  open.element.querySelector<HTMLButtonElement>(".chip")?.click();
  assert.deepEqual([before, open.chosen(), open.take()], [["income"], [], false]);
});

test("keys act on the page and write in a field", () => {
  const done: string[] = [];
  const close = keysOf({
    press: (number) => done.push(`press ${number}`) > 0,
    submit: () => done.push("submit"),
    move: (by) => done.push(`move ${by}`),
    undo: () => done.push("undo"),
    note: () => done.push("note"),
    leave: () => done.push("leave"),
  });
  const note = document.createElement("textarea");
  document.body.append(note);
  const press = (key: string, target: EventTarget = document.body) =>
    target.dispatchEvent(Object.assign(new Event("keydown", { bubbles: true, cancelable: true }), { key }));
  for (const key of ["2", "Enter", "ArrowRight", "ArrowLeft", "u", "n"]) press(key);
  for (const key of ["2", "u", "Escape"]) press(key, note);
  close();
  press("1");
  assert.deepEqual(done, ["press 2", "submit", "move 1", "move -1", "undo", "note", "leave"]);
});
