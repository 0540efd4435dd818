import { strict as assert } from "node:assert";
import { beforeEach, test } from "node:test";

import { EARLY } from "../src/player/early";
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
