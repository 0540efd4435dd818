/** What the landing page says about simulated people. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { activeLine, shareOf, simulatedOf } from "../src/landing/counts";

test("the bar is full when all places are", () => {
  assert.equal(shareOf({ completed: 60, active: 0, wanted: 60 }), 1);
  assert.equal(shareOf({ completed: 15, active: 5, wanted: 60 }), 0.25);
  assert.equal(shareOf({ completed: 0, active: 0, wanted: 0 }), 0);
});

test("those under way are counted until nobody is needed any more", () => {
  assert.equal(activeLine({ completed: 3, active: 2, wanted: 60 }), "2 under way");
  assert.equal(activeLine({ completed: 0, active: 0, wanted: 60 }), "");
  assert.equal(activeLine({ completed: 60, active: 1, wanted: 60 }), "all places filled");
});

test("an answer of another shape changes nothing", () => {
  assert.equal(simulatedOf({ error: "no" }), null);
  assert.equal(simulatedOf(null), null);
  assert.deepEqual(simulatedOf({ simulated: { completed: 1, active: 2, wanted: 3, more: 4 } }), {
    completed: 1,
    active: 2,
    wanted: 3,
  });
});
