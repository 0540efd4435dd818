/** Reads patterns of outcomes and options as JSON from standard input, and prints what the rules of the picture say. */

import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = await mkdtemp(join(here, "node_modules", ".rules-"));
const outfile = join(target, "judging.mjs");
await build({
  entryPoints: [join(here, "src", "probe", "judging.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning",
});
const { judged } = await import(pathToFileURL(outfile).href);
await rm(target, { recursive: true });
console.log(JSON.stringify(judged(JSON.parse(await text(process.stdin)))));
