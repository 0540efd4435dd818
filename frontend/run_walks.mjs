/** Walks recorded sessions with the static conductor and compares every state with the one the engine gave. */

import { deepStrictEqual } from "node:assert";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = await mkdtemp(join(here, "node_modules", ".walks-"));
const outfile = join(target, "walk.mjs");
await build({
  entryPoints: [join(here, "src", "static", "walk.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning",
});
const { Walk } = await import(pathToFileURL(outfile).href);
await rm(target, { recursive: true });

/** The engine writes four digits of progress, and a half is rounded differently in the two languages. */
const alike = (step, wanted) =>
  step && wanted && Math.abs(step.progress - wanted.progress) <= 1e-4 ? { ...step, progress: wanted.progress } : step;
const { places, walks } = JSON.parse(await readFile(process.argv[2], "utf8"));
let nSteps = 0;
for (const { place, moves, outcome } of walks) {
  const walk = new Walk(places[place]);
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
