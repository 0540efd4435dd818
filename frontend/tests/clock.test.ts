import { strict as assert } from "node:assert";
import { test } from "node:test";

import { Clock, IDLE_AFTER_MS } from "../src/player/clock";

function clockAt(): { clock: Clock; pass(ms: number): void } {
  let now = 1000;
  const clock = new Clock(
    () => now,
    () => 1_700_000_000_000,
  );
  clock.begin();
  return { clock, pass: (ms) => (now += ms) };
}

test("time on the screen runs whether or not anybody moves", () => {
  const { clock, pass } = clockAt();
  pass(20_000);
  assert.equal(clock.times().rt_ms, 20_000);
});

test("time at work stops after a while without input", () => {
  const { clock, pass } = clockAt();
  pass(20_000);
  assert.equal(clock.times().active_ms, IDLE_AFTER_MS);
});

test("every sign of life opens the time at work again", () => {
  const { clock, pass } = clockAt();
  pass(2000);
  clock.touch();
  pass(10_000);
  clock.touch();
  pass(1000);
  assert.equal(clock.times().active_ms, 2000 + IDLE_AFTER_MS + 1000);
});

test("hidden time is not time at work", () => {
  const { clock, pass } = clockAt();
  pass(1000);
  clock.hide();
  pass(60_000);
  clock.show();
  pass(500);
  assert.equal(clock.times().active_ms, 1500);
});

test("a resumed trial goes on from the times of the page before", () => {
  const { clock, pass } = clockAt();
  clock.begin({ rt_ms: 5000, active_ms: 4000 });
  pass(1000);
  assert.deepEqual(clock.times(), { rt_ms: 6000, active_ms: 5000 });
});

test("the time of day follows the steady clock", () => {
  const { clock, pass } = clockAt();
  pass(250);
  assert.equal(clock.at_ms(), 1_700_000_000_250);
});
