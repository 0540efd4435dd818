import { strict as assert } from "node:assert";
import { beforeEach, test } from "node:test";

import { EARLY } from "../src/player/early";
import { MemoryShelf } from "../src/player/shelf";
import type { Started } from "../src/player/state";

const STARTED = { refused: "repeat" } as Started;

beforeEach(() => {
  globalThis.window = {} as Window & typeof globalThis;
});

test("what was asked early is taken once", async () => {
  EARLY.leave(Promise.resolve(STARTED));
  assert.equal(await EARLY.take(), STARTED);
  assert.equal(await EARLY.take(), null);
});

test("once the page's own script asks, nobody else does", async () => {
  assert.equal(EARLY.isFree, true);
  assert.equal(await EARLY.take(), null);
  assert.equal(EARLY.isFree, false);
});

test("an answer that is there already is known without waiting for it", async () => {
  const answer = Promise.resolve(STARTED);
  EARLY.leave(answer);
  assert.equal(EARLY.isAnswered, false);
  await answer;
  assert.equal(EARLY.isAnswered, true);
});

test("a question that failed is not answered", async () => {
  const answer = Promise.resolve(null);
  EARLY.leave(answer);
  await answer;
  assert.equal(EARLY.isAnswered, false);
});

test("a shelf that was opened early is the one that the page uses", () => {
  assert.equal(EARLY.shelf, null);
  const shelf = Promise.resolve(new MemoryShelf());
  EARLY.leaveShelf(shelf);
  assert.equal(EARLY.shelf, shelf);
});
