import { strict as assert } from "node:assert";
import { test } from "node:test";

import { board } from "../src/dials/board";
import { floatsFromText, N_STEPS, partsOf, stepAt, valueAt } from "../src/dials/code";
import { Journal } from "../src/dials/journal";
import { keptFrom } from "../src/dials/kept";
import { agreementWith, squaredError } from "../src/distances";
import { Latest } from "../src/live/latest";
import type { Dial, Json, SavedEvent } from "../src/schema";
import { en } from "../src/shared/texts/en";
import { dialled } from "./asked";

const ANGLE = dialled({ kind: "periodic", low: 0, high: 5 });
const SHAPE = dialled({ kind: "discrete", options: ["disc", "square"] });

function boarded(dials: Partial<Dial>[]) {
  const moves: [number, number][] = [];
  const made = board(dials, {
    texts: en,
    labels: null,
    moved: ({ dial, dir }) => moves.push([dial, dir]),
    released: () => undefined,
    labelled: () => undefined,
  });
  document.body.replaceChildren(made.element);
  const press = (index: number, key: string) => {
    const input = made.element.querySelectorAll("input")[index];
    input?.dispatchEvent(Object.assign(new Event("keydown", { bubbles: true }), { key }));
  };
  return { made, moves, press };
}

function journalled(saved: SavedEvent[] = []) {
  const logged: [string, Json][] = [];
  const clock = { now: 1000 };
  const journal = new Journal({ saved, log: (action, payload) => logged.push([action, payload]) }, () => clock.now);
  const at = (ms: number, dial: number, dir: number, isUrgent = false) => {
    clock.now = 1000 + ms;
    return journal.changed({ code: [ms], agreement: 0.5, sq_err: 1 }, { dial, dir }, isUrgent);
  };
  return { journal, logged, at, clock };
}

test("a slider's steps are those of Python, from end to end", () => {
  const dial = partsOf([{ low: -4, high: 4 }])[0]?.dial ?? assert.fail();
  assert.deepEqual([valueAt(dial, 0), valueAt(dial, 1), valueAt(dial, N_STEPS)], [-4, -4 + 8 / 500, 4]);
  assert.deepEqual(
    [-4, 0.008, 4, 9].map((value) => stepAt(dial, value)),
    [0, 251, 500, 500],
  );
});

test("discrete dials take one number for each option", () => {
  assert.deepEqual(
    partsOf([SHAPE, ANGLE]).map(({ first, n }) => [first, n]),
    [
      [0, 2],
      [2, 1],
    ],
  );
});

test("packed floats are read as Python wrote them", () => {
  assert.deepEqual([...floatsFromText("AACAPwAAAMA=")], [1, -2]);
});

test("keys move a dial by one step, by a tenth, and to the ends", () => {
  const { made, press, moves } = boarded([{ low: 0, high: 500 }]);
  made.put([250]);
  const read = ["ArrowRight", "PageUp", "ArrowLeft", "PageDown", "End", "ArrowRight", "Home"].map((key) => {
    press(0, key);
    return made.code()[0];
  });
  assert.deepEqual(read, [251, 301, 300, 250, 500, 500, 0]);
  assert.deepEqual(
    moves.map(([, dir]) => dir),
    [1, 1, -1, -1, 1, -1],
  );
});

test("a periodic dial goes on at its other end", () => {
  const { made, press } = boarded([ANGLE]);
  made.put([5]);
  press(0, "ArrowRight");
  const up = made.code()[0];
  made.put([0]);
  press(0, "ArrowLeft");
  assert.deepEqual([up, made.code()[0]], [0.01, 4.99]);
});

test("a start between two steps stays as it is until somebody moves", () => {
  const { made } = boarded([{ low: 0, high: 1 }]);
  made.put([0.1234567]);
  assert.deepEqual(made.code(), [0.1234567]);
});

test("dials of one group stand in one frame", () => {
  const { made } = boarded([{ group: "shape" }, { group: "shape" }, { group: "" }, { group: "colour" }]);
  assert.deepEqual(
    [...made.element.children].map((child) => child.localName),
    ["fieldset", "div", "fieldset"],
  );
});

test("snapshots of one move are 100 ms apart, and the last one comes with the release", () => {
  const { journal, logged, at } = journalled();
  for (const ms of [10, 40, 90, 120, 150]) at(ms, 0, 1);
  journal.release();
  assert.deepEqual(
    logged.map(([, { t_ms, code }]) => [t_ms, code]),
    [
      [10, [10]],
      [120, [120]],
      [150, [150]],
    ],
  );
});

test("another dial, another direction and a match are logged at once", () => {
  const { at } = journalled();
  assert.deepEqual(
    [at(10, 0, 1), at(20, 0, -1), at(30, 1, -1), at(40, 1, -1), at(50, 1, -1, true)],
    [true, true, true, false, true],
  );
});

test("the clock goes on where an earlier page left it", () => {
  const { journal, clock } = journalled([
    { action: "question_started", payload: { t_ms: 0 }, at_ms: 0 },
    { action: "changed", payload: { t_ms: 4200.5 }, at_ms: 0 },
  ]);
  clock.now = 1000 + 99.5;
  assert.equal(journal.t_ms(), 4300);
});

test("the original's clock leaves long pauses out", () => {
  const { journal, at } = journalled();
  for (const ms of [1000, 3500, 8000, 8400]) at(ms, 0, 1);
  assert.equal(journal.legacy_ms, 3900);
});

test("a reload finds code, names, overlay and used controls", () => {
  const saved: SavedEvent[] = [
    { action: "question_started", payload: { t_ms: 0, code: [1, 0, 0], labels: ["kind", ""] }, at_ms: 0 },
    { action: "changed", payload: { t_ms: 5, code: [1, 0, 0.5], dial: 1, dir: 1 }, at_ms: 0 },
    { action: "overlay", payload: { t_ms: 6, is_on: false }, at_ms: 0 },
    { action: "labelled", payload: { t_ms: 7, dial: 1, label: "turn" }, at_ms: 0 },
    { action: "draft", payload: { answers: { dials: { code: [1, 0, 0.75], outcome: "skipped" } } }, at_ms: 0 },
  ];
  const kept = keptFrom({ saved }, [1, 0, 0], partsOf([SHAPE, ANGLE]), true);
  assert.deepEqual(
    [kept.code, kept.labels, kept.isOverlaid, [...kept.uses].sort()],
    [[1, 0, 0.75], ["kind", "turn"], false, ["labels", "overlay", "slider"]],
  );
});

test("of what is asked while one is being done, only the latest is done", async () => {
  const done: number[] = [];
  const latest = new Latest<number, number>(
    (request) => Promise.resolve(request),
    (result) => done.push(result),
    () => assert.fail(),
  );
  for (const request of [1, 2, 3, 4]) latest.ask(request);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([done, latest.isIdle], [[1, 4], true]);
});

test("distances agree with hand-made numbers", () => {
  const [target, shown] = [
    [1, 0, 1, 0],
    [1, 0.5, 0, 0],
  ];
  const told = (name: string, params: Json = {}) => agreementWith(target, { name, params })(shown);
  assert.ok(Math.abs(told("soft_dice") - (1 - 1.5 / 3.51)) < 1e-12);
  assert.deepEqual([told("binary_jaccard"), told("tolerance_band"), squaredError(shown, target)], [1 / 3, 0.5, 1.25]);
  assert.equal(agreementWith(target, { name: "ssim", params: { shape: [2, 2], window: 2 } })(target), 1);
  assert.throws(() => told("nearness"), /unknown distance nearness/);
});
