import { strict as assert } from "node:assert";
import { afterEach, beforeEach, mock, test } from "node:test";

import { LATE_AFTER_MS, painted } from "../src/player/painting";
import { h } from "../src/shared/dom";

let frames: (() => void)[] = [];

beforeEach(() => {
  frames = [];
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  Object.assign(globalThis, {
    requestAnimationFrame: (call: () => void) => frames.push(call),
    cancelAnimationFrame: () => undefined,
  });
});
afterEach(() => mock.timers.reset());

/** Lets all promises that can go on do so. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function frame(): Promise<void> {
  for (const call of frames.splice(0)) call();
  await settled();
}

interface Trial {
  readonly stage: HTMLElement;
  arrive(): Promise<void>;
  fail(): Promise<void>;
  isPainted(): boolean;
}

function trialWith(nPictures: number, isSeen = () => true): Trial {
  const stage = h("div", {}, h("p", {}, "What is this?"));
  const [arrivals, failures]: [(() => void)[], (() => void)[]] = [[], []];
  for (let n = 0; n < nPictures; n += 1) {
    const image = h("img", {});
    image.decode = () =>
      new Promise((resolve, reject) => {
        arrivals.push(resolve);
        failures.push(() => reject(new Error("broken")));
      });
    stage.append(image);
  }
  let isDone = false;
  void painted({ parts: [stage], late: () => h("p", { class: "late" }), isSeen }).then(() => (isDone = true));
  const take = async (calls: (() => void)[]) => {
    calls.shift()?.();
    await settled();
  };
  return { stage, arrive: () => take(arrivals), fail: () => take(failures), isPainted: () => isDone };
}

const isHidden = ({ stage }: Trial) => stage.classList.contains("is-unpainted");

test("nobody sees a part of a trial before its last picture is there", async () => {
  const trial = trialWith(2);
  await trial.arrive();
  assert.ok(isHidden(trial));
  await trial.arrive();
  assert.ok(!isHidden(trial));
});

test("a trial counts as painted in the second frame after its last picture", async () => {
  const trial = trialWith(1);
  await frame();
  await trial.arrive();
  await frame();
  assert.ok(!trial.isPainted());
  await frame();
  assert.ok(trial.isPainted());
});

test("a trial without pictures is never hidden", () => assert.ok(!isHidden(trialWith(0))));

test("a message comes only when pictures take longer than a moment, and goes with them", async () => {
  const trial = trialWith(1);
  const shown = () => trial.stage.querySelector(".late") !== null;
  mock.timers.tick(LATE_AFTER_MS - 1);
  assert.ok(!shown());
  mock.timers.tick(1);
  assert.ok(shown());
  await trial.arrive();
  assert.ok(!shown());
});

test("a picture that cannot be read holds nobody up", async () => {
  const trial = trialWith(1);
  await trial.fail();
  await frame();
  await frame();
  assert.ok(trial.isPainted());
});

test("in a background tab nothing is painted, and nothing hangs when it comes to the front", async () => {
  let isFront = false;
  const trial = trialWith(0, () => isFront);
  mock.timers.tick(60_000);
  await settled();
  assert.ok(!trial.isPainted());
  isFront = true;
  for (let second = 0; second < 2; second += 1) {
    mock.timers.tick(1000);
    await settled();
  }
  assert.ok(trial.isPainted());
});
