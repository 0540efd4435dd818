/** Walks recorded sessions with the static conductor and compares every state with the one the engine gave. */

import { deepStrictEqual } from "node:assert";
import { readFile } from "node:fs/promises";

import { bundled } from "./bundled.mjs";

const { Walk } = await bundled("static", "walk.ts");

/** The engine writes few digits of progress and minutes, and a half is rounded differently in the two languages. */
const near = (number, wanted, slack) => (Math.abs(number - wanted) <= slack ? wanted : number);
const alike = (step, wanted) =>
  step && wanted
    ? {
        ...step,
        progress: near(step.progress, wanted.progress, 1e-4),
        minutes_left: near(step.minutes_left, wanted.minutes_left, 1e-2),
        opening: step.opening &&
          wanted.opening && { ...step.opening, minutes: near(step.opening.minutes, wanted.opening.minutes, 1e-2) },
        // A page knows whether all answers of a check were right, and not which one was wrong.
        gate: step.gate && wanted.gate && { ...step.gate, wrong: wanted.gate.wrong },
      }
    : step;
const { minutes, places, walks } = JSON.parse(await readFile(process.argv[2], "utf8"));
let nSteps = 0;
for (const { place, moves, outcome } of walks) {
  const walk = new Walk(places[place], minutes);
  for (const { events, step, preload } of moves) {
    for (const event of events) {
      deepStrictEqual(walk.faultOf(event), null);
      await walk.take(event);
    }
    deepStrictEqual(alike(walk.step(), step), step);
    deepStrictEqual(walk.preload(), preload);
    nSteps += 1;
  }
  deepStrictEqual(walk.outcome, outcome);
}
console.log(JSON.stringify({ nWalks: walks.length, nSteps }));
