/** Bundles the unit tests with esbuild and runs them with Node's own runner. */

import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const names = (await readdir(join(here, "tests"))).filter((name) => name.endsWith(".test.ts"));
const target = await mkdtemp(join(here, "node_modules", ".tests-"));
await build({
  entryPoints: [...names, "page.ts"].map((name) => join(here, "tests", name)),
  outdir: target,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  // Live models need a browser; the journeys run them there.
  external: ["./runtime"],
  define: { DECODER_WORKER: '""' },
  sourcemap: "inline",
  logLevel: "warning",
});
const files = names.map((name) => join(target, name.replace(".ts", ".mjs")));
// The page has to be there before anything that looks for one is loaded.
const page = pathToFileURL(join(target, "page.mjs")).href;
const flags = ["--enable-source-maps", "--import", page, "--test", "--test-reporter", "dot"];
const { status } = spawnSync(process.execPath, [...flags, ...files], { stdio: "inherit" });
await rm(target, { recursive: true });
process.exit(status ?? 1);
