import { strict as assert } from "node:assert";
import { test } from "node:test";

import { IDBKeyRange, indexedDB } from "fake-indexeddb";

import { Refused } from "../src/player/api";
import type { PageEvent } from "../src/player/state";
import type { Json } from "../src/schema";
import { isPossible } from "../src/static/answers";
import { StaticHost } from "../src/static/host";
import { nextInBatch } from "../src/static/jatos";
import { holds } from "../src/static/rules";
import { markOf } from "../src/static/seals";
import { asked } from "./asked";

Object.assign(globalThis, { IDBKeyRange, indexedDB });

const trial = (trial_id: string) => ({
  trial_id,
  block_id: "b",
  task: "judge",
  params: {},
  asks: asked({ kind: "text", question_id: "why", prompt: "Why?" }),
  explanation: null,
});
const visit = {
  number: 0,
  block: "b",
  purpose: "main",
  try_number: 1,
  trial_ids: ["t0", "t1"],
  minutes: null,
  feedback: "none",
  stops: [],
  references: [],
  counts_visit: null,
  by_count: [],
  gate: null,
};
const place = {
  format: 1,
  place: "p",
  visits: [visit],
  trials: { t0: trial("t0"), t1: trial("t1") },
  files: {},
  titles: {},
  salt: "00",
  n_rounds: 1,
  seals: {},
  answers: {},
  tallies: {},
};
const shown = (seq: number, step: number): PageEvent => ({
  type: "trial_shown",
  seq,
  at_ms: seq,
  step,
  trial_id: `t${step}`,
});
const given = (seq: number, step: number, why: string) => ({
  type: "response_given" as const,
  seq,
  at_ms: seq,
  step,
  trial_id: `t${step}`,
  response: { why },
  rt_ms: 1,
  active_ms: 1,
});

let n = 0;

function freshDigest(): string {
  n += 1;
  return `study-${n}`;
}

/** A host over a folder that exists only here; each digest is a study of its own. */
function hostOf(digest = freshDigest()): StaticHost {
  const manifest = {
    format: 1,
    study: { name: "s", title: "", language: "en", digest },
    places: ["p"],
    needs_seals: false,
    post: null,
    redirect: null,
  };
  const files: Record<string, unknown> = { "manifest.json": manifest, "sessions/p.json": place };
  return new StaticHost(
    (address) => Promise.resolve(new Response(JSON.stringify(files[String(address)]))),
    () => 1,
  );
}

test("a page that comes back finds its session where it was", async () => {
  const host = hostOf("again");
  await host.start({}, "en", false);
  await host.send([shown(1, 0), given(2, 0, "x"), shown(3, 1)]);
  const back = hostOf("again");
  const state = await back.start({}, "en", false);
  assert.ok("step" in state);
  assert.equal(back.sessionId, host.sessionId);
  assert.deepEqual([state.step?.number, state.next_seq, state.step?.shown_seq], [1, 4, true]);
});

test("another person's link is another session", async () => {
  const [first, second] = [hostOf("people"), hostOf("people")];
  await first.start({ PROLIFIC_PID: "a" }, "en", false);
  await second.start({ PROLIFIC_PID: "b" }, "en", false);
  assert.notEqual(first.sessionId, second.sessionId);
});

test("a batch sent twice at once is taken once", async () => {
  const host = hostOf();
  await host.start({}, "en", false);
  const batch = [shown(1, 0), given(2, 0, "x")];
  const answers = await Promise.all([host.send(batch), host.send(batch)]);
  assert.deepEqual(
    answers.map((answer) => answer.acknowledged_seq),
    [2, 2],
  );
});

test("an answer that a server would refuse is refused", async () => {
  const host = hostOf();
  await host.start({}, "en", false);
  const refused = (error: unknown) => error instanceof Refused && error.status === 422;
  await assert.rejects(host.send([shown(1, 0), { ...given(2, 0, "x"), response: {} }]), refused);
  assert.equal((await host.send([given(2, 0, "x")])).state.step?.number, 1);
});

test("half a character does not spoil the file", async () => {
  const host = hostOf();
  await host.start({}, "en", false);
  await host.send([
    shown(1, 0),
    { ...shown(2, 0), type: "interacted", action: "draft", payload: { answers: { why: "a\ud800" } } },
  ]);
  const state = await host.state();
  assert.deepEqual(state.step?.saved[0]?.payload, { answers: { why: "a\ufffd" } });
});

test("who erases leaves nothing behind, also after a reload", async () => {
  const host = hostOf("erased");
  await host.start({}, "en", false);
  await host.send([shown(1, 0), given(2, 0, "x")]);
  assert.equal((await host.withdraw(true)).ended?.is_erased, true);
  const back = hostOf("erased");
  const state = await back.start({}, "en", false);
  assert.ok("ended" in state);
  assert.deepEqual([state.ended?.outcome, state.next_seq], ["withdrew", 1]);
});

test("a preview keeps nothing", async () => {
  const host = hostOf("preview");
  const state = await host.start({}, "en", true);
  assert.ok("skin" in state && state.skin.is_preview);
  const later = hostOf("preview");
  await later.start({}, "en", false);
  assert.notEqual(later.sessionId, host.sessionId);
});

test("a batch of JATOS counts on after somebody else was quicker", async () => {
  let held = 4;
  let nTaken = 1;
  const set = (_: string, value: unknown) => {
    if (nTaken-- > 0) {
      held = 5;
      return Promise.reject(new Error("version"));
    }
    held = value as number;
    return Promise.resolve();
  };
  const jatos = { batchSession: { get: () => held, set } } as unknown as Parameters<typeof nextInBatch>[0];
  assert.equal(await nextInBatch(jatos), 5);
  assert.equal(held, 6);
});

test("equal values have equal marks, whatever their order and form", () => {
  assert.equal(markOf({ b: 1, a: [true, null] }), markOf({ a: [1, null], b: 1.0 }));
  assert.notEqual(markOf(["ab"]), markOf(["a", "b"]));
});

test("what is missing satisfies no comparison", () => {
  const rule = ["compare", ["name", "age"], ["!=", ["value", 3]]];
  assert.equal(holds(rule, { age: null }), false);
  assert.equal(holds(rule, { age: 4 }), true);
  assert.equal(holds(["missing", ["name", "age"]], { age: null }), true);
});

test("possible answers are those of the server", () => {
  const [text] = asked({ kind: "text", question_id: "q", prompt: "", min_chars: 2 });
  assert.deepEqual(
    ["ab", " a ", "😀😀", 3].map((value) => text && isPossible(text, value)),
    [true, false, true, false],
  );
  const [many] = asked({ kind: "multiple_choice", question_id: "q", prompt: "", options: ["a", "b"], min_chosen: 1 });
  assert.deepEqual(
    [["a", "b"], ["b", "a"], []].map((value) => many && isPossible(many, value)),
    [true, false, false],
  );
  const [matrix] = asked({ kind: "matrix", question_id: "q", prompt: "", rows: ["r"] });
  assert.deepEqual(
    [{ r: 5 }, { r: 6 }, { r: 1, s: 1 }].map((value) => matrix && isPossible(matrix, value as Json)),
    [true, false, false],
  );
});
